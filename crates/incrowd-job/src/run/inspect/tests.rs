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

#[test]
fn an_inspection_does_not_depend_on_the_number_of_threads() {
    let mut text = String::from("a,b,c\n");
    for row in 0..200_000u32 {
        text.push_str(&format!("{},{},x{}\n", row % 97, row / 7, row % 3));
    }
    assert_eq!(inspect_text(&text, 1), inspect_text(&text, 4));
}
