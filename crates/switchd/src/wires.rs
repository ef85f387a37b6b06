//! The links behind ports whose other end does not slow packets down, such as a host's: their delay in both directions, and
//! their rate towards the switch. (Their rate away from it is that of the port's queue.)

use std::collections::VecDeque;

use basis::{Duration, Instant, Rate};
use node::{Burst, Discarded, Link, Outbox, Port};
use wire::Packet;

use crate::plan::PortBinding;
use crate::station::reasons;

/// The delays of packets on links.
#[derive(Default)]
pub struct Wires {
    /// The delay of packets that leave, by port.
    leaving: Vec<Duration>,
    /// The packets that are on their way to the switch, by port; `None` for a link on which they are not held.
    arriving: Vec<Option<Arriving>>,
    /// The deadline of the node behind, which shares the one of the outbox with the packets that are on their way.
    deadline: Option<Instant>,
}

/// The direction of a link towards the switch: a queue that the rate drains, and the delay behind it.
struct Arriving {
    rate: Option<Rate>,
    delay: Duration,
    /// The most packets that wait for the link.
    limit: usize,
    /// The time at which the link has carried all packets that wait for it.
    is_free_at: Instant,
    /// The packets with the times at which they have been carried, in order.
    packets: VecDeque<(Instant, Packet)>,
}

impl Arriving {
    /// Puts a packet on the link, or returns it if too many wait.
    fn add(&mut self, now: Instant, packet: Packet) -> Result<(), Packet> {
        if let Some(rate) = self.rate {
            let waiting = self.packets.iter().rev().take_while(|(carried, _)| *carried > now).count();
            if waiting >= self.limit {
                return Err(packet);
            }
            let bytes = packet.len() as u64 + u64::from(Link::ETHERNET_FRAMING);
            self.is_free_at = self.is_free_at.max(now) + rate.time_of(bytes);
        }
        self.packets.push_back((self.is_free_at.max(now), packet));
        Ok(())
    }

    fn next(&self) -> Option<Instant> {
        self.packets.front().map(|(carried, _)| *carried + self.delay)
    }
}

impl Wires {
    /// Returns the links of a plan's ports; `None` if packets are not held on any.
    pub fn of(ports: &[PortBinding]) -> Option<Self> {
        if ports.iter().all(|port| port.delay == Duration::ZERO && port.arriving.is_none()) {
            return None;
        }
        let mut wires = Self::default();
        let most = ports.iter().map(|binding| usize::from(binding.port)).max().unwrap_or(0);
        wires.leaving.resize(most + 1, Duration::ZERO);
        wires.arriving.resize_with(most + 1, || None);
        for binding in ports {
            wires.leaving[usize::from(binding.port)] = binding.delay;
            wires.arriving[usize::from(binding.port)] = binding.arriving.map(|link| Arriving {
                rate: link.rate,
                delay: link.delay,
                limit: link.limit as usize,
                is_free_at: Instant::ZERO,
                packets: VecDeque::new(),
            });
        }
        Some(wires)
    }

    /// Takes the packets of a burst that are held on the link of their port; those that stay arrive at once.
    pub fn take(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        let Some(Some(link)) = self.arriving.get_mut(usize::from(port.0)) else { return };
        for packet in burst.drain(..) {
            if let Err(packet) = link.add(now, packet) {
                out.discarded.push(Discarded::new(packet, reasons::LINK_FULL));
            }
        }
    }

    /// Returns the packets that have arrived by now on one of the ports, with the port; `None` if there are none.
    pub fn arrived(&mut self, now: Instant, burst: &mut Burst) -> Option<Port> {
        for (port, link) in self.arriving.iter_mut().enumerate() {
            let Some(link) = link else { continue };
            while link.next().is_some_and(|at| at <= now) {
                burst.extend(link.packets.pop_front().map(|(_, packet)| packet));
            }
            if !burst.is_empty() {
                return Some(Port(port as u16));
            }
        }
        None
    }

    /// Gives the outbox the deadline that the node behind asked for, before it is called.
    pub fn before(&mut self, out: &mut Outbox) {
        match self.deadline {
            Some(deadline) => out.wake_at(deadline),
            None => out.sleep(),
        }
    }

    /// Delays what the node behind has sent since there were `earlier` transmissions, and keeps its deadline.
    pub fn after(&mut self, earlier: usize, out: &mut Outbox) {
        for transmission in out.transmissions.iter_mut().skip(earlier) {
            if let Some(delay) = self.leaving.get(usize::from(transmission.port.0)) {
                transmission.at += *delay;
            }
        }
        self.deadline = out.deadline();
    }

    /// Asks to be called when the next packet arrives or the node behind wants to be.
    pub fn ask(&self, out: &mut Outbox) {
        let next = self.arriving.iter().flatten().filter_map(Arriving::next).min();
        match self.deadline.into_iter().chain(next).min() {
            Some(at) => out.wake_at(at),
            None => out.sleep(),
        }
    }

    /// Returns whether the node behind is to be woken by now, and forgets its deadline if so.
    pub fn is_due(&mut self, now: Instant) -> bool {
        self.deadline.take_if(|deadline| *deadline <= now).is_some()
    }

    /// Forgets the deadline of the node behind, which another one replaces.
    pub fn forget_deadline(&mut self) {
        self.deadline = None;
    }

    /// Returns the number of packets that are on their way to the switch.
    pub fn held(&self) -> u64 {
        self.arriving.iter().flatten().map(|link| link.packets.len() as u64).sum()
    }
}
