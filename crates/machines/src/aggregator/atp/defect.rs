//! Mistakes that a switch of ATP can be told to make.

/// A rule that a switch breaks, for tests that must notice it. A switch without defects obeys the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// Values are added whether they are part of the sum or not (box 4 of figure 7).
    NoBitmapCheck,
    /// No aggregator is ever freed for its age (section 3.7).
    NoAgeing,
    /// Packets that are sent again are treated like others (figure 17).
    ResendIgnored,
    /// The mark of a packet whose values were added does not go on with the sum (box 7 of figure 7).
    EcnNotMerged,
    /// The sum goes on with one packet fewer than the fan-in degree says (box 6 of figure 7).
    FanInOffByOne,
}

impl Defect {
    /// All defects.
    pub const ALL: [Self; 5] =
        [Self::NoBitmapCheck, Self::NoAgeing, Self::ResendIgnored, Self::EcnNotMerged, Self::FanInOffByOne];
}
