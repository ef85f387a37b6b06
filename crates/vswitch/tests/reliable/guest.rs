//! Guests of the simulated network: one sends numbered datagrams, the other one counts them.

use std::collections::BTreeSet;

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use basis::{Duration, Instant};
use node::{Account, Burst, Control, Counter, Node, Outbox, Port, Station};

use crate::frames::udp;
use crate::site::{self, address};

/// The number of datagrams that only let the switches find out about each other, and the time between them.
pub const WARM: u64 = 40;
const BETWEEN_WARM: Duration = Duration::from_microseconds(100_000);
/// The time between the others.
const BETWEEN: Duration = Duration::from_microseconds(10);

/// A guest.
#[derive(Default)]
pub struct Guest {
    /// The number of datagrams to send, and of those that were sent.
    count: u64,
    sent: u64,
    arrived: BTreeSet<u64>,
    copies: u64,
    consumed: u64,
}

impl Guest {
    /// Guest 1, which sends so many datagrams to guest 3.
    pub fn sending(count: u64) -> Self {
        Self { count: count + WARM, ..Self::default() }
    }
}

impl Node for Guest {
    fn receive(&mut self, _now: Instant, _port: Port, burst: &mut Burst, _out: &mut Outbox) {
        for packet in burst.drain(..) {
            self.consumed += 1;
            let mut bytes = Vec::new();
            packet.append_to(&mut bytes);
            let Some(number) = bytes.get(42..50).and_then(|number| number.try_into().ok()).map(u64::from_be_bytes)
            else {
                continue;
            };
            if number >= WARM {
                self.copies += u64::from(!self.arrived.insert(number));
            }
        }
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        if self.sent == self.count {
            return out.sleep();
        }
        let own = site::Guest { host: 0, port: Port(1), mac: [2, 0, 0, 0, 0, 1], addresses: vec![address("10.0.1.1")] };
        out.transmit(Port(0), udp(&own, "10.0.1.3", [7, 7], &self.sent.to_be_bytes()));
        out.wake_at(now + if self.sent < WARM { BETWEEN_WARM } else { BETWEEN });
        self.sent += 1;
    }

    fn control(&mut self, _now: Instant, _request: Control, _out: &mut Outbox) {}
}

impl Station for Guest {
    fn account(&self) -> Account {
        Account { generated: self.sent, replicated: 0, consumed: self.consumed, held: 0 }
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        for (name, value) in [("arrived", self.arrived.len() as u64), ("copies", self.copies)] {
            tell(Counter { name, port: None, value });
        }
    }
}

impl Snapshot for Guest {
    fn save(&self, _into: &mut Saver) -> Result<(), Unfit> {
        Err(Unfit("a guest of a test is not written down".to_owned()))
    }

    fn restore(&mut self, _from: &mut Loader<'_>) -> Result<(), Unfit> {
        Err(Unfit("a guest of a test was never written down".to_owned()))
    }
}
