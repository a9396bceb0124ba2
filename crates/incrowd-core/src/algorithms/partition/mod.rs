//! Optimal partitions of every column's values, by one of six schemes for each column.

mod blocks;
mod scheme;
#[cfg(test)]
mod tests;
mod tree;
mod values;
mod walk;

pub use blocks::Partition as Blocks;
