//! Proposals, the curator's answers, and what comes of them.

use crate::audit::now;
use crate::call::{Call, Reply};
use crate::deals::{FILES, LONGEST_NOTE, OfferKind, Proposal, ProposalState, check_bounds};
use crate::error::Failure;
use crate::handlers::negotiation::{Asked, answer, question};
use crate::jobs::{Finished, JobKind};
use crate::tokens::Role;
use crate::workbench::Workbench;
use incrowd_job::{Control, Offered, Terms, Wish};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::{Arc, Weak};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Proposed {
    wish: Value,
    offer: OfferKind,
    #[serde(default)]
    note: String,
}

fn check_note(note: &str) -> Result<(), Failure> {
    match note.chars().count() > LONGEST_NOTE {
        true => Err(Failure::bad_request(format!(
            "`note` must not be longer than {LONGEST_NOTE} characters"
        ))),
        false => Ok(()),
    }
}

/// The offer that is meant.
fn chosen(terms: Terms, kind: OfferKind) -> Option<Offered> {
    match (terms, kind) {
        (Terms::Exact { answer }, OfferKind::Exact) => Some(answer),
        (
            Terms::Relaxed {
                more_suppression, ..
            },
            OfferKind::MoreSuppression,
        ) => more_suppression,
        (Terms::Relaxed { higher_levels, .. }, OfferKind::HigherLevels) => higher_levels,
        (Terms::Relaxed { weaker_privacy, .. }, OfferKind::WeakerPrivacy) => weaker_privacy,
        _ => None,
    }
}

