//! A limit on how long a driven node may go on without new packets.
//!
//! A node asks to be woken for as long as it has something to do. A faulty one may ask forever, and its run would never
//! end. Work is counted in calls, not in seconds, so the same run ends at the same call on every computer.

use std::fmt;

use basis::Instant;
use serde::Serialize;

use crate::Outbox;

/// The number of calls that a driven node may need between two packets.
///
/// A call is a wake or a port that becomes ready. At most `calls + per_packet * received` calls in a row may produce no
/// output, where `received` is the number of packets received so far, and at most [`Limit::ALONE`] times as many calls
/// may follow the last received packet, whatever they produce. Calls of a node that rests ([`crate::Node::rests_after`]) are
/// not limited as long as time goes on and a packet is still to come, nor are those of a node that knows when it is going to
/// rest until then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The allowance that does not depend on packets.
    pub calls: u64,
    /// The additional allowance per received packet.
    pub per_packet: u64,
}

impl Limit {
    /// The factor by which the calls after the last received packet may exceed the calls without output.
    pub const ALONE: u64 = 64;
}

impl Default for Limit {
    /// Far more than any node needs that eventually becomes idle: a packet in a pipeline takes one call for each of at
    /// most 1024 stages, and so does each placeholder that is sent ahead of it.
    fn default() -> Self {
        Self { calls: 1 << 22, per_packet: 1 << 10 }
    }
}

/// The error of a node that asked for more calls than its [`Limit`] allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Endless {
    /// The time of the last call.
    pub at: Instant,
    /// The number of calls in a row without output, or, if `goes_on`, since the last received packet.
    pub calls: u64,
    /// Whether the calls produced output.
    pub goes_on: bool,
}

impl fmt::Display for Endless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { calls, .. } = self;
        if self.goes_on {
            write!(f, "it still asks to be woken after {calls} calls since the last packet arrived")
        } else {
            write!(f, "it has been woken {calls} times in a row without a packet arriving or leaving")
        }
    }
}

impl std::error::Error for Endless {}

/// The calls that a node has had since it last received a packet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Work {
    /// The number of all these calls.
    alone: u64,
    /// The number of calls since the last one with output.
    quiet: u64,
}

impl Work {
    /// Counts a call whose output is in `out`.
    pub(crate) fn called(&mut self, out: &Outbox) {
        let is_quiet = out.transmissions.is_empty() && out.discarded.is_empty() && out.events.is_empty();
        self.alone += 1;
        self.quiet = if is_quiet { self.quiet + 1 } else { 0 };
    }

