//! From a proposal to a deal: the release, its certificate, the report and the job, which appear all at once or not at all.
//!
//! A deal is made in `deals/ID.part` and renamed to `deals/ID` when everything in it is on disk. That rename is the
//! moment of approval: a server killed before it finds the proposal open again, one killed after it finds the deal.

use crate::audit::{Audit, now};
use crate::bounds::Bounds;
use crate::counted::Counted;
use crate::data_folder::{
    DataFolder, UNFINISHED, create_private, read_json, remove, settle, write_json,
};
use crate::error::{Error, Failure};
use crate::tokens::Role;
use incrowd_core::privacy::{Decimal, ModelSpec};
use incrowd_job::{
    Budget, Certificate, Control, HierarchySource, Job, Offered, Show, Wish, anonymize,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Proposals that may be open at once, and that are kept at all; an analyst cannot fill the disk.
const MOST_OPEN: usize = 200;
const MOST_KEPT: usize = 10_000;
/// A longer note is refused.
pub(crate) const LONGEST_NOTE: usize = 2000;

/// How far a proposal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ProposalState {
    Open,
    /// Its release is being made.
    Approving,
    Approved,
    Refused,
    Withdrawn,
}

/// What of an answer is proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OfferKind {
    Exact,
    MoreSuppression,
    HigherLevels,
    WeakerPrivacy,
}

/// A proposal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Proposal {
    pub(crate) id: u64,
    pub(crate) by: Role,
    pub(crate) time: String,
    pub(crate) state: ProposalState,
    /// As it was asked.
    pub(crate) wish: Value,
    pub(crate) kind: OfferKind,
    /// Exact, for the curator.
    pub(crate) offer: Offered,
    /// As whoever proposed it saw it.
    pub(crate) offer_seen: Value,
    pub(crate) metric: Option<String>,
    pub(crate) note: String,
    pub(crate) answer_note: Option<String>,
    /// The table with its roles and levels, and its bytes.
    pub(crate) generation: u64,
    pub(crate) input_sha256: String,
}

impl Proposal {
    /// What a role sees of it; none if nothing.
    pub(crate) fn seen_by(&self, role: Role) -> Option<Value> {
        if role == Role::Analyst && self.by != Role::Analyst {
            return None;
        }
        let offer = match role {
            Role::Curator => serde_json::to_value(&self.offer).unwrap_or_default(),
            Role::Analyst => self.offer_seen.clone(),
        };
        let mut seen = json!({
            "id": self.id,
            "by": self.by,
            "time": self.time,
            "state": self.state,
            "wish": self.wish,
            "kind": self.kind,
            "offer": offer,
            "note": self.note,
        });
        if let Some(note) = &self.answer_note {
            seen["answer_note"] = json!(note);
        }
        if self.state == ProposalState::Approved {
            seen["deal"] = json!(self.id);
        }
        Some(seen)
    }
}

/// A deal, as `deal.json` states it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Deal {
    /// That of its proposal.
    pub(crate) id: u64,
    pub(crate) proposal: u64,
    pub(crate) time: String,
    /// The name of the table.
    pub(crate) table: String,
    /// The promise.
    pub(crate) model: String,
    pub(crate) note: Option<String>,
    /// SHA-256 of every file.
    pub(crate) files: BTreeMap<String, String>,
}

/// The files of a deal that can be downloaded: the name in the URL, the file, its type.
pub(crate) const FILES: [(&str, &str, &str); 4] = [
    ("release", "release.csv", "text/csv; charset=utf-8"),
    ("certificate", "certificate.json", "application/json"),
    ("report", "report.html", "text/html; charset=utf-8"),
    ("job", "job.toml", "application/toml"),
];

#[derive(Debug, Default)]
struct Inner {
    proposals: BTreeMap<u64, Proposal>,
    deals: BTreeMap<u64, Deal>,
}

/// All proposals and deals.
#[derive(Debug)]
pub(crate) struct Agreements {
    proposals: PathBuf,
    deals: PathBuf,
    inner: Mutex<Inner>,
}

