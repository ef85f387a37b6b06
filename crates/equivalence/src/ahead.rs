//! What a switch that keeps time makes of a stream, before a machine gets the stream: what becomes of a packet there depends
//! on the packets after it.

use std::collections::{BTreeMap, VecDeque};

use basis::Instant;
use control::{Request, Response};
use machines::Device;
use measure::{Event, Interest};
use node::{Course, Discarded, Limit, Offered, Sink, Transmission};

use crate::difference::Fate;
use crate::reference::PacketEnd;

/// What is known before: the ends of each packet that has not arrived yet, and the answers to requests that have not been
/// made yet.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    ends: BTreeMap<u64, Vec<PacketEnd>>,
    responses: VecDeque<Result<Response, control::Error>>,
}

impl Ahead {
    /// Runs a switch on a stream in order of arrival, with requests at their times.
    pub(crate) fn run(&mut self, switch: &mut dyn Device, packets: &[Offered], requests: &[(Instant, Request)]) {
        let mut course = Course::new(Limit::default(), Interest::default());
        let mut requests = requests.iter().peekable();
        for offered in packets {
            while let Some((_, request)) = requests.next_if(|(at, _)| *at <= offered.at) {
                self.responses.push_back(switch.execute(request));
            }
            // If the switch comes to no end, the machine that is the same will not either, which is told of the machine.
            if course.offer(switch, offered.clone(), self).is_err() {
                return;
            }
        }
        _ = course.finish(switch, self);
    }

    /// Returns the ends of a packet.
    pub(crate) fn take_ends(&mut self, sequence: u64) -> Vec<PacketEnd> {
        self.ends.remove(&sequence).unwrap_or_default()
    }

    /// Returns the answer to the next request.
    pub(crate) fn take_response(&mut self) -> Option<Result<Response, control::Error>> {
        self.responses.pop_front()
    }
}

impl Sink for Ahead {
    fn transmitted(&mut self, sent: Transmission) {
        let end = PacketEnd { fate: Fate::Leaves { port: sent.port.0 }, packet: sent.packet, reason: None };
        self.ends.entry(end.packet.sidecar.id).or_default().push(end);
    }

    fn discarded(&mut self, _at: Instant, Discarded { packet, reason, .. }: Discarded) {
        let id = packet.sidecar.id;
        self.ends.entry(id).or_default().push(PacketEnd { fate: Fate::Dropped, packet, reason: Some(reason) });
    }

    fn event(&mut self, _at: Instant, _event: Event) {}
}
