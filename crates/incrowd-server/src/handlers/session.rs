//! Who asks, what there is, and what changed.

use crate::analyst::Mask;
use crate::bounds::{Bounds, is_stronger_above, is_whole};
use crate::call::{Call, Reply};
use crate::error::Failure;
use crate::tokens::Role;
use crate::workbench::Board;
use incrowd_core::algorithms::ALGORITHMS;
use incrowd_core::privacy::MODELS;
use incrowd_core::utility::METRICS;
use incrowd_job::explain;
use serde_json::{Value, json};
use std::time::Duration;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How long a question for changes may stay open.
const PATIENCE: Duration = Duration::from_secs(25);

pub(crate) fn health(_call: &Call) -> Result<Reply, Failure> {
    Reply::json(&json!({ "status": "ok", "version": VERSION }))
}

pub(crate) fn session(call: &Call) -> Result<Reply, Failure> {
    let role = call.role()?;
    let board = call.bench.read();
    let sees = match role {
        Role::Curator => {
            json!({ "lattice": true, "curve": true, "distributions": true, "metrics": true,
            "hierarchies": true, "trials": true })
        }
        Role::Analyst => serde_json::to_value(board.bounds().analyst_sees).unwrap_or_default(),
    };
    Reply::json(&json!({
        "role": role,
        "version": VERSION,
        "revision": call.bench.revision(),
        "sees": sees,
    }))
}

/// Waits until there is another revision than the one the caller knows.
pub(crate) async fn changes(call: &Call) -> Result<Reply, Failure> {
    let query = call.query.as_deref().unwrap_or_default();
    let after = match query.strip_prefix("after=") {
        Some(number) => number
            .parse::<u64>()
            .map_err(|_| Failure::bad_request("`after` must be a revision"))?,
        None if query.is_empty() => return Err(Failure::bad_request("`after` is missing")),
        None => return Err(Failure::bad_request("the only parameter is `after`")),
    };
    let mut revisions = call.bench.revisions();
    let changed = revisions.wait_for(|revision| *revision != after);
    // Nothing new is an answer too.
    let _ = tokio::time::timeout(PATIENCE, changed).await;
    Reply::json(&json!({ "revision": call.bench.revision() }))
}

pub(crate) fn explained(call: &Call) -> Result<Reply, Failure> {
    let explanation = explain(call.parameter.as_deref()).map_err(|_| Failure::not_found("term"))?;
    Reply::json(&explanation)
}

pub(crate) fn state(call: &Call) -> Result<Reply, Failure> {
    let role = call.role()?;
    let bench = &call.bench;
    // Read first: a change after this is told by a later revision.
    let revision = bench.revision();
    let deals = bench.agreements.deals();
    let board = bench.read();
    let state = json!({
        "revision": revision,
        "step": board.step(),
        "table": table(&board, role),
        "quasi_identifiers": quasi_identifiers(&board, role),
        "bounds": &**board.bounds(),
        "lattice": board.counted.as_ref().map(|counted| {
            let nodes = counted.ground().table().lattice().nodes();
            json!({ "nodes": incrowd_job::Figure128(nodes) })
        }),
        "models": models(board.bounds(), role),
        "metrics": metrics(board.bounds(), role),
        "algorithms": match role {
            Role::Analyst if !board.bounds().analyst_sees.trials => Vec::new(),
            _ => algorithms(),
        },
    });
    drop(board);
    let mut state = state;
    state["jobs"] = json!(bench.jobs.seen_by(role));
    state["proposals"] = json!(bench.agreements.proposals_seen_by(role));
    state["deals"] = json!(deals);
    Reply::json(&state)
}

