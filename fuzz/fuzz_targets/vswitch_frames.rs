//! Frames of guests and of the underlay through a virtual switch that uses everything: whatever they are, each packet has a
//! verdict. What the switch sends may come back to it, changed.

#![no_main]

use basis::{Duration, Instant};
use files::PlanText;
use libfuzzer_sys::fuzz_target;
use measure::Interest;
use node::{Account, Node, Outbox, Port, Station};
use vswitch::VirtualSwitch;
use vswitch::configuration::{Configuration, read};
use vswitch::flow_log::{RecordNames, VERSION_2};
use wire::{ChecksumState, Packet, Segmentation, SegmentationKind, Tail};

const TEXT: &str = include_str!("../../experiments/vswitch/everything.toml");

thread_local! {
    static CONFIGURATION: Configuration = {
        let text = PlanText { name: "fuzz".into(), path: "fuzz.toml".into(), text: TEXT.into(), folder: Default::default() };
        read(&text).unwrap_or_else(|failure| panic!("{}", failure.render(false))).configuration
    };
}

/// The bytes in front of a frame: the port, what it is, a size, and its length.
const SETTINGS: usize = 4;

/// Makes a packet of bytes, as interfaces hand them over: some of them in the tail, perhaps a superframe.
fn packet(bytes: &[u8], kind: u8, size: u8) -> Packet {
    let head = if kind & 1 == 1 { bytes.len().min(64) } else { bytes.len() };
    let mut packet = Packet::of_bytes(&bytes[..head]);
    if head < bytes.len() {
        packet.tail = Tail::Bytes(bytes[head..].into());
    }
    let superframe = match kind >> 1 & 7 {
        0 => (SegmentationKind::TcpIpv4, 34, 16),
        1 => (SegmentationKind::TcpIpv6, 54, 16),
        2 => (SegmentationKind::Udp, 34, 6),
        _ => return packet,
    };
    packet.sidecar.checksum = ChecksumState::Partial { start: superframe.1, offset: superframe.2 };
    packet.sidecar.segmentation = Some(Segmentation { kind: superframe.0, size: size.into(), has_cwr: false });
    packet
}

fuzz_target!(|input: &[u8]| {
    let mut configuration = CONFIGURATION.with(Clone::clone);
    // The table of a load balancer takes longer to make than all packets of an input to forward.
    if input.len() % 8 != 0 {
        configuration.balancers.clear();
    }
    let mut switch = VirtualSwitch::new(configuration, [1, 2]);
    let mut out = Outbox::new(Interest::default());
    let (mut rest, mut now, mut received, mut left) = (input, Instant::ZERO, 0, 0);
    let mut back: Vec<Packet> = Vec::new();
    while let Some((&[port, kind, size, length], frames)) = rest.split_first_chunk::<SETTINGS>() {
        let (frame, behind) = frames.split_at(usize::from(length).min(frames.len()));
        rest = behind;
        let mut burst = vec![packet(frame, kind, size)];
        // What the switch has sent comes back, with other bytes in front.
        if kind & 0x80 != 0
            && let Some(mut packet) = back.pop()
        {
            for (byte, new) in packet.head.bytes_mut().iter_mut().skip(usize::from(size)).zip(frame) {
                *byte ^= new;
            }
            burst.push(packet);
        }
        received += burst.len() as u64;
        out.begin(now);
        switch.receive(now, Port(u16::from(port % 5)), &mut burst, &mut out);
        left += (out.transmissions.len() + out.discarded.len()) as u64;
        let Account { generated, replicated, consumed, held } = switch.account();
        assert_eq!(received + generated + replicated, left + consumed + held);
        back.extend(out.transmissions.drain(..).map(|transmission| transmission.packet));
        out.discarded.clear();
        now += Duration::from_microseconds(1 << (kind >> 4 & 7) << (size & 15));
    }
    switch.end_flow_log(now);
    let policy = std::sync::Arc::clone(switch.policy());
    let names = RecordNames { host: "-", interface: "-", configuration: policy.configuration(), unix: &|_| 0 };
    for record in switch.flow_records() {
        assert!(record.line(&VERSION_2, names).split(' ').count() == 14);
    }
});
