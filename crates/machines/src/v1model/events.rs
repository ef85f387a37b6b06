//! What v1model tells of a program.

use measure::{Kind, Numbers, Told};

/// A program told its control plane something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// Which kind of message, as the program numbers them.
    pub digest: u32,
    /// Its values, in 64-bit limbs, the least significant first.
    pub values: Box<[Box<[u64]>]>,
}

impl Told for Digest {
    const KIND: &'static Kind = {
        static KIND: Kind = Kind::new("v1model", "digest", "A program told its control plane something.");
        &KIND
    };

    /// Each value is its number of limbs, and then they.
    fn into_numbers(self) -> Numbers {
        let mut list = Vec::new();
        for value in &self.values {
            list.push(value.len() as u64);
            list.extend_from_slice(value);
        }
        Numbers { words: [u64::from(self.digest), 0, 0], list: list.into() }
    }

    fn from_numbers(numbers: Numbers) -> Self {
        let (mut values, mut rest) = (Vec::new(), &*numbers.list);
        while let [length, limbs @ ..] = rest {
            let (value, behind) = limbs.split_at(*length as usize);
            values.push(value.into());
            rest = behind;
        }
        Self { digest: numbers.words[0] as u32, values: values.into() }
    }
}
