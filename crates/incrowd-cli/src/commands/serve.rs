//! `incrowd serve`: the workbench in the browser.

use crate::Reply;
use crate::args::{Global, ServeArgs};
use incrowd_job::{Control, Error};
use std::sync::Arc;

#[cfg(not(feature = "server"))]
pub(super) fn run(
    _args: &ServeArgs,
    _global: &Global,
    _control: &Arc<Control>,
) -> Result<Reply, Error> {
    Err(Error::ServerNotBuilt)
}

#[cfg(feature = "server")]
pub(super) use with_server::run;

#[cfg(feature = "server")]
mod with_server {
    use super::{Arc, Control, Error, Global, Reply, ServeArgs};
    use crate::FAILED;
    use crate::render::json::document;
    use incrowd_job::{Job, VERSION};
    use incrowd_server::{Limits, Role, Server, Settings, check_audit};
    use std::io::Write;
    use std::path::PathBuf;
    use std::time::Duration;

    /// How often to check whether the user wants to stop.
    const GLANCE: Duration = Duration::from_millis(50);

    pub(in crate::commands) fn run(
        args: &ServeArgs,
        global: &Global,
        control: &Arc<Control>,
    ) -> Result<Reply, Error> {
        let job = match &args.job {
            Some(path) => Some(Job::load(path)?),
            None => None,
        };
        let done = match &args.check_audit {
            Some(folder) => checked(folder, global),
            None => served(args, job, global, control),
        };
        Ok(done.unwrap_or_else(|error| failed(&error, global)))
    }

    fn failed(error: &incrowd_server::Error, global: &Global) -> Reply {
        let (message, hint) = (error.to_string(), error.hint());
        Reply {
            result: match global.json {
                true => document(&serde_json::json!({ "version": VERSION,
                    "error": { "code": error.code(), "message": message, "place": null, "hint": hint } })),
                false => String::new(),
            },
            note: format!("error: {message}\n  hint: {hint}\n"),
            code: FAILED,
        }
    }

    fn checked(folder: &std::path::Path, global: &Global) -> Result<Reply, incrowd_server::Error> {
        let checked = check_audit(folder)?;
        let text = format!(
            "The audit log is whole: {} entries, none changed or missing.\nhead  {}\n",
            checked.entries, checked.head
        );
        Ok(Reply {
            result: match global.json {
                true => document(&serde_json::json!({ "version": VERSION, "verified": true,
                    "entries": checked.entries, "head": checked.head })),
                false => text,
            },
            ..Reply::default()
        })
    }

    fn served(
        args: &ServeArgs,
        job: Option<Job>,
        global: &Global,
        control: &Arc<Control>,
    ) -> Result<Reply, incrowd_server::Error> {
        let folder = args.data_folder.clone().unwrap_or_else(default_folder);
        let settings = Settings {
            data: args.data.clone(),
            job,
            address: args.listen,
            port: args.port,
            host_names: args.host_names.clone(),
            limits: Limits {
                connections: args.connections,
                questions: args.questions,
                ..Limits::default()
            },
            ..Settings::new(&folder)
        };
        let server = Server::open(&settings)?;
        let (curator, analyst) = (server.link(Role::Curator), server.link(Role::Analyst));
        let text = match global.json {
            true => document(
                &serde_json::json!({ "version": VERSION, "address": server.address().to_string(),
                "curator": curator, "analyst": analyst, "data_folder": folder }),
            ),
            false => format!(
                "The workbench is open; press Ctrl-C to close it.\n\ncurator  {curator}\nanalyst  {analyst}\n\n\
                 Each link is a key: whoever has it can do what its owner can.\nKept in {}\n",
                folder.display()
            ),
        };
        // The links are needed now, and not when the command ends.
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        drop(out);
        if args.open {
            open_browser(&folder, &curator);
        }
        let (stopper, control) = (server.stopper(), Arc::clone(control));
        std::thread::spawn(move || {
            while !control.is_cancelled() {
                std::thread::sleep(GLANCE);
            }
            stopper.stop();
        });
        server.run()?;
        Ok(Reply::default())
    }

    /// Where programs keep their data.
    fn default_folder() -> PathBuf {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let base = match set("XDG_DATA_HOME").or_else(|| set("LOCALAPPDATA")) {
            Some(base) => PathBuf::from(base),
            None => match set("HOME") {
                Some(home) => PathBuf::from(home).join(".local/share"),
                None => PathBuf::from("."),
            },
        };
        base.join("incrowd").join("serve")
    }

    /// Opens the page by way of a private file: the arguments of a program can be read by everybody on the machine, and the
    /// link is a key.
    fn open_browser(folder: &std::path::Path, link: &str) {
        let page = format!(
            "<!doctype html><meta charset=\"utf-8\"><title>incrowd</title>\
             <meta http-equiv=\"refresh\" content=\"0; url={link}\"><a href=\"{link}\">Open the workbench</a>\n"
        );
        let path = folder.join("open.html");
        let mut options = std::fs::File::options();
        options.create(true).truncate(true).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let written = options
            .open(&path)
            .and_then(|mut file| file.write_all(page.as_bytes()));
        if written.is_err() {
            return;
        }
        let program = match std::env::consts::OS {
            "macos" => "open",
            "windows" => "explorer",
            _ => "xdg-open",
        };
        // Without a browser the printed link still works.
        let _ = std::process::Command::new(program)
            .arg(&path)
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn();
    }
}
