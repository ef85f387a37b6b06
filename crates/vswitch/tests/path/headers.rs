//! Headers behind the end of a packet's head, which an interface fills without knowing how many headers there are.

use vswitch::reasons;
use wire::tcp::flag::SYN;
use wire::{Ipv4, Layers, Packet, Tail, protocol};

use crate::frames::{described, ip, udp};
use crate::site::{Guest, Site, Told, configuration, flow_of};
use crate::translation::{outside, stranger};

/// The bytes that interfaces receive into the head of a packet.
const HEAD: usize = 128;

/// Returns a packet as an interface receives it.
fn received(packet: &Packet, head: usize) -> Packet {
    let bytes = bytes(packet);
    let (head, tail) = bytes.split_at(head.min(bytes.len()));
    Packet::of_bytes(head).with_tail(if tail.is_empty() { Tail::Length(0) } else { Tail::Bytes(tail.into()) })
}

fn bytes(packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.append_to(&mut bytes);
    bytes
}

/// Returns the first segment of a connection to port 80, with as many options as there can be, all of them without meaning.
fn segment() -> Vec<u8> {
    let mut segment = vec![1; 60];
    segment[..20].fill(0);
    segment[..4].copy_from_slice(&[0x03, 0xE8, 0, 80]);
    segment[12..14].copy_from_slice(&[0xF0, SYN]);
    segment
}

/// Returns so many headers of destination options, each with so many units of 8 bytes behind the first 8, in front of a transport header.
pub fn behind_options(count: usize, units: u8, number: u8, transport: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for place in 1..=count {
        let next = if place == count { number } else { protocol::DESTINATION_OPTIONS };
        let start = bytes.len();
        // The rest is padding (RFC 8200, section 4.2).
        bytes.extend([next, units, 1, 4 + 8 * units]);
        bytes.resize(start + 8 + 8 * usize::from(units), 0);
    }
    [&bytes, transport].concat()
}

/// Puts 40 bytes of options into the header of an IPv4 packet.
fn with_options(packet: &Packet) -> Packet {
    let bytes = bytes(packet);
    let mut bytes = [&bytes[..34], &[1; 40], &bytes[34..]].concat();
    let mut header = Ipv4::new(&mut bytes[14..]).expect("an IPv4 header");
    header.set_version_and_length(0x4F);
    header.set_total_length(header.total_length() + 40);
    header.fill_checksum();
    Packet::of_bytes(&bytes)
}

/// Legal packets of a guest whose headers end behind its head: options of IPv4 and TCP, and extension headers of IPv6.
fn long_headers(from: &Guest, [ipv4, ipv6]: [&str; 2]) -> Vec<Packet> {
    let datagram = [&[0x03, 0xE8, 0, 53, 0, 12, 0, 0][..], b"data"].concat();
    let options = protocol::DESTINATION_OPTIONS;
    vec![
        with_options(&ip(from, ipv4, protocol::TCP, &segment())),
        ip(from, ipv6, options, &behind_options(1, 0, protocol::TCP, &segment())),
        ip(from, ipv6, options, &behind_options(5, 0, protocol::TCP, &segment())),
        ip(from, ipv6, options, &behind_options(8, 0, protocol::TCP, &segment())),
        ip(from, ipv6, options, &behind_options(1, 12, protocol::TCP, &segment())),
        ip(from, ipv6, options, &behind_options(8, 12, protocol::UDP, &datagram)),
    ]
}

/// The second probe of the switch found them to be discarded as malformed, although they are legal.
#[test]
fn headers_of_a_guest_may_end_behind_the_head_of_its_packet() {
    for (to, ends) in [(2, ["10.0.2.2", "fd00::2"]), (3, ["10.0.1.3", "fd00::3"])] {
        for head in [60, HEAD, 2000] {
            let mut site = Site::pair();
            let one = site.guest(1);
            for packet in long_headers(&one, ends) {
                let given = site.passes(1, to, received(&packet, head));
                let whole = bytes(&packet);
                assert_eq!(flow_of(&bytes(&given)), flow_of(&whole), "{head} bytes in the head");
                assert_eq!(bytes(&given)[54..], whole[54..], "every byte is there");
            }
            assert_eq!(site.switches[0].sessions_count(), 3, "TCP over IPv4 and over IPv6, and UDP over IPv6");
        }
    }
}

