//! Packets with work left undone: who does it depends on the node and on the interface by which they leave.

use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixDatagram;
use std::sync::{Arc, Mutex};

use basis::Instant;
use live::{Driver, Interface, Offload};
use node::{Account, Burst, Control, Discarded, Node, Outbox, Port, Reason};
use wire::{
    ChecksumState, Ethernet, Ipv4, Packet, Segmentation, SegmentationKind, Tail, Tcp, ether_type, protocol, tcp::flag,
};

const SEGMENTS: usize = 5;
const SIZE: usize = 1000;
const HEADERS: usize = 54;
const HEAD: usize = 128;

/// A superframe of TCP above IPv4.
fn superframe() -> Packet {
    let mut bytes = vec![0; HEADERS + SEGMENTS * SIZE];
    Ethernet::new(&mut bytes[..]).unwrap().set_ether_type(ether_type::IPV4);
    let mut ipv4 = Ipv4::new(&mut bytes[14..]).unwrap();
    ipv4.set_version_and_length(0x45);
    ipv4.set_total_length((20 + 20 + SEGMENTS * SIZE) as u16);
    ipv4.set_protocol(protocol::TCP);
    ipv4.fill_checksum();
    Tcp::new(&mut bytes[34..]).unwrap().set_header_length_and_flags(20, flag::ACK);
    // As much in the head as interfaces put there.
    let mut packet = Packet::of_bytes(&bytes[..HEAD]).with_tail(Tail::Bytes(bytes[HEAD..].into()));
    packet.sidecar.checksum = ChecksumState::Partial { start: 34, offset: 16 };
    packet.sidecar.segmentation =
        Some(Segmentation { kind: SegmentationKind::TcpIpv4, size: SIZE as u16, has_cwr: false });
    packet
}

/// Sends what comes from port 0 to port 1, and takes superframes whole or not. Discards what comes from port 1.
struct Patch {
    takes_whole: bool,
    seen: usize,
}

impl Node for Patch {
    fn receive(&mut self, _: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.seen += burst.len();
        for packet in burst.drain(..) {
            match port {
                Port(0) => out.transmit(Port(1), packet),
                _ => out.discard(packet, Reason::PROGRAM),
            }
        }
    }

    fn wake(&mut self, _: Instant, _: &mut Outbox) {}

    fn control(&mut self, _: Instant, _: Control, _: &mut Outbox) {}

    fn takes_whole(&mut self, _: &Packet) -> bool {
        self.takes_whole
    }
}

/// An interface in memory, with a socket that is readable at the beginning.
struct Line {
    arriving: Burst,
    sent: Arc<Mutex<Burst>>,
    offload: Offload,
    longest: Option<u32>,
    socket: UnixDatagram,
    _other: UnixDatagram,
}

impl Line {
    fn new(arriving: Burst, offload: Offload, longest: Option<u32>) -> Self {
        let (socket, other) = UnixDatagram::pair().unwrap();
        other.send(b"!").unwrap();
        Self { arriving, sent: Arc::default(), offload, longest, socket, _other: other }
    }
}

impl Interface for Line {
    fn name(&self) -> &str {
        "line"
    }

    fn offload(&self) -> Offload {
        self.offload
    }

    fn longest_frame(&self) -> Option<u32> {
        self.longest
    }

    fn receive(&mut self, _: usize, into: &mut Burst, _: &mut Vec<Discarded>) -> io::Result<()> {
        into.append(&mut self.arriving);
        Ok(())
    }

