use super::*;
use std::io::Write;

fn inspect_text(text: &str, threads: usize) -> Inspection {
    let mut file = tempfile::NamedTempFile::with_suffix(".csv").unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let mut job = Job::default();
    job.data.path = Some(file.path().to_str().unwrap().to_owned());
    job.search.threads = Some(threads);
    let mut inspection = inspect(&job, &Control::default()).unwrap();
    inspection.input.clear();
    inspection
}

/// Random numbers that share nothing with the code: Marsaglia's xorshift.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        for (left, shift) in [(true, 13), (false, 7), (true, 17)] {
            self.0 ^= match left {
                true => self.0 << shift,
                false => self.0 >> shift,
            };
        }
        // The highest bits are the most random.
        (self.0 >> 11) % bound
    }
}

pub(super) fn table(rows: usize, row: impl FnMut(usize) -> Vec<String>) -> Vec<Vec<String>> {
    (0..rows).map(row).collect()
}

/// A table all of whose rows are drawn, with names for its columns.
pub(super) fn whole(table: &[Vec<String>]) -> (SampledRows, Vec<String>) {
    let columns = table[0].len();
    let mut draw = RowDraw::new(columns);
    for (number, row) in table.iter().enumerate() {
        let cells = || row.iter().map(|cell| hash(cell.as_bytes())).collect();
        draw.see(number as u64, cells);
    }
    let names = (0..columns).map(|at| format!("column {at}")).collect();
    (draw.finish(columns), names)
}

const PATIENTS: &str = "\
patient_id,age,sex,zip,disease,visits
1,34,m,10115,flu,1
2,34,f,10115,flu,2
3,34,m,10117,cold,3
4,35,f,10117,flu,1
5,35,m,10119,?,2
6,35,f,10119,cold,3
7,36,m,10115,flu,1
8,36,f,10115,cold,2
9,36,m,10117,flu,3
10,36,,10117,flu,1
";

#[test]
fn columns_are_counted_and_given_roles_with_reasons() {
    let inspection = inspect_text(PATIENTS, 1);
    assert_eq!(inspection.rows, 10);
    let roles: Vec<_> = inspection
        .columns
        .iter()
        .map(|column| column.role)
        .collect();
    use ProposedRole::*;
    assert_eq!(
        roles,
        [
            Identifying,
            QuasiIdentifying,
            QuasiIdentifying,
            QuasiIdentifying,
            Sensitive,
            Plain
        ]
    );
    let sex = &inspection.columns[2];
    assert_eq!(
        (sex.missing, sex.distinct, sex.unique_rows),
        (1, 3, Some(1))
    );
    assert_eq!(inspection.columns[4].likely_missing, ["?"]);
    assert_eq!(inspection.columns[1].kind, "number");
}

#[test]
fn combinations_count_what_columns_give_away_together() {
    let combinations = inspect_text(PATIENTS, 1).combinations;
    assert_eq!(combinations.columns, ["age", "sex", "zip"]);
    let together = combinations.together.unwrap();
    assert_eq!((together.distinct, together.unique_rows), (10, 10));
    assert_eq!(together.separation_ratio, 1.0);
    let pair = combinations
        .strongest
        .iter()
        .find(|combination| combination.columns == ["age", "zip"])
        .unwrap();
    assert_eq!((pair.distinct, pair.unique_rows), (6, 2));
    // 45 pairs of rows, 4 of them share age and zip.
    assert!((pair.separation_ratio - 41.0 / 45.0).abs() < 1e-12);
}

