//! Copies of packets for somebody who watches.

use vswitch::configuration::{Configuration, Course, Mirror, MirrorTarget, Prefix};
use wire::tcp::flag::ACK;
use wire::{Layers, Packet, Tunnel};

use crate::frames::{described, superframe, tcp, udp};
use crate::site::{Site, Told, address, configuration, prefix};

/// A switch with guests 1 to 4, of which 4 is given copies of guest 1's packets.
fn mirrored(change: impl FnOnce(&mut Mirror)) -> Site {
    let mut own = configuration(0);
    own.vnics.extend(configuration(1).vnics);
    own.vpcs[0].routes.clear();
    let mut mirror = Mirror {
        name: "watch".to_owned(),
        vnic: 0,
        courses: vec![Course::Egress, Course::Ingress],
        protocol: None,
        ports: None,
        peer: Prefix::ALL,
        length: None,
        target: MirrorTarget::Vnic(3),
    };
    change(&mut mirror);
    Site::new(vec![Configuration { mirrors: vec![mirror], ..own }])
}

/// Sends a frame, and returns the copies and what the receiver was given.
fn sent(site: &mut Site, from: usize, packet: Packet) -> (Vec<Packet>, Vec<Packet>) {
    let (mut copies, mut given) = (Vec::new(), Vec::new());
    for told in site.send(from, packet) {
        match told {
            Told::Given(4, packet) => copies.push(packet),
            Told::Given(_, packet) => given.push(packet),
            Told::Dropped(_, reason) => panic!("dropped: {reason}"),
        }
    }
    (copies, given)
}

#[test]
fn copies_are_as_the_guest_sends_and_sees_the_packets() {
    let mut site = mirrored(|_| {});
    let [one, two, three] = [1, 2, 3].map(|number| site.guest(number));
    let mut packet = udp(&one, "10.0.2.2", [1, 2], b"there");
    let (copies, given) = sent(&mut site, 1, packet.clone());
    packet.sidecar.port = one.port.0;
    assert_eq!((&copies[..], given.len()), (&[packet][..], 1));
    let (copies, given) = sent(&mut site, 2, udp(&two, "10.0.1.1", [2, 1], b"back"));
    assert_eq!(copies, given);
    assert_eq!(described(&copies[0]), "fe>01 10.0.2.2>10.0.1.1 17 2>1 ttl 63 ok");
    let (copies, given) = sent(&mut site, 3, udp(&three, "10.0.2.2", [2, 1], b"of others"));
    assert_eq!((copies.len(), given.len()), (0, 1));
}

#[test]
fn a_mirror_chooses_direction_and_sessions() {
    let mut site = mirrored(|mirror| {
        mirror.courses = vec![Course::Ingress];
        mirror.protocol = Some(wire::protocol::UDP);
        mirror.ports = Some(50..=60);
        mirror.peer = prefix("10.0.2.0/24");
    });
    let [one, two, three] = [1, 2, 3].map(|number| site.guest(number));
    for (from, packet, copies) in [
        (1, udp(&one, "10.0.2.2", [9, 53], b""), 0),
        (2, udp(&two, "10.0.1.1", [53, 9], b""), 1),
        (2, udp(&two, "10.0.1.1", [1, 55], b""), 1),
        (2, udp(&two, "10.0.1.1", [1, 49], b""), 0),
        (2, tcp(&two, "10.0.1.1", [1, 55], ACK, [1, 1]), 0),
        (3, udp(&three, "10.0.1.1", [1, 55], b""), 0),
    ] {
        let frame = described(&packet);
        let (copied, given) = sent(&mut site, from, packet);
        assert_eq!((copied.len(), given.len()), (copies, 1), "{frame}");
    }
}

#[test]
fn copies_are_cut_to_the_length_that_is_wanted() {
    let mut site = mirrored(|mirror| mirror.length = Some(100));
    let one = site.guest(1);
    let (copies, given) = sent(&mut site, 1, udp(&one, "10.0.2.2", [1, 2], &[7; 500]));
    assert_eq!((copies[0].len(), given[0].len()), (100, 542));
    assert_eq!(&copies[0].head.bytes()[42..100], &[7; 58]);
    let frame = superframe(tcp(&one, "10.0.2.2", [1, 2], ACK, [1, 1]), 5000, 1000);
    let (copies, given) = sent(&mut site, 1, frame);
    assert_eq!((copies.len(), given.len()), (5, 1), "a copy of each segment");
    assert!(copies.iter().all(|copy| copy.len() == 100 && copy.sidecar.segmentation.is_none()));
}

#[test]
fn copies_go_through_tunnels_and_are_cut_to_what_these_carry() {
    let mut site =
        mirrored(|mirror| mirror.target = MirrorTarget::Endpoint { address: address("192.0.2.77"), vni: 99 });
    let one = site.guest(1);
    for (payload, inner) in [(20, 62), (8400, 8442), (8500 - 28, 8500 + 14)] {
        let (copies, given) = sent(&mut site, 1, udp(&one, "10.0.2.2", [1, 2], &vec![7; payload]));
        assert_eq!((copies.len(), given.len()), (0, 1));
        let outer = site.between.pop().expect("a copy");
        let layers = Layers::of(&outer);
        let tunnel = Tunnel::of(&layers, outer.head.bytes(), outer.len()).expect("a tunnel");
        assert_eq!((tunnel.vni, outer.len() - tunnel.start), (99, inner));
    }
    let mut short = site.switches[0].policy().configuration().clone();
    short.underlay.as_mut().expect("an underlay").mtu = 1500;
    site.switches[0].apply(short);
    sent(&mut site, 1, udp(&one, "10.0.2.2", [1, 2], &[7; 8000]));
    assert_eq!(site.between.pop().map(|outer| outer.len()), Some(1500 + 14));
}
