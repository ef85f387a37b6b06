//! Connections that were there before the switch was: one end may begin them, and the other one is the first to send something.

use vswitch::configuration::{Configuration, Direction, Peer, SecurityRule};
use vswitch::reasons;
use wire::tcp::flag::{ACK, FIN, RST, SYN};
use wire::{Packet, Tcp, protocol};

use crate::frames::{described, tcp};
use crate::site::{Site, Told, configuration, group};
use crate::translation::{outside, stranger};

/// Guest `number` is a server that may be spoken to at port 80, and begins nothing.
pub fn serving(mut configuration: Configuration, number: usize) -> Configuration {
    let web = SecurityRule {
        direction: Direction::In,
        protocol: Some(protocol::TCP),
        ports: Some(80..=80),
        peer: Peer::Any,
        priority: 100,
        allows: true,
    };
    configuration.groups = vec![group(vec![web])];
    let name = format!("guest-{number}");
    let own = configuration.vnics.iter_mut().find(|vnic| vnic.name == name);
    own.expect("the guest is on this host").groups = vec![0];
    configuration
}

/// Returns the flags and the numbers of a TCP segment without payload, whose header is `at` bytes behind the frame's beginning.
pub fn numbers(packet: &Packet, at: usize) -> (u8, [u32; 2]) {
    assert_eq!(packet.len(), at + 20, "there is no payload");
    let header = Tcp::new(&packet.head.bytes()[at..]).expect("a segment");
    (header.flags(), [header.sequence(), header.acknowledgement()])
}

#[test]
fn the_end_that_may_begin_is_asked_whether_it_has_the_connection() {
    for (to, at, addresses) in [("10.0.1.1", 34, ["10.0.2.2", "10.0.1.1"]), ("fd00::1", 54, ["fd00::2", "fd00::1"])] {
        let mut site = Site::new(vec![serving(configuration(0), 2)]);
        let [one, two] = [1, 2].map(|number| site.guest(number));
        let pushed = || tcp(&two, to, [80, 1000], ACK, [500, 900]);
        let told = site.send(2, pushed());
        let [Told::Given(1, question), Told::Dropped(0, reason)] = &told[..] else { panic!("{told:?}") };
        assert_eq!(*reason, reasons::DENIED, "the segment itself goes no further");
        assert_eq!(numbers(question, at), (ACK, [499, 900]), "one number before its own");
        let [from, here] = addresses;
        assert_eq!(described(question), format!("fe>01 {from}>{here} 6 80>1000 ttl 64 ok"));
        // The answer of a client that has it begins the session, and what is sent again passes.
        site.passes(1, 2, tcp(&one, addresses[0], [1000, 80], ACK, [900, 500]));
        site.passes(2, 1, pushed());
    }
}

#[test]
fn who_does_not_have_the_connection_ends_it_at_the_other_end() {
    let mut site = Site::new(vec![serving(configuration(0), 2)]);
    let [one, two] = [1, 2].map(|number| site.guest(number));
    let told = site.send(2, tcp(&two, "10.0.1.1", [80, 1000], ACK, [500, 900]));
    assert!(matches!(told[..], [Told::Given(1, _), _]), "{told:?}");
    site.passes(1, 2, tcp(&one, "10.0.2.2", [1000, 80], RST, [900, 0]));
    // The other way: a client goes on in the middle, and its server has been started again.
    site.passes(1, 2, tcp(&one, "10.0.2.2", [1001, 80], ACK, [300, 700]));
    assert_eq!(site.is_dropped(2, tcp(&two, "10.0.1.1", [80, 1001], RST, [699, 0])), reasons::OUT_OF_WINDOW);
    site.passes(2, 1, tcp(&two, "10.0.1.1", [80, 1001], RST, [700, 0]));
}

#[test]
fn a_guest_that_goes_on_is_told_that_its_translated_connection_is_gone() {
    let mut site = Site::new(vec![outside(1024..=65_535)]);
    let (one, server) = (site.guest(1), stranger("203.0.113.9"));
    assert_eq!(site.leave(1, tcp(&one, "203.0.113.9", [5000, 80], ACK, [900, 500])), []);
    assert!(described(&site.between.pop().expect("it leaves")).contains("198.51.100.1>203.0.113.9 6 5000>80"));
    let told = site.arrive(0, tcp(&server, "198.51.100.1", [80, 5000], RST, [500, 0]));
    assert!(matches!(told[..], [Told::Given(1, _)]), "{told:?}");
}

#[test]
fn the_question_goes_through_tunnels() {
    // The server's switch has been started again, and the client's knows the connection.
    let mut site = Site::new(vec![configuration(0), serving(configuration(1), 3)]);
    let [one, three] = [1, 3].map(|number| site.guest(number));
    site.passes(1, 3, tcp(&one, "10.0.1.3", [1000, 80], SYN, [899, 0]));
    let again = vswitch::VirtualSwitch::new(serving(configuration(1), 3), [3, 4]);
    site.replace(1, again);
    let told = site.send(3, tcp(&three, "10.0.1.1", [80, 1000], ACK, [500, 900]));
    let [Told::Dropped(1, reason), Told::Given(1, question)] = &told[..] else { panic!("{told:?}") };
    assert_eq!(*reason, reasons::DENIED);
    assert_eq!(numbers(question, 34), (ACK, [499, 900]));
    site.passes(1, 3, tcp(&one, "10.0.1.3", [1000, 80], ACK, [900, 500]));
    site.passes(3, 1, tcp(&three, "10.0.1.1", [80, 1000], ACK, [500, 900]));
}

#[test]
fn nobody_is_asked_about_what_neither_end_may_begin_or_what_is_no_middle() {
    let mut site = Site::new(vec![serving(configuration(0), 2)]);
    let [one, two] = [1, 2].map(|number| site.guest(number));
    for (ports, flags) in [([81, 1000], ACK), ([80, 1000], SYN | ACK), ([80, 1000], RST | ACK), ([80, 1000], SYN)] {
        assert_eq!(site.is_dropped(2, tcp(&two, "10.0.1.1", ports, flags, [1, 1])), reasons::DENIED, "{flags:#x}");
    }
    // What the client may not begin is denied as well.
    assert_eq!(site.is_dropped(1, tcp(&one, "10.0.2.2", [1000, 81], ACK, [1, 1])), reasons::DENIED);
}

#[test]
fn questions_are_as_few_as_errors() {
    let mut site = Site::new(vec![serving(configuration(0), 2)]);
    let two = site.guest(2);
    let asked = (0..1000).filter(|&port| site.send(2, tcp(&two, "10.0.1.1", [80, port], ACK, [1, 1])).len() == 2);
    assert_eq!(asked.count(), 100, "so many at once");
}

#[test]
fn a_server_outside_is_told_that_a_translated_connection_is_gone() {
    let mut site = Site::new(vec![outside(1024..=65_535)]);
    for (server, pool, at) in [("203.0.113.9", "198.51.100.1", 34), ("2001:db8::9", "2001:db8:100::1", 54)] {
        let server_outside = stranger(server);
        let told = site.arrive(0, tcp(&server_outside, pool, [80, 5000], ACK | FIN, [500, 900]));
        assert_eq!(told, [Told::Dropped(0, reasons::UNEXPECTED)]);
        let reset = site.between.pop().expect("a packet on the underlay");
        assert_eq!(numbers(&reset, at), (RST, [900, 0]));
        assert_eq!(described(&reset), format!("00>01 {pool}>{server} 6 5000>80 ttl 64 ok"));
    }
}
