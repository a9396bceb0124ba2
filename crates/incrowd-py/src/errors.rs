//! From errors of the library to exceptions of Python.

use incrowd_job::Error;
use pyo3::prelude::*;

/// What went wrong.
pub(crate) enum Failure {
    /// The library refused or failed.
    Job(Box<Error>),
    /// An argument cannot be read, or a table cannot be taken over.
    Python {
        code: &'static str,
        message: String,
        hint: String,
    },
    /// An exception that is already there, such as the one that Ctrl-C raises.
    Raised(PyErr),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Job(Box::new(error))
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Failure::Raised(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        let (code, message, place, hint) = match failure {
            Failure::Raised(error) => return error,
            Failure::Job(error) => (error.code(), error.to_string(), error.place(), error.hint()),
            Failure::Python {
                code,
                message,
                hint,
            } => (code, message, None, hint),
        };
        Python::attach(|py| {
            let made = py
                .import("incrowd.errors")
                .and_then(|errors| errors.getattr("of_code"))
                .and_then(|of_code| of_code.call1((code, message, place, hint)));
            match made {
                Ok(exception) => PyErr::from_value(exception),
                Err(error) => error,
            }
        })
    }
}
