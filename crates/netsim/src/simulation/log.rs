//! The logs of shards that run in parallel, and the order in which their entries are reported.

use basis::Instant;
use measure::Event;
use node::Reason;
use wire::Packet;

use super::witness::Witness;
use super::{LinkId, Recorder};

/// The entries of one shard, kept until the other shards have reached the same time.
#[derive(Debug, Default)]
pub(super) struct Log {
    entries: Vec<LogEntry>,
    now: EventPosition,
}

/// A position in the order of events of the whole network: time, then source. If events cause others at the same time,
/// an event of a lower source may happen after one of a higher source. It then takes the position of that higher
/// source, after which it happened. That is its position in a single queue, too: it did not exist before, and from then
/// on it was the first of all.
type EventPosition = (Instant, u32);

#[derive(Debug)]
struct LogEntry {
    position: EventPosition,
    at: Instant,
    what: What,
}

#[derive(Debug)]
enum What {
    Event(usize, Event),
    Discarded(usize, Packet, Reason),
    Carried(LinkId, Packet),
    Coming(LinkId, Packet),
}

impl Log {
    fn add(&mut self, at: Instant, what: What) {
        self.entries.push(LogEntry { position: self.now, at, what });
    }

    /// Reports all entries of the logs in the order in which they would have happened in one shard.
    pub fn report<'l>(logs: impl Iterator<Item = &'l mut Self>, recorder: &mut dyn Recorder) {
        let mut entries: Vec<LogEntry> = logs.flat_map(|log| log.entries.drain(..)).collect();
        // The sort is stable, so the order within a log is kept, and no source is in two logs.
        entries.sort_by_key(|entry| entry.position);
        for LogEntry { at, what, .. } in entries {
            match what {
                What::Event(station, event) => recorder.event(at, station, event),
                What::Discarded(station, packet, reason) => recorder.discarded(at, station, &packet, reason),
                What::Carried(link, packet) => recorder.carried(at, link, &packet),
                What::Coming(link, packet) => recorder.coming(at, link, &packet),
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

    fn carried(&mut self, at: Instant, link: LinkId, packet: &Packet) {
        self.add(at, What::Carried(link, packet.clone()));
    }

    fn coming(&mut self, at: Instant, link: LinkId, packet: &Packet) {
        self.add(at, What::Coming(link, packet.clone()));
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
    fn events_follow_their_causes_at_the_same_time() {
        let at = Instant::from_microseconds(1);
        // In a single queue, source 5 happens and causes 1, which is then the first; 7 is waiting, and 4 came before.
        let (mut one, mut other) = (Log::default(), Log::default());
        one.begin(at, 5);
        one.begin(at, 1);
        one.event(at, 1, event());
        other.begin(at, 4);
        other.event(at, 4, event());
        other.begin(at, 7);
        other.event(at, 7, event());
        let mut stations = Stations(Vec::new());
        Log::report([&mut other, &mut one].into_iter(), &mut stations);
        assert_eq!(stations.0, [4, 1, 7]);
        Log::report([&mut other, &mut one].into_iter(), &mut stations);
        assert_eq!(stations.0.len(), 3, "entries are reported once");
    }
}
