//! Measuring every privacy model of a file, beside pycanon.

use crate::child;
use crate::report::{Report, Table, median, short};
use crate::{adult, job};
use anyhow::{Context, Result};
use incrowd_job::{Budget, HierarchySource, Job, Others, Verification};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const REPETITIONS: usize = 9;

/// Every model, its measure not cut off by another part of the promise. Of those with several kinds, each kind.
const MODELS: [&str; 14] = [
    "k-anonymity(k=2)",
    "alpha-k-anonymity(alpha=0.5,k=1)",
    "distinct-l-diversity(l=2)",
    "entropy-l-diversity(l=2)",
    "recursive-cl-diversity(c=4,l=2)",
    "frequency-l-diversity(l=2)",
    "p-sensitive-k-anonymity(p=2,k=1)",
    "t-closeness(t=0.2,distance=equal)",
    "t-closeness(t=0.2,distance=ordered)",
    "t-closeness(t=0.2,distance=hierarchical)",
    "delta-disclosure(delta=1.5,absent=ignore)",
    "delta-disclosure(delta=1.5,absent=reject)",
    "beta-likeness(beta=3,kind=basic)",
    "beta-likeness(beta=3,kind=enhanced)",
];

/// The CPU time of pycanon for its nine properties on the raw table that the target was set with.
const PUBLISHED_CPU_S: f64 = 49.0;

/// What both measure.
struct Property {
    /// The name of it in our script around pycanon.
    name: &'static str,
    /// Our model; for t-closeness the kind follows from the column.
    model: &'static str,
    /// Ours times this is theirs.
    unit: f64,
    /// Why the numbers may differ all the same.
    difference: &'static str,
}

const fn same(name: &'static str, model: &'static str) -> Property {
    Property {
        name,
        model,
        unit: 1.0,
        difference: "",
    }
}

const PROPERTIES: [Property; 9] = [
    same("k-anonymity", "k-anonymity"),
    same("alpha-k-anonymity", "alpha-k-anonymity"),
    same("distinct-l-diversity", "distinct-l-diversity"),
    Property {
        difference: "pycanon rounds down to a whole number",
        ..same("entropy-l-diversity", "entropy-l-diversity")
    },
    Property {
        difference: "pycanon divides the rarest value by the more frequent ones, where the paper divides the most \
                     frequent value by the tail; and it takes the largest l, where incrowd was asked for l = 2",
        ..same("recursive-cl-diversity", "recursive-cl-diversity")
    },
    same("basic-beta-likeness", "beta-likeness(kind=basic)"),
    Property {
        difference: "pycanon caps the largest gain of all values by the -ln p of the rarest; in the paper each value has \
                     its own cap, and a gain above it is allowed by no beta",
        ..same("enhanced-beta-likeness", "beta-likeness(kind=enhanced)")
    },
    same("t-closeness", "t-closeness"),
    Property {
        unit: std::f64::consts::LN_2,
        difference: "pycanon takes natural logarithms, incrowd those to base 2",
        ..same("delta-disclosure", "delta-disclosure(absent=ignore)")
    },
];

struct Case {
    name: &'static str,
    sensitive: &'static str,
    /// Whether pycanon answers in a minute or so.
    with_pycanon: bool,
    /// Whether the sensitive column is of numbers, which pycanon orders.
    is_number: bool,
}

const RAW: [Case; 2] = [
    Case {
        name: "raw Adult, salary-class (2 values)",
        sensitive: "salary-class",
        with_pycanon: true,
        is_number: false,
    },
    Case {
        name: "raw Adult, hours-per-week (94 values)",
        sensitive: "hours-per-week",
        with_pycanon: false,
        is_number: true,
    },
];

const RELEASE: Case = Case {
    name: "a release of Adult, hours-per-week (94 values)",
    sensitive: "hours-per-week",
    with_pycanon: true,
    is_number: true,
};

const QUASI_IDENTIFIERS: &[&str] = adult::QUASI_IDENTIFIERS.split_at(6).0;

/// What pycanon said.
struct Peer {
    versions: BTreeMap<String, String>,
    cpu_s: f64,
    peak_memory: u64,
    values: BTreeMap<String, f64>,
}

