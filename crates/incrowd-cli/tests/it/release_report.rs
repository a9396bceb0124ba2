//! `anonymize --report`: one page that a lawyer can read, that is true, and that says no more than it may.

use crate::report::texts;
use crate::support::{Folder, PATIENTS, ROLES, Run, data};
use incrowd_core::algorithms::ALGORITHMS;

/// The texts of a page as one.
fn text(page: &str) -> String {
    texts(page).join(" ")
}

/// What cells of a table are sorted by, row by row, with the text of the first cell of each row.
fn rows(page: &str, caption: &str) -> Vec<(String, Vec<String>)> {
    let table = page.split(&format!("<caption>{caption}</caption>")).nth(1);
    let table = table.expect("the page has the table");
    let body = table.split("<tbody>").nth(1).unwrap();
    let body = body.split("</tbody>").next().unwrap();
    let row = |row: &str| {
        let first = row.split("</th>").next().unwrap();
        let first = texts(&format!("{}</th></tr>", first.trim_start())).concat();
        let keys = row.split("data-sort").skip(2);
        let key = |key: &str| match key.strip_prefix("=\"") {
            Some(key) => key.split('"').next().unwrap().to_owned(),
            None => String::new(),
        };
        (first, keys.map(key).collect())
    };
    let rows = body.split("<tr>").skip(1);
    rows.map(|text| row(&format!("<tr>{text}"))).collect()
}

#[test]
fn a_report_is_a_whole_page_in_order_that_loads_nothing() {
    let folder = Folder::with("t.csv", PATIENTS);
    let run = folder.run(&format!(
        "anonymize t.csv {ROLES} -k 2 -l 2 -o safe.csv --certificate c.json --report new/page.html --json"
    ));
    let outcome = run.ends_with(0).json();
    assert_eq!(outcome["report"]["path"], "new/page.html");
    assert_eq!(folder.list("new"), ["page.html"]);
    let page = folder.read("new/page.html");
    let all = texts(&page);
    // Every section, in the order in which a reader wants to know.
    let headings = [
        "Report on the release safe.csv",
        "What was asked",
        "What was done to each column",
        "What is protected, and against whom",
        "Against which attacker",
        "What is not protected",
        "What was lost",
        "What else was possible",
        "One step away",
        "Risk before and after",
        "Certificate, and how to check it",
        "Check it yourself",
        "What this report itself reveals",
        "Words used here",
    ];
    let mut rest = page.split("</nav>").nth(1).unwrap();
    for heading in &headings[1..] {
        let found = rest.split_once(&format!(">{heading}</h"));
        rest = found.unwrap_or_else(|| panic!("{heading}")).1;
    }
    assert!(page.contains(&format!("<h1>{}</h1>", headings[0])));
    // No level of headings is skipped.
    let mut level = 0;
    for heading in page.split("<h").skip(1) {
        let Some(Ok(next)) = heading.get(..1).map(str::parse::<u32>) else {
            continue;
        };
        assert!(next <= level + 1, "h{next} after h{level}");
        level = next;
    }
    // Pictures say what they are, tables have headings, links lead somewhere on the page.
    let pictures = page.matches("<svg").count();
    assert!(pictures >= 6, "{pictures}");
    assert_eq!(page.matches("role=\"img\">\n<title>").count(), pictures);
    assert_eq!(
        page.matches("<table").count(),
        page.matches("<caption>").count()
    );
    assert!(page.contains("<html lang=\"en\">"));
    for address in page.split("href=\"").skip(1) {
        let id = address
            .strip_prefix('#')
            .unwrap()
            .split('"')
            .next()
            .unwrap();
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
    }
    for way in [
        "http:", "https:", "src=", "url(", "@import", "<link", "<iframe", "<img",
    ] {
        assert!(!page.contains(way), "{way}");
    }
    assert!(page.contains("default-src 'none'"));
    // The page says what it is about.
    let said = all.join(" ");
    for words in [
        "distinct-l-diversity(l=2)",
        "The prosecutor",
        "The journalist",
        "The marketer",
    ] {
        assert!(said.contains(words), "{words}");
    }
    for written in ["certificate", "output"] {
        let hash = outcome[written]["sha256"].as_str().unwrap();
        assert!(said.contains(hash), "{written}");
    }
}

