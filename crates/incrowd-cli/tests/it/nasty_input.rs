//! Every command on tables that nobody would make on purpose: it answers or refuses as documented, never panics, and
//! never prints a cell where nobody asked for one.
//!
//! Every cell holds a mark that no message may repeat. What is wrong is collected, so that one run shows all of it.

use crate::support::{Folder, Run};

/// In every text cell.
const MARK: &str = "Qx7Mark";

/// A table and the columns to ask about: two quasi-identifiers and a sensitive one, the same one where there is only one.
struct Nasty {
    name: String,
    content: Vec<u8>,
    columns: [String; 3],
}

fn nasty(name: &str, columns: [&str; 3], content: impl Into<Vec<u8>>) -> Nasty {
    Nasty {
        name: name.to_owned(),
        content: content.into(),
        columns: columns.map(str::to_owned),
    }
}

/// Lines of cells; every cell is quoted where it must be.
fn csv(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: Vec<String>| -> String {
        let quoted = cells
            .iter()
            .map(|cell| match cell.contains([',', '"', '\n']) {
                true => format!("\"{}\"", cell.replace('"', "\"\"")),
                false => cell.clone(),
            });
        quoted.collect::<Vec<_>>().join(",") + "\n"
    };
    let mut text = line(header.iter().map(|&name| name.to_owned()).collect());
    for row in rows {
        text += &line(row);
    }
    text
}

/// Rows with a text, a number and a text, each of few values.
fn rows(count: usize) -> impl Iterator<Item = Vec<String>> {
    (0..count).map(|at| {
        let text = format!("{MARK}{}", at % 3);
        let number = (20 + at * 7 % 30).to_string();
        vec![text, number, format!("{MARK}-{}", at % 4)]
    })
}

fn tables() -> Vec<Nasty> {
    let abc = ["a", "b", "c"];
    let table = csv(&abc, rows(12));
    let wide: Vec<String> = (0..300).map(|at| format!("column {at}")).collect();
    let wide: Vec<&str> = wide.iter().map(String::as_str).collect();
    let spoken = ["first, name", "it's \"quoted\"", "with space\tand tab"];
    let odd = ["--others", "=1+1", "日本 | `x` $(y) \u{7}"];
    let long = [("x", 70_000), ("y", 7_000), ("z", 700)].map(|(name, length)| name.repeat(length));
    let mut not_utf_8 = table.clone().into_bytes();
    not_utf_8.extend(format!("{MARK}\u{0},7,").bytes());
    not_utf_8.extend(b"\xff\xfe\n");
    let all = |cell: &str, count: usize| {
        let row = vec![cell.to_owned(); 3];
        csv(&abc, std::iter::repeat_n(row, count))
    };
    vec![
        nasty("empty", abc, ""),
        nasty("a line end", abc, "\n"),
        nasty("line ends", abc, "\r\n\r\n\n"),
        nasty("a byte order mark", abc, "\u{feff}"),
        nasty("header only", abc, "a,b,c\n"),
        nasty("header without line end", abc, "a,b,c"),
        nasty("one row", abc, csv(&abc, rows(1))),
        nasty("two rows", abc, csv(&abc, rows(2))),
        nasty("a plain table", abc, table.clone()),
        nasty("bytes that are no text", abc, not_utf_8),
        nasty(
            "one column",
            ["a", "a", "a"],
            format!("a\n{MARK}1\n{MARK}2\n{MARK}2\n"),
        ),
        nasty("one column of numbers", ["a", "a", "a"], "a\n1\n2\n2\n"),
        nasty("one value", abc, all(MARK, 9)),
        nasty("all missing", abc, all("", 9)),
        nasty("stars", abc, all("*", 9)),
        nasty(
            "braces",
            abc,
            all(&format!("{{{MARK}, b}}"), 4) + &format!("{MARK},b,{{b}}\n"),
        ),
        nasty(
            "two columns of one name",
            abc,
            format!("a,b,a\n{MARK},1,{MARK}\n"),
        ),
        nasty(
            "a column without a name",
            abc,
            format!("a,,c\n{MARK},1,{MARK}\n"),
        ),
        nasty("a column not there", ["a", "b", "nowhere"], table.clone()),
        nasty(
            "a row too long",
            abc,
            format!("{table}{MARK},1,{MARK},{MARK}\n"),
        ),
        nasty("a row too short", abc, format!("{table}{MARK},1\n")),
        nasty("an open quote", abc, format!("{table}\"{MARK},1,{MARK}\n")),
        nasty(
            "a quote within",
            abc,
            format!("{table}{MARK}\"{MARK}\",1,{MARK}\n"),
        ),
        nasty(
            "a zero byte",
            abc,
            format!("{table}{MARK}\u{0}{MARK},1,{MARK}\n"),
        ),
        nasty("carriage returns alone", abc, table.replace('\n', "\r")),
        nasty(
            "very long cells",
            abc,
            csv(
                &abc,
                (0..6).map(|at| {
                    let long = format!("{MARK}{}{at}", "x".repeat(20_000));
                    vec![long.clone(), at.to_string(), long]
                }),
            ),
        ),
        nasty(
            "numbers beyond measure",
            abc,
            format!(
                "a,b,c\n1e308,{MARK},-1e308\n1e-308,{MARK},9999999999999999999999999999999\n-0,{MARK},0.1\n"
            ),
        ),
        nasty(
            "dates that are none",
            abc,
            format!(
                "a,b,c\n2024-02-30,{MARK},0000-00-00\n2024-02-29,{MARK},9999-12-31\n-0001-01-01,{MARK},1970-01-01\n"
            ),
        ),
        nasty(
            "300 columns",
            ["column 0", "column 150", "column 299"],
            csv(
                &wide,
                (0..8).map(|row| {
                    (0..300)
                        .map(|at| format!("{MARK}{}", row * at % 5))
                        .collect()
                }),
            ),
        ),
        nasty(
            "names with commas and quotes",
            spoken,
            csv(&spoken, rows(12)),
        ),
        nasty("names like flags and formulas", odd, csv(&odd, rows(12))),
        nasty("semicolons", abc, table.replace(',', ";")),
        nasty(
            "very long names",
            [&long[0], &long[1], &long[2]],
            csv(&[&long[0], &long[1], &long[2]], rows(12)),
        ),
        nasty(
            "each row its own",
            abc,
            csv(
                &abc,
                (0..20)
                    .map(|at| vec![format!("{MARK}{at}"), at.to_string(), format!("{MARK}{at}")]),
            ),
        ),
    ]
}

