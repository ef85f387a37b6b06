//! What the senders of packets that go no further are told, where addresses are translated and beyond tunnels.

use vswitch::configuration::{BackEnd, Configuration, LoadBalancer, RouteTarget};
use vswitch::reasons;
use wire::tcp::flag::{ACK, SYN};
use wire::{FiveTuple, Ipv4, Layers, LinkLayer, Packet};

use crate::frames::{described, tcp, udp};
use crate::site::{Site, Told, address, configuration};
use crate::translation::{outside, stranger};

/// The packet that an ICMP error is about, as far as it is there, and the 4 bytes in front of it.
fn about(error: &Packet) -> (String, u32) {
    let head = error.head.bytes();
    let message = &head[Layers::of(error).transport.expect("a message")..];
    let mut inner = Packet::of_bytes(&message[8..]);
    inner.sidecar.link = LinkLayer::Ip;
    let flow = FiveTuple::of(&inner).expect("a flow");
    let ports = flow.ports.expect("ports");
    let about = format!("{}:{}>{}:{}", flow.source, ports.0, flow.destination, ports.1);
    (about, u32::from_be_bytes([message[4], message[5], message[6], message[7]]))
}

/// Returns the error that a guest is given about a packet that it sends.
fn refused(site: &mut Site, number: usize, packet: Packet) -> Packet {
    match &site.send(number, packet)[..] {
        [Told::Given(guest, error), Told::Dropped(..)] if *guest == number => error.clone(),
        told => panic!("{told:?}"),
    }
}

/// The site of one host, whose underlay carries so many bytes.
fn pool(mtu: u32) -> Configuration {
    let mut configuration = outside(1024..=65_535);
    configuration.underlay.as_mut().expect("an underlay").mtu = mtu;
    configuration
}

fn with_hops(mut packet: Packet, hops: u8) -> Packet {
    let mut ip = Ipv4::new(&mut packet.head.bytes_mut()[14..]).expect("an IPv4 header");
    ip.set_time_to_live(hops);
    ip.fill_checksum();
    packet
}

#[test]
fn a_guest_behind_a_pool_is_told_of_its_own_packet() {
    let mut site = Site::new(vec![pool(1400)]);
    let one = site.guest(1);
    let error = refused(&mut site, 1, udp(&one, "203.0.113.9", [80, 53], &[0; 2000]));
    assert_eq!(described(&error), "fe>01 10.0.1.254>10.0.1.1 1 ttl 64 ok");
    assert_eq!(about(&error), ("10.0.1.1:80>203.0.113.9:53".to_owned(), 1400));
    let quoted = Ipv4::new(&error.head.bytes()[42..]).and_then(|ip| ip.is_checksum_right());
    assert_eq!(quoted, Some(true));
    let error = refused(&mut site, 1, udp(&one, "2001:db8::9", [80, 53], &[0; 2000]));
    assert_eq!(about(&error), ("fd00::1:80>2001:db8::9:53".to_owned(), 1400));
    // The first hop of a traced route.
    let error = refused(&mut site, 1, with_hops(udp(&one, "203.0.113.9", [81, 53], b""), 1));
    assert_eq!(about(&error).0, "10.0.1.1:81>203.0.113.9:53");
}

#[test]
fn the_mtu_of_a_route_to_a_pool_holds() {
    let mut configuration = pool(1500);
    configuration.vpcs[0].routes.iter_mut().for_each(|route| route.mtu = Some(1400));
    let mut site = Site::new(vec![configuration]);
    let one = site.guest(1);
    let error = refused(&mut site, 1, udp(&one, "203.0.113.9", [1, 53], &[0; 1373]));
    assert_eq!(about(&error).1, 1400);
    assert_eq!(site.leave(1, udp(&one, "203.0.113.9", [1, 53], &[0; 1372])), []);
    // What a route allows, the underlay may not carry.
    let mut configuration = pool(1400);
    configuration.vpcs[0].routes.iter_mut().for_each(|route| route.mtu = Some(1500));
    let mut site = Site::new(vec![configuration]);
    assert_eq!(about(&refused(&mut site, 1, udp(&one, "203.0.113.9", [1, 53], &[0; 1400]))).1, 1400);
}

