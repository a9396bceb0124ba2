//! Scripts, step logs and budgets of the classic algorithms, as users meet them.

use crate::support::{Folder, Run};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Anonymizes the teaching table, age and zip being known to others.
fn clinic(folder: &Folder, more: &str) -> Run {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/clinic");
    let data = data.display();
    folder.run(&format!(
        "anonymize '{data}/clinic.csv' --identifying name -q age,zip -s disease --hierarchies '{data}/hierarchies' {more}"
    ))
}

fn outcome(run: &Run) -> Value {
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

fn raise(attribute: &str, level: (u8, &str), values: [u32; 2], violating: [u32; 2]) -> Value {
    json!({
        "action": "raise", "attribute": attribute, "level": level.0, "level_name": level.1,
        "distinct_before": values[0], "distinct": values[1],
        "rows_violating_before": violating[0], "rows_violating": violating[1],
    })
}

#[test]
fn the_steps_of_datafly_on_the_teaching_table_are_those_done_by_hand() {
    let folder = Folder::new();
    // Six ages and six streets, all unlike: the column named first goes first, then the one with more values.
    let done = outcome(&clinic(&folder, "--algorithm datafly -k 3 --json"));
    let steps = json!([
        raise("age", (1, "decade"), [6, 2], [6, 6]),
        raise("zip", (1, "quarter"), [6, 2], [6, 0]),
    ]);
    assert_eq!(done["steps"], steps);
    assert_eq!(done["guarantee"], "heuristic");
    let note = "no `--max-suppressed` given: datafly may suppress up to 3 rows by default";
    assert_eq!(done["notes"], json!([note]));
    // A class of two asthmas and one influenza has two diseases; its three rows are within the budget of k = 3.
    let done = outcome(&clinic(&folder, "--algorithm datafly -k 3 -l 3 --json"));
    assert_eq!(done["rows_suppressed"], 3);
    let steps = json!([
        raise("age", (1, "decade"), [6, 2], [6, 6]),
        raise("zip", (1, "quarter"), [6, 2], [6, 3]),
        { "action": "suppress", "rows_violating_before": 3, "rows_violating": 0 },
    ]);
    assert_eq!(done["steps"], steps);
    // Without a budget the two towns must become one: both columns go all the way up.
    let done = outcome(&clinic(
        &folder,
        "--algorithm datafly -k 3 -l 3 --max-suppressed 0 --json",
    ));
    let path: Vec<(&str, u64)> = (done["steps"].as_array().unwrap().iter())
        .map(|step| {
            (
                step["attribute"].as_str().unwrap(),
                step["rows_violating"].as_u64().unwrap(),
            )
        })
        .collect();
    let expected = [
        ("age", 6),
        ("zip", 3),
        ("age", 3),
        ("age", 3),
        ("zip", 3),
        ("zip", 0),
    ];
    assert_eq!(path, expected);
    // Other algorithms take no steps, and say nothing of them.
    assert!(
        outcome(&clinic(&folder, "-k 3 --json"))
            .get("steps")
            .is_none()
    );
}

#[test]
fn a_script_of_mu_argus_takes_the_steps_done_by_hand() {
    let folder = Folder::new();
    let done = outcome(&clinic(
        &folder,
        "--algorithm mu-argus -k 3 --script zip,zip,age --json",
    ));
    let steps = json!([
        raise("zip", (1, "quarter"), [6, 2], [6, 6]),
        raise("zip", (2, "district"), [2, 2], [6, 6]),
        raise("age", (1, "decade"), [6, 2], [6, 0]),
    ]);
    assert_eq!(done["steps"], steps);
    assert_eq!(done["levels"], json!({"age": 1, "zip": 2}));
    // Automatic choices: both columns are worth the same at first, so the one named first; then the one that helps.
    let done = outcome(&clinic(&folder, "--algorithm mu-argus -k 3 --json"));
    let steps = json!([
        raise("age", (1, "decade"), [6, 2], [6, 6]),
        raise("zip", (1, "quarter"), [6, 2], [6, 0]),
    ]);
    assert_eq!(done["steps"], steps);
}

#[test]
fn the_certificate_has_a_script_that_makes_the_release_again() {
    let folder = Folder::new();
    let promise = "--algorithm mu-argus -k 3 -l 3 --max-suppressed 3";
    let files = "-o one.csv --certificate one.json";
    let run = clinic(&folder, &format!("{promise} {files} --verbose"));
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("suppress"), "{}", run.stdout);
    let certificate: Value = serde_json::from_str(&folder.read("one.json")).unwrap();
    let script = certificate["request"]["script"].as_array().unwrap();
    let words: Vec<&str> = script.iter().map(|word| word.as_str().unwrap()).collect();
    assert_eq!(words, ["age", "zip", "suppress"]);
    let job = "[search]\nalgorithm = \"mu-argus\"\nscript = [\"age\", \"zip\", \"suppress\"]\n";
    let folder = folder.and("job.toml", job);
    let run = clinic(
        &folder,
        "--job job.toml -k 3 -l 3 --max-suppressed 3 -o two.csv",
    );
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(folder.read("one.csv"), folder.read("two.csv"));
}

