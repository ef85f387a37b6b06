//! Events that a node can emit while it runs.
//!
//! The set of events is open: each crate declares the events that its own nodes emit, as types with an [`EventKind`].
//! Code between emitters and recorders passes events on as plain numbers and does not know the kinds.

/// The description of one type of event. Each type has one in a static, and its address identifies the type.
#[derive(Debug, PartialEq, Eq)]
pub struct EventKind {
    /// The name of the event.
    pub name: &'static str,
    /// The part whose nodes emit the event, such as a machine or a transport.
    pub owner: &'static str,
    /// The event, as one sentence.
    pub meaning: &'static str,
    /// The bit of this kind in an [`Interest`].
    place: u64,
}

impl EventKind {
    /// Creates the description of a type of event.
    pub const fn new(owner: &'static str, name: &'static str, meaning: &'static str) -> Self {
        // The bit is an FNV-1a hash of the name, so that no central list of kinds has to assign it.
        let (mut hash, mut next) = (0xCBF2_9CE4_8422_2325_u64, 0);
        let bytes = name.as_bytes();
        while next < bytes.len() {
            hash = (hash ^ bytes[next] as u64).wrapping_mul(0x0100_0000_01B3);
            next += 1;
        }
        Self { name, owner, meaning, place: 1 << (hash >> 58) }
    }
}

/// The content of an event as numbers. Events of up to three numbers need no allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// The numbers that every event of the kind has.
    pub words: [u64; 3],
    /// The part of variable length, often empty.
    pub list: Box<[u64]>,
}

/// A type of event, which can be converted to an [`Event`] and back.
pub trait TypedEvent: Sized {
    /// The description of the type, in a static of its own.
    const KIND: &'static EventKind;

    /// Converts the event to numbers.
    fn into_numbers(self) -> Numbers;

    /// Converts the result of [`TypedEvent::into_numbers`] back to the event.
    fn from_numbers(numbers: Numbers) -> Self;
}

/// Something that happened inside a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    kind: &'static EventKind,
    numbers: Numbers,
}

impl Event {
    /// Creates an event from its typed form.
    #[inline]
    pub fn of<T: TypedEvent>(event: T) -> Self {
        Self { kind: T::KIND, numbers: event.into_numbers() }
    }

    /// Returns the kind of the event.
    pub fn kind(&self) -> &'static EventKind {
        self.kind
    }

    /// Returns true if the event is of type `T`.
    #[inline]
    pub fn is<T: TypedEvent>(&self) -> bool {
        std::ptr::eq(self.kind, T::KIND)
    }

    /// Converts the event to its typed form.
    ///
    /// # Errors
    /// Returns the event unchanged if it is of another type.
    #[inline]
    pub fn read<T: TypedEvent>(self) -> Result<T, Self> {
        if self.is::<T>() { Ok(T::from_numbers(self.numbers)) } else { Err(self) }
    }
}

/// A set of event types that a recorder wants, empty by default. Kinds share 64 bits, so a recorder may also receive
/// events that it did not ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interest(u64);

impl Interest {
    /// Returns the set that contains the event type `T`.
    pub fn of<T: TypedEvent>() -> Self {
        Self(T::KIND.place)
    }

    /// Returns this set with the event type `T` added.
    #[must_use]
    pub fn and<T: TypedEvent>(self) -> Self {
        Self(self.0 | T::KIND.place)
    }

    /// Returns true if events of type `T` are wanted.
    #[inline]
    pub fn wants<T: TypedEvent>(self) -> bool {
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

    impl TypedEvent for Ring {
        const KIND: &'static EventKind = {
            static KIND: EventKind = EventKind::new("tests", "ring", "It rang so many times.");
            &KIND
        };

        fn into_numbers(self) -> Numbers {
            Numbers { words: [self.0, 0, 0], ..Numbers::default() }
        }

        fn from_numbers(numbers: Numbers) -> Self {
            Self(numbers.words[0])
        }
    }

    impl TypedEvent for Call {
        const KIND: &'static EventKind = {
            static KIND: EventKind = EventKind::new("tests", "call", "Somebody said something.");
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
    fn events_are_read_only_as_their_own_type() {
        let (ring, call) = (Event::of(Ring(3)), Event::of(Call([1, 2].into())));
        assert_eq!(ring.clone().read::<Call>(), Err(ring.clone()));
        assert_eq!((ring.read(), call.read()), (Ok(Ring(3)), Ok(Call([1, 2].into()))));
    }

    #[test]
    fn interest_contains_only_the_requested_types() {
        let interest = Interest::of::<Ring>();
        assert!(interest.wants::<Ring>() && !interest.wants::<Call>() && !Interest::default().wants::<Ring>());
        assert!(interest.and::<Call>().wants::<Ring>() && interest.and::<Call>().wants::<Call>());
    }
}