/// More values than are counted and more rows than are drawn, so that everything is sampled.
#[test]
fn an_inspection_does_not_depend_on_the_number_of_threads() {
    // The more columns, the fewer values of each are counted.
    let more: String = (0..45).map(|at| format!(",same {at}")).collect();
    let mut text = format!("a,b,c,id,half{more}\n");
    let more = ",".repeat(45);
    for row in 0..200_000u32 {
        // Half of the rows share one value, the others have one of their own.
        let half = if row % 2 == 0 { 0 } else { row };
        let (a, b, c) = (row % 97, row / 7, row % 3);
        text.push_str(&format!("{a},{b},x{c},{row},{half}{more}\n"));
    }
    let one = inspect_text(&text, 1);
    for threads in [3, 4] {
        assert_eq!(inspect_text(&text, threads), one);
    }
    let exact: Vec<bool> = one.columns.iter().map(|column| column.is_exact).collect();
    assert_eq!(exact[..6], [true, true, true, false, false, true]);
    let near = |estimate: f64, truth: f64| {
        assert!((estimate / truth - 1.0).abs() < 0.05, "{estimate} {truth}");
    };
    let (id, half) = (&one.columns[3], &one.columns[4]);
    near(id.distinct as f64, 200_000.0);
    near(half.distinct as f64, 100_001.0);
    near(half.unique_rows.unwrap() as f64, 100_000.0);
    near(half.separation_ratio.unwrap(), 0.75);
    assert!(one.separating.rows_drawn < 200_000);
    assert!(
        one.notes
            .iter()
            .any(|note| note.contains("drawn at random"))
    );
}

fn adult() -> Inspection {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/adult/adult.csv");
    let mut job = Job::default();
    job.data.path = Some(path.to_owned());
    inspect(&job, &Control::default()).unwrap()
}

#[test]
fn every_column_of_adult_gets_a_proposal() {
    use ProposedRole::*;
    let found = adult();
    let column = |name: &str| {
        let column = found.columns.iter().find(|column| column.name == name);
        column.unwrap()
    };
    let weight = column("fnlwgt");
    assert_eq!(
        (weight.role, weight.looks_like),
        (Plain, Some(LooksLike::SurveyWeight)),
        "{weight:?}"
    );
    for name in ["capital-gain", "capital-loss", "salary-class"] {
        assert_eq!(column(name).role, Sensitive, "{name}");
    }
    for name in [
        "age",
        "sex",
        "race",
        "marital-status",
        "native-country",
        "education",
    ] {
        assert_eq!(column(name).role, QuasiIdentifying, "{name}");
    }
    for name in ["hours-per-week", "relationship"] {
        assert_eq!(column(name).if_published, Some(QuasiIdentifying), "{name}");
    }
    assert!(column("hours-per-week").reason.contains("more rows unique"));
    let repeated = column("education-num");
    assert_eq!(
        repeated.reason,
        "carries the same as `education`, so leave it out"
    );
    let same = &found.dependencies[0];
    assert_eq!(
        (&*same.column, &*same.determines, same.is_mutual, same.share),
        ("education", "education-num", true, 1.0)
    );
    assert!(
        found
            .dependencies
            .iter()
            .all(|dependency| dependency.is_exact)
    );
    let no_proposal = |column: &&ColumnReport| column.reason.contains("decide yourself");
    assert_eq!(found.columns.iter().find(no_proposal), None);
    let unchanged = found.warnings.iter().any(|warning| {
        warning.starts_with(
            "publish `education-num` unchanged, and generalizing `education` is in vain",
        )
    });
    assert!(unchanged, "{:?}", found.warnings);
}

