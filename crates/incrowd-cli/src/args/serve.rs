//! Flags of `incrowd serve`.

use clap::Args;
use std::path::PathBuf;

/// Open the workbench: negotiate a release in the browser
///
/// Serves a page on this machine for two people: the curator, who holds the data, sets roles, hierarchies and bounds, and
/// approves releases; and the analyst, who sees aggregate answers within those bounds and approved releases, and nothing
/// else. Prints a link for each. Everything asked and granted is written to an audit log.
///
/// Without DATA, goes on with the table of the last time, or begins with a small example.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd serve
  incrowd serve data/adult --open
  incrowd serve patients.csv --data-folder negotiation --port 8000
  incrowd serve --check-audit negotiation")]
pub(crate) struct ServeArgs {
    /// Table to begin with: a file, or a folder with one table and perhaps a folder `hierarchies`
    #[arg(value_name = "DATA")]
    pub(crate) data: Option<PathBuf>,
    /// Job file with the table, the roles of its columns and their hierarchies
    #[arg(long, value_name = "FILE")]
    pub(crate) job: Option<PathBuf>,
    /// Port to listen on; 0 takes any free one
    #[arg(long, value_name = "N", default_value_t = 7337)]
    pub(crate) port: u16,
    /// Open the page in the browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Folder that keeps tokens, state, proposals, deals and the audit log [default: in your data folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) data_folder: Option<PathBuf>,
    /// Address to listen on; anything but this machine needs a proxy that encrypts
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    pub(crate) listen: std::net::IpAddr,
    /// Another name under which browsers address the server, such as that of a proxy; may be repeated
    #[arg(long = "host-name", value_name = "NAME")]
    pub(crate) host_names: Vec<String>,
    /// Connections served at once; others are told that there are too many
    #[arg(long, value_name = "N", default_value_t = 512)]
    pub(crate) connections: usize,
    /// Questions that an analyst may ask in a minute
    #[arg(long, value_name = "N", default_value_t = 1200)]
    pub(crate) questions: u32,
    /// Check the audit log of a data folder and end
    #[arg(long, value_name = "DIR", conflicts_with_all = ["data", "job", "open"])]
    pub(crate) check_audit: Option<PathBuf>,
}