#[test]
fn an_algorithm_that_was_advised_comes_with_the_reason() {
    let folder = Folder::with("t.csv", PATIENTS);
    let page = |algorithm: &str| {
        folder.run(&format!(
            "anonymize t.csv {ROLES} -k 2 --algorithm {algorithm} -o {algorithm}.csv --report {algorithm}.html"
        ));
        folder.read(&format!("{algorithm}.html"))
    };
    assert!(page("auto").contains("Why this one"));
    assert!(!page("optimal").contains("Why this one"));
}

#[test]
fn equal_runs_give_equal_pages_with_any_number_of_threads() {
    let folder = Folder::with("t.csv", PATIENTS);
    let page = |threads: u32, name: &str| {
        let command =
            format!("anonymize t.csv {ROLES} -k 3 --threads {threads} -o safe.csv --report {name}");
        folder.run(&command).ends_with(0);
        folder.read(name)
    };
    let first = page(1, "a.html");
    assert_eq!(first, page(1, "b.html"));
    assert_eq!(first, page(3, "c.html"));
}

/// Values that cannot be taken for anything else, in every column, some of them rare: those are suppressed.
fn canaries() -> String {
    let mut table = String::from("name,town,born,job,ill,note\n");
    for row in 0..360_u32 {
        let town = match row {
            0 => "Qlonelyx".to_owned(),
            1..4 => "Qfewx".to_owned(),
            _ => format!("Qtown{}x", row % 7),
        };
        // The youngest and the oldest are alone.
        let born = match row {
            5 => 190_001,
            6 => 987_013,
            _ => 710_000 + (row * 7919) % 97 * 13,
        };
        let job = match row {
            7 => "Jastronautx".to_owned(),
            _ => format!("Jwork{}x", row * row % 11),
        };
        let ill = match row {
            0 => "Iraritasx".to_owned(),
            _ => format!("Iill{}x", (row * 31 + row / 9) % 5),
        };
        table += &format!("Nname{row}x,{town},{born},{job},{ill},Tnote{row}x\n");
    }
    table
}

/// The release and the page of a request; none if the algorithm cannot meet it.
fn written(folder: &Folder, request: &str) -> Option<(String, String)> {
    let run = folder.run(&format!(
        "anonymize {request} -o safe.csv --report page.html"
    ));
    match run.code {
        0 => Some((folder.read("safe.csv"), folder.read("page.html"))),
        _ => {
            let stderr = &run.stderr;
            assert!(stderr.starts_with("error:"), "{request}: {stderr}");
            None
        }
    }
}

#[test]
fn no_raw_value_is_on_the_page_that_the_release_does_not_hold() {
    let table = canaries();
    // The labels of a hierarchy may be raw values too, as those of one that was built from the data are.
    let hierarchy: String = (0..7)
        .map(|town| format!("Qtown{town}x,Qregion{}x,Qsouthx,*\n", town % 2))
        .chain([
            "Qlonelyx,Qlonelyx-area,Qnorthx,*\n".into(),
            "Qfewx,Qregion1x,Qsouthx,*\n".into(),
        ])
        .collect();
    let folder = Folder::with("t.csv", &table).and("h/town.csv", &hierarchy);
    let mut canaries: Vec<&str> = (table.lines().skip(1))
        .flat_map(|line| line.split(','))
        .chain(["Qnorthx", "Qsouthx", "Qregion0x", "Qregion1x"])
        .collect();
    canaries.sort_unstable();
    canaries.dedup();
    // What is found first shows as much as what is proven best.
    let roles =
        "--identifying name -q town,born,job -s ill --others drop --hierarchies h --work-limit 1M";
    let requests = [
        "-k 4 --max-suppressed 3% --suppressed star --privacy 'alpha-k-anonymity(alpha=0.9,k=3,value=Iraritasx)'",
        "-k 5 --rule 'born: 710000|987013 = 5' --rule 'town: Qlonelyx != Qfewx = 3' --max-suppressed 3%",
    ];
    let (mut pages, mut shown, mut hidden) = (0, 0, 0);
    for algorithm in ALGORITHMS {
        let name = algorithm.entry().name;
        for request in requests {
            let request = format!("t.csv {roles} {request} --algorithm {name}");
            let Some((release, page)) = written(&folder, &request) else {
                continue;
            };
            pages += 1;
            let page = text(&page) + &page;
            for canary in &canaries {
                let is_published = release.contains(canary);
                let is_shown = page.contains(canary);
                assert!(is_published || !is_shown, "{request}: {canary}");
                shown += u32::from(is_shown);
                hidden += u32::from(!is_published);
            }
        }
    }
    // The test sees something: most algorithms answer, published values are on pages, and there are raw ones to hide.
    assert!(pages > ALGORITHMS.len(), "{pages}");
    assert!(shown > 200 && hidden > 10_000, "{shown} {hidden}");
}

