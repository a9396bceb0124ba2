//! Measures incrowd, with the work done beside the time.

mod adult;
mod optimal;

fn main() {
    optimal::run();
}
