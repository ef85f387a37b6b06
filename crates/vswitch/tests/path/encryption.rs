//! Encrypted tunnels: what is sent, what is accepted, and what is not.

use std::sync::Arc;

use vswitch::configuration::{Configuration, Encryption, RouteTarget};
use vswitch::encryption::{InboundKey, Key, Keys};
use vswitch::reasons;
use wire::{Packet, Tail};

use crate::frames::{described, tcp, udp};
use crate::site::{Site, Told, address, configuration};
use wire::tcp::flag::SYN;

/// Returns the bytes of a key of host `host`.
pub fn material(host: usize, index: u32) -> Vec<u8> {
    (0..36).map(|byte| byte ^ index as u8 ^ (host as u8) << 7).collect()
}

fn key(host: usize, index: u32, is_extended: bool) -> Key {
    Key::new(index, is_extended, &material(host, index)).expect("a key")
}

/// Returns the keys of host `host` of two, which sends with the index `sends` and accepts those of `accepts`.
pub fn keys(host: usize, sends: u32, accepts: &[u32], is_extended: bool) -> Encryption {
    let peer = address(if host == 0 { "192.0.2.2" } else { "192.0.2.1" });
    let inbound = accepts.iter().map(|&index| InboundKey { peers: vec![peer], key: key(1 - host, index, is_extended) });
    let keys = Keys { outbound: key(host, sends, is_extended), inbound: inbound.collect(), first: 1 << 40 };
    Encryption { vni: 7001, file: "red.keys".to_owned(), is_demanded: true, keys: Some(Arc::new(keys)) }
}

pub fn with(host: usize, encryption: Encryption) -> Configuration {
    Configuration { encryptions: vec![encryption], ..configuration(host) }
}

/// Two hosts that encrypt what goes from one to the other.
pub fn encrypted(is_extended: bool) -> Site {
    Site::new(vec![with(0, keys(0, 300, &[301], is_extended)), with(1, keys(1, 301, &[300], is_extended))])
}

/// Returns all bytes of a packet.
fn bytes(packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.append_to(&mut bytes);
    bytes
}

#[test]
fn packets_between_hosts_are_encrypted_and_arrive_as_they_were() {
    for is_extended in [true, false] {
        let mut site = encrypted(is_extended);
        let [one, three] = [1, 3].map(|number| site.guest(number));
        for length in 0..40 {
            let payload = vec![b'x'; length];
            let given = site.passes(1, 3, udp(&one, "10.0.1.3", [5000, 53], &payload));
            assert_eq!(described(&given), "01>03 10.0.1.1>10.0.1.3 17 5000>53 ttl 64 ok".replace("01>03", "fe>03"));
            let there = bytes(&site.between.pop().expect("a packet on the underlay"));
            assert_eq!((there[23], there.len() % 4), (50, 2), "ESP, and aligned behind Ethernet");
            assert!(
                !there.windows(length.max(4)).any(|part| length >= 4 && part == payload),
                "nothing is in the clear"
            );
            let given = site.passes(3, 1, udp(&three, "10.0.1.1", [53, 5000], &payload));
            assert_eq!(bytes(&given)[42..42 + length], payload);
        }
    }
}

#[test]
fn sequence_numbers_and_vectors_count_up() {
    for (is_extended, first) in [(true, 0), (false, 1)] {
        let mut site = encrypted(is_extended);
        let one = site.guest(1);
        for number in 0..3_u64 {
            site.passes(1, 3, udp(&one, "10.0.1.3", [5000, 53], b""));
            let there = bytes(&site.between.pop().expect("a packet on the underlay"));
            let [index, sequence] =
                [34, 38].map(|at| u32::from_be_bytes(there[at..at + 4].try_into().expect("4 bytes")));
            let vector = u64::from_be_bytes(there[42..50].try_into().expect("8 bytes"));
            assert_eq!((index, u64::from(sequence), vector), (300, first + number, (1 << 40) + number));
        }
    }
}