/// The table: all of it for the curator; for the analyst its quasi-identifiers and its rounded size, once it is counted.
fn table(board: &Board, role: Role) -> Option<Value> {
    let table = board.table()?;
    let column = |(at, column): (usize, &crate::table::ColumnKnown)| {
        json!({ "index": at, "name": column.name,
        "kind": column.kind, "role": column.role })
    };
    let all = table.columns.iter().enumerate();
    match role {
        Role::Curator => Some(json!({
            "name": table.name,
            "rows": table.rows,
            "columns": all.map(column).collect::<Vec<_>>(),
        })),
        Role::Analyst => {
            let counted = board.counted.as_ref()?;
            let rows = Mask::of_rows(counted, board.bounds().mask).rows();
            let known = all.filter(|(at, _)| counted.columns.contains(at));
            Some(json!({
                "name": "",
                "rows": rows,
                "columns": known.map(column).collect::<Vec<_>>(),
            }))
        }
    }
}

fn quasi_identifiers(board: &Board, role: Role) -> Vec<Value> {
    let Some(counted) = &board.counted else {
        return Vec::new();
    };
    let attributes = counted.ground().table().attributes.iter();
    let known = attributes.zip(&counted.columns).map(|(attribute, column)| {
        let hierarchy = &attribute.hierarchy;
        let height = hierarchy.height();
        let levels = incrowd_core::lattice::Level::up_to(height);
        let names: Vec<String> = levels
            .map(|level| match role {
                Role::Curator => hierarchy.level_name(level).to_owned(),
                // Names of levels may come from a file.
                Role::Analyst if level.0 == 0 => "raw".to_owned(),
                Role::Analyst => format!("level {level}"),
            })
            .collect();
        json!({ "index": column, "name": attribute.name, "levels": height.0, "level_names": names })
    });
    known.collect()
}

/// Models that can be negotiated; for the analyst those that the curator accepts.
fn models(bounds: &Bounds, role: Role) -> Vec<Value> {
    let negotiable = MODELS.iter().filter(|entry| !entry.kind.is_about_release);
    let shown = negotiable.filter_map(|entry| {
        let allowed = bounds.of_model(entry.name);
        if role == Role::Analyst && allowed.is_none() {
            return None;
        }
        Some(json!({
            "name": entry.name,
            "parameter": entry.settings[0].name,
            "whole": is_whole(&entry.settings[0]),
            "stronger": if is_stronger_above(entry) { "up" } else { "down" },
            "floor": allowed.map(|model| model.floor),
            "ceiling": allowed.map(|model| model.ceiling),
            "one_line": entry.card.summary(),
        }))
    });
    shown.collect()
}

fn metrics(bounds: &Bounds, role: Role) -> Vec<Value> {
    let hides = role == Role::Analyst && !bounds.analyst_sees.metrics;
    let metrics = METRICS.iter().filter(|entry| {
        (!hides || entry.name == "height")
            && (role == Role::Curator || entry.name != "research-value")
    });
    metrics
        .map(|entry| json!({ "name": entry.name, "one_line": entry.card.summary() }))
        .collect()
}

fn algorithms() -> Vec<Value> {
    let entries = ALGORITHMS.iter().map(|algorithm| algorithm.entry());
    entries
        .map(|entry| json!({ "name": entry.name, "one_line": entry.card.summary() }))
        .collect()
}

pub(crate) fn bounds(call: &Call) -> Result<Reply, Failure> {
    let board = call.bench.read();
    Reply::json(&**board.bounds())
}

pub(crate) fn set_bounds(call: &Call) -> Result<Reply, Failure> {
    let bounds: Bounds = call.json()?;
    call.bench.set_bounds(bounds)?;
    self::bounds(call)
}

pub(crate) fn audit(call: &Call) -> Result<Reply, Failure> {
    // The whole log may be long; the page shows its end.
    const MOST: usize = 1000;
    let answer = match call.bench.audit.read(MOST) {
        Ok((entries, checked)) => {
            json!({ "entries": entries, "total": checked.entries, "verified": true,
            "head": checked.head })
        }
        Err(crate::error::Error::AuditBroken { entry, .. }) => {
            json!({ "entries": [], "total": null, "verified": false, "head": null, "broken_at": entry })
        }
        Err(error) => return Err(error.into()),
    };
    Reply::json(&answer)
}