pub(crate) fn run(python: &Path, report: &mut Report) -> Result<()> {
    report.heading("verify: all models at once");
    report.paragraph(&format!(
        "Six quasi-identifiers of Adult ({}), every privacy model ({} with all kinds), the file read from disk. incrowd: \
         CPU time of a whole process from start to end, median of {REPETITIONS}. pycanon: CPU time of reading the file \
         and measuring its nine properties once, without the start of Python and the import of its libraries.",
        QUASI_IDENTIFIERS.join(", "),
        MODELS.len(),
    ));
    let has_pycanon = Command::new(python)
        .args(["-c", "import pycanon"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !has_pycanon {
        report.paragraph(&format!(
            "pycanon is not installed here (`pip install pycanon`, and `--python` if it is in an environment of its own), \
             so the ratio is against the {PUBLISHED_CPU_S} s of CPU the target was set with: another machine, unfair."
        ));
    }
    let folder = tempfile::tempdir()?;
    let release = make_release(folder.path())?;
    let raw = adult::folder().join("adult.csv");
    let mut times = Table::new([
        "file and sensitive column",
        "classes",
        "incrowd ms",
        "peak MiB",
        "pycanon s",
        "peak MiB",
        "ratio",
    ]);
    let mut answers = Vec::new();
    let cases = RAW.iter().map(|case| (case, &raw));
    for (case, path) in cases.chain([(&RELEASE, &release)]) {
        let ours = ask_incrowd(report, case, path)?;
        let peer = match case.with_pycanon && has_pycanon {
            true => Some(ask_pycanon(python, report, case, path)?),
            false => None,
        };
        let (seconds, memory, ratio) = match &peer {
            Some(peer) => (
                short(peer.cpu_s),
                mebibytes(peer.peak_memory),
                short(1e3 * peer.cpu_s / ours.cpu_ms),
            ),
            None if case.with_pycanon && path == &raw => (
                format!("{PUBLISHED_CPU_S}, unfair"),
                String::new(),
                short(1e3 * PUBLISHED_CPU_S / ours.cpu_ms),
            ),
            None => ("not asked".to_owned(), String::new(), String::new()),
        };
        times.row([
            case.name.to_owned(),
            ours.verification.classes.to_string(),
            short(ours.cpu_ms),
            mebibytes(ours.peak_memory),
            seconds,
            memory,
            ratio,
        ]);
        answers.push((case, ours.verification, peer));
    }
    report.table(&times);
    report.paragraph(
        "pycanon is not asked about `hours-per-week` of the raw table, where each of four of its properties takes minutes.",
    );
    for (case, verification, peer) in answers {
        if let Some(peer) = peer {
            compare(report, case, &verification, &peer);
        }
    }
    Ok(())
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.0}", bytes as f64 / f64::from(1 << 20))
}

/// A job on Adult, as far as its columns go.
fn adult_job(path: &Path, sensitive: &str) -> Job {
    let mut job = Job::default();
    job.data.path = Some(path.to_string_lossy().into_owned());
    job.columns.quasi_identifiers = Some(
        QUASI_IDENTIFIERS
            .iter()
            .map(|&column| column.to_owned())
            .collect(),
    );
    job.columns.sensitive = Some(vec![sensitive.to_owned()]);
    job.columns.others = Some(Others::Drop);
    job
}

/// A release with something to measure in it: on the raw table most people stand alone.
fn make_release(folder: &Path) -> Result<PathBuf> {
    let path = folder.join("release.csv");
    let mut job = adult_job(&adult::folder().join("adult.csv"), RELEASE.sensitive);
    job.columns.hierarchies = Some(adult::folder().join("hierarchies"));
    job.privacy.models = Some(vec![
        "k-anonymity(k=10)".to_owned(),
        "distinct-l-diversity(l=3)".to_owned(),
    ]);
    job.privacy.max_suppressed = Some(Budget::Percent(5.0));
    job.output.path = Some(path.to_string_lossy().into_owned());
    job::anonymize(&job)?;
    Ok(path)
}

struct Ours {
    verification: Verification,
    cpu_ms: f64,
    peak_memory: u64,
}

fn ask_incrowd(report: &mut Report, case: &Case, path: &Path) -> Result<Ours> {
    let mut job = adult_job(path, case.sensitive);
    job.privacy.models = Some(MODELS.map(str::to_owned).to_vec());
    job.search.threads = Some(1);
    // Distances along a hierarchy need one.
    let levels = HierarchySource::Built("order".to_owned());
    job.hierarchies.insert(case.sensitive.to_owned(), levels);
    let mut cpu_ms = Vec::new();
    let mut peak_memory = 0;
    let mut verification = None;
    for _ in 0..REPETITIONS {
        let (answer, usage) = job::verify(&job)?;
        cpu_ms.push(1e3 * usage.cpu.as_secs_f64());
        peak_memory = usage.peak_memory.max(peak_memory);
        verification = Some(answer);
    }
    let verification = verification.context("verified at least once")?;
    let key = ("verify", case.name, "incrowd");
    report.repetitions(key, "cpu_ms", cpu_ms.iter());
    report.fact(key, "peak_bytes", peak_memory);
    for privacy in &verification.privacy {
        let reached = privacy.reached.as_ref();
        let reached = reached.map_or("none".to_owned(), |reached| reached.0.to_string());
        report.fact(key, &privacy.model, reached);
    }
    Ok(Ours {
        verification,
        cpu_ms: median(&cpu_ms),
        peak_memory,
    })
}

fn ask_pycanon(python: &Path, report: &mut Report, case: &Case, path: &Path) -> Result<Peer> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("compare/pycanon_properties.py");
    let (printed, usage) = child::run(
        Command::new(python)
            .arg(script)
            .arg(path)
            .arg(QUASI_IDENTIFIERS.join(","))
            .arg(case.sensitive),
    )?;
    let mut peer = Peer {
        versions: BTreeMap::new(),
        cpu_s: 0.0,
        peak_memory: usage.peak_memory,
        values: BTreeMap::new(),
    };
    let mut seconds = BTreeMap::new();
    for line in printed.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        match cells[..] {
            ["version", name, version] => {
                report.version(name, version);
                peer.versions.insert(name.to_owned(), version.to_owned());
            }
            ["read", time] => {
                seconds.insert("reading the file", time.parse()?);
            }
            ["property", name, value, time] => {
                peer.values.insert(name.to_owned(), value.parse()?);
                seconds.insert(name, time.parse()?);
            }
            _ => {}
        }
    }
    peer.cpu_s = seconds.values().sum();
    let subject = peer.name();
    let key = ("verify", case.name, subject.as_str());
    for (name, seconds) in &seconds {
        report.fact(key, &format!("cpu_s of {name}"), seconds);
    }
    report.fact(key, "peak_bytes", peer.peak_memory);
    for (name, value) in &peer.values {
        report.fact(key, name, value);
    }
    Ok(peer)
}