impl Agreements {
    /// Reads those of the last run. A deal that is there was granted: if the log does not say so yet, it does now.
    pub(crate) fn open(data: &DataFolder, audit: &Audit) -> Result<Self, Error> {
        let (proposals, deals) = (data.proposals(), data.deals());
        let mut inner = Inner::default();
        for path in files_in(&deals)? {
            if let Some(deal) = read_json::<Deal>(&path.join("deal.json"))? {
                inner.deals.insert(deal.id, deal);
            }
        }
        for path in files_in(&proposals)? {
            let Some(mut proposal) = read_json::<Proposal>(&path)? else {
                continue;
            };
            let has_deal = inner.deals.contains_key(&proposal.id);
            proposal.state = match proposal.state {
                _ if has_deal => ProposalState::Approved,
                ProposalState::Approving | ProposalState::Approved => ProposalState::Open,
                state => state,
            };
            if has_deal {
                proposal
                    .answer_note
                    .clone_from(&inner.deals[&proposal.id].note);
            }
            inner.proposals.insert(proposal.id, proposal);
        }
        let mut logged = Vec::new();
        audit.each(|entry| {
            if entry.action == "deal" {
                logged.extend(entry.detail["id"].as_u64());
            }
        })?;
        for deal in inner.deals.values() {
            if !logged.contains(&deal.id) {
                audit.grant(None, "deal", deal_detail(deal))?;
            }
        }
        Ok(Agreements {
            proposals,
            deals,
            inner: Mutex::new(inner),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn save(&self, proposal: &Proposal) -> Result<(), Error> {
        let path = self.proposals.join(format!("{}.json", proposal.id));
        write_json(&path, proposal)
    }

    pub(crate) fn proposals_seen_by(&self, role: Role) -> Vec<Value> {
        let inner = self.lock();
        let proposals = inner.proposals.values();
        proposals
            .filter_map(|proposal| proposal.seen_by(role))
            .collect()
    }

    pub(crate) fn deals(&self) -> Vec<Deal> {
        self.lock().deals.values().cloned().collect()
    }

    /// Adds a proposal under the next number.
    pub(crate) fn propose(&self, mut proposal: Proposal) -> Result<Proposal, Failure> {
        let mut inner = self.lock();
        let open = inner.proposals.values();
        let open = open
            .filter(|proposal| proposal.state == ProposalState::Open)
            .count();
        if open >= MOST_OPEN || inner.proposals.len() >= MOST_KEPT {
            return Err(Failure::new(
                "busy",
                "too many proposals are open",
                "withdraw some, or wait until the curator has answered them",
            ));
        }
        let last = inner.proposals.keys().chain(inner.deals.keys()).max();
        proposal.id = last.copied().unwrap_or(0) + 1;
        self.save(&proposal)?;
        inner.proposals.insert(proposal.id, proposal.clone());
        Ok(proposal)
    }

    /// A proposal that a role may see.
    pub(crate) fn proposal(&self, id: u64, role: Role) -> Result<Proposal, Failure> {
        let inner = self.lock();
        let found = inner.proposals.get(&id);
        let found = found.filter(|proposal| proposal.seen_by(role).is_some());
        found.cloned().ok_or_else(|| Failure::not_found("proposal"))
    }

    /// Changes the state of a proposal that is in another; saved before anybody sees it.
    pub(crate) fn turn(
        &self,
        id: u64,
        from: ProposalState,
        to: ProposalState,
        note: Option<String>,
    ) -> Result<Proposal, Failure> {
        let mut inner = self.lock();
        let found = inner.proposals.get_mut(&id);
        let proposal = found.ok_or_else(|| Failure::not_found("proposal"))?;
        if proposal.state != from {
            return Err(Failure::new(
                "not-now",
                "the proposal is not open any more",
                "`GET /api/v1/state` says what became of it",
            ));
        }
        let mut changed = proposal.clone();
        changed.state = to;
        if note.is_some() {
            changed.answer_note = note;
        }
        self.save(&changed)?;
        *proposal = changed.clone();
        Ok(changed)
    }

    /// A file of a deal.
    pub(crate) fn file(&self, id: u64, file: &str) -> Result<Vec<u8>, Failure> {
        if !self.lock().deals.contains_key(&id) {
            return Err(Failure::not_found("deal"));
        }
        let path = self.deals.join(id.to_string()).join(file);
        fs::read(&path).map_err(|error| Error::folder("read", &path, &error).into())
    }

    /// Makes the release of a proposal that is being approved; then the deal is there, whole.
    pub(crate) fn make(
        &self,
        proposal: &Proposal,
        counted: &Counted,
        (audit, control): (&Audit, &Control),
    ) -> Result<Deal, Failure> {
        let folder = self.deals.join(proposal.id.to_string());
        let part = self.deals.join(format!("{}{UNFINISHED}", proposal.id));
        remove(&part)?;
        create_private(&part)?;
        let made = make_files(proposal, counted, &part, control);
        let deal = match made {
            Ok(deal) => deal,
            Err(failure) => {
                // What is left is removed at the next start at the latest.
                let _ = remove(&part);
                return Err(failure);
            }
        };
        let mut inner = self.lock();
        fs::rename(&part, &folder).map_err(|error| Error::folder("write", &folder, &error))?;
        settle(&self.deals)?;
        inner.deals.insert(deal.id, deal.clone());
        if let Some(proposal) = inner.proposals.get_mut(&proposal.id) {
            proposal.state = ProposalState::Approved;
            // The deal says the same; a proposal that cannot be saved is put right at the next start.
            let _ = self.save(proposal);
        }
        drop(inner);
        audit.grant(Some(Role::Curator), "deal", deal_detail(&deal))?;
        Ok(deal)
    }
}

fn deal_detail(deal: &Deal) -> Value {
    json!({ "id": deal.id, "model": deal.model, "files": deal.files })
}

fn files_in(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(folder).map_err(|error| Error::folder("read", folder, &error))?;
    Ok(entries.flatten().map(|entry| entry.path()).collect())
}

/// Whether an offer is within the bounds, whoever made it: only such a release reaches the analyst.
pub(crate) fn check_bounds(offer: &Offered, bounds: &Bounds, rows: u64) -> Result<(), Failure> {
    let outside = |what: &str| {
        Failure::new(
            "outside-bounds",
            format!("the offer is outside the bounds: {what}"),
            "change the bounds first if it should be approved after all",
        )
    };
    let spec: ModelSpec = offer.model.parse().map_err(incrowd_job::Error::from)?;
    let model = bounds.of_model(spec.name());
    let model = model.ok_or_else(|| outside("its model is not among those allowed"))?;
    if !model.allow(offer.parameter.0) {
        return Err(outside("its promise is not between floor and ceiling"));
    }
    let expected = model.spec()?;
    for setting in &spec.entry().settings[1..] {
        let is_column = setting.name == incrowd_core::registry::Setting::COLUMN;
        if !is_column && spec.setting(setting.name) != expected.setting(setting.name) {
            return Err(outside("its model has other settings"));
        }
    }
    if offer.rows_suppressed > bounds.max_suppressed.rows(rows) {
        return Err(outside("it suppresses too many rows"));
    }
    if !bounds.allow_levels(&offer.levels) {
        return Err(outside("its levels are too high"));
    }
    Ok(())
}

/// Everything of a deal, on disk and not yet to be seen.
fn make_files(
    proposal: &Proposal,
    counted: &Counted,
    part: &Path,
    control: &Control,
) -> Result<Deal, Failure> {
    let ground = counted.ground();
    let wish = Wish {
        model: proposal.offer.model.clone(),
        parameter: None::<Decimal>,
        max_suppressed: Some(Budget::Rows(proposal.offer.rows_suppressed)),
        max_levels: Some(proposal.offer.levels.clone()),
        metric: proposal.metric.clone(),
        search: None,
        rows_in_steps_of: 1,
    };
    let mut job = ground.agreed(&wish, &proposal.offer);
    job.output.path = Some(part.join("release.csv").to_string_lossy().into_owned());
    job.output.certificate = Some(part.join("certificate.json"));
    job.output.report = Some(part.join("report.html"));
    job.output.report_is_for_readers = true;
    let outcome = anonymize(&job, Show::default(), control)?;
    let holds = outcome.privacy.iter().all(|promise| promise.holds);
    let certificate = read_json::<Certificate>(&part.join("certificate.json"))?;
    let is_same = certificate.is_some_and(|of| of.sha256.input == proposal.input_sha256);
    if !is_same || !holds || outcome.rows_suppressed > proposal.offer.rows_suppressed {
        return Err(Failure::new(
            "table-changed",
            "the table is not the one that was negotiated about",
            "load it again, and negotiate again",
        ));
    }
    // The readable twin of the certificate says the same.
    remove(&part.join("certificate.txt"))?;
    let text = toml::to_string(&without_folders(job)).map_err(|_| Failure::internal())?;
    let text = format!(
        "# Agreed in the workbench of incrowd. Files are named without their folders.\n{text}"
    );
    crate::data_folder::write_whole(&part.join("job.toml"), text.as_bytes())?;
    let mut files = BTreeMap::new();
    for (_, name, _) in FILES {
        let path = part.join(name);
        let bytes = fs::read(&path).map_err(|error| Error::folder("read", &path, &error))?;
        let synced = File::open(&path).and_then(|file| file.sync_all());
        synced.map_err(|error| Error::folder("write", &path, &error))?;
        let hash = Sha256::digest(&bytes);
        let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        files.insert(name.to_owned(), hash);
    }
    let deal = Deal {
        id: proposal.id,
        proposal: proposal.id,
        time: now(),
        table: crate::table::name_of(ground.job()),
        model: proposal.offer.model.clone(),
        note: proposal.answer_note.clone(),
        files,
    };
    write_json(&part.join("deal.json"), &deal)?;
    settle(part)?;
    Ok(deal)
}

/// A job as it is passed on: nobody else needs to know the folders of the data holder, nor rules that quote values.
fn without_folders(mut job: Job) -> Job {
    let name = |path: &Path| PathBuf::from(path.file_name().unwrap_or_default());
    job.data.path = job
        .data
        .path
        .as_deref()
        .map(|path| name(Path::new(path)).to_string_lossy().into_owned());
    job.privacy.population = job
        .privacy
        .population
        .as_deref()
        .map(|path| name(Path::new(path)).to_string_lossy().into_owned());
    job.columns.hierarchies = job.columns.hierarchies.as_deref().map(name);
    for source in job.hierarchies.values_mut() {
        if let HierarchySource::File(path) = source {
            *path = name(path);
        }
    }
    job.rules.clear();
    job.level_values.clear();
    job.output = incrowd_job::Output {
        path: Some("release.csv".into()),
        certificate: Some("certificate.json".into()),
        ..incrowd_job::Output::default()
    };
    job
}
