//! A request as handlers see it, and their reply.

use crate::error::Failure;
use crate::tokens::Role;
use crate::workbench::Workbench;
use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, Response, StatusCode};
use incrowd_job::visible_json;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// A request whose sender is known and may make it.
pub(crate) struct Call {
    pub(crate) bench: Arc<Workbench>,
    /// None only where everybody may ask.
    pub(crate) role: Option<Role>,
    /// The variable part of the path.
    pub(crate) parameter: Option<String>,
    pub(crate) query: Option<String>,
    pub(crate) body: Bytes,
}

impl Call {
    /// Who asks. Handlers that need to know are not reached by anybody else.
    pub(crate) fn role(&self) -> Result<Role, Failure> {
        self.role.ok_or_else(no_token)
    }

    /// The number in the path.
    pub(crate) fn number(&self, what: &str) -> Result<u64, Failure> {
        let text = self.parameter.as_deref().unwrap_or_default();
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = is_number.then(|| text.parse().ok()).flatten();
        number.ok_or_else(|| Failure::not_found(what))
    }

    /// The body as JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        parse_json(&self.body)
    }
}

pub(crate) fn no_token() -> Failure {
    Failure::new(
        "no-token",
        "this needs a token",
        "open the link that `incrowd serve` printed, or send `Authorization: Bearer TOKEN`",
    )
}

/// Reads JSON. What the parser says never quotes more than a field's name or a short value of the request itself.
pub(crate) fn parse_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(body).map_err(|error| {
        let text: String = error.to_string().chars().take(300).collect();
        Failure::bad_request(format!(
            "the body is not the JSON that this takes: {}",
            incrowd_job::visible(&text)
        ))
    })
}

/// What a handler answers.
#[derive(Debug)]
pub(crate) struct Reply {
    status: u16,
    content_type: &'static str,
    /// The file name of a download.
    download: Option<String>,
    is_report: bool,
    body: Vec<u8>,
}

impl Reply {
    /// JSON, in which no character can steer a terminal or a reader.
    pub(crate) fn json(value: &impl Serialize) -> Result<Self, Failure> {
        Self::json_with(200, value)
    }

    pub(crate) fn json_with(status: u16, value: &impl Serialize) -> Result<Self, Failure> {
        let text = serde_json::to_string(value).map_err(|_| Failure::internal())?;
        Ok(Reply {
            status,
            content_type: "application/json",
            download: None,
            is_report: false,
            body: match visible_json(&text) {
                std::borrow::Cow::Borrowed(_) => text.into_bytes(),
                std::borrow::Cow::Owned(changed) => changed.into_bytes(),
            },
        })
    }

    /// A page of HTML that was made elsewhere in this program.
    pub(crate) fn report(html: String) -> Self {
        Reply {
            status: 200,
            content_type: "text/html; charset=utf-8",
            download: None,
            is_report: true,
            body: html.into_bytes(),
        }
    }

    /// A file to be saved.
    pub(crate) fn download(content_type: &'static str, name: String, body: Vec<u8>) -> Self {
        Reply {
            status: 200,
            content_type,
            download: Some(name),
            is_report: true,
            body,
        }
    }

    pub(crate) fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() =
            StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        if let Some(name) = self.download {
            let value = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
            let value = value.unwrap_or(HeaderValue::from_static("attachment"));
            headers.insert(CONTENT_DISPOSITION, value);
        }
        crate::guard::harden(headers, self.is_report);
        response
    }
}

/// A request that was looked at.
pub(crate) enum Begun {
    Answered(Reply),
    TakesTime(Box<dyn FnOnce() -> Result<Reply, Failure> + Send>),
}

/// A failure as a response.
pub(crate) fn failed(failure: &Failure) -> Response<Body> {
    let reply = Reply::json_with(failure.status, failure);
    let reply = reply.unwrap_or_else(|_| Reply {
        status: 500,
        content_type: "application/json",
        download: None,
        is_report: false,
        body: b"{}".to_vec(),
    });
    let mut response = reply.into_response();
    if let Some(seconds) = failure.retry_after {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    response
}
