//! The order of arrival, which decides what every packet must see.

use basis::Instant;
use node::Offered;

/// Packets in order of arrival: by time, of equal times the smaller port first, of one port as they were given.
///
/// This is the order of the switch, and the one in which [`node::drive`] then numbers the packets, so that
/// the interpreter and a machine that sorts what arrives in one cycle mean the same order. A packet that says it
/// arrived before one that was given earlier counts as arriving with it, as [`node::drive`] has it. Holds the
/// packets of one instant in memory, never more.
#[derive(Debug)]
pub struct ArrivalOrder<I: Iterator<Item = Offered>> {
    packets: I,
    /// The packets of one instant, the next one last.
    instant: Vec<Offered>,
    /// The first packet of the instant after.
    ahead: Option<Offered>,
    now: Instant,
}

impl<I: Iterator<Item = Offered>> ArrivalOrder<I> {
    /// The order of a stream whose times do not go back.
    pub fn new(packets: impl IntoIterator<IntoIter = I>) -> Self {
        Self { packets: packets.into_iter(), instant: Vec::new(), ahead: None, now: Instant::ZERO }
    }

    fn pull(&mut self) -> Option<Offered> {
        self.ahead
            .take()
            .or_else(|| self.packets.next())
            .map(|offered| Offered { at: offered.at.max(self.now), ..offered })
    }
}

impl<I: Iterator<Item = Offered>> Iterator for ArrivalOrder<I> {
    type Item = Offered;

    fn next(&mut self) -> Option<Offered> {
        if let Some(offered) = self.instant.pop() {
            return Some(offered);
        }
        let first = self.pull()?;
        self.now = first.at;
        self.instant.push(first);
        while let Some(offered) = self.pull() {
            if offered.at > self.now {
                self.ahead = Some(offered);
                break;
            }
            self.instant.push(offered);
        }
        self.instant.sort_by_key(|offered| offered.port); // stable
        self.instant.reverse();
        self.instant.pop()
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
        let order: Vec<_> = ArrivalOrder::new(given)
            .map(|offered| (offered.at.picoseconds(), offered.port.0, offered.packet.head.bytes()[0]))
            .collect();
        assert_eq!(order, [(5, 1, 1), (5, 1, 2), (5, 3, 0), (9, 2, 4), (9, 9, 3)]);
    }
}
