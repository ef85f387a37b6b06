//! The order in which packets enter a switch.

use std::collections::VecDeque;

use basis::Instant;
use node::Offered;

/// A stream whose times do not go back, put in order of arrival: by time, of equal times the smaller port first, of
/// one port as they came. Holds the packets of one instant, at most 2^16.
pub struct ArrivalOrder<I: Iterator<Item = Offered>> {
    inner: I,
    instant: VecDeque<Offered>,
    ahead: Option<Offered>,
    now: Instant,
}

/// More packets at one instant than a switch has ports come from a file without proper times; they pass in pieces of
/// so many, each in order, and memory stays small.
const MOST: usize = 1 << 16;

impl<I: Iterator<Item = Offered>> ArrivalOrder<I> {
    /// Orders a stream. A time that goes back counts as the latest before it.
    pub fn new(inner: I) -> Self {
        Self { inner, instant: VecDeque::new(), ahead: None, now: Instant::ZERO }
    }

    /// The stream that is ordered.
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
    fn equal_times_go_by_port_then_as_given_and_time_never_goes_back() {
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
