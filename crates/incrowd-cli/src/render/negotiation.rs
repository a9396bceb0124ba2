//! Answers of a negotiation as text: the curve, then one card per offer.

use super::page::Page;
use incrowd_core::error::LARGEST_BUDGET_PROPOSED;
use incrowd_job::{Curve, GaveWay, Negotiated, Offered, Terms, Wish, few_digits};

/// Columns of a drawn curve.
const WIDTH: usize = 60;

/// Lines of a drawn curve.
const HEIGHT: usize = 10;

/// A cell filled from below, in eighths.
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// An answer, below the curve it is based on.
pub(crate) fn page(answer: &Negotiated, curve: &Curve) -> String {
    let mut page = Page::default();
    page.append(&self::curve(curve));
    page.append(&self::answer(answer));
    page.0
}

/// The offers, and how they were found.
pub(crate) fn answer(answer: &Negotiated) -> String {
    let mut page = Page::default();
    match &answer.terms {
        Terms::Exact { answer } => {
            page.line("the request can be met");
            page.line("");
            card(&mut page, 1, "best release", answer);
        }
        Terms::Relaxed {
            more_suppression,
            higher_levels,
            weaker_privacy,
        } => {
            page.line("the request cannot be met; each offer relaxes one part of it");
            let cards = [
                ("suppress more rows", more_suppression),
                ("generalize further", higher_levels),
                ("weaken privacy", weaker_privacy),
            ];
            for (number, (title, offer)) in (1..).zip(cards) {
                page.line("");
                match offer {
                    Some(offer) if offer.classes == 0 => {
                        page.line(format!("{number}  {title}: no rows would be left"));
                    }
                    Some(offer) => card(&mut page, number, title, offer),
                    None => {
                        page.line(format!("{number}  {title}: not enough"));
                    }
                }
            }
        }
    }
    page.line("");
    let lattice = &answer.lattice;
    let trust = match lattice.complete {
        true => "no better answer exists",
        false => "a better answer may exist",
    };
    page.entry(
        "search",
        format!(
            "{} of {} nodes visited, {}; {trust}",
            answer.nodes_visited, lattice.nodes.0, lattice.how
        ),
    );
    if !answer.monotone {
        page.entry(
            "",
            "with this model, higher levels can suppress more rows, so no node was skipped",
        );
    }
    page.entry(
        "seconds",
        format!(
            "{:.3} prepare, {:.6} answer",
            answer.seconds.prepare, answer.seconds.answer
        ),
    );
    page.0
}

/// A request in one line.
pub(crate) fn wish(wish: &Wish) -> String {
    let model = match wish.spec() {
        Ok(spec) => spec.to_string(),
        Err(_) => wish.model.clone(),
    };
    let budget = match wish.max_suppressed {
        Some(budget) => budget.to_string(),
        None => "0".into(),
    };
    let levels = match &wish.max_levels {
        Some(levels) => {
            let levels: Vec<String> = levels.iter().map(u8::to_string).collect();
            format!("levels up to {}", levels.join(","))
        }
        None => "any levels".into(),
    };
    let metric = match &wish.metric {
        Some(metric) => format!(", minimize {metric}"),
        None => String::new(),
    };
    format!("{model}, up to {budget} rows suppressed, {levels}{metric}")
}

/// An answer in one line.
pub(crate) fn summary(terms: &Terms) -> String {
    let levels = |offer: &Offered| {
        let levels: Vec<String> = offer.levels.iter().map(u8::to_string).collect();
        levels.join(",")
    };
    match terms {
        Terms::Exact { answer } => format!(
            "yes, levels {} with {} rows suppressed",
            levels(answer),
            answer.rows_suppressed
        ),
        Terms::Relaxed {
            more_suppression,
            higher_levels,
            weaker_privacy,
        } => {
            let mut offers = Vec::new();
            if let Some(offer) = more_suppression.as_ref().filter(|offer| offer.classes > 0) {
                offers.push(format!("{} rows suppressed", offer.rows_suppressed));
            }
            if let Some(offer) = higher_levels {
                offers.push(format!("levels {}", levels(offer)));
            }
            if let Some(offer) = weaker_privacy {
                offers.push(offer.model.clone());
            }
            match offers.is_empty() {
                true => "no".into(),
                false => format!("no, but {}", offers.join(" or ")),
            }
        }
    }
}

