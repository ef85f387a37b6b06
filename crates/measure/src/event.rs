//! What a node can tell about itself while it runs.
//!
//! The set of events is open: a crate declares the events that its nodes tell, as types with a [`Kind`]. What lies between
//! those who tell and those who want to know passes them on as numbers, and knows no kind.

/// A kind of event: one static for each type, whose address says which it is.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    /// What such an event is called.
    pub name: &'static str,
    /// Whose nodes tell it: a machine, a transport or another part.
    pub owner: &'static str,
    /// What happened, in a sentence.
    pub meaning: &'static str,
    /// Its place in an [`Interest`], as a bit.
    place: u64,
}

impl Kind {
    /// A kind of event.
    pub const fn new(owner: &'static str, name: &'static str, meaning: &'static str) -> Self {
        // FNV-1a: nobody gives out the places, so that nobody knows all kinds.
        let (mut hash, mut next) = (0xCBF2_9CE4_8422_2325_u64, 0);
        let bytes = name.as_bytes();
        while next < bytes.len() {
            hash = (hash ^ bytes[next] as u64).wrapping_mul(0x0100_0000_01B3);
            next += 1;
        }
        Self { name, owner, meaning, place: 1 << (hash >> 58) }
    }
}

/// What an event says, as numbers: short ones need no memory of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// What every event of its kind says.
    pub words: [u64; 3],
    /// What has no fixed length.
    pub list: Box<[u64]>,
}

/// A type of event. Whoever knows it can tell it, and read it out of an [`Event`].
pub trait Told: Sized {
    /// Which kind it is: a static of its own.
    const KIND: &'static Kind;

    /// The event as numbers.
    fn into_numbers(self) -> Numbers;

    /// The event that [`Told::into_numbers`] made these of.
    fn from_numbers(numbers: Numbers) -> Self;
}

/// Something that happened inside a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    kind: &'static Kind,
    numbers: Numbers,
}

impl Event {
    /// An event of a type.
    #[inline]
    pub fn of<T: Told>(event: T) -> Self {
        Self { kind: T::KIND, numbers: event.into_numbers() }
    }

    /// Which kind it is.
    pub fn kind(&self) -> &'static Kind {
        self.kind
    }

    /// Whether it is of this type.
    #[inline]
    pub fn is<T: Told>(&self) -> bool {
        std::ptr::eq(self.kind, T::KIND)
    }

    /// The event as the type that it is of.
    ///
    /// # Errors
    /// The event as it was, if it is of another.
    #[inline]
    pub fn read<T: Told>(self) -> Result<T, Self> {
        if self.is::<T>() { Ok(T::from_numbers(self.numbers)) } else { Err(self) }
    }
}

/// Which events somebody wants; none at first. Who wants one may be told of others, too: kinds share 64 places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interest(u64);

impl Interest {
    /// An interest in one type of events.
    pub fn of<T: Told>() -> Self {
        Self(T::KIND.place)
    }

    /// The same, and in another type.
    #[must_use]
    pub fn and<T: Told>(self) -> Self {
        Self(self.0 | T::KIND.place)
    }

    /// Whether events of a type are wanted.
    #[inline]
    pub fn wants<T: Told>(self) -> bool {
        self.0 & T::KIND.place != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Ring(u64);

    #[derive(Debug, PartialEq)]
    struct Call(Box<[u64]>);

    impl Told for Ring {
        const KIND: &'static Kind = {
            static KIND: Kind = Kind::new("tests", "ring", "It rang so many times.");
            &KIND
        };

        fn into_numbers(self) -> Numbers {
            Numbers { words: [self.0, 0, 0], ..Numbers::default() }
        }

        fn from_numbers(numbers: Numbers) -> Self {
            Self(numbers.words[0])
        }
    }

    impl Told for Call {
        const KIND: &'static Kind = {
            static KIND: Kind = Kind::new("tests", "call", "Somebody said something.");
            &KIND
        };

        fn into_numbers(self) -> Numbers {
            Numbers { list: self.0, ..Numbers::default() }
        }

        fn from_numbers(numbers: Numbers) -> Self {
            Self(numbers.list)
        }
    }

    #[test]
    fn an_event_is_read_as_the_type_that_it_is_of() {
        let (ring, call) = (Event::of(Ring(3)), Event::of(Call([1, 2].into())));
        assert_eq!(ring.clone().read::<Call>(), Err(ring.clone()));
        assert_eq!((ring.read(), call.read()), (Ok(Ring(3)), Ok(Call([1, 2].into()))));
    }

    #[test]
    fn an_interest_is_in_what_it_was_given() {
        let interest = Interest::of::<Ring>();
        assert!(interest.wants::<Ring>() && !interest.wants::<Call>() && !Interest::default().wants::<Ring>());
        assert!(interest.and::<Call>().wants::<Ring>() && interest.and::<Call>().wants::<Call>());
    }
}
