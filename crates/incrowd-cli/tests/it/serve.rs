//! `incrowd serve`, with and without the feature `server`.

use crate::support::Folder;

#[cfg(not(feature = "server"))]
#[test]
fn a_program_without_the_workbench_says_how_to_get_one_with_it() {
    let run = Folder::new().run("serve --json");
    let json = run.ends_with(2).json();
    assert_eq!(json["error"]["code"], "server-not-built");
    assert!(
        json["error"]["hint"]
            .as_str()
            .unwrap()
            .contains("--features server")
    );
}

#[cfg(all(feature = "server", unix))]
#[test]
fn the_workbench_prints_its_links_answers_and_ends_on_ctrl_c() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    use std::io::{BufRead, BufReader, Read, Write};
    use std::process::Stdio;

    let folder = Folder::new();
    let mut child = folder
        .command("serve --port 0 --data-folder kept --json")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    let started: serde_json::Value = serde_json::from_str(&line).unwrap();
    let address = started["address"].as_str().unwrap();
    for role in ["curator", "analyst"] {
        let link = started[role].as_str().unwrap();
        let (page, token) = link.split_once("/#token=").unwrap();
        assert_eq!(page, format!("http://{address}"));
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        write!(
            stream,
            "GET /api/v1/session HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n"
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert!(text.contains(&format!("\"role\":\"{role}\"")), "{text}");
    }
    // A table that is not there is missed at once.
    let json = folder
        .run("serve missing.csv --port 0 --data-folder other --json")
        .ends_with(2)
        .json();
    let message = json["error"]["message"].as_str().unwrap();
    assert!(message.contains("missing.csv"), "{message}");
    // Somebody else with the same folder is told why not.
    let json = folder
        .run("serve --port 0 --data-folder kept --json")
        .ends_with(2)
        .json();
    assert_eq!(json["error"]["code"], "data-folder-in-use");
    let id = Pid::from_raw(child.id().try_into().unwrap());
    kill(id, Signal::SIGINT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let checked = folder
        .run("serve --check-audit kept --json")
        .ends_with(0)
        .json();
    assert_eq!(checked["verified"], true);
    let missing = folder
        .run("serve --check-audit nowhere --json")
        .ends_with(2)
        .json();
    assert_eq!(missing["error"]["code"], "data-folder");
}