/// A job over a table whose names and values are all like this one.
fn folder_of(name: &str) -> (Folder, String) {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut table = [format!("{name}1"), format!("{name}2"), "ill".into()]
        .map(|name| quoted(&name))
        .join(",");
    for row in 0..60_u32 {
        let value = quoted(&format!("{name}{}", row % 3));
        table += &format!("\n{},{value},{}", 20 + row % 10, row % 7 % 2);
    }
    let toml = |text: String| {
        format!("{text:?}")
            .replace("\\'", "'")
            .replace("\\u{202e}", "\\u202e")
    };
    let job = format!(
        "[data]\npath = \"t.csv\"\n[columns]\nquasi_identifiers = [{}, {}]\nsensitive = [\"ill\"]\n\
         [privacy]\nmodels = [\"k-anonymity(k=2)\"]\n[output]\npath = \"safe.csv\"\nreport = \"page.html\"\n",
        toml(format!("{name}1")),
        toml(format!("{name}2")),
    );
    (Folder::with("jobs/t.csv", table), job)
}

#[test]
fn markup_in_names_and_values_is_shown_not_obeyed() {
    let skeleton = |page: &str| -> Vec<String> {
        let tags = page.split('<').skip(1).filter_map(|part| {
            let tag = part.split_once('>').expect("every tag ends").0;
            let name = tag.split(' ').next().unwrap();
            // How a text is broken into lines depends on it.
            (name != "text" && name != "/text").then(|| name.to_owned())
        });
        tags.collect()
    };
    let page = |name: &str| {
        let (folder, job) = folder_of(name);
        let folder = folder.and("jobs/job.toml", job);
        folder.run("anonymize --job jobs/job.toml").ends_with(0);
        folder.read("jobs/page.html")
    };
    let plain = skeleton(&page("plain"));
    for name in [
        "<script>alert(1)</script>",
        "</style><b>",
        "\"&'`",
        "a</td></table><img src=x onerror=alert(1)>",
        "a\u{202e}b",
        "long ".repeat(60).as_str(),
    ] {
        let page = page(name);
        assert_eq!(skeleton(&page), plain, "{name}");
        assert_eq!(page.matches("<script").count(), 1, "{name}");
        assert!(
            !page.contains("<img") && !page.contains('\u{202e}'),
            "{name}"
        );
        if !name.contains('\u{202e}') {
            let is_shown = texts(&page).iter().any(|text| *text == format!("{name}1"));
            assert!(is_shown, "{name}");
        }
    }
}

#[track_caller]
fn refused(run: Run, code: &str) {
    let found = run.ends_with(2).json()["error"]["code"].clone();
    assert_eq!(found, code);
}

#[test]
fn a_report_is_written_with_the_release_or_not_at_all() {
    let folder = Folder::with("t.csv", PATIENTS);
    let run = |rest: &str| folder.run(&format!("anonymize t.csv {ROLES} {rest} --json"));
    refused(run("-k 2 --report p.html"), "report-alone");
    refused(run("-k 2 -o safe.csv --report -"), "standard-output-twice");
    refused(run("-k 2 -o safe.csv --report safe.csv"), "same-output");
    refused(
        run("-k 2 -o safe.csv --certificate c.json --report c.txt"),
        "same-output",
    );
    refused(run("-k 2 -o safe.csv --report t.csv"), "overwrites-input");
    assert_eq!(folder.read("t.csv"), PATIENTS);
    // Nothing keeps such a promise.
    run("-k 99 -o safe.csv --report p.html").ends_with(2);
    assert_eq!(folder.list("."), ["t.csv"]);
}

/// The disk is full when the page is written: `/dev/full` takes no byte.
#[test]
#[cfg(target_os = "linux")]
fn a_release_does_not_stay_without_the_report_that_was_requested() {
    let folder = Folder::with("t.csv", PATIENTS);
    let run = folder.run(&format!(
        "anonymize t.csv {ROLES} -k 2 -o safe.csv --certificate c.json --report /dev/full --json"
    ));
    run.ends_with(2);
    assert_eq!(folder.list("."), ["t.csv"]);
}

