//! P4 programs on machines with pipelines, compared with the v1model switch.

mod load;
mod mutants;
mod programs;
mod router;
mod witness;