    fn send(&mut self, packets: &mut VecDeque<Packet>, sent: &mut Burst, _: &mut Vec<Discarded>) -> io::Result<()> {
        for packet in packets.drain(..) {
            self.sent.lock().unwrap().push(packet.clone());
            sent.push(packet);
        }
        Ok(())
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

const ALL: Offload = Offload { checksum: true, tcp_segmentation: true, udp_segmentation: true };

/// Sends a superframe through a node. Returns the number of packets that the node saw, and what left.
fn passed(takes_whole: bool, offload: Offload, longest: Option<u32>) -> (usize, Burst) {
    let ends = [Line::new(vec![superframe()], ALL, None), Line::new(vec![], offload, longest)];
    let sent = Arc::clone(&ends[1].sent);
    let node = Patch { takes_whole, seen: 0 };
    let mut driver = Driver::new(node, ends.into_iter().zip(0..).map(|(end, port)| (Port(port), end))).unwrap();
    driver
        .run(|_, _, _| if sent.lock().unwrap().is_empty() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        .unwrap();
    let [from, to] = [Port(0), Port(1)].map(|port| {
        let view = driver.ports().find(|view| view.port == port).expect("it is bound");
        (view.tally.received, view.tally.transmitted)
    });
    assert_eq!((from.0.frames, from.0.packets), (1, SEGMENTS as u64), "each segment is a packet");
    assert_eq!((to.1.frames, to.1.packets), (sent.lock().unwrap().len() as u64, SEGMENTS as u64));
    let seen = driver.node().seen;
    let balance = driver.balance();
    assert_eq!(
        balance.missing(Account::default()),
        0,
        "wherever the packet is cut, its segments come out of one: {balance:?}"
    );
    (seen, std::mem::take(&mut *sent.lock().unwrap()))
}

fn are_complete(packets: &[Packet]) -> bool {
    packets.len() == SEGMENTS
        && packets.iter().all(|packet| {
            packet.len() == HEADERS + SIZE
                && packet.sidecar.segmentation.is_none()
                && packet.sidecar.checksum == ChecksumState::Verified
        })
}

#[test]
fn a_node_that_treats_segments_alike_is_given_all_at_once() {
    let (seen, sent) = passed(true, ALL, Some(1514));
    let [sent] = &sent[..] else { panic!("{} packets left", sent.len()) };
    let expected = superframe();
    assert_eq!(seen, 1);
    assert!(sent.head == expected.head && sent.sidecar.segmentation == expected.sidecar.segmentation);
    assert_eq!(sent.sidecar.checksum, expected.sidecar.checksum);
}

#[test]
fn other_nodes_see_the_segments() {
    let (seen, sent) = passed(false, ALL, Some(1514));
    assert_eq!(seen, SEGMENTS);
    assert!(are_complete(&sent), "{} packets left", sent.len());
    let heads = sent.iter().map(|packet| packet.head.len()).collect::<Vec<_>>();
    assert_eq!(
        heads, [HEAD; SEGMENTS],
        "what lies behind the headers is at hand, as if each had been received by itself"
    );
}

#[test]
fn an_interface_without_offload_is_given_segments_with_checksums() {
    let (seen, sent) = passed(true, Offload::default(), None);
    assert_eq!(seen, 1);
    assert!(are_complete(&sent), "{} packets left", sent.len());
    let (_, sent) = passed(true, Offload { checksum: true, ..Offload::default() }, None);
    assert_eq!(sent.len(), SEGMENTS);
    assert!(
        sent.iter().all(|packet| matches!(packet.sidecar.checksum, ChecksumState::Partial { start: 34, offset: 16 }))
    );
}

#[test]
fn segments_that_are_too_long_for_an_interface_reach_it_one_by_one() {
    let (_, sent) = passed(true, ALL, Some((HEADERS + SIZE - 1) as u32));
    assert_eq!(sent.len(), SEGMENTS, "so that it may refuse each");
}

/// Sends a frame through a node that takes everything whole, behind a frame that nobody objects to. Returns what else left, and why frames
/// were discarded.
fn of_one(frame: Packet) -> (Burst, Vec<Reason>) {
    let ends = [Line::new(vec![superframe(), frame], ALL, None), Line::new(vec![], ALL, None)];
    let sent = Arc::clone(&ends[1].sent);
    let node = Patch { takes_whole: true, seen: 0 };
    let mut driver = Driver::new(node, ends.into_iter().zip(0..).map(|(end, port)| (Port(port), end))).unwrap();
    driver
        .run(|_, _, _| if sent.lock().unwrap().is_empty() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        .unwrap();
    assert_eq!(driver.balance().missing(Account::default()), 0);
    let rest = sent.lock().unwrap().drain(1..).collect();
    (rest, driver.tally().discarded.into_keys().collect())
}

// The kernel answered such frames with ENOMEM, which ended the interface of another guest.
#[test]
fn what_only_says_that_it_is_to_be_cut_leaves_as_one_packet() {
    let mut short = superframe();
    short.sidecar.segmentation =
        Some(Segmentation { kind: SegmentationKind::TcpIpv4, size: (SEGMENTS * SIZE) as u16, has_cwr: false });
    let (left, discarded) = of_one(short);
    assert!(discarded.is_empty(), "{discarded:?}");
    assert_eq!(left.len(), 1);
    assert_eq!((left[0].sidecar.segmentation, left[0].len()), (None, HEADERS + SEGMENTS * SIZE));
}

#[test]
fn what_is_to_be_cut_by_another_protocol_than_its_own_is_malformed() {
    for kind in [SegmentationKind::TcpIpv6, SegmentationKind::Udp] {
        let mut other = superframe();
        other.sidecar.segmentation = Some(Segmentation { kind, size: SIZE as u16, has_cwr: false });
        let (left, discarded) = of_one(other);
        assert_eq!((left.len(), discarded), (0, vec![Reason::MALFORMED]), "{kind:?}");
    }
}
