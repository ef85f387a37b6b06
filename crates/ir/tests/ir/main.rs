//! Tests of the IR's text, verification and meaning, in one binary.

mod generate;
mod generate_code;
mod generate_damage;
mod generate_parts;
mod generate_pipeline;
mod generate_tables;
mod generate_threads;
mod hostile;
mod lookups;
mod match_action;
mod meaning;
mod printing;
mod refusals;
mod running;
mod stages;
mod structure;
mod threads;
mod verifying;
