//! `incrowd man`

use crate::Reply;
use crate::args::{Cli, ManArgs};
use clap::CommandFactory;
use incrowd_job::Error;

pub(super) fn run(args: &ManArgs) -> Result<Reply, Error> {
    let mut command = Cli::command();
    command.build();
    let mut title = String::from("incrowd");
    for name in &args.command {
        command = match command.find_subcommand(name) {
            Some(found) => found.clone(),
            None => {
                return Err(Error::UnknownCommand {
                    name: args.command.join(" "),
                });
            }
        };
        title = format!("{title}-{name}");
    }
    let mut page = Vec::new();
    let man = clap_mangen::Man::new(command).title(title);
    man.render(&mut page).expect("memory takes every byte");
    Ok(Reply {
        result: String::from_utf8_lossy(&page).into_owned(),
        ..Reply::default()
    })
}
