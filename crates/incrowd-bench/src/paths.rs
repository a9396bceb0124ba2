//! Where things are in the project.

use std::path::{Path, PathBuf};

/// The project's folder.
pub(crate) fn project() -> PathBuf {
    let mut path = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    path.pop();
    path.pop();
    path
}

/// A path as it is shown to people: seen from the project's folder.
pub(crate) fn shown(path: &Path) -> String {
    let inside = path.strip_prefix(project()).unwrap_or(path);
    inside.display().to_string()
}
