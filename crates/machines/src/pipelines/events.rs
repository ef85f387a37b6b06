//! Events that pipelines emit about packets.

use measure::{EventKind, Numbers, TypedEvent};

/// An event: a packet accessed state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The group of registers that are placed together, by its number in the program's access list.
    pub unit: u32,
    /// The index within the group, reduced to the register's length.
    pub index: u32,
    /// The number of the packet in order of arrival.
    pub sequence: u64,
}

impl TypedEvent for Access {
    const KIND: &'static EventKind = {
        static KIND: EventKind = EventKind::new("pipelines", "access", "A packet accessed state.");
        &KIND
    };

    #[inline]
    fn into_numbers(self) -> Numbers {
        Numbers { words: [u64::from(self.unit), u64::from(self.index), self.sequence], ..Numbers::default() }
    }

    #[inline]
    fn from_numbers(numbers: Numbers) -> Self {
        let [unit, index, sequence] = numbers.words;
        Self { unit: unit as u32, index: index as u32, sequence }
    }
}

/// An event: a packet completed the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completed {
    /// The number of the packet in order of arrival.
    pub sequence: u64,
    /// The final values of the program's declared fields in their order, as raw bits.
    pub fields: Box<[u64]>,
}

impl TypedEvent for Completed {
    const KIND: &'static EventKind = {
        static KIND: EventKind =
            EventKind::new("pipelines", "completed", "A packet left the program with these values.");
        &KIND
    };

    fn into_numbers(self) -> Numbers {
        Numbers { words: [self.sequence, 0, 0], list: self.fields }
    }

    fn from_numbers(numbers: Numbers) -> Self {
        Self { sequence: numbers.words[0], fields: numbers.list }
    }
}
