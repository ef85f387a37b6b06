//! The order in which packets enter a switch.

use std::collections::VecDeque;

use basis::Instant;
use node::Offered;

/// A stream of packets sorted by arrival: by time, then by port, and otherwise in the order of the inner stream. It
/// buffers the packets of one instant, at most 2^16. The times of the inner stream must not decrease; see
/// [`ArrivalOrder::new`].
pub struct ArrivalOrder<I: Iterator<Item = Offered>> {
    inner: I,
    instant: VecDeque<Offered>,
    ahead: Option<Offered>,
    now: Instant,
}

/// The most packets of one instant that are sorted together. More packets than this at one instant come from a file
/// without proper times; they are sorted in pieces of this size, which bounds memory.
const MOST: usize = 1 << 16;

impl<I: Iterator<Item = Offered>> ArrivalOrder<I> {
    /// Sorts a stream. A time earlier than that of a previous packet is replaced by the latest time so far.
    pub fn new(inner: I) -> Self {
        Self { inner, instant: VecDeque::new(), ahead: None, now: Instant::ZERO }
    }

    /// Returns the inner stream.
    pub fn inner(&self) -> &I {
        &self.inner
    }
}

impl<I: Iterator<Item = Offered>> Iterator for ArrivalOrder<I> {
    type Item = Offered;

    fn next(&mut self) -> Option<Offered> {
        if self.instant.is_empty() {
            while self.instant.len() < MOST {
                let Some(mut offered) = self.ahead.take().or_else(|| self.inner.next()) else { break };
                offered.at = offered.at.max(self.now);
                if offered.at > self.now && !self.instant.is_empty() {
                    self.ahead = Some(offered);
                    break;
                }
                self.now = offered.at;
                self.instant.push_back(offered);
            }
            self.instant.make_contiguous().sort_by_key(|offered| offered.port);
        }
        self.instant.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use node::Port;
    use wire::Packet;

    #[test]
    fn sorts_by_time_then_port_then_order_of_input() {
        let offered = |at, port, byte| Offered {
            at: Instant::from_picoseconds(at),
            port: Port(port),
            packet: Packet::of_bytes(&[byte]),
        };
        let given = [offered(5, 3, 0), offered(5, 1, 1), offered(5, 1, 2), offered(9, 9, 3), offered(7, 2, 4)];
        let order: Vec<_> = ArrivalOrder::new(given.into_iter())
            .map(|offered| (offered.at.picoseconds(), offered.port.0, offered.packet.head.bytes()[0]))
            .collect();
        assert_eq!(order, [(5, 1, 1), (5, 1, 2), (5, 3, 0), (9, 2, 4), (9, 9, 3)]);
    }
}
