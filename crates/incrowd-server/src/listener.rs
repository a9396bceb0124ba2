//! Connections: so many at once, each with limits on how long it may keep us waiting.

use crate::error::Failure;
use crate::service::{Limits, Service, busy};
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, Sleep};

/// Connections beyond the limit that are waited for until they have heard so; those beyond that are told in passing.
const MOST_FAREWELLS: usize = 128;
/// How long a farewell may take.
const FAREWELL: Duration = Duration::from_secs(2);
/// How long to wait if the system has no more connections to give.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves until told to stop.
pub(crate) async fn serve(
    listener: TcpListener,
    service: Arc<Service>,
    mut stop: watch::Receiver<bool>,
) {
    let router = service.router();
    let places = Arc::new(Semaphore::new(service.limits.connections));
    let farewells = Arc::new(Semaphore::new(MOST_FAREWELLS));
    let farewell: Arc<[u8]> = too_many().into_bytes().into();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.wait_for(|is_over| *is_over) => return,
        };
        let Ok((stream, _)) = accepted else {
            // Too many open files, most likely; some will be closed.
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        match Arc::clone(&places).try_acquire_owned() {
            Ok(place) => {
                let connection = connection(stream, router.clone(), service.limits);
                let mut stop = stop.clone();
                tokio::spawn(async move {
                    tokio::select! {
                        () = connection => {}
                        _ = stop.wait_for(|is_over| *is_over) => {}
                    }
                    drop(place);
                });
            }
            Err(_) => {
                let farewell = farewell.clone();
                match Arc::clone(&farewells).try_acquire_owned() {
                    Ok(place) => drop(tokio::spawn(async move {
                        // Whoever does not listen is not waited for.
                        let _ = tokio::time::timeout(FAREWELL, say(&farewell, stream)).await;
                        drop(place);
                    })),
                    // A new connection has room for it. If its client has sent something already, it may not hear.
                    Err(_) => drop(stream.try_write(&farewell)),
                }
            }
        }
    }
}

async fn connection(stream: TcpStream, router: Router, limits: Limits) {
    // Answers are small and should not wait to be sent with others.
    let _ = stream.set_nodelay(true);
    let router = TowerToHyperService::new(router);
    let watched = Impatient::new(stream, limits.write);
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(64 << 10)
        .serve_connection(TokioIo::new(watched), router);
    // A client that went away is no event.
    let _ = served.await;
}

/// What a client hears if there are too many.
fn too_many() -> String {
    let failure: Failure = busy();
    let body = serde_json::to_string(&failure).unwrap_or_default();
    format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         cache-control: no-store\r\nx-content-type-options: nosniff\r\nretry-after: 1\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// Tells a client something, and waits until it has heard.
async fn say(text: &[u8], mut stream: TcpStream) -> io::Result<()> {
    stream.write_all(text).await?;
    stream.shutdown().await?;
    // Closed with something unread, the connection would be reset and the answer lost.
    let mut unread = [0; 4096];
    while stream.read(&mut unread).await? > 0 {}
    Ok(())
}

/// A connection that ends if its client does not read what is written.
struct Impatient {
    stream: TcpStream,
    patience: Duration,
    /// When it ends, while a write is waiting.
    until: Option<Pin<Box<Sleep>>>,
}

impl Impatient {
    fn new(stream: TcpStream, patience: Duration) -> Self {
        Impatient {
            stream,
            patience,
            until: None,
        }
    }

    /// Lets a write through, or counts the time that it waits.
    fn timed<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.until = None;
            return written;
        }
        let patience = self.patience;
        let until = self
            .until
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + patience)));
        ready!(until.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Impatient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Impatient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.timed(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.timed(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
