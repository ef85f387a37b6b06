//! What the tests of words share.

pub mod generate;