/// As the job file writes texts.
fn quoted(texts: &[&String]) -> String {
    let quoted: Vec<String> = texts
        .iter()
        .map(|text| {
            serde_json::to_string(text)
                .unwrap()
                .replace('\u{7f}', "\\u007f")
        })
        .collect();
    format!("[{}]", quoted.join(", "))
}

/// A job that asks about the columns of a table. Names with commas can be written nowhere else.
fn job(table: &Nasty, promise: &str, more: &str) -> String {
    let [one, two, three] = &table.columns;
    let (known, sensitive) = match one == two {
        true => (quoted(&[one]), quoted(&[])),
        false => (quoted(&[one, two]), quoted(&[three])),
    };
    format!(
        "[data]\npath = \"t.csv\"\n[columns]\nquasi_identifiers = {known}\nsensitive = {sensitive}\nothers = \"drop\"\n\
         [privacy]\nmodels = [\"{promise}\"]\n[search]\nthreads = 2\n{more}\n"
    )
}

const ALGORITHMS: [&str; 8] = [
    "optimal",
    "samarati",
    "incognito",
    "datafly",
    "mu-argus",
    "bottom-up",
    "top-down",
    "partition",
];

/// Every command there is about a table, by its arguments.
fn commands(table: &Nasty) -> Vec<Vec<String>> {
    let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
    let mut commands: Vec<Vec<String>> = [
        "inspect t.csv",
        "inspect t.csv --json",
        "inspect t.csv --trim --missing-tokens ?,NA",
        "init t.csv --folder made",
        "hierarchy show t.csv",
        "hierarchy check t.csv",
        "anonymize --job k.toml -o out/k.csv --certificate out/k.json",
        "anonymize --job k.toml --json -o out/again.csv --suppressed star",
        "anonymize --job k.toml -o - --max-suppressed 50%",
        "anonymize --job k.toml -o out/k.parquet --max-suppressed 100%",
        "anonymize --job k.toml --missing-cells match-any",
        "anonymize --job k.toml --missing-cells exclude-row",
        "anonymize --job huge.toml -o out/huge.csv",
        "anonymize --job beyond.toml -o out/beyond.csv",
        "anonymize --job l.toml --max-suppressed 100%",
        "anonymize --job t.toml",
        "anonymize --job k.toml --max-levels 0,0",
        "anonymize --job k.toml --no-header",
        "anonymize --job k.toml --delimiter tab --quote '",
        "compare --job k.toml --time-limit 2s",
        "compare --job l.toml --csv --max-suppressed 10% --work-limit 1M --report out/page.html",
        "verify t.csv --job k.toml",
        "verify t.csv --job l.toml --json",
        "verify t.csv --job k.toml --original t.csv",
        "negotiate --job k.toml",
        "negotiate --job k.toml --json --max-levels 0,0 --max-suppressed 10%",
        "negotiate --job huge.toml --how lazy",
        "negotiate --job l.toml --how partial",
        "negotiate --job t.toml --how full --index out/index",
        "negotiate --job k.toml --batch requests.jsonl",
        "study --job bare.toml --parameters 2,4000000000 --importance",
        "study --job k.toml --plot out/pictures --csv",
        "study --job k.toml --schemes --parameters 2 --time-limit 100ms --plot out/pictures",
    ]
    .map(words)
    .into();
    for algorithm in ALGORITHMS {
        let flags =
            format!("anonymize --job target.toml --algorithm {algorithm} -o out/{algorithm}.csv");
        commands.push(words(&flags));
    }
    let column = || table.columns[0].clone();
    for rule in [
        "",
        "interval:5",
        "quantile:2",
        "mask:1",
        "date:month",
        "order",
        "suppress",
    ] {
        let mut command = words("hierarchy build t.csv --column");
        // A name may begin like a flag.
        command.pop();
        command.push(format!("--column={}", column()));
        if !rule.is_empty() {
            command.push(format!("--rule={rule}"));
        }
        commands.push(command);
    }
    let mut check = words("hierarchy check h.csv --data t.csv");
    check.push(format!("--column={}", column()));
    commands.push(check);
    commands
}