#[test]
fn other_requests_cost_what_they_cost_when_they_are_made() {
    let folder = Folder::new();
    let (table, hierarchies) = (data("adult/adult.csv"), data("adult/hierarchies"));
    for (algorithm, promise) in [("optimal", "k=5"), ("datafly", "k=5"), ("mondrian", "k=50")] {
        let request = format!(
            "anonymize {table} -q age,sex,race -s salary-class --others drop --hierarchies {hierarchies} --algorithm \
             {algorithm} --max-suppressed 100"
        );
        let loss = |rest: &str| {
            let outcome = folder.run(&format!("{request} {rest} --json")).ends_with(0);
            outcome.json()["metrics"]["loss"].as_f64().unwrap()
        };
        let own = loss(&format!(
            "--privacy 'k-anonymity({promise})' -o safe.csv --report page.html"
        ));
        let page = folder.read("page.html");
        let tried = rows(&page, "The same algorithm with other requests");
        assert!(tried.len() >= 4, "{tried:?}");
        let (mut safer, mut weaker) = (0, 0);
        for (request, cells) in &tried {
            let told: f64 = cells[0].parse().unwrap();
            let promise = request.split_once(": ").map(|(_, promise)| promise);
            match (request.as_str(), promise) {
                ("As asked", _) => assert!((told - own).abs() < 1e-12),
                (_, Some(promise)) => {
                    // Nobody would take a worse release for a weaker promise.
                    let found = loss(&format!("--privacy '{promise}'"));
                    let is_safer = request.starts_with("Safer");
                    let expected = if is_safer { found } else { found.min(own) };
                    assert!((told - expected).abs() < 1e-12, "{algorithm} {request}");
                    safer += u32::from(is_safer);
                    weaker += u32::from(!is_safer);
                }
                _ => assert_eq!(request, "Up to 200 rows may be left out"),
            }
        }
        assert!(safer == 1 && weaker >= 1, "{tried:?}");
    }
}

#[test]
fn neighbors_in_the_lattice_leave_out_the_rows_that_break_the_promise() {
    let mut table = String::from("age,sex,ill\n");
    for row in 0..400_u32 {
        // Ages are rare one by one, not in tens.
        table += &format!(
            "{},{},{}\n",
            20 + row * row % 41,
            ["f", "m"][(row % 2) as usize],
            row % 3
        );
    }
    let folder = Folder::with("t.csv", &table);
    folder
        .run("anonymize t.csv -q age,sex -s ill -k 8 --hierarchy age=interval:10,20 -o safe.csv --report page.html")
        .ends_with(0);
    let page = folder.read("page.html");
    let steps = rows(&page, "One column, one level finer or coarser");
    let names: Vec<&str> = steps.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["age", "sex"]);
    let level: u32 = steps[0].1[0].parse().unwrap();
    assert!(level >= 1, "{steps:?}");
    // One level finer, in the table itself.
    let finer = |row: &str| -> String {
        let (age, rest) = row.split_once(',').unwrap();
        let age: u32 = age.parse().unwrap();
        let width = [1, 10, 20][level as usize - 1];
        format!("{} {}", age / width, rest.split(',').next().unwrap())
    };
    let blurred: Vec<String> = table.lines().skip(1).map(finer).collect();
    let size = |row: &String| blurred.iter().filter(|other| *other == row).count();
    let broken = blurred.iter().filter(|row| size(row) < 8).count();
    let said = &steps[0].1[1];
    assert!(broken >= 8, "{broken}");
    assert_eq!(
        *said,
        format!("breaks a promise unless {broken} rows are left out")
    );
}

