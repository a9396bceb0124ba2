//! No circles: of two files of a folder, at most one may need the other, directly or through further files.
//!
//! Whoever reads one file of a circle has to read them all. Looks at every `crate::` and `super::` outside tests, also
//! at names that a `mod.rs` only passes on. The `mod.rs` itself is excepted: it brings the files of its folder together.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The circles that are left, with their reasons.
const KNOWN: &[&str] = &[
    // An error names the columns and figures that it is about, and so do reports, which fail with errors.
    "job/: error report spec",
];

/// A module or an item, from the root of its crate.
type Name = Vec<String>;

/// The code of every module below a folder, without comments and tests.
fn read(folder: &Path, name: &Name, found: &mut BTreeMap<Name, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let module = match path.file_stem().unwrap().to_str().unwrap() {
            "tests" => continue,
            "mod" | "lib" | "main" => name.clone(),
            file => [name.as_slice(), &[file.to_owned()]].concat(),
        };
        if path.is_dir() {
            read(&path, &module, found);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let code = code.lines().map(|line| line.split("//").next().unwrap());
        found.insert(module, code.collect::<Vec<_>>().join("\n"));
    }
}

/// Every name that a text begins with, such as `a::b` and `a::c` in `a::{b, c}`. Returns what follows.
fn names<'t>(text: &'t str, of: &Name, found: &mut Vec<Name>) -> &'t str {
    if let Some(mut rest) = text.strip_prefix('{') {
        while !rest.trim_start().starts_with('}') {
            rest = names(rest.trim_start(), of, found);
            rest = &rest[rest.find([',', '}']).unwrap()..];
            rest = rest.strip_prefix(',').unwrap_or(rest);
        }
        return &rest.trim_start()[1..];
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    let name = [of.as_slice(), &[name.to_owned()]].concat();
    match rest.strip_prefix("::") {
        Some(rest) => names(rest, &name, found),
        None => {
            found.push(name);
            rest
        }
    }
}

/// The names that a module uses.
fn used(module: &Name, code: &str) -> Vec<Name> {
    let mut found = Vec::new();
    for text in code.split("crate::").skip(1) {
        names(text, &Name::new(), &mut found);
    }
    let mut above = module.clone();
    for text in code.split("super::").skip(1) {
        above.pop();
        // Nothing stands between the words of `super::super::`.
        if !text.is_empty() {
            names(text, &above, &mut found);
            above = module.clone();
        }
    }
    found
}

/// The files and folders of each folder that use each other in a circle.
fn circles(modules: &BTreeMap<Name, String>) -> Vec<String> {
    // Where the items are that a `mod.rs` passes on.
    let mut passed_on: BTreeMap<Name, Name> = BTreeMap::new();
    for (module, code) in modules {
        let mut found = Vec::new();
        for start in ["\nuse ", "\npub use ", ") use "] {
            for text in code.split(start).skip(1) {
                names(text, module, &mut found);
            }
        }
        for name in found {
            let item = name.last().unwrap().clone();
            passed_on.insert([module.as_slice(), &[item]].concat(), name);
        }
    }
    let mut uses: BTreeMap<Name, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (module, code) in modules {
        for name in used(module, code) {
            let shared = module.iter().zip(&name);
            let shared = shared.take_while(|(one, other)| one == other).count();
            let beside = name.get(..=shared).map(<[String]>::to_vec);
            let beside = beside.map(|name| passed_on.get(&name).unwrap_or(&name).clone());
            let beside = beside.filter(|name| modules.contains_key(&name[..=shared]));
            if let (Some(user), Some(beside)) = (module.get(shared), beside) {
                let folder = uses.entry(module[..shared].to_vec()).or_default();
                let users = folder.entry(user.clone()).or_default();
                users.insert(beside[shared].clone());
            }
        }
    }
    let mut circles = Vec::new();
    for (folder, uses) in uses {
        let reached = |from: &str| {
            let mut reached: BTreeSet<String> = BTreeSet::new();
            let mut next = vec![from.to_owned()];
            while let Some(file) = next.pop() {
                let more = uses.get(&file).into_iter().flatten();
                let more = more.filter(|file| reached.insert((*file).clone()));
                next.extend(more.cloned());
            }
            reached
        };
        let circle = |file: &String| {
            let others = reached(file).into_iter();
            let circle = others.filter(|other| reached(other).contains(file));
            circle.collect::<Vec<_>>().join(" ")
        };
        let found: BTreeSet<String> = uses.keys().map(circle).collect();
        let found = found.iter().filter(|circle| !circle.is_empty());
        circles.extend(found.map(|circle| format!("{}: {circle}", folder.join("/"))));
    }
    circles
}

#[test]
fn files_of_one_folder_use_each_other_in_no_circle() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for name in [
        "core", "io", "plot", "job", "cli", "bench", "testkit", "server", "py",
    ] {
        let mut modules = BTreeMap::new();
        let source = crates.join(format!("incrowd-{name}/src"));
        read(&source, &Name::new(), &mut modules);
        assert!(modules.len() > 5);
        found.extend(
            circles(&modules)
                .iter()
                .map(|circle| format!("{name}/{circle}")),
        );
    }
    assert_eq!(found, KNOWN);
}

#[test]
fn circles_are_found_however_they_are_written() {
    let modules = [
        (
            "a",
            "\npub(crate) use b::{Thing, Other as That};\npub use c::C;",
        ),
        ("a::b", "use super::{c::{self, d}, e}; use crate::f::F;"),
        ("a::c", "fn go(thing: super::Thing) {}"),
        ("a::e", "use crate::a::f::Leaf;"),
        ("a::f", "use std::fmt;"),
        ("f", "use crate::g;"),
        ("f::deep", "use super::super::g::G;"),
        ("g::deep", "use super::super::a::C;"),
        ("g", ""),
        ("h", "use crate::a::b::Thing;"),
    ];
    let name = |text: &str| text.split("::").map(str::to_owned).collect();
    let modules = modules.map(|(module, code)| (name(module), code.to_owned()));
    assert_eq!(circles(&modules.into()), [": a f g", "a: b c"]);
}
