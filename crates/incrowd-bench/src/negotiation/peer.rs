//! A GROUP BY per node, by pandas.

use super::{DIVERSITY, SENSITIVE, SIZES};
use crate::{adult, child};
use anyhow::{Context, Result};
use incrowd_core::counts::CountedTable;
use incrowd_core::lattice::Node;
use incrowd_core::negotiate::{AnnotatedLattice, Histogram};
use incrowd_core::privacy::Decimal;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// What pandas found.
pub(super) struct Peer {
    pub(super) versions: BTreeMap<String, String>,
    pub(super) cpu_s: f64,
    pub(super) nodes: Vec<PeerNode>,
}

/// Both histograms of a node.
#[derive(Debug)]
pub(super) struct PeerNode {
    levels: Vec<u8>,
    /// Class size, classes.
    sizes: Vec<(u32, u32)>,
    /// Distinct values, classes, rows.
    diversity: Vec<(u32, u32, u32)>,
}

impl Peer {
    pub(super) fn version(&self) -> &str {
        self.versions.get("pandas").map_or("", String::as_str)
    }
}

/// Lets pandas group the table by every node; none when it is not installed.
pub(super) fn ask(python: &Path, attributes: usize) -> Result<Option<Peer>> {
    let has_pandas = Command::new(python)
        .args(["-c", "import pandas"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !has_pandas {
        return Ok(None);
    }
    let folder = tempfile::tempdir()?;
    let answers = folder.path().join("answers.jsonl");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("compare/pandas_group_by.py");
    let (printed, _) = child::run(
        Command::new(python)
            .arg(script)
            .arg(adult::folder().join("adult.csv"))
            .arg(adult::folder().join("hierarchies"))
            .arg(adult::QUASI_IDENTIFIERS[..attributes].join(","))
            .arg(SENSITIVE)
            .arg(&answers),
    )?;
    let mut peer = Peer {
        versions: BTreeMap::new(),
        cpu_s: 0.0,
        nodes: Vec::new(),
    };
    for line in printed.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        match cells[..] {
            ["version", name, version] => {
                peer.versions.insert(name.to_owned(), version.to_owned());
            }
            ["cpu", seconds] => peer.cpu_s = seconds.parse()?,
            _ => {}
        }
    }
    let text = std::fs::read_to_string(answers).context("reading what pandas found")?;
    for line in text.lines() {
        let node: serde_json::Value = serde_json::from_str(line)?;
        let part = |name: &str| node[name].clone();
        peer.nodes.push(PeerNode {
            levels: serde_json::from_value(part("levels"))?,
            sizes: serde_json::from_value(part("sizes"))?,
            diversity: serde_json::from_value(part("diversity"))?,
        });
    }
    Ok(Some(peer))
}

/// A histogram as measure, classes and rows of each step.
fn steps(histogram: &Histogram<'_>) -> Vec<(u32, u32, u32)> {
    let (mut rows_before, mut classes_before) = (0, 0);
    let curve = histogram.curve();
    curve
        .map(|(measure, rows)| {
            let beyond = Decimal::from(measure as u32 + 1);
            let classes = histogram.classes() - histogram.classes_published(beyond);
            let step = (measure as u32, classes - classes_before, rows - rows_before);
            (rows_before, classes_before) = (rows, classes);
            step
        })
        .collect()
}

/// How many nodes pandas and the lattice see differently, or only one of them sees.
pub(super) fn differing(
    peer: &Peer,
    table: &CountedTable,
    lattice: &AnnotatedLattice,
) -> Result<usize> {
    let mut differing = peer.nodes.len().abs_diff(lattice.nodes().len());
    for theirs in &peer.nodes {
        let node = Node::from_levels(theirs.levels.iter().copied());
        let sizes = lattice.histogram(table, &SIZES, &node)?;
        let diversity = lattice.histogram(table, &DIVERSITY, &node)?;
        let is_same = sizes.is_some_and(|sizes| {
            let theirs = theirs.sizes.iter();
            let theirs = theirs.map(|&(size, classes)| (size, classes, size * classes));
            steps(&sizes) == theirs.collect::<Vec<_>>()
        }) && diversity.is_some_and(|ours| steps(&ours) == theirs.diversity);
        differing += usize::from(!is_same);
    }
    Ok(differing)
}
