//! What comes out of a collective.

/// The sums that have come out of a collective since somebody looked. Parts share their memory, so that a part needs none of its own.
#[derive(Clone, Debug, Default)]
pub struct Outcomes {
    list: Vec<Entry>,
    integers: Vec<i32>,
    floats: Vec<f32>,
}

#[derive(Clone, Copy, Debug)]
enum Entry {
    Part { tensor: u32, first: u64, sources: u16, length: u32, is_integer: bool },
    Missed { tensor: u32, first: u64, length: u64 },
    Finished { tensor: u32 },
    Straggler { worker: u16, is_permanent: bool },
}

/// One thing that has come out of a collective.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome<'a> {
    /// Sums for a part of a tensor. Each position of a tensor is reported once.
    Part {
        /// The number of the tensor.
        tensor: u32,
        /// The position of the first of these sums in the tensor.
        first: u64,
        /// The number of workers whose contributions they contain.
        sources: u16,
        /// The sums.
        sum: Sum<'a>,
    },
    /// Positions of a tensor whose sums this worker does not get, because they were complete before it was started.
    Missed {
        /// The number of the tensor.
        tensor: u32,
        /// The first of these positions.
        first: u64,
        /// The number of positions.
        length: u64,
    },
    /// All positions of a tensor have been reported.
    Finished {
        /// The number of the tensor.
        tensor: u32,
    },
    /// The network says that a worker is slow.
    Straggler {
        /// The rank of the worker among those of the job.
        worker: u16,
        /// Whether it is out of service for a long time, rather than slow for a while.
        is_permanent: bool,
    },
}

/// Sums as the scheme has formed them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sum<'a> {
    /// Sums of integers, clamped to 32 bits.
    Integers(&'a [i32]),
    /// Sums of floating-point numbers.
    Floats(&'a [f32]),
}

impl Outcomes {
    /// Reports sums of integers for the positions of a tensor from `first` on, and how many workers they contain.
    pub fn integers(&mut self, tensor: u32, first: u64, sources: u16, sums: &[i32]) {
        let length = u32::try_from(sums.len()).expect("a part is at most a packet or a message");
        self.list.push(Entry::Part { tensor, first, sources, length, is_integer: true });
        self.integers.extend_from_slice(sums);
    }

    /// Reports sums of floating-point numbers for the positions of a tensor from `first` on, and how many workers they
    /// contain.
    pub fn floats(&mut self, tensor: u32, first: u64, sources: u16, sums: &[f32]) {
        let length = u32::try_from(sums.len()).expect("a part is at most a packet or a message");
        self.list.push(Entry::Part { tensor, first, sources, length, is_integer: false });
        self.floats.extend_from_slice(sums);
    }

    /// Reports positions of a tensor whose sums this worker does not get, because they were complete before it was started.
    pub fn missed(&mut self, tensor: u32, first: u64, length: u64) {
        self.list.push(Entry::Missed { tensor, first, length });
    }

    /// Reports that all positions of a tensor have been reported.
    pub fn finished(&mut self, tensor: u32) {
        self.list.push(Entry::Finished { tensor });
    }

    /// Reports that the network takes a worker for slow.
    pub fn straggler(&mut self, worker: u16, is_permanent: bool) {
        self.list.push(Entry::Straggler { worker, is_permanent });
    }

    /// Returns true if there is nothing.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Tells everything in the order in which it was reported, and removes it.
    pub fn drain(&mut self, mut tell: impl FnMut(Outcome<'_>)) {
        let (mut integers, mut floats) = (&self.integers[..], &self.floats[..]);
        for entry in self.list.drain(..) {
            tell(match entry {
                Entry::Part { tensor, first, sources, length, is_integer } => {
                    let sum = match is_integer {
                        true => Sum::Integers(next(&mut integers, length)),
                        false => Sum::Floats(next(&mut floats, length)),
                    };
                    Outcome::Part { tensor, first, sources, sum }
                }
                Entry::Missed { tensor, first, length } => Outcome::Missed { tensor, first, length },
                Entry::Finished { tensor } => Outcome::Finished { tensor },
                Entry::Straggler { worker, is_permanent } => Outcome::Straggler { worker, is_permanent },
            });
        }
        self.integers.clear();
        self.floats.clear();
    }
}

fn next<'a, T>(values: &mut &'a [T], length: u32) -> &'a [T] {
    let (part, rest) = values.split_at(length as usize);
    *values = rest;
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_told_in_order_and_once() {
        let mut outcomes = Outcomes::default();
        outcomes.integers(3, 62, 8, &[1, 2]);
        outcomes.floats(3, 64, 7, &[0.5]);
        outcomes.straggler(5, true);
        outcomes.integers(3, 0, 8, &[]);
        outcomes.missed(4, 0, 6);
        outcomes.finished(3);
        let mut told = Vec::new();
        outcomes.drain(|outcome| told.push(format!("{outcome:?}")));
        let expected = [
            "Part { tensor: 3, first: 62, sources: 8, sum: Integers([1, 2]) }",
            "Part { tensor: 3, first: 64, sources: 7, sum: Floats([0.5]) }",
            "Straggler { worker: 5, is_permanent: true }",
            "Part { tensor: 3, first: 0, sources: 8, sum: Integers([]) }",
            "Missed { tensor: 4, first: 0, length: 6 }",
            "Finished { tensor: 3 }",
        ];
        assert_eq!(told, expected);
        outcomes.drain(|outcome| panic!("{outcome:?} was told before"));
    }
}