pub(crate) fn propose(call: &Call) -> Result<Reply, Failure> {
    let proposed: Proposed = call.json()?;
    check_note(&proposed.note)?;
    let role = call.role()?;
    let question = question(call, "propose", &proposed.wish.to_string())?;
    let seen = chosen(answer(&question)?.terms, proposed.offer).ok_or_else(|| {
        Failure::new(
            "not-answerable",
            "the answer to this wish has no such offer",
            "`POST /api/v1/negotiate` with the same wish says what it has",
        )
    })?;
    let counted = &question.counted;
    let (wish, metric) = match &question.asked {
        Asked::Curator(wish) => (wish, &wish.metric),
        Asked::Analyst(asked) => (&asked.wish, &asked.wish.metric),
    };
    // What was seen may be rounded; what is made is exact.
    let exact = Wish {
        parameter: incrowd_core::privacy::Decimal::from_f64(seen.parameter.0),
        ..wish.clone()
    };
    let offer = counted
        .negotiation
        .offer_at(&exact, &seen.levels, &counted.control);
    let mut offer = offer.map_err(|error| match role {
        Role::Curator => error.into(),
        Role::Analyst => crate::analyst::refused(&error),
    })?;
    offer.gives_way.clone_from(&seen.gives_way);
    let proposal = call.bench.agreements.propose(Proposal {
        id: 0,
        by: role,
        time: now(),
        state: ProposalState::Open,
        wish: proposed.wish,
        kind: proposed.offer,
        offer,
        offer_seen: serde_json::to_value(&seen).unwrap_or_default(),
        metric: metric.clone(),
        note: proposed.note,
        answer_note: None,
        generation: counted.generation,
        input_sha256: counted.ground().input_hash(),
    })?;
    let detail = json!({ "id": proposal.id, "wish": proposal.wish, "offer": proposal.kind });
    call.bench.audit.grant(Some(role), "proposal", detail)?;
    call.bench.tell();
    let seen = proposal.seen_by(role).ok_or_else(Failure::internal)?;
    Reply::json_with(201, &seen)
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Note {
    note: Option<String>,
}

/// The note of an answer; an empty body has none.
fn note(call: &Call) -> Result<Option<String>, Failure> {
    if call.body.is_empty() {
        return Ok(None);
    }
    let note: Note = call.json()?;
    check_note(note.note.as_deref().unwrap_or_default())?;
    Ok(note.note)
}

fn seen(proposal: &Proposal, role: Role) -> Result<Value, Failure> {
    proposal
        .seen_by(role)
        .ok_or_else(|| Failure::not_found("proposal"))
}

pub(crate) fn refuse(call: &Call) -> Result<Reply, Failure> {
    let (id, note) = (call.number("proposal")?, note(call)?);
    let agreements = &call.bench.agreements;
    let turned = agreements.turn(id, ProposalState::Open, ProposalState::Refused, note)?;
    (call.bench.audit).grant(Some(Role::Curator), "refusal", json!({ "id": id }))?;
    call.bench.tell();
    Reply::json(&seen(&turned, Role::Curator)?)
}

pub(crate) fn withdraw(call: &Call) -> Result<Reply, Failure> {
    let (id, role) = (call.number("proposal")?, call.role()?);
    note(call)?;
    let agreements = &call.bench.agreements;
    if agreements.proposal(id, role)?.by != role {
        return Err(Failure::new(
            "not-allowed",
            "only whoever made a proposal can withdraw it",
            "the curator can refuse it",
        ));
    }
    let turned = agreements.turn(id, ProposalState::Open, ProposalState::Withdrawn, None)?;
    (call.bench.audit).grant(Some(role), "withdrawal", json!({ "id": id }))?;
    call.bench.tell();
    Reply::json(&seen(&turned, role)?)
}

pub(crate) fn approve(call: &Call) -> Result<Reply, Failure> {
    let (id, note) = (call.number("proposal")?, note(call)?);
    let bench = &call.bench;
    let proposal = bench.agreements.proposal(id, Role::Curator)?;
    let (counted, bounds) = {
        let board = bench.read();
        let counted = board.counted.clone().ok_or_else(Failure::not_counted)?;
        (counted, Arc::clone(board.bounds()))
    };
    let is_same = counted.generation == proposal.generation
        && counted.ground().input_hash() == proposal.input_sha256;
    if !is_same {
        return Err(Failure::new(
            "table-changed",
            "the proposal is about another table, or other roles or levels",
            "refuse it; it must be negotiated again",
        ));
    }
    let rows = u64::from(counted.ground().table().rows);
    check_bounds(&proposal.offer, &bounds, rows)?;
    let agreements = &bench.agreements;
    let proposal = agreements.turn(id, ProposalState::Open, ProposalState::Approving, note)?;
    bench
        .audit
        .grant(Some(Role::Curator), "approval", json!({ "id": id }))?;
    let approving = Approving {
        bench: Arc::downgrade(bench),
        id,
    };
    let task = move |control: &Arc<Control>| -> Result<Finished, Failure> {
        let bench = approving.bench.upgrade().ok_or_else(Failure::internal)?;
        let deal = bench
            .agreements
            .make(&proposal, &counted, (&bench.audit, control))?;
        Ok(Finished {
            result: serde_json::to_value(&deal).ok(),
            page: None,
        })
    };
    let job = bench
        .jobs
        .add(JobKind::Release, Role::Curator, &[], Box::new(task))?;
    Reply::json_with(202, &job)
}

/// A proposal whose release is to be made. If that ends in any way without a deal, even before its turn, the proposal is
/// open again.
struct Approving {
    bench: Weak<Workbench>,
    id: u64,
}

impl Drop for Approving {
    fn drop(&mut self) {
        if let Some(bench) = self.bench.upgrade() {
            // Approved proposals stay as they are.
            let _ = (bench.agreements).turn(
                self.id,
                ProposalState::Approving,
                ProposalState::Open,
                None,
            );
        }
    }
}

/// A file of a deal, by its place in [`FILES`].
fn file(call: &Call, at: usize) -> Result<Reply, Failure> {
    let (_, name, content_type) = FILES[at];
    let id = call.number("deal")?;
    let bytes = call.bench.agreements.file(id, name)?;
    let role = call.role()?;
    (call.bench.audit).grant(Some(role), "download", json!({ "id": id, "file": name }))?;
    Ok(Reply::download(
        content_type,
        format!("incrowd-deal-{id}-{name}"),
        bytes,
    ))
}

pub(crate) fn release(call: &Call) -> Result<Reply, Failure> {
    file(call, 0)
}

pub(crate) fn certificate(call: &Call) -> Result<Reply, Failure> {
    file(call, 1)
}

pub(crate) fn report(call: &Call) -> Result<Reply, Failure> {
    file(call, 2)
}

pub(crate) fn agreed_job(call: &Call) -> Result<Reply, Failure> {
    file(call, 3)
}