/// The same figures as the definition gives, on random tables with names that suggest nothing.
#[test]
fn distinct_and_separation_ratios_are_those_that_brute_force_counts() {
    let mut random = Random(3);
    for _ in 0..20 {
        let rows = 2 + random.below(60) as usize;
        let kinds: Vec<u64> = (0..4).map(|_| 1 + random.below(20)).collect();
        let table = table(rows, |_| {
            (kinds
                .iter()
                .map(|&kinds| format!("v{}", random.below(kinds))))
            .collect()
        });
        let mut text = String::from("x1,x2,x3,x4\n");
        table
            .iter()
            .for_each(|row| text.push_str(&(row.join(",") + "\n")));
        let found = inspect_text(&text, 1);
        for (at, column) in found.columns.iter().enumerate() {
            let rows_of = |value: &String| table.iter().filter(|row| row[at] == *value).count();
            let mut distinct: Vec<&String> = table.iter().map(|row| &row[at]).collect();
            distinct.sort();
            distinct.dedup();
            let unique = distinct.iter().filter(|value| rows_of(value) == 1).count();
            let differ = |one: usize| {
                (0..one)
                    .filter(|&other| table[one][at] != table[other][at])
                    .count()
            };
            let separated: usize = (0..rows).map(differ).sum();
            let separation = separated as f64 / (rows * (rows - 1) / 2) as f64;
            assert!(column.is_exact);
            assert_eq!(column.distinct, distinct.len() as u64);
            assert_eq!(column.distinct_ratio, distinct.len() as f64 / rows as f64);
            assert_eq!(column.unique_rows, Some(unique as u64));
            assert!((column.separation_ratio.unwrap() - separation).abs() < 1e-12);
        }
    }
}

/// Tables of one column whose name says nothing, beside one that says something.
#[test]
fn what_values_look_like_is_told_without_a_telling_name() {
    let spanish = |row: u64| {
        let checks = b"TRWAGMYFPDXBNJZSQVHLCKE";
        let number = 10_000_000 + row * 7919;
        format!("{number}{}", char::from(checks[number as usize % 23]))
    };
    let first = ["Ann", "Bo", "Cem", "Dora", "Eli"];
    let last = ["Lee", "Roe", "Diaz", "Okoro", "Ek", "Novak", "Silva"];
    let cell = |look: LooksLike, row: u64| match look {
        LooksLike::EmailAddresses => format!("p{row}@mail.example"),
        LooksLike::TelephoneNumbers => format!("+49 30 {:07}", row * 104_729 % 10_000_000),
        LooksLike::NationalNumbers => spanish(row),
        LooksLike::UniqueIdentifiers => format!("{row:08x}-e89b-12d3-a456-426614174000"),
        LooksLike::NetworkAddresses => format!("10.0.{}.{}", row / 250, row % 250),
        LooksLike::WebAddresses => format!("https://people.example/{row}"),
        LooksLike::PersonNames => {
            let (first, last) = (first[row as usize % 5], last[row as usize % 7]);
            format!("{first}{} {last}", ["a", "b", "c"][row as usize % 3])
        }
        _ => format!("came in at {row} and was sent home by a nurse"),
    };
    for look in [
        LooksLike::EmailAddresses,
        LooksLike::TelephoneNumbers,
        LooksLike::NationalNumbers,
        LooksLike::UniqueIdentifiers,
        LooksLike::NetworkAddresses,
        LooksLike::WebAddresses,
        LooksLike::PersonNames,
        LooksLike::FreeText,
    ] {
        let mut text = String::from("x,age\n");
        for row in 0..300 {
            text.push_str(&format!("{},{}\n", cell(look, row), 20 + row % 50));
        }
        let found = inspect_text(&text, 1);
        let column = &found.columns[0];
        assert_eq!(column.looks_like, Some(look), "{}", column.reason);
        assert_eq!(column.role, ProposedRole::Identifying);
        let is_warned = found
            .warnings
            .iter()
            .any(|warning| warning.contains("free text"));
        assert_eq!(is_warned, look == LooksLike::FreeText);
    }
}

#[test]
fn an_inspection_says_nothing_of_any_cell() {
    let mut text = String::from("age,mail,note,zip,income\n");
    for row in 0..50 {
        text.push_str(&format!(
            "\"SECRET <script>{row}\",SECRET{row}@x.org,SECRET\u{202e} came here and said it {row},SECRET{},SECRET{row}\n",
            row % 3
        ));
    }
    let json = serde_json::to_string(&inspect_text(&text, 1)).unwrap();
    assert!(
        !json.contains("SECRET") && !json.contains("script"),
        "{json}"
    );
}
