//! Saving the state of a running system and resuming from it.
//!
//! To resume, the system is first rebuilt from its plan and then restored in place, so parameters, tables and
//! everything else that the plan determines need not be saved. Each type declares which of its fields are state with
//! [`snapshot!`](crate::snapshot!): plain *values*, which serde writes whole, and *parts*, which are [`Snapshot`]s
//! themselves.
//!
//! Values are encoded with Postcard, a compact format with a published specification. The bytes can be read only by the
//! version of the program that wrote them; whoever stores them must store that version beside them.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// An error that says why a state could not be saved or restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit(pub String);

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unfit {}

/// A type that can save its state and restore it later.
pub trait Snapshot {
    /// Appends the state to `into`.
    ///
    /// # Errors
    /// Fails if part of the state cannot be saved; the error says which part in plain words.
    fn save(&self, into: &mut Saver) -> Result<(), Unfit>;

    /// Takes over the state that was saved by a value built from the same plan. After an error, `self` must not be used
    /// any more.
    ///
    /// # Errors
    /// Fails if the bytes are not a saved state of such a value.
    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit>;
}

/// A buffer to which states are appended one after the other.
#[derive(Debug, Default)]
pub struct Saver {
    bytes: Vec<u8>,
}

impl Saver {
    /// Appends a value.
    ///
    /// # Errors
    /// Fails if the value's own `Serialize` implementation fails.
    pub fn put<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unfit> {
        let bytes = std::mem::take(&mut self.bytes);
        self.bytes = postcard::to_extend(value, bytes)
            .map_err(|_| Unfit("the state has a value that cannot be saved".to_owned()))?;
        Ok(())
    }

    /// Returns everything that was appended.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// A reader that returns the values appended to a [`Saver`], in the same order.
#[derive(Debug)]
pub struct Loader<'b> {
    rest: &'b [u8],
}

impl<'b> Loader<'b> {
    /// Creates a reader of the bytes that [`Saver::into_bytes`] returned.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Reads the next value.
    ///
    /// # Errors
    /// Fails if the next bytes do not encode a value of type `T`, or if the bytes end too early.
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

    /// Checks that all bytes have been read.
    ///
    /// # Errors
    /// Fails if bytes are left.
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

/// The plan decides whether there is a value, so only the value's own state is saved.
impl<T: Snapshot> Snapshot for Option<T> {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.iter().try_for_each(|part| part.save(into))
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.iter_mut().try_for_each(|part| part.restore(from))
    }
}

/// The plan decides how many elements there are, so only their own states are saved.
impl<T: Snapshot> Snapshot for Vec<T> {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.iter().try_for_each(|part| part.save(into))
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.iter_mut().try_for_each(|part| part.restore(from))
    }
}

/// Implements [`Snapshot`](crate::snapshot::Snapshot) for a struct by naming the fields that are its state:
/// `snapshot!(Queue { values waiting, bytes; parts scheduler; })`. Values are written whole by serde; parts are
/// `Snapshot`s and are restored in place. All other fields keep what the plan made them. The generic parameters of a
/// type come first: `snapshot!([T: Transport] Host<T> { … })`.
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
    fn restored_state_resumes_and_keeps_plan_parameters() {
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
