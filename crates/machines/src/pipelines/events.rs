//! What pipelines tell of packets.

use measure::{Kind, Numbers, Told};

/// A packet accessed state: the `unit` of registers that are placed together, the `index` inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Which group of registers, as the program's access list numbers them.
    pub unit: u32,
    /// Which index of the group, after reduction to the register's length.
    pub index: u32,
    /// The packet's place in the order of arrival.
    pub sequence: u64,
}

impl Told for Access {
    const KIND: &'static Kind = {
        static KIND: Kind = Kind::new("pipelines", "access", "A packet accessed state.");
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

/// A packet left the program; its variables' final values, by declared field in the order of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completed {
    /// The packet's place in the order of arrival.
    pub sequence: u64,
    /// Final values of the program's fields, as raw bits.
    pub fields: Box<[u64]>,
}

impl Told for Completed {
    const KIND: &'static Kind = {
        static KIND: Kind = Kind::new("pipelines", "completed", "A packet left the program with these values.");
        &KIND
    };

    fn into_numbers(self) -> Numbers {
        Numbers { words: [self.sequence, 0, 0], list: self.fields }
    }

    fn from_numbers(numbers: Numbers) -> Self {
        Self { sequence: numbers.words[0], fields: numbers.list }
    }
}
