//! Hand-computed losses, a row-by-row oracle, and floors against every node above.

mod adult;
mod by_hand;
mod floors;
mod oracle;
mod sample;
mod specs;