#[test]
fn risk_is_what_the_risk_command_finds() {
    let folder = Folder::new();
    let (table, hierarchies) = (data("adult/adult.csv"), data("adult/hierarchies"));
    let roles = "-q age,sex,race,education -s marital-status";
    folder
        .run(&format!(
            "anonymize {table} {roles} --others drop --hierarchies {hierarchies} -k 5 --max-suppressed 1% -o safe.csv \
             --report page.html"
        ))
        .ends_with(0);
    let found = folder
        .run(&format!("risk safe.csv {roles} --original {table} --json"))
        .ends_with(0)
        .json();
    let page = folder.read("page.html");
    let told = rows(&page, "Risk before and after");
    let paths = [
        vec!["prosecutor", "highest"],
        vec!["prosecutor", "average"],
        vec!["prosecutor", "above_threshold", "share"],
        vec!["uniques", "sample", "share"],
        vec!["attribute_disclosure", "marital-status", "share"],
    ];
    assert_eq!(told.len(), paths.len());
    for ((measure, cells), path) in told.iter().zip(paths) {
        let figure = |start: &serde_json::Value| {
            let found = path.iter().fold(start, |value, key| &value[key]);
            found.as_f64().unwrap()
        };
        let told = |at: usize| cells[at].parse::<f64>().unwrap();
        assert!((told(1) - figure(&found)).abs() < 1e-12, "{measure}");
        // Rounded to a percent, and no further off.
        let before = figure(&found["original"]);
        assert!((told(0) - before).abs() <= 0.005 + 1e-12, "{measure}");
        assert!(
            (told(0) * 100.0 - (told(0) * 100.0).round()).abs() < 1e-9,
            "{measure}"
        );
    }
}

#[test]
fn the_risk_before_is_not_told_of_a_small_table() {
    let folder = Folder::with("t.csv", PATIENTS);
    folder
        .run(&format!(
            "anonymize t.csv {ROLES} -k 2 -o safe.csv --report p.html"
        ))
        .ends_with(0);
    let page = folder.read("p.html");
    assert!(text(&page).contains("The risk before is not shown"));
    for (measure, cells) in rows(&page, "Risk before and after") {
        assert_eq!(cells[0], "", "{measure}");
    }
}

/// The commands of a page, as a reader would copy them.
fn commands(page: &str) -> Vec<String> {
    let blocks = page.split("<pre class=\"command\"").skip(1);
    let command = |block: &str| {
        let block = block.split("<code>").nth(1).unwrap();
        let block = block.split("</code>").next().unwrap();
        texts(&format!("<p>{block}</p>")).concat()
    };
    blocks.map(command).collect()
}

/// A cell of every patient, with the levels that follow from it.
fn levels(column: usize, levels: impl Fn(&str) -> String) -> String {
    let cells = PATIENTS.lines().skip(1);
    let mut cells: Vec<&str> = cells
        .map(|row| row.split(',').nth(column).unwrap())
        .collect();
    cells.sort_unstable();
    cells.dedup();
    cells
        .iter()
        .map(|cell| format!("{cell},{},*\n", levels(cell)))
        .collect()
}

fn ages() -> String {
    levels(1, |age| format!("{}0s", &age[..1]))
}

fn zips() -> String {
    levels(3, |zip| format!("{}***", &zip[..2]))
}

const K_MAP: &str = "--privacy 'k-map(k=2)' --population people.csv";

#[test]
#[cfg(unix)]
fn the_commands_to_check_it_work_as_they_are() {
    for (release, table, certificate) in [
        ("safe.csv", "t.csv", "c.json"),
        ("it's \"safe\" $(x).csv", "a & b;.csv", "c <x> `y`.json"),
    ] {
        let single = "--hierarchy age=interval:20,40 --hierarchy zip=./order --missing-tokens ? --missing-tokens 'n/a, b'";
        for (has_certificate, promise, levels) in [
            (true, "-k 2", "--hierarchies h"),
            (false, "-k 2", "--hierarchies h"),
            (true, K_MAP, "--hierarchies h"),
            (false, K_MAP, "--hierarchies h"),
            (true, K_MAP, single),
            (false, "-k 2", single),
        ] {
            let folder = Folder::with(table, PATIENTS)
                .and("people.csv", PATIENTS)
                .and("h/age.csv", ages())
                .and("h/zip.csv", zips())
                .and("h/sex.csv", "f,*\nm,*\n")
                .and("order", zips());
            let request = format!("anonymize {ROLES} {promise} {levels}");
            let mut command = folder.command(&request);
            command.args([table, "--report", "p.html", "-o", release]);
            if has_certificate {
                command.args(["--certificate", certificate]);
            }
            assert!(command.output().unwrap().status.success());
            let program = folder.command("").get_program().to_owned();
            let bin = std::path::Path::new(&program).parent().unwrap().to_owned();
            let commands = commands(&folder.read("p.html"));
            assert_eq!(commands.len(), 2);
            for command in commands {
                let path = std::env::var("PATH").unwrap();
                let run = std::process::Command::new("sh")
                    .args(["-c", &command])
                    .current_dir(folder.path("."))
                    .env("PATH", format!("{}:{path}", bin.display()))
                    .output()
                    .unwrap();
                assert!(run.status.success(), "{command}: {run:?}");
            }
        }
    }
}