#[test]
fn a_client_and_a_back_end_know_each_other_by_the_load_balancer() {
    let mut configuration = configuration(0);
    (configuration.vnics[0].mtu, configuration.vnics[1].mtu) = (1500, 1400);
    configuration.balancers = vec![LoadBalancer {
        name: "web".to_owned(),
        vpc: 0,
        address: address("10.0.1.100"),
        protocol: 6,
        port: 80,
        back_ends: vec![BackEnd { address: address("10.0.2.2"), port: 8080, weight: 1 }],
    }];
    let mut site = Site::new(vec![configuration]);
    let [one, two] = [1, 2].map(|number| site.guest(number));
    site.passes(1, 2, tcp(&one, "10.0.1.100", [1000, 80], SYN, [1, 0]));
    site.passes(2, 1, tcp(&two, "10.0.1.1", [8080, 1000], SYN | ACK, [1, 2]));
    let long = |from, to: &str, ports| {
        let mut packet = tcp(from, to, ports, ACK, [2, 2]);
        let bytes = [packet.head.bytes(), &[0; 1600]].concat();
        packet = Packet::of_bytes(&bytes);
        let mut ip = Ipv4::new(&mut packet.head.bytes_mut()[14..]).expect("an IPv4 header");
        ip.set_total_length(bytes.len() as u16 - 14);
        ip.fill_checksum();
        packet
    };
    let error = refused(&mut site, 1, long(&one, "10.0.1.100", [1000, 80]));
    assert_eq!(about(&error), ("10.0.1.1:1000>10.0.1.100:80".to_owned(), 1400));
    let error = refused(&mut site, 2, long(&two, "10.0.1.1", [8080, 1000]));
    assert_eq!(about(&error), ("10.0.2.2:8080>10.0.1.1:1000".to_owned(), 1500));
}

#[test]
fn the_world_outside_is_told_by_the_address_that_it_knows() {
    let mut configuration = pool(9000);
    configuration.vnics[0].mtu = 1300;
    let mut site = Site::new(vec![configuration]);
    let (one, server) = (site.guest(1), stranger("203.0.113.9"));
    assert_eq!(site.leave(1, udp(&one, "203.0.113.9", [5000, 53], b"")), []);
    site.between.clear();
    let dropped = |reason| [Told::Dropped(0, reason)];
    let told = site.arrive(0, udp(&server, "198.51.100.1", [53, 5000], &[0; 1400]));
    assert_eq!(told, dropped(reasons::TOO_LONG));
    let error = site.between.pop().expect("an error");
    assert_eq!(described(&error), "00>01 198.51.100.1>203.0.113.9 1 ttl 64 ok");
    assert_eq!(about(&error), ("203.0.113.9:53>198.51.100.1:5000".to_owned(), 1300));
    let told = site.arrive(0, with_hops(udp(&server, "198.51.100.1", [53, 5000], b""), 1));
    assert_eq!(told, dropped(reasons::TIME_EXCEEDED));
    assert_eq!(about(&site.between.pop().expect("an error")).0, "203.0.113.9:53>198.51.100.1:5000");
}

#[test]
fn an_error_through_a_tunnel_has_the_ethernet_address_of_its_route() {
    let mut far = configuration(1);
    far.vnics[0].mtu = 1500;
    for route in &mut far.vpcs[0].routes {
        let RouteTarget::Endpoint { mac, .. } = &mut route.target else { panic!("all lead to the other host") };
        *mac = Some([2, 0, 0, 0, 9, 1]);
    }
    let mut site = Site::new(vec![configuration(0), far]);
    let one = site.guest(1);
    site.send(1, udp(&one, "10.0.1.3", [1, 2], &[0; 4000]));
    let error = site.between.last().expect("an error in the tunnel");
    assert_eq!(error.head.bytes()[50..56], [2, 0, 0, 0, 9, 1]);
}