/// What another switch sends is received in the same way, with the headers of a tunnel in front.
#[test]
fn headers_in_a_tunnel_may_end_behind_the_head_of_its_packet() {
    let mut site = Site::pair();
    let one = site.guest(1);
    for packet in long_headers(&one, ["10.0.1.3", "fd00::3"]) {
        site.between.clear();
        site.passes(1, 3, packet.clone());
        let sent = site.between[0].clone();
        for head in [55, 100, HEAD] {
            match &site.arrive(1, received(&sent, head))[..] {
                [Told::Given(3, given)] => assert_eq!(bytes(given)[54..], bytes(&packet)[54..]),
                other => panic!("{head} bytes in the head: {other:?}"),
            }
        }
    }
}

/// Returns an error of a guest about a packet of IPv6, which it has in it as far as an error is long.
fn error_about(from: &Guest, to: &str, about: &Packet) -> Packet {
    let about = bytes(about);
    let message = [&[1, 4, 0, 0, 0, 0, 0, 0], &about[14..about.len().min(14 + 1232)]].concat();
    ip(from, to, protocol::ICMPV6, &message)
}

#[test]
fn an_error_finds_its_session_wherever_the_headers_of_its_packet_end() {
    for (there, ends) in [(2, ["10.0.2.2", "fd00::2"]), (3, ["10.0.1.3", "fd00::3"])] {
        let mut site = Site::pair();
        let [one, other] = [site.guest(1), site.guest(there)];
        for packet in long_headers(&one, ends).into_iter().skip(1) {
            let given = site.passes(1, there, packet.clone());
            let error = error_about(&other, "fd00::1", &given);
            let told = site.passes(there, 1, received(&error, HEAD));
            assert_eq!(bytes(&told)[54..], bytes(&error)[54..], "every byte is there");
            assert!(described(&told).ends_with("ok"));
            // An error about a packet that did not pass does not pass either.
            let mut of_nobody = bytes(&given);
            let ports = Layers::of(&Packet::of_bytes(&of_nobody)).transport.expect("a transport header");
            of_nobody[ports] ^= 0x40;
            let error = error_about(&other, "fd00::1", &Packet::of_bytes(&of_nobody));
            assert_eq!(site.is_dropped(there, received(&error, HEAD)), reasons::UNSUPPORTED);
        }
    }
}

/// A pool translates the packet within an error as well. Of its transport header only the ports and what follows them are there.
#[test]
fn an_error_from_outside_is_translated_wherever_the_headers_of_its_packet_end() {
    let mut site = Site::new(vec![outside(4000..=4010)]);
    let one = site.guest(1);
    let packet = with_options(&udp(&one, "203.0.113.9", [1000, 53], b"question"));
    assert_eq!(site.leave(1, received(&packet, HEAD)), []);
    let sent = bytes(&site.between[0]);
    assert_eq!(sent[26..30], [198, 51, 100, 1]);
    // A router outside says that the port is closed, in a packet that has options too.
    let message = [&[3, 3, 0, 0, 0, 0, 0, 0], &sent[14..14 + 60 + 8]].concat();
    let mut error = with_options(&ip(&stranger("203.0.113.9"), "198.51.100.1", protocol::ICMP, &message));
    error.head.bytes_mut()[14 + 60 + 2..][..2].copy_from_slice(&wire::checksum::of(&message).to_be_bytes());
    let told = site.arrive(0, received(&error, HEAD));
    let [Told::Given(1, given)] = &told[..] else { panic!("{told:?}") };
    let given = bytes(given);
    assert_eq!(given[30..34], [10, 0, 1, 1], "it is for the guest");
    let about = &given[14 + 60 + 8..];
    assert_eq!(
        (&about[12..16], &about[60..64]),
        (&[10, 0, 1, 1][..], &[0x03, 0xE8, 0, 53][..]),
        "about what it has sent"
    );
    assert_eq!(wire::checksum::of(&given[14 + 60..]), 0);
}

/// Secure neighbour discovery (RFC 3971) has messages of several hundred bytes.
#[test]
fn a_neighbour_is_asked_for_by_a_long_message() {
    let mut site = Site::new(vec![configuration(0)]);
    let one = site.guest(1);
    // A target, and an option for the Ethernet address; behind them options that nobody knows.
    let mut message =
        [&[135, 0, 0, 0, 0, 0, 0, 0][..], &[0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFE]].concat();
    message.extend([14, 20]);
    message.resize(message.len() + 158, 9);
    message.extend([1, 1, 2, 0, 0, 0, 0, 1]);
    let mut packet = ip(&one, "fd00::fe", protocol::ICMPV6, &message);
    packet.head.bytes_mut()[21] = 255;
    let told = site.send(1, received(&packet, HEAD));
    let [Told::Given(1, answer)] = &told[..] else { panic!("{told:?}") };
    assert_eq!(answer.head.bytes()[54], 136);
}