#[test]
fn no_damaged_byte_is_accepted_and_no_copy() {
    let mut site = encrypted(true);
    let one = site.guest(1);
    site.passes(1, 3, udp(&one, "10.0.1.3", [5000, 53], b"some payload"));
    let sent = site.between.pop().expect("a packet on the underlay");
    assert_eq!(site.arrive(1, sent.clone()), [Told::Dropped(1, reasons::REPLAYED)]);
    // One that has not arrived yet.
    site.leave(1, udp(&one, "10.0.1.3", [5000, 53], b"some payload"));
    let sent = site.between.pop().expect("a packet on the underlay");
    let whole = bytes(&sent);
    for at in 34..whole.len() {
        for bit in 0..8 {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << bit;
            let told = site.arrive(1, Packet::of_bytes(&damaged));
            let [Told::Dropped(1, reason)] = told[..] else { panic!("byte {at}, bit {bit}: {told:?}") };
            let expected = if at < 38 { reasons::UNKNOWN_KEY } else { reasons::UNVERIFIED };
            // A low sequence number is taken for an old one.
            assert!(reason == expected || reason == reasons::REPLAYED && at < 50, "byte {at}, bit {bit}: {reason}");
        }
    }
    // A head of any length gives the same.
    let given = site.arrive(1, Packet::new(&whole[..60], Tail::Bytes(whole[60..].to_vec().into()), Default::default()));
    assert!(matches!(&given[..], [Told::Given(3, _)]), "the packet itself arrives: {given:?}");
    for length in 14..whole.len() {
        let told = site.arrive(1, Packet::of_bytes(&whole[..length]));
        assert!(matches!(&told[..], [Told::Dropped(1, _)]), "{length} bytes of it: {told:?}");
    }
}

#[test]
fn what_comes_in_the_clear_is_refused_only_where_encryption_is_demanded() {
    let request = |site: &Site| udp(&site.guest(1), "10.0.1.3", [5000, 53], b"");
    let demanding = with(1, keys(1, 301, &[300], true));
    let mut lenient = demanding.clone();
    lenient.encryptions[0].is_demanded = false;
    let mut site = Site::new(vec![configuration(0), demanding]);
    assert_eq!(site.send(1, request(&site)), [Told::Dropped(1, reasons::IN_CLEAR)]);
    let mut site = Site::new(vec![configuration(0), lenient]);
    site.passes(1, 3, request(&site));
    // What it sends is encrypted even so, and one without keys cannot read it.
    let three = site.guest(3);
    assert_eq!(site.send(3, udp(&three, "10.0.1.1", [53, 5000], b"")), [Told::Dropped(0, reasons::UNKNOWN_KEY)]);
}

#[test]
fn without_a_key_nothing_leaves() {
    let mut nothing = keys(0, 300, &[301], true);
    nothing.keys = None;
    let mut site = Site::new(vec![with(0, nothing), with(1, keys(1, 301, &[300], true))]);
    let one = site.guest(1);
    assert_eq!(site.is_dropped(1, udp(&one, "10.0.1.3", [5000, 53], b"")), reasons::NO_KEY);
    assert!(site.between.is_empty());
}

#[test]
fn a_key_speaks_for_its_vpc_and_its_sender_alone() {
    // The other host has the key of another VPC.
    let mut other = keys(1, 301, &[300], true);
    other.vni = 7002;
    other.is_demanded = false;
    let mut site = Site::new(vec![with(0, keys(0, 300, &[301], true)), with(1, other)]);
    let one = site.guest(1);
    assert_eq!(site.is_dropped(1, udp(&one, "10.0.1.3", [5000, 53], b"")), reasons::UNKNOWN_TUNNEL);
    // The right key, from another endpoint.
    let mut site = encrypted(true);
    site.leave(1, udp(&one, "10.0.1.3", [5000, 53], b""));
    let mut forged = bytes(&site.between.pop().expect("a packet on the underlay"));
    forged[29] = 9;
    assert_eq!(site.arrive(1, Packet::of_bytes(&forged)), [Told::Dropped(1, reasons::UNKNOWN_KEY)]);
}

