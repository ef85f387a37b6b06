//! Payload that waits while its headers are worked on: header-payload slicing (Triton, section 5.2).

use std::collections::VecDeque;

use basis::{Duration, Instant};
use wire::Tail;

/// The memory of the pool in bytes (Triton, section 6).
const MEMORY: usize = 6_280_000;
/// The time for which payload waits for its headers (Triton, section 5.2).
const TIMEOUT: Duration = Duration::from_microseconds(100);

/// The place of a payload, and the version that it has while the payload is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayloadId {
    index: u32,
    version: u32,
}

/// A pool of payloads of limited memory. A payload whose headers do not come back in time makes room for another one; its place
/// has another version then, by which late headers find out that it is gone.
#[derive(Debug, Default)]
pub struct PayloadPool {
    places: Vec<Place>,
    free: Vec<u32>,
    /// The places in the order in which they were filled, each with its end. Places that were emptied have other versions.
    order: VecDeque<(Instant, PayloadId)>,
    bytes: usize,
}

#[derive(Debug)]
struct Place {
    version: u32,
    payload: Option<Tail>,
}

impl PayloadPool {
    /// Returns the number of bytes that wait.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes the tail of a packet, and leaves its length in its place. Returns `None`, and changes nothing, if the tail is not
    /// made of bytes or there is no room.
    pub fn store(&mut self, now: Instant, tail: &mut Tail) -> Option<PayloadId> {
        self.forget(now);
        let length = tail.len();
        if !matches!(tail, Tail::Bytes(_)) || self.bytes + length > MEMORY {
            return None;
        }
        let index = self.free.pop().unwrap_or_else(|| {
            self.places.push(Place { version: 0, payload: None });
            (self.places.len() - 1) as u32
        });
        let place = &mut self.places[index as usize];
        // A packet is shorter than 4 GB.
        place.payload = Some(std::mem::replace(tail, Tail::Length(length as u32)));
        self.bytes += length;
        let id = PayloadId { index, version: place.version };
        self.order.push_back((now + TIMEOUT, id));
        Some(id)
    }

    /// Returns a payload whose headers have come back; `None` if they are late.
    pub fn take(&mut self, now: Instant, id: PayloadId) -> Option<Tail> {
        self.forget(now);
        self.empty(id)
    }

    /// Frees the places whose time is over, and forgets those that were emptied before.
    fn forget(&mut self, now: Instant) {
        while let Some(&(end, id)) = self.order.front()
            && (end <= now || self.places[id.index as usize].version != id.version)
        {
            self.order.pop_front();
            self.empty(id);
        }
    }

    fn empty(&mut self, id: PayloadId) -> Option<Tail> {
        let place = self.places.get_mut(id.index as usize).filter(|place| place.version == id.version)?;
        let payload = place.payload.take()?;
        place.version = place.version.wrapping_add(1);
        self.bytes -= payload.len();
        self.free.push(id.index);
        Some(payload)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(microseconds: u64) -> Instant {
        Instant::ZERO + Duration::from_microseconds(microseconds)
    }

    fn payload(number: u32, length: usize) -> Tail {
        Tail::Bytes(number.to_be_bytes().repeat(length.div_ceil(4)).into())
    }

    #[test]
    fn a_payload_waits_as_long_as_it_may() {
        for (back, is_there) in [(0, true), (99, true), (100, false), (1000, false)] {
            let mut pool = PayloadPool::default();
            let mut tail = payload(1, 8);
            let id = pool.store(at(5), &mut tail).expect("room");
            assert_eq!((tail, pool.bytes()), (Tail::Length(8), 8));
            let taken = pool.take(at(5 + back), id);
            assert_eq!(taken, is_there.then(|| payload(1, 8)), "after {back} us");
            assert_eq!((pool.take(at(5 + back), id), pool.bytes()), (None, 0), "it is there once");
        }
    }

    #[test]
    fn payload_without_room_stays_with_its_headers() {
        let mut pool = PayloadPool::default();
        let mut stored = 0;
        while pool.store(at(0), &mut payload(stored, 10_000)).is_some() {
            stored += 1;
        }
        assert_eq!(stored, 628);
        let mut tail = payload(9, 10_000);
        assert_eq!((pool.store(at(99), &mut tail), &tail), (None, &payload(9, 10_000)));
        assert!(pool.store(at(100), &mut tail).is_some(), "those that are late make room");
        assert_eq!(pool.store(at(100), &mut Tail::Length(7)), None);
    }

    proptest! {
        /// Whatever time headers need, each finds its own payload or none: its own if it is in time.
        #[test]
        fn no_headers_find_the_payload_of_others(steps in prop::collection::vec((0..60u64, any::<bool>(), 0..20usize), 1..300)) {
            let mut pool = PayloadPool::default();
            let (mut now, mut away) = (0, Vec::new());
            for (number, (wait, comes_back, which)) in steps.into_iter().enumerate() {
                now += wait;
                if comes_back && !away.is_empty() {
                    let (number, since, id) = away.remove(which % away.len());
                    let expected = (now < since + 100).then(|| payload(number, 100));
                    prop_assert_eq!(pool.take(at(now), id), expected);
                } else {
                    let id = pool.store(at(now), &mut payload(number as u32, 100)).expect("room");
                    away.push((number as u32, now, id));
                }
            }
            prop_assert!(pool.bytes() <= 100 * away.len());
        }
    }
}