/// One offer: what it is, what it costs, which part of the request it relaxes and by how much.
fn card(page: &mut Page, number: usize, title: &str, offer: &Offered) {
    page.line(format!("{number}  {title}"));
    let mut entry = |label: &str, text: String| page.line(format!("   {label:<12}{text}"));
    if let Some(gives_way) = &offer.gives_way {
        entry("relaxes", self::gives_way(gives_way, offer));
    }
    entry("privacy", offer.model.clone());
    entry(
        "suppressed",
        format!(
            "{} rows ({:.2} %)",
            offer.rows_suppressed,
            offer.share_suppressed * 100.0
        ),
    );
    let is_beyond_budget = matches!(offer.gives_way, Some(GaveWay::Suppression { .. }));
    if is_beyond_budget && offer.share_suppressed > LARGEST_BUDGET_PROPOSED {
        let text = "much of the table would be suppressed; fewer or coarser columns, or weaker privacy, keep more rows";
        entry("", text.into());
    }
    let levels = offer.levels_by_name.iter();
    let levels: Vec<String> = levels
        .map(|(name, level)| format!("{name} {level}"))
        .collect();
    entry(
        "levels",
        format!("{} (height {})", levels.join(", "), offer.height),
    );
    entry(
        "classes",
        format!(
            "{}, smallest {}, average {:.1}",
            offer.classes, offer.smallest_class, offer.average_class
        ),
    );
    let first = offer.metrics.first().map(|(name, _)| name.as_str());
    let shown = ["loss", "precision", "average-class-size"];
    let metrics = offer.metrics.iter().filter(|(name, _)| {
        let is_height = *name == "height";
        !is_height && (first == Some(name.as_str()) || shown.contains(&name.as_str()))
    });
    let metrics: Vec<String> = metrics
        .map(|(name, loss)| format!("{name} {}", few_digits(*loss)))
        .collect();
    entry("metrics", metrics.join(", "));
    if let Some(value) = &offer.research_value {
        entry("worth", value.in_words());
        for rule in value.rules_in_words() {
            entry("rule", rule);
        }
    }
}

/// The part of the request that is not met, in words.
fn gives_way(gives_way: &GaveWay, offer: &Offered) -> String {
    match gives_way {
        GaveWay::Suppression { rows_beyond } => {
            format!("{rows_beyond} more rows suppressed than you allowed")
        }
        GaveWay::Levels { steps_beyond } => {
            let steps: Vec<String> = steps_beyond
                .iter()
                .map(|(name, steps)| match steps {
                    1 => format!("{name} one level higher"),
                    steps => format!("{name} {steps} levels higher"),
                })
                .collect();
            steps.join(", ")
        }
        GaveWay::Privacy { asked } => format!(
            "{} instead of {}",
            number(offer.parameter.0),
            number(asked.0)
        ),
    }
}