#[test]
fn keys_are_changed_while_packets_pass() {
    let mut site = encrypted(true);
    let [one, three] = [1, 3].map(|number| site.guest(number));
    let both = |site: &mut Site| {
        site.passes(1, 3, udp(&one, "10.0.1.3", [5000, 53], b""));
        site.passes(3, 1, udp(&three, "10.0.1.1", [53, 5000], b""));
    };
    both(&mut site);
    let late = {
        site.leave(1, udp(&one, "10.0.1.3", [5000, 53], b""));
        site.between.pop().expect("a packet on the underlay")
    };
    // Everybody accepts the new key, then one uses it, then the old one is forgotten.
    site.switches[1].apply(with(1, keys(1, 301, &[300, 302], true)));
    both(&mut site);
    site.switches[0].apply(with(0, keys(0, 302, &[301], true)));
    both(&mut site);
    assert!(matches!(&site.arrive(1, late.clone())[..], [Told::Given(3, _)]), "the old key is still accepted");
    assert_eq!(site.arrive(1, late.clone()), [Told::Dropped(1, reasons::REPLAYED)], "its window has stayed");
    site.switches[1].apply(with(1, keys(1, 301, &[302], true)));
    assert_eq!(site.arrive(1, late), [Told::Dropped(1, reasons::UNKNOWN_KEY)]);
    both(&mut site);
}

#[test]
fn a_switch_that_was_started_again_is_accepted_and_its_old_packets_are_not() {
    let mut site = encrypted(true);
    let one = site.guest(1);
    site.passes(1, 3, udp(&one, "10.0.1.3", [5000, 53], b""));
    let old = site.between.pop().expect("a packet on the underlay");
    // Its clock has gone on by more than sequence numbers of 32 bits have.
    let mut again = keys(0, 300, &[301], true);
    let first = (1 << 40) + (1 << 36);
    again.keys = again.keys.map(|keys| Arc::new(Keys { first, ..(*keys).clone() }));
    site.replace(0, vswitch::VirtualSwitch::new(with(0, again), [3, 4]));
    site.passes(1, 3, udp(&one, "10.0.1.3", [5000, 53], b""));
    assert_eq!(site.arrive(1, old), [Told::Dropped(1, reasons::REPLAYED)]);
}

/// A host of two with two tunnel endpoints, to which those of guests lead by the version of IP; it sends with one key from both.
fn with_two_endpoints(host: usize) -> Configuration {
    let [own, other] = [host + 1, 2 - host].map(|number| address(&format!("2001:db8::{number}")));
    let mut encryption = keys(host, 300 + host as u32, &[301 - host as u32], true);
    if let Some(keys) = encryption.keys.as_mut().and_then(Arc::get_mut) {
        keys.inbound[0].peers.push(other);
    }
    let mut configuration = with(host, encryption);
    configuration.underlay.as_mut().expect("an underlay").addresses.push(own);
    for route in configuration.vpcs[0].routes.iter_mut().filter(|route| route.prefix.to_string().contains(':')) {
        route.target = RouteTarget::Endpoint { address: other, mac: None };
    }
    configuration
}

/// Returns an encrypted packet that host 0 has sent over IPv4 as if it had come over IPv6: the check value covers no addresses.
fn over_ipv6(packet: &Packet) -> Packet {
    let bytes = bytes(packet);
    let [source, destination] = [1, 2].map(|last| [0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]);
    let length = (bytes.len() as u16 - 34).to_be_bytes();
    let header = [&[0x60, 0, 0, 0][..], &length, &[50, 64], &source, &destination].concat();
    Packet::of_bytes(&[&bytes[..12], &[0x86, 0xDD], &header, &bytes[34..]].concat())
}

