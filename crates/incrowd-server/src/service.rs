//! From HTTP to handlers: who may talk to us, who asks, what may be sent, how long it may take.

use crate::assets;
use crate::call::{Begun, Call, Reply, failed, no_token};
use crate::endpoints::{Answer, BASE, ENDPOINTS, Endpoint, Takes, Who};
use crate::error::Failure;
use crate::guard::{Names, harden};
use crate::handlers::session;
use crate::handlers::table::Upload;
use crate::tokens::Role;
use crate::workbench::Workbench;
use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{RawPathParams, Request};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Method, Response, Uri};
use axum::routing::{MethodFilter, on};
use std::io::Write;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// How much may be sent, how long, and by how many at once.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of a JSON body.
    pub json: u64,
    /// Bytes of a table.
    pub table: u64,
    /// The time for a JSON body, and between two parts of a table.
    pub body: Duration,
    /// The time for the head of a request, and for which a connection may be idle.
    pub head: Duration,
    /// The time for which a client may not read its answer.
    pub write: Duration,
    /// Connections that are served at once.
    pub connections: usize,
    /// Requests that are worked on at once; others wait.
    pub at_work: usize,
    /// Questions that an analyst may ask in a minute: all at once, or spread.
    pub questions: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            json: 1 << 20,
            table: 1 << 30,
            body: Duration::from_secs(20),
            head: Duration::from_secs(30),
            write: Duration::from_secs(30),
            connections: 512,
            at_work: 64,
            questions: 1200,
        }
    }
}

/// What every request is answered from.
pub(crate) struct Service {
    pub(crate) bench: Arc<Workbench>,
    pub(crate) names: Names,
    pub(crate) limits: Limits,
    at_work: Semaphore,
}

impl Service {
    pub(crate) fn new(bench: Arc<Workbench>, names: Names, limits: Limits) -> Arc<Self> {
        Arc::new(Service {
            bench,
            names,
            limits,
            at_work: Semaphore::new(limits.at_work),
        })
    }

    /// The routes.
    pub(crate) fn router(self: &Arc<Self>) -> Router {
        let mut router = Router::new();
        for endpoint in ENDPOINTS {
            let service = Arc::clone(self);
            let handler = move |parameters: RawPathParams, request: Request| async move {
                let mut parameters = parameters.iter();
                let parameter = parameters.next().map(|(_, value)| value.to_owned());
                match service.answer(endpoint, parameter, request).await {
                    Ok(reply) => reply.into_response(),
                    Err(failure) => failed(&failure),
                }
            };
            let filter = match endpoint.method {
                "GET" => MethodFilter::GET,
                "PUT" => MethodFilter::PUT,
                "POST" => MethodFilter::POST,
                _ => MethodFilter::DELETE,
            };
            router = router.route(&format!("{BASE}{}", endpoint.path), on(filter, handler));
        }
        let service = Arc::clone(self);
        let other = move |method: Method, uri: Uri, headers: HeaderMap| async move {
            service.other(&method, &uri, &headers)
        };
        let service = Arc::clone(self);
        let wrong_method = move |headers: HeaderMap| async move {
            let refused = service.names.check(&headers).err();
            let wrong = || {
                Failure::new(
                    "wrong-method",
                    "this cannot be asked in this way",
                    "see `/api/v1/openapi.json` for the methods of each path",
                )
            };
            failed(&refused.unwrap_or_else(wrong))
        };
        router
            .fallback(other)
            .method_not_allowed_fallback(wrong_method)
    }