/// Rows suppressed by parameter, drawn with blocks, the budget as a dotted line.
pub(crate) fn curve(curve: &Curve) -> String {
    let mut page = Page::default();
    let levels = curve.levels.iter();
    let levels: Vec<String> = levels
        .map(|(name, level)| format!("{name} {level}"))
        .collect();
    let name = &curve.parameter_name;
    page.line(format!(
        "rows suppressed by {name}, at the highest levels you accept: {}",
        levels.join(", ")
    ));
    let (low, high) = curve.range();
    let parameter = |column: usize| {
        let share = column as f64 / (WIDTH - 1) as f64;
        let parameter = low + share * (high - low);
        if curve.is_whole {
            parameter.round()
        } else {
            parameter
        }
    };
    let heights: Vec<u64> = (0..WIDTH)
        .map(|column| curve.rows_suppressed(parameter(column)))
        .collect();
    let most = heights.iter().copied().max().unwrap_or(0);
    let top = nice(most.max(curve.budget + curve.budget / 4).max(1));
    let eighths = |rows: u64| (rows as f64 / top as f64 * (HEIGHT * 8) as f64).round() as usize;
    let budget_line = eighths(curve.budget) / 8;
    let margin = top.to_string().len().max(curve.budget.to_string().len()) + 1;
    for line in (0..HEIGHT).rev() {
        let label = match line {
            _ if line == budget_line => curve.budget.to_string(),
            line if line == HEIGHT - 1 => top.to_string(),
            _ => String::new(),
        };
        let cells: String = heights
            .iter()
            .map(
                |&rows| match eighths(rows).saturating_sub(line * 8).min(8) {
                    // Show that a few rows are more than none.
                    0 if line == 0 && rows > 0 => BLOCKS[1],
                    0 if line == budget_line => '┄',
                    filled => BLOCKS[filled],
                },
            )
            .collect();
        let note = if line == budget_line { " budget" } else { "" };
        page.line(format!("{label:>margin$} ┤{cells}{note}"));
    }
    let mark = ((curve.asked - low) / (high - low) * (WIDTH - 1) as f64).round();
    let mark = (mark.max(0.0) as usize).min(WIDTH - 1);
    let axis: String = (0..WIDTH)
        .map(|column| if column == mark { '┴' } else { '─' })
        .collect();
    page.line(format!("{:>margin$} └{axis}", 0));
    let asked = format!("{name} = {}", number(curve.asked));
    let ends = (number(parameter(0)), number(parameter(WIDTH - 1)));
    let below = below_axis(&ends.0, (mark, &asked), &ends.1);
    page.line(format!("{:>margin$}  {below}", ""));
    page.0
}

/// The line below an axis: the parameter requested, and the ends if there is room next to it.
fn below_axis(low: &str, (mark, asked): (usize, &str), high: &str) -> String {
    let last = WIDTH.saturating_sub(asked.chars().count());
    let at = mark.saturating_sub(asked.chars().count() / 2).min(last);
    let mut line = match low.chars().count() < at {
        true => format!("{low:<at$}{asked}"),
        false => format!("{:<at$}{asked}", ""),
    };
    let room = WIDTH.saturating_sub(line.chars().count());
    if high.chars().count() < room {
        line += &format!("{high:>room$}");
    }
    line
}

/// A number with no more digits than it needs.
fn number(number: f64) -> String {
    format!("{}", (number * 1000.0).round() / 1000.0)
}

/// The next round number: one or two leading digits, then zeros.
fn nice(number: u64) -> u64 {
    let mut step = 10u64;
    if number <= step {
        return number.max(1);
    }
    loop {
        for factor in [10, 15, 20, 30, 40, 50, 60, 80] {
            let candidate = (step / 10).saturating_mul(factor);
            if candidate >= number || candidate == u64::MAX {
                return candidate;
            }
        }
        step = step.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_top_of_a_curve_reads_well() {
        let pairs = [
            (0, 1),
            (7, 7),
            (11, 15),
            (71, 80),
            (81, 100),
            (30_162, 40_000),
        ];
        for (most, top) in pairs {
            assert_eq!(nice(most), top, "{most}");
        }
        assert_eq!(nice(u64::MAX), u64::MAX);
    }

    #[test]
    fn numbers_below_an_axis_never_run_into_each_other() {
        for mark in 0..WIDTH {
            for (low, asked, high) in [("1", "k = 10", "21"), ("1", "k = 4294967295", "8589934591")]
            {
                let line = below_axis(low, (mark, asked), high);
                assert!(line.chars().count() <= WIDTH, "{line}");
                assert!(line.contains(asked), "{line}");
                let words: Vec<&str> = line.split_whitespace().collect();
                let rest = words.iter().filter(|word| !asked.contains(**word));
                assert!(
                    rest.into_iter().all(|word| [low, high].contains(word)),
                    "{line}"
                );
            }
        }
    }

    #[test]
    fn numbers_have_no_more_digits_than_they_need() {
        assert_eq!(
            [number(0.2), number(10.0), number(0.54321)],
            ["0.2", "10", "0.543"]
        );
    }
}
