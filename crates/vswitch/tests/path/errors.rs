//! ICMP errors, and fragments.

use vswitch::configuration::{Direction, Peer, SecurityRule};
use vswitch::reasons;
use wire::{Ipv4, Packet, protocol};

use crate::frames::{described, echo, ip, udp};
use crate::site::{Guest, Site, Told, configuration, group, sessions};

/// Returns an ICMP error of a guest about a packet.
fn unreachable(from: &Guest, to: &str, about: &Packet) -> Packet {
    let mut message = vec![3, 3, 0, 0, 0, 0, 0, 0];
    message.extend_from_slice(&about.head.bytes()[14..14 + 28]);
    ip(from, to, protocol::ICMP, &message)
}

#[test]
fn an_error_passes_because_its_packet_did() {
    let mut guarded = configuration(0);
    // Guest 1 accepts nothing that it has not asked for.
    guarded.groups = vec![group(vec![SecurityRule {
        direction: Direction::Out,
        protocol: None,
        ports: None,
        peer: Peer::Any,
        priority: 1,
        allows: true,
    }])];
    guarded.vnics[0].groups = vec![0];
    let mut site = Site::new(vec![guarded, configuration(1)]);
    let [one, two, three] = [1, 2, 3].map(|number| site.guest(number));
    let question = udp(&one, "10.0.1.3", [1000, 53], b"");
    assert_eq!(site.is_dropped(3, unreachable(&three, "10.0.1.1", &question)), reasons::UNSUPPORTED, "none passed");
    let given = site.passes(1, 3, question);
    let error = site.passes(3, 1, unreachable(&three, "10.0.1.1", &given));
    assert_eq!(described(&error), "fe>01 10.0.1.3>10.0.1.1 1 ttl 64 ok");
    // Somebody on the way may say so too, but only about what has passed.
    let other = udp(&one, "10.0.1.3", [1001, 53], b"");
    assert_eq!(site.is_dropped(2, unreachable(&two, "10.0.1.1", &other)), reasons::UNSUPPORTED);
    assert_eq!(site.is_dropped(2, udp(&two, "10.0.1.1", [53, 1000], b"")), reasons::DENIED);
}

/// Errors about closed ports had made sessions of UDP open ones, which are kept for five minutes and never make room for others.
#[test]
fn an_error_answers_nothing_and_keeps_no_session() {
    let mut few = configuration(0);
    few.limits.per_vnic = 3;
    let mut site = Site::new(vec![few]);
    let [one, two] = [1, 2].map(|number| site.guest(number));
    for port in 1..=3 {
        let given = site.passes(1, 2, udp(&one, "10.0.2.2", [1000, port], b""));
        site.passes(2, 1, unreachable(&two, "10.0.1.1", &given));
    }
    let counts: Vec<_> =
        sessions(&site.switches[0]).iter().map(|view| (view.counts[1].packets, view.is_answered)).collect();
    assert_eq!(counts, [(1, false); 3], "errors are counted with their sessions");
    // There is room for other sessions.
    site.passes(1, 2, udp(&one, "10.0.2.2", [1000, 4], b""));
    site.passes(2, 1, udp(&two, "10.0.1.1", [4, 1000], b""));
    assert_eq!(site.switches[0].sessions_of_vnic(0), 3);
    let asked = site.passes(1, 2, udp(&one, "10.0.2.2", [1000, 5], b""));
    // It ends at its time, although errors come until then.
    for _ in 0..3 {
        site.wait(120);
        site.wake(0);
        site.send(2, unreachable(&two, "10.0.1.1", &asked));
    }
    assert_eq!(site.switches[0].sessions_count(), 0);
}

/// Cuts a packet of a guest into two fragments.
fn halves(packet: &Packet) -> [Packet; 2] {
    let mut whole = packet.clone();
    let mut ip = Ipv4::new(&mut whole.head.bytes_mut()[14..]).expect("an IPv4 header");
    ip.set_fragmentation(0);
    ip.set_identification(99);
    ip.fill_checksum();
    let layers = wire::Layers::of(&whole);
    let mut fragments = Vec::new();
    whole.fragment(&layers, 20 + 64, |fragment| fragments.push(fragment)).expect("it can be cut");
    fragments.try_into().expect("two fragments")
}

#[test]
fn fragments_follow_their_first_one() {
    let mut site = Site::pair();
    let one = site.guest(1);
    let [first, second] = halves(&udp(&one, "10.0.1.3", [1000, 53], &[5; 100]));
    assert_eq!(site.is_dropped(1, second.clone()), reasons::FRAGMENT);
    let given = [site.passes(1, 3, first), site.passes(1, 3, second.clone())];
    assert_eq!(given.map(|packet| packet.len()), [14 + 20 + 64, 14 + 20 + 44]);
    assert_eq!(site.switches.iter().map(|switch| switch.sessions_count()).collect::<Vec<_>>(), [1, 1]);
    site.wait(31);
    assert_eq!(site.is_dropped(1, second), reasons::FRAGMENT, "nobody waits so long");
}

#[test]
fn fragments_do_not_pass_in_the_name_of_others() {
    let mut guarded = configuration(0);
    guarded.groups = vec![group(vec![SecurityRule {
        direction: Direction::In,
        protocol: Some(protocol::UDP),
        ports: Some(53..=53),
        peer: Peer::Any,
        priority: 1,
        allows: true,
    }])];
    guarded.vnics[1].groups = vec![0];
    let mut site = Site::new(vec![guarded]);
    let one = site.guest(1);
    let [allowed, _] = halves(&udp(&one, "10.0.2.2", [1000, 53], &[5; 100]));
    let [denied, rest] = halves(&udp(&one, "10.0.2.2", [1000, 54], &[6; 100]));
    assert_eq!(site.is_dropped(1, denied.clone()), reasons::DENIED);
    assert_eq!(site.is_dropped(1, rest.clone()), reasons::DENIED);
    site.wait(31);
    // The first one that comes has the datagram's ports; another one is not heard.
    site.passes(1, 2, allowed);
    assert_eq!(site.is_dropped(1, denied), reasons::FRAGMENT);
    assert!(matches!(site.send(1, rest)[..], [Told::Given(2, _)]));
}

#[test]
fn a_time_to_live_that_is_used_up_is_told() {
    let mut site = Site::pair();
    let one = site.guest(1);
    let mut packet = echo(&one, "10.0.2.4", true, 1);
    let mut header = Ipv4::new(&mut packet.head.bytes_mut()[14..]).expect("an IPv4 header");
    header.set_time_to_live(1);
    header.fill_checksum();
    let told = site.send(1, packet);
    let [Told::Given(1, error), Told::Dropped(0, reason)] = &told[..] else { panic!("{told:?}") };
    assert_eq!((described(error).as_str(), *reason), ("fe>01 10.0.1.254>10.0.1.1 1 ttl 64 ok", reasons::TIME_EXCEEDED));
    assert_eq!(error.head.bytes()[34..36], [11, 0]);
}

#[test]
fn the_switch_does_not_tell_without_end() {
    let mut site = Site::pair();
    let one = site.guest(1);
    let mut packet = udp(&one, "10.0.2.4", [1, 2], b"");
    let mut header = Ipv4::new(&mut packet.head.bytes_mut()[14..]).expect("an IPv4 header");
    header.set_time_to_live(1);
    header.fill_checksum();
    let told = (0..500).map(|_| site.send(1, packet.clone()).len() - 1).sum::<usize>();
    assert_eq!(told, 100);
    site.wait(1);
    assert_eq!(site.send(1, packet).len(), 2);
}
