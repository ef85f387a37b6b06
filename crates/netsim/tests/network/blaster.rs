//! A host that sends at line rate and obeys nothing but pauses.

use basis::Instant;
use node::{Account, Burst, Control, Counter, Link, Node, Outbox, Port, Station};
use transports::frame::{ENVELOPE, Envelope};
use wire::{Packet, PriorityPause, dscp};

/// Sends a number of packets to one address, and accepts all packets.
pub struct Blaster {
    pub link: Link,
    pub envelope: Envelope,
    pub payload: u32,
    pub left: u64,
    paused_until: Instant,
    generated: u64,
    consumed: u64,
    received: u64,
    last_received: Instant,
    pauses: u64,
}

impl Blaster {
    pub fn new(link: Link, [source, destination]: [u32; 2], payload: u32, left: u64) -> Self {
        let envelope =
            Envelope { source, destination, dscp: dscp::DATA, ecn: 0, source_port: 1024, destination_port: 9 };
        let paused_until = Instant::ZERO;
        Self {
            link,
            envelope,
            payload,
            left,
            paused_until,
            generated: 0,
            consumed: 0,
            received: 0,
            last_received: Instant::ZERO,
            pauses: 0,
        }
    }

    fn proceed(&mut self, now: Instant, out: &mut Outbox) {
        if self.left > 0 && self.link.free_at().max(self.paused_until) <= now {
            let packet = self.envelope.seal(now, &mut [0; ENVELOPE], self.payload);
            self.link.begin(now, packet.len());
            out.transmit(Port(0), packet);
            self.left -= 1;
            self.generated += 1;
        }
        if self.left > 0 {
            out.wake_at(self.link.free_at().max(self.paused_until));
        } else {
            out.sleep();
        }
    }

    fn take(&mut self, now: Instant, packet: &Packet) {
        match PriorityPause::of(packet).and_then(|pause| pause.quanta(0)) {
            Some(quanta) => {
                self.pauses += u64::from(quanta > 0);
                self.paused_until = now + PriorityPause::time_of(quanta, self.link.rate());
            }
            None => {
                self.received += 1;
                self.last_received = now;
            }
        }
    }
}

impl Node for Blaster {
    fn receive(&mut self, now: Instant, _port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.consumed += burst.len() as u64;
        burst.drain(..).for_each(|packet| self.take(now, &packet));
        self.proceed(now, out);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.proceed(now, out);
    }

    fn control(&mut self, _now: Instant, _request: Control, _out: &mut Outbox) {}
}

impl Station for Blaster {
    fn account(&self) -> Account {
        Account { generated: self.generated, consumed: self.consumed, ..Account::default() }
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        let last = self.last_received.picoseconds();
        for (name, value) in [("received", self.received), ("last received at", last), ("pauses", self.pauses)] {
            tell(Counter { name, port: None, value });
        }
    }
}

basis::snapshot!(Blaster {});
