//! Questions about the counted table: exact for the curator, within the bounds and masked for the analyst.

use crate::analyst::{self, AnalystWish, Mask, curve_json, masked_spread, of_wish};
use crate::bounds::Bounds;
use crate::call::{Begun, Call, Reply, parse_json};
use crate::counted::Counted;
use crate::error::Failure;
use crate::tokens::Role;
use incrowd_job::{Budget, Control, LatticeFilter, Negotiated, Wish};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Nodes that are drawn at most, whatever is asked for.
const MOST_NODES: usize = 20_000;
/// Rows that are previewed at most.
const MOST_ROWS: usize = 200;

/// A wish as its asker may have it.
pub(crate) enum Asked {
    Curator(Wish),
    Analyst(Box<AnalystWish>),
}

/// What a question is asked about.
pub(crate) struct Question {
    pub(crate) counted: Arc<Counted>,
    pub(crate) bounds: Arc<Bounds>,
    pub(crate) asked: Asked,
}

pub(crate) fn not_shown() -> Failure {
    Failure::new(
        "not-allowed",
        "the curator does not show this",
        "ask the curator, who can change what analysts see",
    )
}

/// The table and bounds of this moment.
fn counted(call: &Call) -> Result<(Arc<Counted>, Arc<Bounds>), Failure> {
    let board = call.bench.read();
    let counted = board.counted.clone().ok_or_else(Failure::not_counted)?;
    Ok((counted, Arc::clone(board.bounds())))
}

/// Reads a wish and writes down that it was asked.
pub(crate) fn question(call: &Call, action: &'static str, text: &str) -> Result<Question, Failure> {
    let role = call.role()?;
    if role == Role::Analyst {
        call.bench.questions.take()?;
    }
    let (counted, bounds) = counted(call)?;
    let asked = match role {
        Role::Curator => Asked::Curator(counted.ground().read_wish(text)?),
        Role::Analyst => Asked::Analyst(Box::new(of_wish(&counted, &bounds, text)?)),
    };
    let detail = || {
        let body: Value = serde_json::from_slice(&call.body).unwrap_or_default();
        json!({ "table": counted.generation, "asked": body })
    };
    (call.bench.audit).asked(role, action, counted.generation, &call.body, detail)?;
    Ok(Question {
        counted,
        bounds,
        asked,
    })
}

fn text(body: &[u8]) -> Result<&str, Failure> {
    std::str::from_utf8(body).map_err(|_| Failure::bad_request("the body is not UTF-8 text"))
}

pub(crate) fn negotiate(call: &Call) -> Result<Begun, Failure> {
    let question = question(call, "negotiate", text(&call.body)?)?;
    let wish = match &question.asked {
        Asked::Curator(wish) => wish,
        Asked::Analyst(asked) => &asked.wish,
    };
    let is_known = question.counted.negotiation.answers_at_once(wish);
    let answer = move || Reply::json(&answer(&question)?);
    match is_known {
        true => Ok(Begun::Answered(answer()?)),
        false => Ok(Begun::TakesTime(Box::new(answer))),
    }
}

/// The answer to a wish, as its asker may see it.
pub(crate) fn answer(question: &Question) -> Result<Negotiated, Failure> {
    let Question {
        counted,
        bounds,
        asked,
    } = question;
    match asked {
        Asked::Curator(wish) => Ok(counted.negotiation.ask(wish, &counted.control)?),
        Asked::Analyst(asked) => analyst::negotiate(counted, bounds, asked),
    }
}

pub(crate) fn curve(call: &Call) -> Result<Reply, Failure> {
    let question = question(call, "curve", text(&call.body)?)?;
    let counted = &question.counted;
    match &question.asked {
        Asked::Curator(wish) => {
            let curve = counted.negotiation.curve(wish, &counted.control)?;
            Reply::json(&curve_json(
                &curve,
                curve.rows,
                curve.budget,
                &curve.points(),
            ))
        }
        Asked::Analyst(_) if !question.bounds.analyst_sees.curve => Err(not_shown()),
        Asked::Analyst(asked) => Reply::json(&analyst::curve(counted, &question.bounds, asked)?),
    }
}

