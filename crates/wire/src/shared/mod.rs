//! Memory that packets share: bytes without an owner, and buffers that an interface lends.

mod bytes;
mod lender;

pub use bytes::{ForeignMemory, SharedBytes};
pub use lender::{Lender, Loan};
