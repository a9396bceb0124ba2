//! Instructions of the roll-up kernel, counted by callgrind: the one figure a noisy machine cannot spoil.
//!
//! The program runs itself under valgrind, once for each case. Inside, a fixed roll-up is done twice, the second
//! time in [`measured_roll_up`], the only function in which callgrind is told to count.

use crate::report::{Report, Table, grouped, short};
use crate::{adult, child, record};
use anyhow::{Context, Result};
use incrowd_core::counts::{CountedTable, FrequencySet, Scratch, roll_up};
use incrowd_core::lattice::Node;
use std::path::Path;
use std::process::Command;

/// A roll-up that stays the same, so that its instructions can be compared between versions.
struct Case {
    name: &'static str,
    quasi_identifiers: &'static [&'static str],
    /// Levels that are counted first; none to start from the raw tuples.
    from: Option<&'static [u8]>,
    to: &'static [u8],
    /// The columns whose histograms are carried along.
    counted: &'static [&'static str],
}

const EIGHT: &[&str] = &adult::QUASI_IDENTIFIERS;

/// More columns than 64 bits hold. Those after the eighth have two levels, their values and `*`.
const WIDE: &[&str] = &[
    "age",
    "workclass",
    "race",
    "occupation",
    "education",
    "marital-status",
    "sex",
    "native-country",
    "fnlwgt",
    "capital-gain",
    "capital-loss",
    "relationship",
    "education-num",
];

const CASES: &[Case] = &[
    Case {
        name: "hashed, one attribute rises",
        quasi_identifiers: EIGHT,
        from: None,
        to: &[1, 0, 0, 0, 0, 0, 0, 0],
        counted: &[],
    },
    Case {
        name: "hashed, all attributes rise",
        quasi_identifiers: EIGHT,
        from: None,
        to: &[1, 1, 1, 1, 1, 1, 1, 1],
        counted: &[],
    },
    Case {
        name: "hashed, from a set counted before",
        quasi_identifiers: EIGHT,
        from: Some(&[1, 1, 0, 0, 1, 1, 0, 1]),
        to: &[1, 1, 1, 0, 1, 1, 0, 1],
        counted: &[],
    },
    Case {
        name: "dense, from the raw tuples",
        quasi_identifiers: EIGHT,
        from: None,
        to: &[3, 2, 1, 2, 3, 2, 0, 2],
        counted: &[],
    },
    Case {
        name: "dense, from a set counted before",
        quasi_identifiers: EIGHT,
        from: Some(&[2, 1, 1, 1, 2, 1, 0, 1]),
        to: &[4, 2, 1, 1, 3, 2, 0, 2],
        counted: &[],
    },
    Case {
        name: "hashed, with a histogram of 94 values",
        quasi_identifiers: EIGHT,
        from: None,
        to: &[1, 1, 1, 1, 1, 1, 1, 1],
        counted: &["hours-per-week"],
    },
    Case {
        name: "dense, with a histogram of 94 values",
        quasi_identifiers: EIGHT,
        from: None,
        to: &[3, 2, 1, 2, 3, 2, 0, 2],
        counted: &["hours-per-week"],
    },
    Case {
        name: "dense, with a histogram of 2 values",
        quasi_identifiers: EIGHT,
        from: None,
        to: &[3, 2, 1, 2, 3, 2, 0, 2],
        counted: &["salary-class"],
    },
    Case {
        name: "wide keys",
        quasi_identifiers: WIDE,
        from: None,
        to: &[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1],
        counted: &[],
    },
    Case {
        name: "wide keys, with a histogram of 94 values",
        quasi_identifiers: WIDE,
        from: None,
        to: &[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1],
        counted: &["hours-per-week"],
    },
];

/// The name by which callgrind finds [`measured_roll_up`], whatever is put around it.
const WATCHED: &str = "*measured_roll_up*";

/// The roll-up that is watched. Not inlined, so that it can be found by its name.
#[inline(never)]
fn measured_roll_up(
    table: &CountedTable,
    from: (&Node, &FrequencySet),
    to: &Node,
    columns: &[usize],
    scratch: &mut Scratch,
    upper: &mut FrequencySet,
) {
    roll_up(table, from, to, columns, scratch, upper);
}

