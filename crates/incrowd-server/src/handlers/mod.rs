//! One file per subject: from a request to a call of the workbench or of `incrowd-job`, and from its result to a reply.

pub(crate) mod agreement;
pub(crate) mod negotiation;
pub(crate) mod session;
pub(crate) mod table;
pub(crate) mod work;