#[test]
fn rules_of_experts_are_told_without_their_values() {
    let folder = Folder::with("t.csv", PATIENTS);
    folder
        .run(&format!(
            "anonymize t.csv {ROLES} -k 2 --metric research-value --rule 'age: 38|39 = 25' --rule 'sex: f != m = 5' \
             -o safe.csv --report p.html --json"
        ))
        .ends_with(0);
    let page = folder.read("p.html");
    let rules = rows(&page, "Every rule, in the order in which they were given");
    let names: Vec<&str> = rules.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["age, rule 1", "sex, rule 1"]);
    for (_, cells) in rules {
        assert!(["kept", "broken"].contains(&cells[1].as_str()), "{cells:?}");
        assert!(cells[2].starts_with("sha256:"));
    }
    assert!(!text(&page).contains("38|39"));
}

#[test]
fn a_release_that_is_printed_has_a_report_that_says_what_to_put_in_its_place() {
    let folder = Folder::with("t.csv", PATIENTS);
    let run = folder.run(&format!(
        "anonymize t.csv {ROLES} -k 2 -o - --report p.html"
    ));
    let run = run.ends_with(0);
    assert!(run.stdout.starts_with("age,"), "{}", run.stdout);
    let page = folder.read("p.html");
    assert!(page.contains("<h1>Report on a release</h1>"));
    let commands = commands(&page);
    assert!(commands[0].starts_with("incrowd verify RELEASE.csv -q age"));
    // What is counted again is what was printed.
    let folder = folder.and("RELEASE.csv", run.stdout);
    for command in commands {
        let command = command.strip_prefix("incrowd ").unwrap();
        folder.run(command).ends_with(0);
    }
}

/// The first paragraph of the page about a table with these rows.
fn verdict(rows: &[(&str, u32)], flags: &str) -> String {
    let mut table = String::from("age,ill\n");
    for (row, times) in rows {
        table += &format!("{row}\n").repeat(*times as usize);
    }
    let folder = Folder::with("t.csv", table);
    folder
        .run(&format!(
            "anonymize t.csv -q age -s ill {flags} -o safe.csv --report p.html"
        ))
        .ends_with(0);
    let page = folder.read("p.html");
    let lead = page.split("<div class=\"lead\">").nth(1).unwrap();
    text(&format!("{}</p>", lead.split("</p>").next().unwrap()))
}

#[test]
fn the_verdict_does_not_call_safe_what_gives_people_away() {
    let mixed = [("30,flu", 4), ("30,cold", 4), ("40,flu", 3), ("40,cold", 3)];
    let good = verdict(&mixed, "-k 5");
    assert!(good.contains("looks like at least 5 others"), "{good}");
    assert!(good.contains("chance of at most 1 in 6"), "{good}");
    assert!(good.contains("It is safe for readers who know"), "{good}");
    // Everybody of 40 has a cold.
    let same = [("30,flu", 4), ("30,cold", 3), ("40,cold", 7)];
    let bad = verdict(&same, "-k 5");
    assert!(!bad.contains("It is safe for"), "{bad}");
    assert!(bad.contains("for 50 % of the rows they learn"), "{bad}");
    // One person is alone, and the promise is not about that.
    let alone = [("30,flu", 5), ("30,cold", 5), ("40,cold", 1)];
    let alone = verdict(&alone, "--privacy t-closeness(t=0.9)");
    assert!(alone.contains("At least one person is alone"), "{alone}");
    assert!(!alone.contains("It is safe for"), "{alone}");
    // A missing cell is in every crowd, though its class has one row.
    let missing = [("30,flu", 4), ("30,cold", 4), (",cold", 1)];
    let missing = verdict(&missing, "-k 3 --missing-cells match-any");
    assert!(
        missing.contains("Missing cells could be any value"),
        "{missing}"
    );
    assert!(!missing.contains("is alone"), "{missing}");
}
