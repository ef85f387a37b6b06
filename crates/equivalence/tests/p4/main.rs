//! P4 programs on machines with pipelines, held against the v1model switch.

mod load;
mod mutants;
mod programs;
mod router;
mod witness;