#[test]
fn scripts_that_cannot_be_are_refused_with_what_to_do() {
    let folder = Folder::new();
    for (flags, message, hint) in [
        (
            "-k 3 --script age",
            "the algorithm `optimal` has no setting `script`",
            "use `--algorithm mu-argus`",
        ),
        (
            "--algorithm mu-argus -k 3 --script age,zp",
            "`zp` is neither a quasi-identifier nor `suppress`",
            "did you mean `zip`?",
        ),
        (
            "--algorithm mu-argus -k 3 --script age,suppress",
            "6 rows violate the privacy models, but at most 0 may be suppressed",
            "hint: raise a column first\n",
        ),
        (
            "--algorithm mu-argus -k 3 --script age",
            "after the last choice, 6 rows still violate the privacy models",
            "hint: raise another column\n",
        ),
        (
            "--algorithm mu-argus -k 3 --max-levels 1,1 --script age,age",
            "column `age` is at level 1 and cannot be raised further",
            "`--max-levels`",
        ),
    ] {
        let run = clinic(&folder, flags);
        assert_eq!(run.code, 2, "{flags}: {}", run.stdout);
        assert!(run.stderr.contains(message), "{flags}: {}", run.stderr);
        assert!(run.stderr.contains(hint), "{flags}: {}", run.stderr);
    }
}

/// A table with the groups of its values, level by level, counted the plain way.
struct Plain {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    ways_up: Vec<BTreeMap<String, Vec<String>>>,
}

impl Plain {
    /// The levels of all recodings that suppress no more rows than allowed, the lowest first.
    fn safe(&self, k: usize, max_suppressed: usize) -> Vec<Vec<usize>> {
        let mut nodes = vec![Vec::new()];
        for ways_up in &self.ways_up {
            let levels = ways_up.values().next().unwrap().len();
            nodes = (nodes.iter())
                .flat_map(|node| (0..levels).map(move |level| [node.as_slice(), &[level]].concat()))
                .collect();
        }
        nodes.sort_by_key(|node| (node.iter().sum::<usize>(), node.clone()));
        nodes.retain(|node| {
            let mut classes: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
            for row in &self.rows {
                let look = row.iter().zip(&self.ways_up).zip(node);
                let look = look.map(|((cell, ways_up), &level)| ways_up[cell][level].as_str());
                *classes.entry(look.collect()).or_default() += 1;
            }
            classes.values().filter(|size| **size < k).sum::<usize>() <= max_suppressed
        });
        nodes
    }

    /// Compares with what the program says.
    fn check(&self, done: &Value, safe: &[Vec<usize>], case: &str) {
        let height = |node: &[usize]| -> usize { node.iter().sum() };
        let least_height: Vec<Vec<usize>> = (safe.iter())
            .filter(|node| height(node) == height(&safe[0]))
            .cloned()
            .collect();
        let is_below = |low: &[usize], high: &[usize]| {
            low != high && low.iter().zip(high).all(|(low, high)| low <= high)
        };
        let minimal: Vec<Vec<usize>> = (safe.iter())
            .filter(|node| !safe.iter().any(|low| is_below(low, node)))
            .cloned()
            .collect();
        let (count, minimal, among) = match done["algorithm"].as_str().unwrap() {
            "samarati" => (least_height.len(), least_height, "least-height"),
            _ => (safe.len(), minimal, "lattice"),
        };
        assert_eq!(done["safe_nodes"], count, "{case}");
        assert_eq!(done["safe_nodes_among"], among, "{case}");
        let named = |node: &Vec<usize>| -> Value {
            let levels = self
                .columns
                .iter()
                .cloned()
                .zip(node.iter().map(|&it| it.into()));
            Value::Object(levels.collect())
        };
        let expected: Vec<Value> = minimal.iter().map(named).collect();
        assert_eq!(done["minimal"], json!(expected), "{case}");
        let losses = done["minimal_losses"].as_array().unwrap();
        assert_eq!(losses.len(), minimal.len().min(5), "{case}");
        // The one published costs its own loss, so where it is among the first, its loss is.
        if let Some(at) = expected[..losses.len()]
            .iter()
            .position(|it| *it == done["levels"])
        {
            assert_eq!(losses[at], done["metrics"]["loss"], "{case}");
        }
        let checked = done["lattice"]["checked"].as_u64().unwrap();
        assert!(
            checked <= done["lattice"]["nodes"].as_u64().unwrap(),
            "{case}"
        );
    }
}

