//! Every endpoint: who may ask, what it takes, what answers. Nothing is served under `/api/v1` that is not in this list, and
//! the description of the API is made from it.

use crate::call::{Begun, Call, Reply};
use crate::error::Failure;
use crate::handlers::{agreement, negotiation, session, table, work};

/// Who may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    /// Even without a token.
    Everybody,
    /// Curator and analyst.
    Both,
    /// The curator only.
    Curator,
}

/// What a request carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    /// A JSON object.
    Json,
    /// A JSON object, or nothing at all.
    JsonOrNothing,
    /// The bytes of a table.
    Table,
}

/// What answers.
#[derive(Clone, Copy)]
pub(crate) enum Answer {
    /// At once, from memory.
    Instant(fn(&Call) -> Result<Reply, Failure>),
    /// On a thread that may take its time.
    Blocking(fn(&Call) -> Result<Reply, Failure>),
    /// At once if what it takes is known already, else on such a thread.
    AtOnceIfKnown(fn(&Call) -> Result<Begun, Failure>),
    /// What the list of endpoints itself says.
    Description,
    /// When something changes.
    Changes,
    /// When everything is received.
    Upload,
}

/// One endpoint.
#[derive(Clone, Copy)]
pub(crate) struct Endpoint {
    pub(crate) method: &'static str,
    /// Below `/api/v1`.
    pub(crate) path: &'static str,
    pub(crate) who: Who,
    pub(crate) takes: Takes,
    pub(crate) answer: Answer,
    /// What it is for.
    pub(crate) summary: &'static str,
    /// The schemas of what it takes and of what it answers, by name; `""` for none.
    pub(crate) schemas: (&'static str, &'static str),
    /// The status of success.
    pub(crate) status: u16,
}

const fn get(
    path: &'static str,
    who: Who,
    answer: Answer,
    summary: &'static str,
    out: &'static str,
) -> Endpoint {
    Endpoint {
        method: "GET",
        path,
        who,
        takes: Takes::Nothing,
        answer,
        summary,
        schemas: ("", out),
        status: 200,
    }
}

const fn send(
    method: &'static str,
    path: &'static str,
    who: Who,
    answer: Answer,
    summary: &'static str,
    schemas: (&'static str, &'static str),
    status: u16,
) -> Endpoint {
    Endpoint {
        method,
        path,
        who,
        takes: Takes::Json,
        answer,
        summary,
        schemas,
        status,
    }
}

use Answer::{Blocking, Instant};
use Who::{Both, Curator, Everybody};

/// Where the API begins.
pub(crate) const BASE: &str = "/api/v1";

