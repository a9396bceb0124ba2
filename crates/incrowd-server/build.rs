//! Compiles the page into the program, if it was built: `npm run build` in `web/` writes it to `web/dist`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    let web = Path::new(&std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("web");
    let dist = web.join("dist");
    println!("cargo::rerun-if-changed=build.rs");
    // A folder that is not there yet is looked for again; one that is there is watched as a whole.
    println!("cargo::rerun-if-changed={}", dist.display());
    let mut files = Vec::new();
    collect(&dist, &mut files);
    files.sort();
    let mut list = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(&dist).expect("it was found there");
        let name: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
        writeln!(
            list,
            "    ({:?}, include_bytes!({:?})),",
            name.join("/"),
            file
        )
        .expect("writing to a string");
    }
    list.push_str("]\n");
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets it"));
    std::fs::write(out.join("page.rs"), list).expect("the build folder is writable");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        match path.is_dir() {
            true => collect(&path, files),
            false => files.push(path),
        }
    }
}