#[test]
fn the_safe_recodings_listed_are_those_of_brute_force() {
    let mut state = 7u64;
    let mut draw = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    for case in 0..12 {
        let folder = Folder::new();
        let columns = ["p", "q", "r"].map(str::to_owned);
        let mut plain = Plain {
            columns: columns.to_vec(),
            rows: Vec::new(),
            ways_up: Vec::new(),
        };
        for _ in &columns {
            let halves = draw(2) == 0;
            let way = |value: u64| {
                let mut way = vec![format!("v{value}"), format!("g{}", value / 2)];
                if halves {
                    way.push(format!("h{}", value / 4));
                }
                way.push("*".to_owned());
                (way[0].clone(), way)
            };
            plain.ways_up.push((0..8).map(way).collect());
        }
        let rows = 20 + draw(30);
        for _ in 0..rows {
            let cell = |_: &String| format!("v{}", draw(8).min(draw(8)));
            plain.rows.push(columns.iter().map(cell).collect());
        }
        let text = |rows: &mut dyn Iterator<Item = &Vec<String>>| -> String {
            rows.map(|row| row.join(",") + "\n").collect()
        };
        let table = text(&mut std::iter::once(&columns.to_vec()).chain(&plain.rows));
        let mut folder = folder.and("t.csv", table);
        for (column, ways_up) in columns.iter().zip(&plain.ways_up) {
            folder = folder.and(&format!("h/{column}.csv"), text(&mut ways_up.values()));
        }
        let (k, budget) = (2 + draw(4) as usize, draw(6) as usize);
        let safe = plain.safe(k, budget);
        for algorithm in ["incognito", "samarati"] {
            let done = outcome(&folder.run(&format!(
                "anonymize t.csv -q p,q,r --hierarchies h -k {k} --max-suppressed {budget} --algorithm {algorithm} --json"
            )));
            plain.check(&done, &safe, &format!("case {case}, {algorithm}"));
        }
    }
}

#[test]
fn the_safe_recodings_of_adult_are_listed_and_the_first_of_them_shown() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/adult");
    let columns = ["age", "marital-status", "race", "sex"];
    let read = |path: std::path::PathBuf, has_headers: bool| -> Vec<Vec<String>> {
        let reader = csv::ReaderBuilder::new()
            .has_headers(has_headers)
            .from_path(path);
        let records = reader.unwrap().into_records();
        let cells = |record: csv::StringRecord| record.iter().map(str::to_owned).collect();
        records.map(|record| cells(record.unwrap())).collect()
    };
    let all = read(data.join("adult.csv"), false);
    let position = |column: &&str| all[0].iter().position(|name| name == column).unwrap();
    let positions: Vec<usize> = columns.iter().map(position).collect();
    let plain = Plain {
        columns: columns.map(str::to_owned).to_vec(),
        rows: (all[1..].iter())
            .map(|row| positions.iter().map(|&at| row[at].clone()).collect())
            .collect(),
        ways_up: columns
            .iter()
            .map(|column| {
                let ways_up = read(data.join(format!("hierarchies/{column}.csv")), true);
                ways_up
                    .into_iter()
                    .map(|way| (way[0].clone(), way))
                    .collect()
            })
            .collect(),
    };
    let budget = plain.rows.len() / 100;
    let safe = plain.safe(10, budget);
    let folder = Folder::new();
    for algorithm in ["incognito", "samarati"] {
        let command = format!(
            "anonymize '{0}/adult.csv' --hierarchies '{0}/hierarchies' --others drop -q {1} -k 10 \
             --max-suppressed {budget} --algorithm {algorithm}",
            data.display(),
            columns.join(",")
        );
        let done = outcome(&folder.run(&format!("{command} --json")));
        plain.check(&done, &safe, algorithm);
        let text = folder.run(&command).ends_with(0).stdout;
        let count = done["safe_nodes"].as_u64().unwrap();
        assert!(
            text.contains(&format!("found       {count} recoding")),
            "{text}"
        );
        let shown: Vec<f64> = (text.lines())
            .filter_map(|line| line.rsplit_once(": loss ")?.1.parse().ok())
            .collect();
        let losses = done["minimal_losses"].as_array().unwrap();
        assert_eq!(shown.len(), losses.len(), "{text}");
        for (shown, loss) in shown.into_iter().zip(losses) {
            let loss = loss.as_f64().unwrap();
            assert!((shown - loss).abs() <= 1e-3 * loss, "{loss}: {text}");
        }
    }
}