/// All of them.
pub(crate) static ENDPOINTS: &[Endpoint] = &[
    get(
        "/openapi.json",
        Everybody,
        Answer::Description,
        "This description",
        "Description",
    ),
    get(
        "/health",
        Everybody,
        Instant(session::health),
        "Whether the server runs",
        "Health",
    ),
    get(
        "/session",
        Both,
        Instant(session::session),
        "Whose token it is and what it lets see",
        "Session",
    ),
    get(
        "/changes",
        Both,
        Answer::Changes,
        "Waits up to 25 s for another revision",
        "Revision",
    ),
    get(
        "/state",
        Both,
        Blocking(session::state),
        "Everything a page needs at a reload",
        "State",
    ),
    get(
        "/explain/{term}",
        Both,
        Blocking(session::explained),
        "What a term means",
        "Explanation",
    ),
    Endpoint {
        takes: Takes::Table,
        ..send(
            "PUT",
            "/table",
            Curator,
            Answer::Upload,
            "Loads another table",
            ("", "Job"),
            202,
        )
    },
    send(
        "POST",
        "/example",
        Curator,
        Blocking(table::example),
        "Loads the bundled example",
        ("Example", "Job"),
        202,
    ),
    get(
        "/inspection",
        Curator,
        Blocking(table::inspection),
        "What is in the table",
        "Inspection",
    ),
    send(
        "PUT",
        "/roles",
        Curator,
        Blocking(table::set_roles),
        "Says what the columns are",
        ("Roles", "Job"),
        202,
    ),
    get(
        "/hierarchies/{index}",
        Both,
        Blocking(table::levels),
        "The levels of a column",
        "Levels",
    ),
    send(
        "PUT",
        "/hierarchies/{index}",
        Curator,
        Blocking(table::set_levels),
        "Gives a column other levels",
        ("LevelsGiven", "Job"),
        202,
    ),
    send(
        "POST",
        "/hierarchies/{index}/preview",
        Curator,
        Blocking(table::try_levels),
        "The levels that a source would give; nothing is changed",
        ("LevelsGiven", "Levels"),
        200,
    ),
    get(
        "/bounds",
        Both,
        Instant(session::bounds),
        "What the curator accepts and shows",
        "Bounds",
    ),
    send(
        "PUT",
        "/bounds",
        Curator,
        Blocking(session::set_bounds),
        "Sets what the curator accepts and shows",
        ("Bounds", "Bounds"),
        200,
    ),
    send(
        "POST",
        "/negotiate",
        Both,
        Answer::AtOnceIfKnown(negotiation::negotiate),
        "The best release that meets a wish, or three that nearly do",
        ("Wish", "Negotiated"),
        200,
    ),
    send(
        "POST",
        "/curve",
        Both,
        Blocking(negotiation::curve),
        "Rows suppressed by each parameter",
        ("Wish", "Curve"),
        200,
    ),
    send(
        "POST",
        "/lattice",
        Both,
        Blocking(negotiation::lattice),
        "Rows suppressed at each node",
        ("WishOfLattice", "Lattice"),
        200,
    ),
    send(
        "POST",
        "/distributions",
        Both,
        Blocking(negotiation::distributions),
        "How rows are spread before and after",
        ("WishAt", "Distributions"),
        200,
    ),
    send(
        "POST",
        "/preview",
        Curator,
        Blocking(negotiation::preview),
        "The first rows of a release",
        ("WishAt", "Preview"),
        200,
    ),
    send(
        "POST",
        "/trials",
        Both,
        Blocking(work::trials),
        "Tries other algorithms on the same table",
        ("Trials", "Job"),
        202,
    ),
    get("/jobs", Both, Instant(work::jobs), "Long work", "Jobs"),
    get("/jobs/{id}", Both, Instant(work::job), "One job", "Job"),
    Endpoint {
        method: "DELETE",
        ..get(
            "/jobs/{id}",
            Both,
            Instant(work::cancel),
            "Stops a job",
            "Job",
        )
    },
    get(
        "/jobs/{id}/page",
        Curator,
        Blocking(work::page),
        "The page about a comparison",
        "html",
    ),
    send(
        "POST",
        "/proposals",
        Both,
        Blocking(agreement::propose),
        "Proposes an offer",
        ("Proposed", "Proposal"),
        201,
    ),
    Endpoint {
        takes: Takes::JsonOrNothing,
        ..send(
            "POST",
            "/proposals/{id}/approve",
            Curator,
            Blocking(agreement::approve),
            "Makes the release of a proposal",
            ("Note", "Job"),
            202,
        )
    },
    Endpoint {
        takes: Takes::JsonOrNothing,
        ..send(
            "POST",
            "/proposals/{id}/refuse",
            Curator,
            Blocking(agreement::refuse),
            "Refuses a proposal",
            ("Note", "Proposal"),
            200,
        )
    },
    Endpoint {
        takes: Takes::JsonOrNothing,
        ..send(
            "POST",
            "/proposals/{id}/withdraw",
            Both,
            Blocking(agreement::withdraw),
            "Withdraws one's own proposal",
            ("Note", "Proposal"),
            200,
        )
    },
    get(
        "/deals/{id}/release",
        Both,
        Blocking(agreement::release),
        "The release of an approved deal",
        "csv",
    ),
    get(
        "/deals/{id}/certificate",
        Both,
        Blocking(agreement::certificate),
        "Its certificate",
        "Certificate",
    ),
    get(
        "/deals/{id}/report",
        Both,
        Blocking(agreement::report),
        "The page about it",
        "html",
    ),
    get(
        "/deals/{id}/job",
        Both,
        Blocking(agreement::agreed_job),
        "Its job file",
        "toml",
    ),
    get(
        "/audit",
        Curator,
        Blocking(session::audit),
        "Everything asked and granted",
        "Audit",
    ),
];
