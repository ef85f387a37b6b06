//! Match tables: every structure against a list that is searched from end to end, and what tables refuse.

#[path = "tables/against_reference.rs"]
mod against_reference;
#[path = "tables/lookups.rs"]
mod lookups;
#[path = "tables/many.rs"]
mod many;
#[path = "tables/reference.rs"]
mod reference;
#[path = "tables/refusals.rs"]
mod refusals;
#[path = "tables/targets.rs"]
mod targets;