impl Peer {
    fn name(&self) -> String {
        let version = self.versions.get("pycanon").map_or("", String::as_str);
        format!("pycanon {version}")
    }
}

/// Both answers side by side.
fn compare(report: &mut Report, case: &Case, verification: &Verification, peer: &Peer) {
    let subject = peer.name();
    report.paragraph(&format!("Answers about {}:", case.name));
    let mut table = Table::new(["property", "incrowd", &subject, "equal"]);
    for property in PROPERTIES {
        let model = match (property.model, case.is_number) {
            ("t-closeness", true) => "t-closeness(distance=ordered)",
            ("t-closeness", false) => "t-closeness(distance=equal)",
            (model, _) => model,
        };
        let ours = verification
            .privacy
            .iter()
            .find(|privacy| is_of(&privacy.model, model))
            .and_then(|privacy| privacy.reached.as_ref())
            .map(|reached| reached.0)
            .filter(|reached| reached.is_finite());
        let theirs = peer.values.get(property.name).copied();
        let theirs = theirs.filter(|value| value.is_finite());
        let shown = |value: Option<f64>| match value {
            Some(value) => format!("{value:.9}"),
            None => "none".to_owned(),
        };
        let is_equal = match (ours, theirs) {
            (None, None) => true,
            (Some(ours), Some(theirs)) => {
                (ours * property.unit - theirs).abs() <= 1e-9 * theirs.abs().max(1.0)
            }
            _ => false,
        };
        table.row([
            model.to_owned(),
            shown(ours),
            shown(theirs),
            match (is_equal, property.unit == 1.0) {
                (true, true) => "yes".to_owned(),
                (true, false) => format!("yes, in its unit: {}", property.difference),
                (false, _) => format!("no: {}", property.difference),
            },
        ]);
    }
    report.table(&table);
}

/// Whether a model is of the name and has the one parameter given in brackets, if any.
fn is_of(model: &str, wanted: &str) -> bool {
    let (name, parameter) = match wanted.trim_end_matches(')').split_once('(') {
        Some((name, parameter)) => (name, parameter),
        None => (wanted, ""),
    };
    model.starts_with(&format!("{name}(")) && model.contains(parameter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use incrowd_core::privacy::ModelKind;

    #[test]
    fn every_model_of_the_registry_is_measured() {
        // The peer knows neither populations nor promises about the whole release.
        let entries = incrowd_core::privacy::MODELS.iter();
        let is_known = |kind: &ModelKind| !kind.needs_population && !kind.is_about_release;
        for entry in entries.filter(|entry| is_known(&entry.kind)) {
            assert!(
                MODELS.iter().any(|model| is_of(model, entry.name)),
                "{}",
                entry.name
            );
        }
    }

    #[test]
    fn every_property_of_pycanon_has_its_model() {
        for Property { model, .. } in PROPERTIES {
            assert!(MODELS.iter().any(|other| is_of(other, model)), "{model}");
        }
    }
}