/// A folder with the table, and jobs that ask about it.
fn folder(table: &Nasty) -> Folder {
    let [_, _, three] = &table.columns;
    let target = job(table, "k-anonymity(k=2)", "").replace(
        &format!("sensitive = {}", quoted(&[three])),
        &format!("target = {}", quoted(&[three])),
    );
    Folder::with("t.csv", &table.content)
        .and("out/.keep", "")
        .and("k.toml", job(table, "k-anonymity(k=2)", ""))
        .and("huge.toml", job(table, "k-anonymity(k=4294967295)", ""))
        .and("beyond.toml", job(table, "k-anonymity(k=99999999999999999999)", ""))
        .and("l.toml", job(table, "distinct-l-diversity(l=2)", ""))
        .and("t.toml", job(table, "t-closeness(t=0.1)", ""))
        .and("bare.toml", job(table, "k-anonymity", ""))
        .and("target.toml", target)
        .and("h.csv", format!("{MARK}0,{MARK}x,*\n{MARK}1,{MARK}x,*\n"))
        .and(
            "requests.jsonl",
            "{\"model\":\"k-anonymity\",\"parameter\":2}\n\nnonsense\n{\"model\":\"k-anonymity\",\"parameter\":-1}\n\
             {\"model\":\"k-anonymity\",\"parameter\":2,\"max_suppressed\":\"1000%\",\"max_levels\":[99]}\n",
        )
}

/// What is wrong with how a run ended, if anything is.
fn faults(arguments: &[String], run: &std::process::Output) -> Vec<String> {
    let mut faults = Vec::new();
    let stdout = String::from_utf8_lossy(&run.stdout);
    let stderr = String::from_utf8_lossy(&run.stderr);
    let code = run.status.code();
    if !matches!(code, Some(0..=2)) {
        faults.push(format!("ends with {code:?}"));
    }
    if stderr.contains("panicked") {
        faults.push("panics".into());
    }
    let is_error = code == Some(2);
    // Whoever builds a hierarchy asks for its values, and sees some of them beside it.
    let is_hierarchy = arguments[0] == "hierarchy";
    if stderr.contains(MARK) && (is_error || !is_hierarchy) {
        faults.push("prints a cell to standard error".into());
    }
    // What was not asked to print cells prints none on standard output either.
    let asks_for_cells = is_hierarchy || arguments.iter().any(|word| word == "-");
    let is_json = arguments.iter().any(|word| word == "--json");
    let tells_blocks = is_json && !is_error;
    if stdout.contains(MARK) && !asks_for_cells && !tells_blocks {
        faults.push("prints a cell to standard output".into());
    }
    let is_lines = arguments.iter().any(|word| word == "--batch");
    let is_table = arguments.iter().any(|word| word == "compare");
    if is_error && !is_lines && !is_table {
        let explains = stderr.starts_with("error: ") && stderr.contains("\n  hint: ");
        if !explains {
            faults.push("fails without a hint".into());
        }
        if !is_json && !stdout.is_empty() {
            faults.push("fails and prints a result".into());
        }
    }
    if stderr.contains("report") && stderr.contains("bug") {
        faults.push("calls itself broken".into());
    }
    if is_json && serde_json::from_str::<serde_json::Value>(&stdout).is_err() {
        faults.push("prints no JSON document".into());
    }
    for fault in &mut faults {
        let start: String = stderr.chars().take(400).collect();
        *fault = format!("`{}` {fault}:\n{start}", arguments.join(" "));
    }
    faults
}

