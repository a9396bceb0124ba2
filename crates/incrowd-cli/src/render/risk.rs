//! How easily people in a table are found.

use super::page::Page;
use incrowd_job::{
    GateJudged, PopulationEstimates, Presence, Reidentified, RiskReport, Risks, few_digits,
};

/// The report of `risk`: the answer first, then the figures, before and after if both are known.
pub(crate) fn text(found: &RiskReport) -> String {
    let mut page = Page::default();
    answer(&mut page, &found.risks);
    page.line("");
    figures(&mut page, found);
    reasons(&mut page, &found.risks);
    if !found.gates.is_empty() {
        page.line("");
        found.gates.iter().for_each(|gate| judged(&mut page, gate));
    }
    for (at, note) in found.notes.iter().enumerate() {
        if at == 0 {
            page.line("");
        }
        page.line(format!("note: {note}"));
    }
    page.0
}

fn answer(page: &mut Page, risks: &Risks) {
    if risks.rows == 0 {
        page.line("The file has no row in which anybody could be found.");
        return;
    }
    let uniques = risks.uniques.sample.rows;
    page.line(match uniques {
        0 => format!(
            "No row is unique: whoever looks for a person is right with a chance of at most {}.",
            percent(risks.prosecutor.highest)
        ),
        _ => format!(
            "{uniques} of {} rows ({}) are unique: whoever looks for one of these people finds them.",
            risks.rows,
            percent(risks.uniques.sample.share)
        ),
    });
}

/// One line for each figure, with a column for each file.
fn figures(page: &mut Page, found: &RiskReport) {
    let files: Vec<&Risks> = found.original.iter().chain([&found.risks]).collect();
    let mut lines: Vec<Vec<String>> = Vec::new();
    let mut line = |label: &str, figure: &dyn Fn(&Risks) -> Option<String>| {
        let cells: Vec<Option<String>> = files.iter().map(|file| figure(file)).collect();
        if cells.iter().any(Option::is_some) {
            let cells = cells.into_iter().map(|cell| cell.unwrap_or_else(none));
            lines.push([label.to_owned()].into_iter().chain(cells).collect());
        }
    };
    line("rows", &|file| Some(file.rows.to_string()));
    let is_any_starred = files.iter().any(|file| file.rows_starred > 0);
    line("suppressed rows", &|file| {
        is_any_starred.then(|| file.rows_starred.to_string())
    });
    line("classes", &|file| Some(file.classes.to_string()));
    line("unique rows", &|file| {
        let uniques = file.uniques.sample;
        Some(rows_and_share(uniques.rows, uniques.share))
    });
    type Attacker = fn(&Risks) -> Option<Reidentified>;
    let attackers: [(&str, Attacker); 2] = [
        ("prosecutor", |file| Some(file.prosecutor)),
        ("journalist", |file| file.journalist),
    ];
    for (name, of) in attackers {
        line(&format!("{name}: highest risk"), &|file| {
            Some(percent(of(file)?.highest))
        });
        line(&format!("{name}: average risk"), &|file| {
            Some(percent(of(file)?.average))
        });
        let threshold = found.risks.prosecutor.above_threshold.threshold;
        line(&format!("{name}: rows above {threshold}"), &|file| {
            let above = of(file)?.above_threshold;
            Some(rows_and_share(above.rows, above.share))
        });
    }
    line("k-map: fewest matching people", &|file| {
        Some(file.matched?.k_map.to_string())
    });
    line("delta-presence: in the file", &|file| {
        let Presence { min, max } = file.matched?.delta_presence;
        Some(format!("{} to {}", percent(min), percent(max)))
    });
    line("marketer: share of rows found", &|file| {
        Some(percent(file.marketer))
    });
    for column in found.risks.attribute_disclosure.keys() {
        line(&format!("certain value of {column}"), &|file| {
            let certain = file.attribute_disclosure.get(column)?;
            Some(rows_and_share(certain.certain_rows, certain.share))
        });
    }
    type Estimate = fn(&PopulationEstimates) -> Option<f64>;
    let estimates: [(&str, Estimate); 3] = [
        ("Pitman", |it| it.pitman),
        ("Zayatz", |it| it.zayatz),
        ("SNB", |it| it.snb),
    ];
    line("people in the population", &|file| {
        Some(file.uniques.population.as_ref()?.size.to_string())
    });
    for (name, of) in estimates {
        line(&format!("unique in it, by {name}"), &|file| {
            let population = file.uniques.population.as_ref()?;
            Some(match of(population) {
                Some(people) => {
                    let share = people / population.size as f64;
                    format!("{} ({})", few_digits(people.round()), percent(share))
                }
                None => none(),
            })
        });
    }
    let mut header = vec![String::new()];
    if found.original.is_some() {
        header.push("original".to_owned());
    }
    header.push("file".to_owned());
    page.table(&header, &lines);
}

/// Why an estimate is missing.
fn reasons(page: &mut Page, risks: &Risks) {
    let Some(population) = &risks.uniques.population else {
        return;
    };
    let mut by_reason: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, reason) in &population.reasons {
        let name = match name.as_str() {
            "pitman" => "Pitman",
            "zayatz" => "Zayatz",
            _ => "SNB",
        };
        match by_reason.iter_mut().find(|(known, _)| known == reason) {
            Some((_, names)) => names.push(name),
            None => by_reason.push((reason, vec![name])),
        }
    }
    for (at, (reason, names)) in by_reason.into_iter().enumerate() {
        if at == 0 {
            page.line("");
        }
        page.line(format!("no estimate by {}: {reason}", names.join(", ")));
    }
}

fn judged(page: &mut Page, gate: &GateJudged) {
    let figure = gate.figure.map_or_else(none, few_digits);
    let verdict = if gate.holds { "met" } else { "NOT met" };
    page.line(format!("gate {}: {verdict} ({figure})", gate.gate));
}

fn rows_and_share(rows: u64, share: f64) -> String {
    format!("{rows} ({})", percent(share))
}

/// A share with one decimal; what is neither 0 nor 1 is not rounded to either.
fn percent(share: f64) -> String {
    match share {
        _ if share > 0.0 && share < 0.0005 => "less than 0.1 %".to_owned(),
        _ if (0.9995..1.0).contains(&share) => "more than 99.9 %".to_owned(),
        _ => format!("{:.1} %", 100.0 * share),
    }
}

fn none() -> String {
    "-".to_owned()
}
