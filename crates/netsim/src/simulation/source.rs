//! What an event is, by the number of its source.
//!
//! Events at one time happen in the order of these numbers: ports that are ready, packets that arrive, stations to wake.

/// What happens in an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The line of this number is free, as its sender asked to be told; the event's item is that station.
    Ready(u32),
    /// The line of this number brings the packet that is the event's item.
    Arrival(u32),
    /// The station of this number may be due.
    Deadline(u32),
}

impl Source {
    /// What a number means where there are so many lines.
    #[inline]
    pub fn of_number(number: u32, lines: u32) -> Self {
        if number < lines {
            Self::Ready(number)
        } else if number < 2 * lines {
            Self::Arrival(number - lines)
        } else {
            Self::Deadline(number - 2 * lines)
        }
    }

    /// Its number where there are so many lines.
    #[inline]
    pub fn number(self, lines: u32) -> u32 {
        match self {
            Self::Ready(line) => line,
            Self::Arrival(line) => lines + line,
            Self::Deadline(station) => 2 * lines + station,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_say_what_they_were_made_of_and_keep_the_order_of_kinds() {
        let sources = [
            Source::Ready(0),
            Source::Ready(6),
            Source::Arrival(0),
            Source::Arrival(6),
            Source::Deadline(0),
            Source::Deadline(9),
        ];
        let numbers = sources.map(|source| source.number(7));
        assert_eq!(numbers.map(|number| Source::of_number(number, 7)), sources);
        assert!(numbers.is_sorted());
    }
}