/// Takes the fields of a wish apart from others of the same object.
fn split(
    body: &[u8],
    others: &[&str],
) -> Result<(String, serde_json::Map<String, Value>), Failure> {
    let mut wish: serde_json::Map<String, Value> = parse_json(body)?;
    let mut rest = serde_json::Map::new();
    for name in others {
        if let Some(value) = wish.remove(*name) {
            rest.insert((*name).to_owned(), value);
        }
    }
    Ok((Value::Object(wish).to_string(), rest))
}

pub(crate) fn lattice(call: &Call) -> Result<Reply, Failure> {
    let (wish, mut rest) = split(&call.body, &["filter", "most"])?;
    let mut filter = match rest.remove("filter") {
        None | Some(Value::Null) => LatticeFilter::default(),
        Some(value) => serde_json::from_value(value)
            .map_err(|_| Failure::bad_request("`filter` is not what this takes"))?,
    };
    filter.most = match rest.remove("most") {
        None | Some(Value::Null) => None,
        Some(value) => {
            let most = value.as_u64().and_then(|most| usize::try_from(most).ok());
            let most =
                most.ok_or_else(|| Failure::bad_request("`most` must be a number of nodes"))?;
            Some(most.min(MOST_NODES))
        }
    };
    let question = question(call, "lattice", &wish)?;
    match &question.asked {
        Asked::Curator(wish) => {
            let counted = &question.counted;
            Reply::json(&counted.negotiation.drawn(wish, &filter, &counted.control)?)
        }
        Asked::Analyst(_) if !question.bounds.analyst_sees.lattice => Err(not_shown()),
        Asked::Analyst(asked) => Reply::json(&analyst::lattice(&question.counted, asked, &filter)?),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct At {
    levels: Vec<u8>,
    wish: Value,
    rows: Option<usize>,
}

/// Levels that every quasi-identifier has.
fn check_levels(counted: &Counted, levels: &[u8]) -> Result<(), Failure> {
    let heights = counted.heights();
    let fits = levels.len() == heights.len()
        && levels
            .iter()
            .zip(&heights)
            .all(|(level, height)| level <= height);
    match fits {
        true => Ok(()),
        false => Err(Failure::bad_request(
            "`levels` must be one level for each quasi-identifier, none above its highest",
        )),
    }
}

pub(crate) fn distributions(call: &Call) -> Result<Reply, Failure> {
    let at: At = call.json()?;
    let question = question(call, "distributions", &at.wish.to_string())?;
    let counted = &question.counted;
    check_levels(counted, &at.levels)?;
    match &question.asked {
        Asked::Curator(wish) => Reply::json(&counted.ground().spread(wish, &at.levels)?),
        Asked::Analyst(_) if !question.bounds.analyst_sees.distributions => Err(not_shown()),
        Asked::Analyst(asked) => {
            if !question.bounds.allow_levels(&at.levels) {
                return Err(not_shown());
            }
            let spread = counted.ground().spread(&asked.wish, &at.levels);
            let spread = spread.map_err(|error| analyst::refused(&error))?;
            let offer = counted
                .negotiation
                .offer_at(&asked.wish, &at.levels, &counted.control);
            let offer = offer.map_err(|error| analyst::refused(&error))?;
            let mask = Mask::new(counted, &question.bounds, (asked.entry, &asked.wish))?;
            let suppressed = mask.suppressed(offer.rows_suppressed);
            Reply::json(&masked_spread(spread, suppressed, &mask))
        }
    }
}

pub(crate) fn preview(call: &Call) -> Result<Reply, Failure> {
    let at: At = call.json()?;
    let question = question(call, "preview", &at.wish.to_string())?;
    let counted = &question.counted;
    check_levels(counted, &at.levels)?;
    let Asked::Curator(wish) = &question.asked else {
        return Err(not_shown());
    };
    let rows = at.rows.unwrap_or(20).min(MOST_ROWS);
    // A budget that is beyond the table is no reason to show nothing.
    let wish = Wish {
        max_suppressed: None::<Budget>,
        ..wish.clone()
    };
    let sampled = counted
        .ground()
        .sampled(&wish, &at.levels, rows, &Control::default())?;
    Reply::json(&sampled)
}