    /// The page and its files; everything else is not there.
    fn other(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Response<Body> {
        let is_api = uri.path().starts_with("/api");
        let checked = match is_api {
            true => self.names.check(headers),
            false => self.names.check_page(headers),
        };
        if let Err(failure) = checked {
            return failed(&failure);
        }
        let is_read = method == Method::GET || method == Method::HEAD;
        let asset = assets::find(uri.path()).filter(|_| is_read && !is_api);
        let Some(asset) = asset else {
            return failed(&Failure::not_found("page"));
        };
        let mut response = Response::new(Body::from(asset.bytes));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.content_type));
        if asset.is_hashed {
            let long = HeaderValue::from_static("public, max-age=31536000, immutable");
            headers.insert(CACHE_CONTROL, long);
        }
        harden(headers, false);
        response
    }

    /// Checks a request from the outside in, and answers it.
    async fn answer(
        self: &Arc<Self>,
        endpoint: &'static Endpoint,
        parameter: Option<String>,
        request: Request,
    ) -> Result<Reply, Failure> {
        let (head, body) = request.into_parts();
        self.names.check(&head.headers)?;
        let role = self.role(endpoint, &head.headers)?;
        let mut call = Call {
            bench: Arc::clone(&self.bench),
            role,
            parameter,
            query: head.uri.query().map(str::to_owned),
            body: Bytes::new(),
        };
        let content_type = content_type(&head.headers);
        match endpoint.takes {
            // What a request carries without being asked to is never read, and its connection is closed.
            Takes::Nothing | Takes::Table => {}
            Takes::JsonOrNothing if content_type.is_none() && body.is_end_stream() => {}
            Takes::Json | Takes::JsonOrNothing => {
                if content_type.as_deref() != Some("application/json") {
                    return Err(wrong_content_type("application/json"));
                }
                check_length(&head.headers, self.limits.json)?;
                let received = receive(body, self.limits.json);
                let received = tokio::time::timeout(self.limits.body, received).await;
                call.body = received.map_err(|_| too_slow())??;
                return self.work(endpoint, call).await;
            }
        }
        match endpoint.answer {
            Answer::Upload => self.upload(call, &head.headers, body).await,
            _ => self.work(endpoint, call).await,
        }
    }

    /// Who asks, if they may.
    fn role(&self, endpoint: &Endpoint, headers: &HeaderMap) -> Result<Option<Role>, Failure> {
        let mut given = headers.get_all(AUTHORIZATION).iter();
        let token = given
            .next()
            .and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
        let token = token.filter(|_| given.next().is_none());
        let role = token.and_then(|token| self.bench.tokens.role_of(token));
        match (endpoint.who, role) {
            (Who::Everybody, role) => Ok(role),
            (_, None) => Err(no_token()),
            (Who::Curator, Some(Role::Analyst)) => Err(Failure::new(
                "not-allowed",
                "only the curator may do this",
                "ask the curator",
            )),
            (Who::Both | Who::Curator, role) => Ok(role),
        }
    }

    async fn work(&self, endpoint: &'static Endpoint, call: Call) -> Result<Reply, Failure> {
        match endpoint.answer {
            Answer::Instant(handler) => handler(&call),
            Answer::Description => Reply::json(crate::openapi::description()),
            Answer::Changes => session::changes(&call).await,
            Answer::Upload => Err(Failure::internal()),
            Answer::Blocking(handler) => self.blocking(move || handler(&call)).await,
            Answer::AtOnceIfKnown(begin) => match begin(&call)? {
                Begun::Answered(reply) => Ok(reply),
                Begun::TakesTime(work) => self.blocking(work).await,
            },
        }
    }

    /// Works on a thread that may take its time, as soon as there is one.
    async fn blocking(
        &self,
        work: impl FnOnce() -> Result<Reply, Failure> + Send + 'static,
    ) -> Result<Reply, Failure> {
        let place = tokio::time::timeout(self.limits.body, self.at_work.acquire()).await;
        let _place = place.ok().and_then(Result::ok).ok_or_else(busy)?;
        let work = tokio::task::spawn_blocking(work);
        work.await.map_err(|_| Failure::internal())?
    }

    /// Receives a table part by part; nothing of it is kept in memory.
    async fn upload(
        &self,
        call: Call,
        headers: &HeaderMap,
        mut body: Body,
    ) -> Result<Reply, Failure> {
        const TYPES: [&str; 3] = [
            "text/csv",
            "application/vnd.apache.parquet",
            "application/octet-stream",
        ];
        let content_type = content_type(headers).filter(|of| TYPES.contains(&of.as_str()));
        let content_type = content_type.ok_or_else(|| wrong_content_type(&TYPES.join(", ")))?;
        check_length(headers, self.limits.table)?;
        let name = headers.get("x-file-name").map(|name| name.to_str());
        let name = name.transpose();
        let name =
            name.map_err(|_| Failure::bad_request("the header `x-file-name` is not ASCII"))?;
        let mut upload = Upload::begin(&call, &content_type, name)?;
        let mut received = 0;
        let failure = loop {
            let part = tokio::time::timeout(self.limits.body, next_part(&mut body)).await;
            match part {
                Err(_) => break too_slow(),
                Ok(Err(failure)) => break failure,
                Ok(Ok(None)) => {
                    let work = tokio::task::spawn_blocking(move || upload.finish(&call));
                    return work.await.map_err(|_| Failure::internal())?;
                }
                Ok(Ok(Some(bytes))) => {
                    received += bytes.len() as u64;
                    if received > self.limits.table {
                        break too_large(self.limits.table);
                    }
                    let file = &mut upload.incoming.file;
                    // A part is at most some hundred kilobytes, and goes to the cache of the disk.
                    if file.write_all(&bytes).is_err() {
                        break Failure::internal();
                    }
                }
            }
        };
        upload.incoming.drop_it()?;
        Err(failure)
    }
}

