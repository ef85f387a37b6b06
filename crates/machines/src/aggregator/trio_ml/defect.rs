//! Rules to break.

/// A rule that the switch breaks, so that tests can show that they would notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// Sources are not told apart: a copy of a packet is added again.
    NoMask,
    /// Blocks never age out.
    NoAgeing,
    /// A block that is complete is not answered again.
    NoAnswer,
    /// A block is complete with one source fewer than it has.
    OneSourceFewer,
}
