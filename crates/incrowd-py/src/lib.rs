//! The private half of the Python package: `incrowd._native`.
//!
//! Wrappers only. A request comes as JSON, the way a job file and the flags of the command line say it; `incrowd-job` does
//! the work with the interpreter released; its result goes back as the JSON that `--json` prints. Tables cross as Arrow
//! streams and are never copied cell by cell. What people call, and how results look, is in `python/incrowd`.

mod commands;
mod errors;
mod negotiation;
mod registry;
mod release;
mod request;
mod supervise;
mod table;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::commands::{explain, job_of, run};
    #[pymodule_export]
    use crate::negotiation::Negotiation;
    #[pymodule_export]
    use crate::registry::registry;
    #[pymodule_export]
    use crate::release::{Release, anonymize};
    #[pymodule_export]
    use crate::supervise::Stop;
    #[pymodule_export]
    use crate::table::Table;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