fn content_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let (kind, rest) = value.split_once(';').unwrap_or((value, ""));
    let charset = rest.trim().to_ascii_lowercase();
    let is_utf8 = charset.is_empty() || charset == "charset=utf-8" || charset == "header=present";
    is_utf8.then(|| kind.trim().to_ascii_lowercase())
}

fn wrong_content_type(expected: &str) -> Failure {
    Failure::new(
        "wrong-content-type",
        "the body is of another type than this takes",
        format!("send `content-type: {expected}`"),
    )
}

fn too_large(most: u64) -> Failure {
    Failure::new(
        "too-large",
        format!("the body is larger than {most} bytes"),
        "send less; a larger table can be named when the server is started",
    )
}

fn too_slow() -> Failure {
    Failure::new(
        "too-slow",
        "the body did not arrive in time",
        "try again over a faster connection",
    )
}

pub(crate) fn busy() -> Failure {
    Failure::new("busy", "too many requests at once", "try again in a moment").retry_after(1)
}

/// Refuses a body that says itself that it is too large.
fn check_length(headers: &HeaderMap, most: u64) -> Result<(), Failure> {
    let length = headers
        .get(CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok());
    let length = length.and_then(|length| length.parse::<u64>().ok());
    match length.is_some_and(|length| length > most) {
        true => Err(too_large(most)),
        false => Ok(()),
    }
}

/// The next bytes of a body; none at its end.
async fn next_part(body: &mut Body) -> Result<Option<Bytes>, Failure> {
    loop {
        let frame = std::future::poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await;
        match frame {
            None => return Ok(None),
            Some(Err(_)) => return Err(Failure::bad_request("the body ended too early")),
            // Trailers say nothing that we ask for.
            Some(Ok(frame)) => {
                if let Ok(bytes) = frame.into_data() {
                    return Ok(Some(bytes));
                }
            }
        }
    }
}

/// A whole body.
async fn receive(mut body: Body, most: u64) -> Result<Bytes, Failure> {
    let Some(first) = next_part(&mut body).await? else {
        return Ok(Bytes::new());
    };
    let mut all = Vec::new();
    let mut next = Some(first);
    while let Some(bytes) = next {
        if (all.len() + bytes.len()) as u64 > most {
            return Err(too_large(most));
        }
        all.extend_from_slice(&bytes);
        next = next_part(&mut body).await?;
    }
    Ok(all.into())
}