    /// Fails if the node has had more calls than `limit` allows.
    pub(crate) fn check(&self, limit: Limit, received: u64, at: Instant) -> Result<(), Endless> {
        let allowed = limit.calls.saturating_add(limit.per_packet.saturating_mul(received));
        if self.quiet > allowed {
            return Err(Endless { at, calls: self.quiet, goes_on: false });
        }
        if self.alone > allowed.saturating_mul(Limit::ALONE) {
            return Err(Endless { at, calls: self.alone, goes_on: true });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use basis::Duration;
    use measure::{Event, EventKind, Interest, Numbers, TypedEvent};
    use wire::Packet;

    use super::*;
    use crate::{Burst, Control, Discarded, Node, Offered, Port, Reason, Sink, Transmission, drive_within};

    struct Chat;

    impl TypedEvent for Chat {
        const KIND: &'static EventKind = {
            static KIND: EventKind = EventKind::new("tests", "chat", "A node had something to say.");
            &KIND
        };

        fn into_numbers(self) -> Numbers {
            Numbers::default()
        }

        fn from_numbers(_: Numbers) -> Self {
            Self
        }
    }

    /// Holds its packets until it has been woken `wakes` times, and then discards them if `releases`.
    struct Sleeper {
        held: Burst,
        wakes: u64,
        releases: bool,
        chatters: bool,
    }

    impl Node for Sleeper {
        fn receive(&mut self, now: Instant, _: Port, burst: &mut Burst, out: &mut Outbox) {
            self.held.append(burst);
            out.wake_at(now + Duration::from_nanoseconds(1));
        }

        fn wake(&mut self, now: Instant, out: &mut Outbox) {
            self.wakes = self.wakes.saturating_sub(1);
            if self.wakes == 0 && self.releases {
                self.held.drain(..).for_each(|packet| out.discard(packet, Reason::PROGRAM));
            }
            if self.chatters {
                out.emit(Chat);
            }
            if !self.held.is_empty() {
                out.wake_at(now + Duration::from_nanoseconds(1));
            }
        }

        fn control(&mut self, _: Instant, _: Control, _: &mut Outbox) {}
    }

    /// Is woken every nanosecond for ever, as by a timer, and waits for a time.
    struct Clock(Instant);

    impl Node for Clock {
        fn receive(&mut self, now: Instant, _: Port, burst: &mut Burst, out: &mut Outbox) {
            burst.drain(..).for_each(|packet| out.discard(packet, Reason::PROGRAM));
            out.wake_at(now + Duration::from_nanoseconds(1));
        }

        fn wake(&mut self, now: Instant, out: &mut Outbox) {
            out.wake_at(now + Duration::from_nanoseconds(1));
        }

        fn control(&mut self, _: Instant, _: Control, _: &mut Outbox) {}

        fn rests_after(&self) -> Option<Instant> {
            Some(self.0)
        }
    }

    struct Nobody;

    impl Sink for Nobody {
        fn transmitted(&mut self, _: Transmission) {}
        fn discarded(&mut self, _: Instant, _: Discarded) {}
        fn event(&mut self, _: Instant, _: Event) {}
    }

    fn run(node: &mut Sleeper, packets: u64) -> Result<Instant, Endless> {
        let offered = |at| Offered {
            at: Instant::ZERO + Duration::from_nanoseconds(at),
            port: Port(0),
            packet: Packet::of_bytes(&[0]),
        };
        let limit = Limit { calls: 100, per_packet: 10 };
        drive_within(limit, node, (0..packets).map(offered), Interest::default(), &mut Nobody)
    }

    #[test]
    fn slow_node_may_use_its_whole_limit() {
        // Two packets: 100 + 2 * 10 calls, counted from the second one.
        let mut node = Sleeper { held: Vec::new(), wakes: 120, releases: true, chatters: false };
        assert!(run(&mut node, 2).is_ok());
    }

    #[test]
    fn stops_node_that_never_produces_output() {
        let mut node = Sleeper { held: Vec::new(), wakes: 0, releases: false, chatters: false };
        let endless = run(&mut node, 2).expect_err("it never ends");
        assert_eq!((endless.calls, endless.goes_on), (121, false));
        assert_eq!(node.held.len(), 2);
    }

    /// A gap between packets once ended the run of a node whose timer fired too often in it.
    #[test]
    fn a_timer_may_fire_as_often_as_it_likes_between_two_packets() {
        let offered = [0, 1_000_000].map(|at| Offered {
            at: Instant::ZERO + Duration::from_nanoseconds(at),
            port: Port(0),
            packet: Packet::of_bytes(&[0]),
        });
        let limit = Limit { calls: 100, per_packet: 10 };
        let end = drive_within(limit, &mut Clock(Instant::ZERO), offered, Interest::default(), &mut Nobody);
        assert_eq!(end.ok(), Some(Instant::ZERO + Duration::from_nanoseconds(1_000_000)));
    }

    /// A node that waits for something to happen once may be woken as often as it likes until then.
    #[test]
    fn a_timer_may_fire_as_often_as_it_likes_until_the_node_rests() {
        let offered = [Offered { at: Instant::ZERO, port: Port(0), packet: Packet::of_bytes(&[0]) }];
        let limit = Limit { calls: 100, per_packet: 10 };
        let until = Instant::ZERO + Duration::from_nanoseconds(1_000_000);
        let end = drive_within(limit, &mut Clock(until), offered, Interest::default(), &mut Nobody);
        assert_eq!(end.ok(), Some(until));
    }

    #[test]
    fn stops_node_that_emits_events_forever() {
        let mut node = Sleeper { held: Vec::new(), wakes: 0, releases: false, chatters: true };
        let endless = run(&mut node, 1).expect_err("it never ends");
        assert_eq!((endless.calls, endless.goes_on), (110 * Limit::ALONE + 1, true));
    }
}
