//! `cargo run --release -p incrowd-testkit --example census -- 10000000 7 > census.csv`

use std::io;

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse());
    let mut number = |default| arguments.next().unwrap_or(Ok(default));
    let (rows, seed) = (number(10_000), number(7));
    let (Ok(rows), Ok(seed)) = (rows, seed) else {
        return Err(io::Error::other("usage: census [rows] [seed]"));
    };
    incrowd_testkit::census(rows, seed, &mut io::stdout().lock())
}
