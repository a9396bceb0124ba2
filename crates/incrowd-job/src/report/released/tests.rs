//! Whatever columns, files and values are called, the page stays the page.