/// Runs commands on a table, each on its own.
fn try_all(table: &Nasty, commands: &[Vec<String>], found: &mut Vec<String>) {
    let folder = folder(table);
    for arguments in commands {
        let run = folder.command("").args(arguments).output().unwrap();
        let faults = faults(arguments, &run);
        found.extend(
            faults
                .iter()
                .map(|fault| format!("{}: {fault}", table.name)),
        );
    }
}

#[track_caller]
fn none(found: &[String]) {
    assert!(
        found.is_empty(),
        "{} faults\n{}",
        found.len(),
        found.join("\n")
    );
}

/// A share of the tables for each test, so that they run side by side.
fn share(part: usize) {
    let mut found = Vec::new();
    for table in tables().iter().skip(part).step_by(4) {
        try_all(table, &commands(table), &mut found);
    }
    none(&found);
}

#[test]
fn no_command_breaks_on_a_nasty_table_first_share() {
    share(0);
}

#[test]
fn no_command_breaks_on_a_nasty_table_second_share() {
    share(1);
}

#[test]
fn no_command_breaks_on_a_nasty_table_third_share() {
    share(2);
}

#[test]
fn no_command_breaks_on_a_nasty_table_last_share() {
    share(3);
}

/// Numbers that look random and are the same in every run (xorshift).
struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

#[test]
fn no_command_breaks_on_a_table_with_damaged_bytes() {
    let header = "a,b,c\n";
    let good = csv(&["a", "b", "c"], rows(9)).into_bytes();
    let mut draw = Draw(0x0123_4567_89ab_cdef);
    let mut found = Vec::new();
    for at in 0..24 {
        let mut content = good.clone();
        for _ in 0..=draw.below(3) {
            // The header names columns, and names may be printed: it stays as it is.
            let place = header.len() + draw.below(content.len() - header.len());
            let pieces: [&[u8]; 9] = [
                b"\"",
                b"\n",
                b",",
                b"\r",
                b"\0",
                b"\xc3\x28",
                b"",
                b";",
                b"\t",
            ];
            let piece = pieces[draw.below(pieces.len())];
            match draw.below(3) {
                0 => content.truncate(place.max(header.len() + 1)),
                1 => drop(content.splice(place..place, piece.iter().copied())),
                _ => drop(content.splice(place..=place, piece.iter().copied())),
            }
        }
        let table = nasty(&format!("damaged {at}"), ["a", "b", "c"], content);
        let all = commands(&table);
        let some: Vec<Vec<String>> = (0..6).map(|_| all[draw.below(all.len())].clone()).collect();
        try_all(&table, &some, &mut found);
    }
    none(&found);
}

#[test]
fn commands_that_read_no_table_refuse_nonsense_too() {
    let folder = Folder::new();
    let nonsense = [
        "",
        " ",
        "--",
        "no such thing",
        "'\"`$(x)",
        "é\u{7}\n",
        "\u{1f600}",
    ];
    let mut found = Vec::new();
    for word in nonsense {
        for command in ["explain", "man", "completions"] {
            let arguments = [command.to_owned(), "--".into(), word.to_owned()];
            let run = folder.command("").args(&arguments).output().unwrap();
            let stderr = String::from_utf8_lossy(&run.stderr);
            if !matches!(run.status.code(), Some(0 | 2)) || stderr.contains("panicked") {
                found.push(format!("{arguments:?}: {stderr}"));
            }
        }
    }
    none(&found);
    let Run { stderr, .. } = folder.run("explain latice").ends_with(2);
    assert!(stderr.contains("did you mean `lattice`"), "{stderr}");
}
