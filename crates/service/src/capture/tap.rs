//! The end of captures at the driver: packets that match become blocks of pcapng.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use basis::Instant;
use live::Observer;
use node::{Port, Reason};
use wire::Packet;
use wire::capture::{AnnotatedWriter, Direction, Timestamp};

use super::queue::ByteQueue;
use super::{CapturePoint, CaptureRequest, Captures};

/// A capture at the driver.
pub(super) struct Tap<P> {
    request: CaptureRequest<P>,
    writer: AnnotatedWriter<Vec<u8>>,
    /// The numbers of the interfaces in the capture, by port.
    interfaces: BTreeMap<u16, u32>,
    /// The number of the interface for packets of no port.
    of_no_port: u32,
    /// The nanoseconds from 1970 to the driver's start.
    start: u64,
    queue: Arc<ByteQueue>,
    /// The number of packets for which there was no room, and how many of them the capture says.
    lost: u64,
    told: u64,
    /// The time of the last packet for which there was no room.
    lost_at: Timestamp,
}

/// The captures, told by the driver of every packet.
pub(super) struct Taps<P>(pub Captures<P>);

impl<P: CapturePoint> Observer for Taps<P> {
    fn received(&mut self, now: Instant, port: Port, packet: &Packet) {
        self.0.tell(P::RECEIVED, now, Some(port), packet, "");
    }

    fn transmitted(&mut self, now: Instant, port: Port, packet: &Packet) {
        self.0.tell(P::TRANSMITTED, now, Some(port), packet, "");
    }

    fn discarded(&mut self, now: Instant, port: Option<Port>, packet: &Packet, reason: Reason) {
        self.0.tell(P::DISCARDED, now, port, packet, &format!("dropped: {}", reason.name()));
    }
}

impl<P: CapturePoint> Tap<P> {
    /// Returns a capture of the ports of a node, whose driver's clock says `now`.
    pub(super) fn new(
        request: CaptureRequest<P>,
        ports: &[(u16, String)],
        now: Instant,
        queue: Arc<ByteQueue>,
    ) -> Self {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let start = (since_1970 as u64).saturating_sub(now.picoseconds() / 1000);
        let mut writer = in_memory(AnnotatedWriter::new(Vec::new()));
        let described =
            |(port, name): &(u16, String)| (*port, in_memory(writer.interface(&format!("{name} (port {port})"))));
        let interfaces = ports.iter().map(described).collect();
        let of_no_port = in_memory(writer.interface("no port"));
        let mut tap = Self {
            request,
            writer,
            interfaces,
            of_no_port,
            start,
            queue,
            lost: 0,
            told: 0,
            lost_at: Timestamp::from_nanoseconds(0),
        };
        tap.pass_on();
        tap
    }

    /// Returns whether nobody reads it any more.
    pub(super) fn is_unread(&self) -> bool {
        self.queue.is_abandoned()
    }

    /// Returns whether packets at a point are captured.
    pub(super) fn is_of(&self, point: P) -> bool {
        self.request.at.is_empty() || self.request.at.contains(&point)
    }

    /// Captures a packet at a point, if it is one that is wanted.
    pub(super) fn take(&mut self, point: P, now: Instant, port: Option<Port>, packet: &Packet, comment: &str) {
        let CaptureRequest { ports, filter, .. } = &self.request;
        let is_wanted = self.is_of(point)
            && (ports.is_empty() || port.is_some_and(|port| ports.contains(&port.0)))
            && filter.matches(packet);
        if !is_wanted {
            return;
        }
        let time = Timestamp::from_nanoseconds(self.start.saturating_add(now.picoseconds() / 1000));
        let interface = port.and_then(|port| self.interfaces.get(&port.0)).copied().unwrap_or(self.of_no_port);
        let direction = match point {
            point if point == P::RECEIVED => Direction::Inbound,
            point if point == P::TRANSMITTED => Direction::Outbound,
            _ => Direction::Unknown,
        };
        if self.lost > self.told {
            in_memory(self.writer.lost(self.of_no_port, time, self.lost));
        }
        in_memory(self.writer.write(interface, time, packet, direction, comment));
        if self.pass_on() {
            self.told = self.lost;
        } else {
            self.lost += 1;
            self.lost_at = time;
        }
    }

    /// Hands what was written to the reader. Returns whether there was room.
    fn pass_on(&mut self) -> bool {
        let written = self.writer.out_mut();
        let has_room = self.queue.push(written);
        written.clear();
        has_room
    }
}

impl<P> Drop for Tap<P> {
    fn drop(&mut self) {
        if self.lost > self.told {
            in_memory(self.writer.lost(self.of_no_port, self.lost_at, self.lost));
            self.queue.push_last(self.writer.out_mut());
        }
        self.queue.end();
    }
}

/// Returns what was written to memory, which never fails.
fn in_memory<T>(written: std::io::Result<T>) -> T {
    written.unwrap_or_else(|error| unreachable!("writing to memory failed: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::Filter;

    #[derive(Clone, Copy, PartialEq)]
    enum Point {
        In,
        Out,
        Dropped,
    }

    impl CapturePoint for Point {
        const RECEIVED: Self = Self::In;
        const TRANSMITTED: Self = Self::Out;
        const DISCARDED: Self = Self::Dropped;
        const ALL: &'static [(&'static str, Self)] =
            &[("in", Self::In), ("out", Self::Out), ("dropped", Self::Dropped)];
    }

    #[test]
    fn losses_at_the_end_are_told() {
        let request = CaptureRequest { at: Vec::new(), ports: Vec::new(), filter: Filter::all() };
        let queue = Arc::new(ByteQueue::new(|| {}));
        let mut tap = Tap::new(request, &[(0, "veth0".to_owned())], Instant::ZERO, Arc::clone(&queue));
        let packet = Packet::of_bytes(&[0; 60_000]);
        let mut packets = 0;
        while tap.lost < 3 {
            tap.take(Point::In, Instant::ZERO, Some(Port(0)), &packet, "");
            packets += 1;
        }
        assert!(packets > 100, "there was room at first");
        drop(tap);
        let bytes = queue.take().expect("the capture");
        assert!(queue.take().is_none(), "it has ended");
        // The last block is one of interface statistics, whose option `isb_ifdrop` has the losses (pcapng, section 4.6).
        let length = bytes.last_chunk().map(|length| u32::from_le_bytes(*length) as usize).expect("a block");
        let block = &bytes[bytes.len() - length..];
        assert_eq!(block[..4], 5u32.to_le_bytes());
        let option = [&5u16.to_le_bytes()[..], &8u16.to_le_bytes(), &3u64.to_le_bytes()].concat();
        assert!(block.windows(option.len()).any(|own| own == option), "{block:?}");
    }
}