/// What runs under callgrind. Prints how many classes there are below and above.
#[expect(clippy::print_stdout, reason = "read by the parent process")]
pub(crate) fn run_case(number: usize) {
    let case = &CASES[number];
    let table = adult::count(case.quasi_identifiers, case.counted);
    let columns: Vec<usize> = (0..case.counted.len()).collect();
    let bottom = table.lattice().bottom();
    let to = Node::from_levels(case.to.iter().copied());
    let mut scratch = Scratch::default();
    let mut started = FrequencySet::default();
    let from = match case.from {
        None => bottom.clone(),
        Some(levels) => Node::from_levels(levels.iter().copied()),
    };
    let raw = (&bottom, &table.tuples);
    roll_up(&table, raw, &from, &columns, &mut scratch, &mut started);
    let lower = match case.from {
        None => &table.tuples,
        Some(_) => &started,
    };
    // Once to make the room it needs, then once to be counted.
    let mut upper = FrequencySet::default();
    let pair = (&from, lower);
    roll_up(&table, pair, &to, &columns, &mut scratch, &mut upper);
    measured_roll_up(&table, pair, &to, &columns, &mut scratch, &mut upper);
    println!("{}\t{}", lower.len(), upper.len());
}

struct Counted {
    lower: u64,
    upper: u64,
    instructions: u64,
}

pub(crate) fn run(report: &mut Report) -> Result<()> {
    report.heading("Instructions of the roll-up kernel");
    let valgrind = record::first_line(Command::new("valgrind").arg("--version"));
    let Some(version) = valgrind else {
        report.paragraph("Skipped: valgrind is not installed.");
        return Ok(());
    };
    report.version("valgrind", version.trim_start_matches("valgrind-"));
    let last = record::latest("kernel");
    report.paragraph(&format!(
        "Instructions of one `roll_up` on Adult as callgrind counts them, its working memory warm. {}",
        match &last {
            Some((name, _)) => format!(
                "`ratio` is against the run `{name}`: above 1 is more work than then."
            ),
            None => "No earlier run is recorded to compare with.".to_owned(),
        }
    ));
    let mut rows = Table::new([
        "case",
        "classes below",
        "classes above",
        "instructions",
        "per class below",
        "ratio",
    ]);
    for (number, case) in CASES.iter().enumerate() {
        let counted = count(number)?;
        let key = ("kernel", case.name, "incrowd");
        report.fact(key, "classes_below", counted.lower);
        report.fact(key, "classes_above", counted.upper);
        report.fact(key, "instructions", counted.instructions);
        let before = last.as_ref().and_then(|(_, measures)| {
            let same = measures
                .iter()
                .find(|measure| measure.case == case.name && measure.measure == "instructions")?;
            same.value.parse::<f64>().ok()
        });
        rows.row([
            case.name.to_owned(),
            grouped(counted.lower),
            grouped(counted.upper),
            grouped(counted.instructions),
            short(counted.instructions as f64 / counted.lower as f64),
            before.map_or(String::new(), |before| {
                format!("{:.4}", counted.instructions as f64 / before)
            }),
        ]);
    }
    report.table(&rows);
    Ok(())
}

/// Runs a case under callgrind.
fn count(number: usize) -> Result<Counted> {
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("callgrind");
    let program = child::this_program()?;
    let (printed, _) = child::run(
        Command::new("valgrind")
            .args(["--tool=callgrind", "--quiet", "--collect-atstart=no"])
            .arg(format!("--toggle-collect={WATCHED}"))
            .arg(format!("--callgrind-out-file={}", out.display()))
            .arg(program.get_program())
            .args(["roll-up", &number.to_string()]),
    )?;
    let classes = printed.trim().split_once('\t');
    let (lower, upper) = classes.context("a roll-up prints two numbers")?;
    Ok(Counted {
        lower: lower.parse()?,
        upper: upper.parse()?,
        instructions: instructions(&out)?,
    })
}

/// The total of a file of callgrind.
fn instructions(path: &Path) -> Result<u64> {
    let text = std::fs::read_to_string(path).context("callgrind wrote no file for a roll-up")?;
    let line = |name| text.lines().find_map(|line| line.strip_prefix(name));
    let total = line("totals: ").or_else(|| line("summary: "));
    Ok(total
        .context("callgrind's file has no total")?
        .trim()
        .parse()?)
}
