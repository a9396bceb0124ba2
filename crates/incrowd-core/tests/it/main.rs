//! The laws, papers and peers that the core is held against. One program: linking one for each file takes longer than running them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod adult;
mod architecture;
mod arx;
mod centres;
mod circles;
mod classics;
mod classification;
mod clustering;
mod counting;
mod cuts;
mod engines;
mod groupings;
mod laws;
mod limits;
mod missing_cells;
mod mondrian;
mod mutations;
mod negotiation;
mod negotiation_random;
mod negotiation_requests;
mod paper_002;
mod paper_004;
mod parameters;
mod partitions;
mod population;
mod published_texts;
mod region_case;
mod regions;
mod registry;
mod relaxed;
mod research_strings;
mod research_value;
mod rv_clustering;
mod spread;
mod table_4;
