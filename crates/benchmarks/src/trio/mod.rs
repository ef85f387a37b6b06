//! Measures the run-to-completion chip: how fast it is simulated beside the bare stepping interpreter, and how many packets a
//! second chips of all generations take, by the number of instructions of a packet.

mod rates;
mod speed;
mod work;

pub use rates::{ChipRate, figure, rates};
pub use speed::{ChipSpeed, speeds};
