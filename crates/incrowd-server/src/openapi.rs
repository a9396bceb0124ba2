//! The description of the API, made from the list of endpoints; the schemas are in `openapi.json`.

use crate::endpoints::{BASE, ENDPOINTS, Endpoint, Takes, Who};
use crate::error::CODES;
use serde_json::{Map, Value, json};
use std::sync::OnceLock;

/// Schemas by name.
const SCHEMAS: &str = include_str!("openapi.json");

/// The description, OpenAPI 3.1.
pub(crate) fn description() -> &'static Value {
    static DESCRIPTION: OnceLock<Value> = OnceLock::new();
    DESCRIPTION.get_or_init(|| {
        let mut paths = Map::new();
        for endpoint in ENDPOINTS {
            let path = format!("{}{}", BASE, endpoint.path);
            let methods = paths.entry(path).or_insert_with(|| json!({}));
            methods[endpoint.method.to_lowercase()] = operation(endpoint);
        }
        let schemas: Value = serde_json::from_str(SCHEMAS).unwrap_or_default();
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "incrowd: the workbench",
                "version": env!("CARGO_PKG_VERSION"),
                "description": "Negotiates a release of a table about persons. The curator's token reaches everything; \
                    the analyst's reaches aggregate answers within the curator's bounds, and approved releases.",
                "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
            },
            "servers": [{ "url": "/" }],
            "security": [{ "token": [] }],
            "paths": paths,
            "components": {
                "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
                "schemas": schemas,
            },
        })
    })
}

fn operation(endpoint: &Endpoint) -> Value {
    let (taken, answered) = endpoint.schemas;
    let mut operation = json!({
        "summary": endpoint.summary,
        "operationId": operation_id(endpoint),
        "x-who": match endpoint.who {
            Who::Everybody => "everybody",
            Who::Both => "both",
            Who::Curator => "curator",
        },
        "responses": responses(endpoint, answered),
    });
    if endpoint.who == Who::Everybody {
        operation["security"] = json!([]);
    }
    let mut parameters = Vec::new();
    if endpoint.path.contains('{') {
        parameters.push(match endpoint.path.contains("{term}") {
            true => json!({ "name": "term", "in": "path", "required": true, "schema": { "type": "string", "minLength": 1 } }),
            false => json!({ "name": if endpoint.path.contains("{index}") { "index" } else { "id" }, "in": "path",
                "required": true, "schema": { "type": "integer", "minimum": 0, "maximum": u32::MAX } }),
        });
    }
    if endpoint.path == "/changes" {
        parameters.push(json!({ "name": "after", "in": "query", "required": true,
            "schema": { "type": "integer", "minimum": 0, "maximum": u32::MAX } }));
    }
    if endpoint.takes == Takes::Table {
        parameters.push(json!({ "name": "x-file-name", "in": "header", "required": false,
            "description": "The name of the file, percent-encoded", "schema": { "type": "string", "pattern": "^[A-Za-z0-9._-]*$" } }));
    }
    if !parameters.is_empty() {
        operation["parameters"] = json!(parameters);
    }
    let schema = || json!({ "$ref": format!("#/components/schemas/{taken}") });
    match endpoint.takes {
        Takes::Nothing => {}
        Takes::Json => {
            operation["requestBody"] = json!({ "required": true, "content": { "application/json": { "schema": schema() } } });
        }
        Takes::JsonOrNothing => {
            operation["requestBody"] = json!({ "required": false, "content": { "application/json": { "schema": schema() } } });
        }
        Takes::Table => {
            let table = json!({ "schema": { "type": "string", "format": "binary" } });
            operation["requestBody"] = json!({ "required": true, "content": {
                "text/csv": table, "application/vnd.apache.parquet": table, "application/octet-stream": table } });
        }
    }
    operation
}

/// Such as `post_proposals_id_approve`.
fn operation_id(endpoint: &Endpoint) -> String {
    let words = endpoint
        .path
        .replace(['{', '}'], "")
        .replace(['/', '.'], "_");
    format!("{}{words}", endpoint.method.to_lowercase())
}

fn responses(endpoint: &Endpoint, answered: &str) -> Value {
    let content = match answered {
        "html" => json!({ "text/html": { "schema": { "type": "string" } } }),
        "csv" => json!({ "text/csv": { "schema": { "type": "string" } } }),
        "toml" => json!({ "application/toml": { "schema": { "type": "string" } } }),
        name => {
            json!({ "application/json": { "schema": { "$ref": format!("#/components/schemas/{name}") } } })
        }
    };
    let mut responses = Map::new();
    responses.insert(
        endpoint.status.to_string(),
        json!({ "description": endpoint.summary, "content": content }),
    );
    let mut codes: Vec<u16> = CODES.iter().map(|(_, status)| *status).collect();
    codes.sort_unstable();
    codes.dedup();
    for status in codes {
        let says: Vec<&str> = CODES
            .iter()
            .filter(|(_, of)| *of == status)
            .map(|(code, _)| *code)
            .collect();
        responses.insert(
            status.to_string(),
            json!({ "description": format!("Not answered: {}", says.join(", ")),
                "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Failure" } } } }),
        );
    }
    Value::Object(responses)
}
