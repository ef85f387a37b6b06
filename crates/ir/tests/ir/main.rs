//! Tests of the IR, in one binary.

mod generate;
mod generate_pipeline;
mod hostile;
mod meaning;
mod printing;
mod refusals;
mod stages;
mod verifying;
