//! What blocks tell whoever watches a machine.

use measure::{EventKind, Numbers, TypedEvent};

/// An event: a program sent a digest to its control plane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// The number of the kind of digest in the program.
    pub digest: u32,
    /// The values, as 64-bit limbs, least significant first.
    pub values: Box<[Box<[u64]>]>,
}

impl TypedEvent for Digest {
    const KIND: &'static EventKind = {
        static KIND: EventKind = EventKind::new("blocks", "digest", "A program sent a digest to its control plane.");
        &KIND
    };

    /// Each value is encoded as its number of limbs followed by the limbs.
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