/// A host with two tunnel endpoints has one key, which could once be told only of one of them.
#[test]
fn a_key_is_of_one_sender_with_all_its_endpoints() {
    let mut site = Site::new(vec![with_two_endpoints(0), with_two_endpoints(1)]);
    let [one, three] = [1, 3].map(|number| site.guest(number));
    let mut vectors = Vec::new();
    for (to, from, start) in [("10.0.1.3", "10.0.1.1", 34), ("fd00::3", "fd00::1", 54)] {
        site.passes(1, 3, udp(&one, to, [5000, 53], b"a question"));
        let sent = site.between.pop().expect("a packet on the underlay");
        vectors.push(u64::from_be_bytes(sent.head.bytes()[start + 8..start + 16].try_into().expect("8 bytes")));
        assert_eq!(site.arrive(1, sent), [Told::Dropped(1, reasons::REPLAYED)]);
        site.passes(3, 1, udp(&three, from, [53, 5000], b"an answer"));
    }
    assert_eq!(vectors, [1 << 40, (1 << 40) + 1], "the sender counts both together");
    // So does the receiver: what has come from one endpoint does not come again from the other.
    site.passes(1, 3, udp(&one, "10.0.1.3", [5000, 53], b"a question"));
    let copy = over_ipv6(&site.between.pop().expect("a packet on the underlay"));
    let is_copy = |site: &mut Site| site.arrive(1, copy.clone()) == [Told::Dropped(1, reasons::REPLAYED)];
    assert!(is_copy(&mut site));
    // Nor when the endpoints of the sender are others, or another process goes on.
    let mut without = with_two_endpoints(1);
    let inbound = |configuration: &mut Configuration, peers: Vec<std::net::IpAddr>| {
        let keys = configuration.encryptions[0].keys.as_mut().and_then(Arc::get_mut).expect("keys");
        keys.inbound[0].peers = peers;
    };
    inbound(&mut without, vec![address("192.0.2.1")]);
    site.switches[1].apply(without);
    assert_eq!(site.arrive(1, copy.clone()), [Told::Dropped(1, reasons::UNKNOWN_KEY)]);
    let mut turned = with_two_endpoints(1);
    inbound(&mut turned, vec![address("2001:db8::1"), address("192.0.2.1")]);
    site.switches[1].apply(turned.clone());
    assert!(is_copy(&mut site));
    let now = site.now;
    let (handed, _) = site.switches[1].hand_over(now, 0, usize::MAX, Some(now));
    let mut next = vswitch::VirtualSwitch::new(with_two_endpoints(1), [5, 6]);
    next.take_over(now, &handed).expect("it is of this version");
    site.replace(1, next);
    assert!(is_copy(&mut site));
}

#[test]
fn the_path_mtu_counts_what_encryption_adds() {
    let mut site = encrypted(true);
    let one = site.guest(1);
    let fits = |site: &mut Site, length: usize| {
        let payload = vec![0; length - 28];
        let told = site.send(1, udp(&one, "10.0.1.3", [5000, 53], &payload));
        let longest = site.between.drain(..).map(|packet| packet.len()).max();
        (matches!(&told[..], [Told::Given(3, _)]), longest)
    };
    // The guest takes 8500; the underlay carries 9000, of which the headers take 20 + 16 + 8 + 8 + 14 and the trailer 2 + 16.
    site.switches[1].apply({
        let mut large = with(1, keys(1, 301, &[300], true));
        large.vnics[0].mtu = 9000;
        large
    });
    assert_eq!(fits(&mut site, 8916), (true, Some(9014)), "the longest one fills the underlay");
    let (is_whole, longest) = fits(&mut site, 8917);
    assert!(!is_whole && longest.is_none_or(|longest| longest <= 9014), "a longer one is cut or refused: {longest:?}");
    // IPv6 is refused with the exact length.
    let told = site.send(1, tcp(&one, "fd00::3", [1, 2], SYN, [1, 0]));
    assert!(matches!(&told[..], [Told::Given(3, _)]), "{told:?}");
}
