//! Mistakes that a switch of SwitchML can be told to make.

/// A rule that a switch breaks, for tests that must notice it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchMlDefect {
    /// Values are added whether they are part of the sum or not.
    NoBitmapCheck,
    /// Both sets of a slot are one.
    NoShadowCopy,
    /// A packet of an earlier part is taken for one of the part that the slot has now.
    PartsNotCompared,
    /// A sum that all workers have been sent is not sent again.
    NoRetransmission,
    /// The sum is sent with one worker fewer than there are.
    OneWorkerFewer,
}

impl SwitchMlDefect {
    /// All defects.
    pub const ALL: [Self; 5] =
        [Self::NoBitmapCheck, Self::NoShadowCopy, Self::PartsNotCompared, Self::NoRetransmission, Self::OneWorkerFewer];
}
