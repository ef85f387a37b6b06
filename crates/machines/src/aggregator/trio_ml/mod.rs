//! The switch of Trio-ML (Yang et al., "Using Trio", SIGCOMM 2022, sections 4 and 5): the rules of the Microcode program in
//! `programs/microcode/trio_ml`, without threads.
//!
//! `docs/transports/trio-ml.md` describes the packets, the records and everything that the paper leaves open.

mod ageing;
mod control;
mod defect;
mod packets;
mod rules;
mod snapshot;
mod state;
mod stragglers;

pub use defect::Defect;
pub use state::{TrioMlSwitch, TrioMlSwitchParameters};

/// Reasons for which a switch of Trio-ML discards packets, beside those of all aggregators. The Microcode program has the same.
pub mod reasons {
    node::reasons! { "trio_ml":
        /// The packet told something of which the switch has taken note.
        NOTED = (384, "noted by the aggregator", by_program);
        /// The job has no such source at this switch.
        NOT_A_SOURCE = (385, "not a source of the job");
        /// The packet is of another generation of the job.
        WRONG_GENERATION = (386, "of another generation of the job");
        /// The packet has more gradients than its job allows, other than its block has, or than its header says.
        WRONG_LENGTH = (387, "wrong number of gradients");
        /// The job has as many blocks under way as it may have, or the switch has no room for another one.
        TOO_MANY_BLOCKS = (388, "too many blocks of the job");
        /// The block of the packet belongs to a job that has ended.
        BLOCK_ENDED = (389, "its block has ended");
    }
}
