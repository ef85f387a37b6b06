//! Tests of programs of threads: their text, their verification and what they mean.

mod filter;
mod support;
