//! Why a packet was not forwarded. A packet that is not forwarded is never an error; it is counted here.
//!
//! The set of reasons is open: whoever discards packets declares its own ([`reasons!`](crate::reasons!)), and nothing
//! below it knows them. This crate declares only those that any node may give.

mod declare;
mod written;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ptr;

/// Why a node discarded a packet: a reference to the one place that declares the reason.
#[derive(Clone, Copy)]
pub struct Reason(&'static Declaration);

/// What the crate that discards packets for a reason says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Declaration {
    /// Where results list the reason: those of lower rank first, equal ranks by name. Each owner has a hundred of its
    /// own, with gaps, so that a new reason moves no other.
    pub rank: u16,
    /// The words that results show.
    pub name: &'static str,
    /// The machine, transport or other part that declares the reason.
    pub owner: &'static str,
    /// What happened to the packet, in one or more sentences.
    pub meaning: &'static str,
    /// Whether the program asked for it: it dropped the packet, or sent it to a port that nothing is behind. All other
    /// packets are lost against the program's will.
    pub is_by_program: bool,
}

impl Reason {
    crate::reasons! { @constants "node":
        /// The program said so.
        PROGRAM = (0, "dropped by the program", by_program);
        /// It came in, or would have gone out, on a port that nothing is behind.
        NO_SUCH_PORT = (200, "no such port", by_program);
        /// It is no packet that the node reads.
        MALFORMED = (600, "malformed");
    }

    /// The reasons that any node may give.
    pub const OF_ANY_NODE: &[Self] = &[Self::PROGRAM, Self::NO_SUCH_PORT, Self::MALFORMED];

    /// The reason that `declaration` declares.
    pub const fn declared(declaration: &'static Declaration) -> Self {
        Self(declaration)
    }

    /// All that its owner says about it.
    pub const fn declaration(self) -> &'static Declaration {
        self.0
    }

    /// The words that results show.
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// Whether the program asked for it; all other packets are lost against the program's will.
    pub const fn is_by_program(self) -> bool {
        self.0.is_by_program
    }
}

/// Decided by the reference or the rank, but for reasons of one rank and for one that was read from a checkpoint, whose
/// declaration stands in memory a second time.
impl Ord for Reason {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        if ptr::eq(self.0, other.0) { Ordering::Equal } else { self.0.cmp(other.0) }
    }
}

impl PartialOrd for Reason {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Reason {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Reason {}

impl Hash for Reason {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.0.rank, self.0.name).hash(state);
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reason({}: {})", self.0.owner, self.0.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::reasons! { "tests":
        /// Its first sentence.
        /// Its second one.
        LATE = (7, "late");
        /// It shares a rank.
        EARLY = (7, "early");
    }

    #[test]
    fn a_declaration_says_everything_once() {
        let declaration = LATE.declaration();
        assert_eq!((declaration.owner, declaration.meaning), ("tests", "Its first sentence. Its second one."));
        assert!(!LATE.is_by_program() && Reason::PROGRAM.is_by_program() && Reason::NO_SUCH_PORT.is_by_program());
        assert_eq!((LATE.to_string(), format!("{LATE:?}")), ("late".to_owned(), "Reason(tests: late)".to_owned()));
        assert_eq!(ALL, [LATE, EARLY]);
    }

    #[test]
    fn reasons_are_ordered_by_rank_and_then_by_name() {
        let mut reasons = [Reason::MALFORMED, LATE, Reason::PROGRAM, EARLY, Reason::NO_SUCH_PORT];
        reasons.sort();
        assert_eq!(reasons, [Reason::PROGRAM, EARLY, LATE, Reason::NO_SUCH_PORT, Reason::MALFORMED]);
    }

    #[test]
    fn a_declaration_that_stands_in_memory_twice_is_one_reason() {
        let copy = Reason::declared(Box::leak(Box::new(*LATE.declaration())));
        assert!(copy == LATE && copy != EARLY);
    }
}
