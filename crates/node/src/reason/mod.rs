//! Reasons why packets are not forwarded. A packet that is not forwarded is never an error; it is counted by reason.
//!
//! The set of reasons is open: each part that discards packets declares its own with [`reasons!`](crate::reasons!), and
//! the crates below it do not know them. This crate declares only the reasons that any node may give.

mod declare;
mod written;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ptr;

/// The reason why a node discarded a packet, as a reference to the one place that declares it.
#[derive(Clone, Copy)]
pub struct Reason(&'static Declaration);

/// The properties of a reason, as the part that discards packets for it declares them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Declaration {
    /// The position of the reason in results: lower ranks come first, equal ranks are sorted by name. Each owner has a
    /// range of a hundred ranks and leaves gaps, so that a new reason does not move any other.
    pub rank: u16,
    /// The name that results show.
    pub name: &'static str,
    /// The machine, transport or other part that declares the reason.
    pub owner: &'static str,
    /// The meaning of the reason, as one or more sentences.
    pub meaning: &'static str,
    /// Whether the program asked for it, by dropping the packet or by sending it to a port with nothing behind it. All
    /// other packets are lost against the program's will.
    pub is_by_program: bool,
}

impl Reason {
    crate::reasons! { @constants "node":
        /// The program dropped the packet.
        PROGRAM = (0, "dropped by the program", by_program);
        /// The packet arrived on a port, or was to leave by a port, with nothing behind it.
        NO_SUCH_PORT = (200, "no such port", by_program);
        /// The node cannot parse the packet.
        MALFORMED = (600, "malformed");
    }

    /// The reasons that any node may give.
    pub const OF_ANY_NODE: &[Self] = &[Self::PROGRAM, Self::NO_SUCH_PORT, Self::MALFORMED];

    /// Returns the reason that `declaration` declares.
    pub const fn declared(declaration: &'static Declaration) -> Self {
        Self(declaration)
    }

    /// Returns a reason that something declares while it runs, such as a program. Equal declarations are one reason; their
    /// memory is never freed.
    pub fn named(rank: u16, name: &str, owner: &str, meaning: &str, is_by_program: bool) -> Self {
        written::named(rank, [name, owner, meaning], is_by_program)
    }

    /// Returns the declaration of the reason.
    pub const fn declaration(self) -> &'static Declaration {
        self.0
    }

    /// Returns the name that results show.
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns true if the program asked for the packet to be discarded; all other packets are lost against its will.
    pub const fn is_by_program(self) -> bool {
        self.0.is_by_program
    }
}

/// Compares addresses first and then whole declarations, because a reason that was read from a checkpoint has a copy of
/// its declaration at another address.
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
    fn declaration_holds_owner_meaning_rank_and_name() {
        let declaration = LATE.declaration();
        assert_eq!((declaration.owner, declaration.meaning), ("tests", "Its first sentence. Its second one."));
        assert!(!LATE.is_by_program() && Reason::PROGRAM.is_by_program() && Reason::NO_SUCH_PORT.is_by_program());
        assert_eq!((LATE.to_string(), format!("{LATE:?}")), ("late".to_owned(), "Reason(tests: late)".to_owned()));
        assert_eq!(ALL, [LATE, EARLY]);
    }

    #[test]
    fn reasons_sort_by_rank_then_name() {
        let mut reasons = [Reason::MALFORMED, LATE, Reason::PROGRAM, EARLY, Reason::NO_SUCH_PORT];
        reasons.sort();
        assert_eq!(reasons, [Reason::PROGRAM, EARLY, LATE, Reason::NO_SUCH_PORT, Reason::MALFORMED]);
    }

    #[test]
    fn copies_of_a_declaration_are_equal_reasons() {
        let copy = Reason::declared(Box::leak(Box::new(*LATE.declaration())));
        assert!(copy == LATE && copy != EARLY);
    }
}
