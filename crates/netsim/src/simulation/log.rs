//! What shards that run side by side have to tell, and the order in which it is told.

use basis::Instant;
use measure::Event;
use node::Reason;
use wire::Packet;

use super::witness::Witness;
use super::{LineId, Recorder};

/// Keeps what happens in a shard until the others are as far.
#[derive(Debug, Default)]
pub(super) struct Log {
    entries: Vec<Entry>,
    now: Place,
}

/// A place in the order of events of the whole network: time, then source. Where events beget others of the same time,
/// one of a lower source may happen behind one of a higher; then it counts as the higher, behind which it came. That is
/// where it would have happened in one queue: it was not there before, and from then on it was the first of all.
type Place = (Instant, u32);

#[derive(Debug)]
struct Entry {
    place: Place,
    at: Instant,
    what: What,
}

#[derive(Debug)]
enum What {
    Event(usize, Event),
    Discarded(usize, Packet, Reason),
    Carried(LineId, Packet),
    Coming(LineId, Packet),
}

impl Log {
    fn add(&mut self, at: Instant, what: What) {
        self.entries.push(Entry { place: self.now, at, what });
    }

    /// Tells everything that the logs hold in the order in which it would have happened in one shard.
    pub fn tell<'l>(logs: impl Iterator<Item = &'l mut Self>, recorder: &mut dyn Recorder) {
        let mut entries: Vec<Entry> = logs.flat_map(|log| log.entries.drain(..)).collect();
        // Stable: the order within a log stays, and no source is in two.
        entries.sort_by_key(|entry| entry.place);
        for Entry { at, what, .. } in entries {
            match what {
                What::Event(station, event) => recorder.event(at, station, event),
                What::Discarded(station, packet, reason) => recorder.discarded(at, station, &packet, reason),
                What::Carried(line, packet) => recorder.carried(at, line, &packet),
                What::Coming(line, packet) => recorder.coming(at, line, &packet),
            }
        }
    }
}

impl Witness for Log {
    #[inline]
    fn begin(&mut self, at: Instant, source: u32) {
        self.now = self.now.max((at, source));
    }

    fn event(&mut self, at: Instant, station: usize, event: Event) {
        self.add(at, What::Event(station, event));
    }

    fn discarded(&mut self, at: Instant, station: usize, packet: Packet, reason: Reason) {
        self.add(at, What::Discarded(station, packet, reason));
    }

    fn carried(&mut self, at: Instant, line: LineId, packet: &Packet) {
        self.add(at, What::Carried(line, packet.clone()));
    }

    fn coming(&mut self, at: Instant, line: LineId, packet: &Packet) {
        self.add(at, What::Coming(line, packet.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Stations(Vec<usize>);

    impl Recorder for Stations {
        fn event(&mut self, _at: Instant, station: usize, _event: Event) {
            self.0.push(station);
        }
    }

    fn event() -> Event {
        let flow = transports::FlowId { source: 0, message: 0 };
        Event::of(transports::Flow { flow, happened: transports::FlowEvent::Completed })
    }

    #[test]
    fn what_was_begotten_at_the_same_time_comes_behind_what_begot_it_and_before_what_waited() {
        let at = Instant::from_microseconds(1);
        // In one queue: source 5 happens and begets 1, which is then the first; 7 waits all the time, 4 came before.
        let (mut one, mut other) = (Log::default(), Log::default());
        one.begin(at, 5);
        one.begin(at, 1);
        one.event(at, 1, event());
        other.begin(at, 4);
        other.event(at, 4, event());
        other.begin(at, 7);
        other.event(at, 7, event());
        let mut told = Stations(Vec::new());
        Log::tell([&mut other, &mut one].into_iter(), &mut told);
        assert_eq!(told.0, [4, 1, 7]);
        Log::tell([&mut other, &mut one].into_iter(), &mut told);
        assert_eq!(told.0.len(), 3, "told once");
    }
}
