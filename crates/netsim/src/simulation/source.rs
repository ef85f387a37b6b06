//! The sources of events, which determine their kind.
//!
//! Events at the same time happen in the order of the numbers of their sources: first ports that are ready, then
//! packets that arrive, then stations to wake.

/// The source of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The link of this number is free, as its sender asked to be told; the event's item is that station.
    Ready(u32),
    /// The link of this number delivers the packet that is the event's item.
    Arrival(u32),
    /// The deadline of the station of this number may be due.
    Deadline(u32),
}

impl Source {
    /// Returns the source with this number in a network with this many links.
    #[inline]
    pub fn of_number(number: u32, links: u32) -> Self {
        if number < links {
            Self::Ready(number)
        } else if number < 2 * links {
            Self::Arrival(number - links)
        } else {
            Self::Deadline(number - 2 * links)
        }
    }

    /// Returns the number of this source in a network with this many links.
    #[inline]
    pub fn number(self, links: u32) -> u32 {
        match self {
            Self::Ready(link) => link,
            Self::Arrival(link) => links + link,
            Self::Deadline(station) => 2 * links + station,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_encode_sources_in_the_order_of_kinds() {
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
