//! Writing down the state of something that runs, and going on from there.
//!
//! What runs is built anew from its plan and then given its state back in place: parameters, tables and all else that a
//! plan says need not be written. So a part says which of its fields are state ([`snapshot!`](crate::snapshot!)): plain
//! *values*, which are written whole by serde, and *parts*, which do the same as the whole.
//!
//! Postcard writes the values: small, alive, and a format with a specification; what it writes means nothing without the
//! version that wrote it, which whoever keeps it must note beside it.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Why a state could not be written down or read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit(pub String);

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unfit {}

/// What can write its state down and take it back.
pub trait Snapshot {
    /// Writes the state down.
    ///
    /// # Errors
    /// What cannot be written down, in words for a person.
    fn save(&self, into: &mut Saver) -> Result<(), Unfit>;

    /// Becomes what was written down by something that was built alike. What it is after an error is of no use.
    ///
    /// # Errors
    /// What was read is no state of such a thing.
    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit>;
}

/// Takes states, one behind the other.
#[derive(Debug, Default)]
pub struct Saver {
    bytes: Vec<u8>,
}

impl Saver {
    /// Writes a value.
    ///
    /// # Errors
    /// Values whose own way of being written fails.
    pub fn put<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unfit> {
        let bytes = std::mem::take(&mut self.bytes);
        self.bytes = postcard::to_extend(value, bytes)
            .map_err(|_| Unfit("the state has a value that cannot be written down".to_owned()))?;
        Ok(())
    }

    /// All that was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Gives back what a [`Saver`] took, in the same order.
#[derive(Debug)]
pub struct Loader<'b> {
    rest: &'b [u8],
}

impl<'b> Loader<'b> {
    /// Reads what was written.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The next value.
    ///
    /// # Errors
    /// The next bytes are none of this type.
    pub fn take<T: DeserializeOwned>(&mut self) -> Result<T, Unfit> {
        let (value, rest) = postcard::take_from_bytes(self.rest).map_err(|error| {
            Unfit(match error {
                postcard::Error::DeserializeUnexpectedEnd => "the state ends too early".to_owned(),
                _ => "the state has a value that cannot be where it stands".to_owned(),
            })
        })?;
        self.rest = rest;
        Ok(value)
    }

    /// Sees that nothing is left.
    ///
    /// # Errors
    /// Something is.
    pub fn finish(self) -> Result<(), Unfit> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(Unfit(format!("the state has {} bytes too many", self.rest.len())))
        }
    }
}

impl<T: Snapshot + ?Sized> Snapshot for Box<T> {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        (**self).save(into)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        (**self).restore(from)
    }
}

/// There is one or there is none by the plan.
impl<T: Snapshot> Snapshot for Option<T> {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.iter().try_for_each(|part| part.save(into))
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.iter_mut().try_for_each(|part| part.restore(from))
    }
}

/// As many as the plan says.
impl<T: Snapshot> Snapshot for Vec<T> {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.iter().try_for_each(|part| part.save(into))
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.iter_mut().try_for_each(|part| part.restore(from))
    }
}

/// Says which fields of a struct are its state: `snapshot!(Queue { values waiting, bytes; parts scheduler; })`. Values
/// are written whole by serde; parts are [`Snapshot`]s and take their state back in place. All other fields are what the
/// plan made them. Types with parameters say these first: `snapshot!([T: Transport] Host<T> { … })`.
#[macro_export]
macro_rules! snapshot {
    ([$($generics:tt)*] $type:ty { $(values $($value:ident),+;)? $(parts $($part:ident),+;)? }) => {
        impl<$($generics)*> $crate::snapshot::Snapshot for $type {
            fn save(&self, into: &mut $crate::snapshot::Saver) -> Result<(), $crate::snapshot::Unfit> {
                $($(into.put(&self.$value)?;)+)?
                $($($crate::snapshot::Snapshot::save(&self.$part, into)?;)+)?
                Ok(())
            }

            fn restore(&mut self, from: &mut $crate::snapshot::Loader<'_>) -> Result<(), $crate::snapshot::Unfit> {
                $($(self.$value = from.take()?;)+)?
                $($($crate::snapshot::Snapshot::restore(&mut self.$part, from)?;)+)?
                Ok(())
            }
        }
    };
    ($type:ty { $($fields:tt)* }) => {
        $crate::snapshot!([] $type { $($fields)* });
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Duration, Instant, Random};

    struct Part {
        limit: u64,
        random: Random,
        seen: Vec<Instant>,
    }

    struct Whole {
        parts: Vec<Part>,
        average: f64,
    }

    snapshot!(Part { values random, seen; });
    snapshot!(Whole { values average; parts parts; });

    fn whole(limit: u64) -> Whole {
        let part = |seed| Part { limit, random: Random::new(seed), seen: Vec::new() };
        Whole { parts: vec![part(1), part(2)], average: 0.0 }
    }

    #[test]
    fn what_was_written_down_goes_on_where_it_was_and_keeps_what_its_plan_says() {
        let mut first = whole(7);
        first.average = f64::NAN;
        first.parts[1].random.bits();
        first.parts[1].seen = vec![Instant::MAX, Instant::ZERO + Duration::from_picoseconds(1)];
        let mut saver = Saver::default();
        first.save(&mut saver).expect("plain values");
        let bytes = saver.into_bytes();

        let mut second = whole(8);
        let mut loader = Loader::new(&bytes);
        second.restore(&mut loader).expect("what was written");
        loader.finish().expect("all of it");
        assert!(second.average.is_nan());
        for (first, second) in first.parts.iter_mut().zip(&mut second.parts) {
            assert_eq!((first.random.bits(), &first.seen), (second.random.bits(), &second.seen));
            assert_eq!(second.limit, 8);
        }

        let mut short = Loader::new(&bytes[..bytes.len() - 1]);
        assert!(whole(8).restore(&mut short).is_err());
        let mut loader = Loader::new(&bytes);
        assert!(loader.take::<f64>().is_ok() && loader.finish().is_err());
    }
}
