//! Match tables: every data structure compared with a list that is searched linearly, and the errors of tables.

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
