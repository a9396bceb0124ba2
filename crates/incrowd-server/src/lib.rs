//! The workbench: curator and analyst negotiate a release in the browser.
//!
//! The *curator* holds the data and decides; the *analyst* wants it. Each has a token. A [`Server`] serves a page and the
//! JSON API that the page uses, on this machine unless told otherwise, and keeps everything in a data folder, so that it
//! goes on after a restart where it was.
//!
//! Handlers parse, call `incrowd-job`, and serialize. What is decided here is only who may see what: `analyst` rounds
//! whatever an analyst is told, `deals` makes an approved release appear whole or not at all, `audit` writes down
//! everything asked and granted.

#![forbid(unsafe_code)]

mod analyst;
mod assets;
mod audit;
mod bounds;
mod call;
mod counted;
mod data_folder;
mod deals;
mod endpoints;
mod error;
mod guard;
mod handlers;
mod jobs;
mod listener;
mod open_files;
mod openapi;
mod questions;
mod service;
mod table;
mod table_folders;
mod tokens;
mod workbench;

pub use audit::{AuditChecked, check_audit};
pub use error::Error;
pub use service::Limits;
pub use tokens::Role;

use data_folder::DataFolder;
use guard::Names;
use incrowd_job::Job;
use questions::Questions;
use service::Service;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::watch;
use workbench::{Beginning, Workbench};

/// The port, unless another is asked for.
pub const PORT: u16 = 7337;

/// How a server is started.
#[derive(Debug, Clone)]
pub struct Settings {
    /// A table, or a folder with one table and perhaps `hierarchies/`.
    pub data: Option<PathBuf>,
    /// A job with a table and perhaps roles and hierarchies.
    pub job: Option<Job>,
    /// Where to listen.
    pub address: IpAddr,
    /// The port; 0 for any that is free.
    pub port: u16,
    /// What is kept between runs.
    pub data_folder: PathBuf,
    /// Names besides those of this machine under which the server may be addressed.
    pub host_names: Vec<String>,
    /// How much it takes.
    pub limits: Limits,
}

impl Settings {
    /// A server on this machine that keeps its state in this folder.
    pub fn new(data_folder: impl Into<PathBuf>) -> Self {
        Settings {
            data: None,
            job: None,
            address: Ipv4Addr::LOCALHOST.into(),
            port: PORT,
            data_folder: data_folder.into(),
            host_names: Vec::new(),
            limits: Limits::default(),
        }
    }

    /// The job to begin with.
    fn beginning(&self) -> Result<Beginning, Error> {
        let given = match &self.data {
            Some(path) => Some(table::of_path(Path::new(path))?),
            None => None,
        };
        let job = match (&self.job, given) {
            (Some(job), Some(given)) => {
                let mut job = job.clone();
                job.overlay(given);
                Some(job)
            }
            (Some(job), None) => Some(job.clone()),
            (None, given) => given,
        };
        let job = match job {
            Some(mut job) => {
                if let Some(path) = &job.data.path {
                    // Whoever mistyped a name should learn it now, and not from an empty page.
                    let path = std::path::absolute(path)
                        .and_then(|path| std::fs::File::open(&path).map(|_| path))
                        .map_err(|error| Error::folder("read", Path::new(path), &error))?;
                    job.data.path = Some(path.to_string_lossy().into_owned());
                }
                Some(job)
            }
            None => None,
        };
        Ok(Beginning { job })
    }
}

/// A server that listens and does not answer yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    bench: Arc<Workbench>,
    service: Arc<Service>,
    stop: watch::Sender<bool>,
}

/// Ends a server, from any thread.
#[derive(Debug, Clone)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// Ends it; whoever is being answered is cut off.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Listens, opens the data folder, and begins to read the table.
    pub fn open(settings: &Settings) -> Result<Server, Error> {
        let beginning = settings.beginning()?;
        let wanted = SocketAddr::new(settings.address, settings.port);
        let failed = |error: std::io::Error| Error::Listen {
            address: wanted.to_string(),
            kind: error.kind(),
        };
        let listener = TcpListener::bind(wanted).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let data = DataFolder::open(&settings.data_folder)?;
        let questions = Questions::new(settings.limits.questions);
        let bench = Workbench::open(data, beginning, questions)?;
        let names = Names::new(&settings.host_names, address.port());
        let limits = Limits {
            connections: open_files::make_room(settings.limits.connections),
            ..settings.limits
        };
        Ok(Server {
            listener,
            address,
            service: Service::new(Arc::clone(&bench), names, limits),
            bench,
            stop: watch::Sender::new(false),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The token of a role.
    pub fn token(&self, role: Role) -> &str {
        self.bench.tokens.of_role(role)
    }

    /// The link for a role. Its token is in the part that browsers do not send.
    pub fn link(&self, role: Role) -> String {
        format!("http://{}/#token={}", self.address, self.token(role))
    }

    /// What ends the server.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.stop.clone())
    }

    /// Answers until it is stopped.
    pub fn run(self) -> Result<(), Error> {
        let address = self.address.to_string();
        let failed = |error: std::io::Error| Error::Listen {
            address: address.clone(),
            kind: error.kind(),
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .max_blocking_threads(self.service.limits.at_work)
            .build()
            .map_err(failed)?;
        let (listener, service) = (self.listener, self.service);
        let stop = self.stop.subscribe();
        let served = runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            listener::serve(listener, service, stop).await;
            Ok(())
        });
        self.bench.close();
        // Work that nobody waits for any more is not waited for.
        runtime.shutdown_background();
        served.map_err(failed)
    }
}
