//! Packet sockets between two kernels: hosts in two network namespaces, each at one end of a veth pair whose other end is
//! a port. All offloads stay on, so that frames of 64 KB with partial checksums arrive.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::process::Child;
use std::thread::JoinHandle;
use std::time::Duration;

use basis::Instant;
use live::{Driver, Interface, Options, PacketSocket};
use node::{Burst, Control, Node, Outbox, Port};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use wire::Packet;

use crate::namespace::{ip, unshare, within};
use crate::ticker::Ticker;
use crate::transfers::random_bytes;

/// A node that connects its two ports.
#[derive(Default)]
struct Patch {
    /// The number of packets, and the bytes of the longest.
    packets: u64,
    longest: usize,
}

impl Node for Patch {
    fn receive(&mut self, _: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        for packet in burst.drain(..) {
            self.packets += 1;
            self.longest = self.longest.max(packet.len());
            out.transmit(Port(1 - port.0), packet);
        }
    }

    fn wake(&mut self, _: Instant, _: &mut Outbox) {}

    fn control(&mut self, _: Instant, _: Control, _: &mut Outbox) {}
}

/// A network namespace with one end of a veth pair, `eth0`; the other is `name` outside. It is gone when this is dropped.
pub struct Host(Child);

impl Host {
    pub fn new(name: &str, address: &str) -> Self {
        let child = unshare().args(["sleep", "60"]).spawn().expect("unshare was found before");
        let host = Self(child);
        // The child is in its namespace a little later than it is there.
        let own = std::fs::read_link("/proc/self/ns/net").expect("a namespace");
        while std::fs::read_link(host.path()).is_ok_and(|its| its == own) {
            std::thread::sleep(Duration::from_millis(1));
        }
        ip(&format!("link add {name} type veth peer name eth0 netns {}", host.0.id()));
        ip(&format!("link set {name} up"));
        let address = address.to_owned();
        host.spawn(move || {
            ip("link set eth0 up");
            ip(&format!("address add {address}/24 dev eth0"));
        })
        .join()
        .expect("the interface is configured");
        host
    }

    /// Returns the path of the namespace.
    pub fn path(&self) -> String {
        format!("/proc/{}/ns/net", self.0.id())
    }

    /// Starts a thread in the namespace.
    pub fn spawn<R: Send + 'static>(&self, body: impl FnOnce() -> R + Send + 'static) -> JoinHandle<R> {
        let path = self.path();
        std::thread::spawn(move || {
            let namespace = File::open(path).expect("the namespace exists");
            move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network)).expect("it may be entered");
            body()
        })
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends bytes over TCP from one host to the other, and returns those that arrive.
fn transfer(from: &Host, to: &Host, address: &'static str, bytes: Vec<u8>) -> [JoinHandle<Vec<u8>>; 2] {
    let receiver = to.spawn(move || {
        let listener = TcpListener::bind(address).expect("the address is the host's");
        let mut received = Vec::new();
        listener.accept().expect("the peer connects").0.read_to_end(&mut received).expect("the peer closes");
        received
    });
    let sender = from.spawn(move || {
        // The listener may not be there yet.
        for _ in 0..500 {
            if let Ok(mut stream) = TcpStream::connect(address) {
                stream.write_all(&bytes).expect("the peer receives");
                return Vec::new();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("nobody listens at {address}");
    });
    [receiver, sender]
}

/// Runs a patch between two hosts until all threads have ended, and returns it with what they returned.
fn patched(driver: &mut Driver<Patch, PacketSocket>, threads: Vec<JoinHandle<Vec<u8>>>) -> Vec<Vec<u8>> {
    let over = |_: &mut Patch, _: Instant, _: &mut Outbox| match threads.iter().all(JoinHandle::is_finished) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let _ticker = Ticker::new(driver.waker());
    driver.run(over).expect("the interfaces exist throughout the test");
    threads.into_iter().map(|thread| thread.join().expect("the thread has not panicked")).collect()
}

fn hosts() -> (Host, Host, Driver<Patch, PacketSocket>) {
    let (left, right) = (Host::new("port0", "10.0.0.1"), Host::new("port1", "10.0.0.2"));
    let open = |name| PacketSocket::open(name).expect("the interface exists");
    let driver = Driver::new(Patch::default(), [(Port(0), open("port0")), (Port(1), open("port1"))]);
    (left, right, driver.expect("a descriptor is left"))
}

/// Frames of 64 KB are cut as on a link, and their checksums completed: what arrives is what was sent.
#[test]
fn tcp_crosses_with_all_offloads_on() {
    within("veth::tcp_crosses_with_all_offloads_on", || {
        let (left, right, mut driver) = hosts();
        let bytes = random_bytes(1, 16 << 20);
        let threads = transfer(&left, &right, "10.0.0.2:4000", bytes.clone());
        let received = patched(&mut driver, threads.into());
        assert!(received[0] == bytes, "what arrived differs from what was sent");
        let &Patch { packets, longest } = driver.node();
        assert!(longest <= 1518, "the node saw a packet of {longest} bytes");
        assert!(packets > driver.tally().received, "some frames were cut: {packets} packets, {:?}", driver.tally());
        assert!(driver.tally().discarded.is_empty(), "{:?}", driver.tally());
    });
}

/// The kernel takes the tag out of each tagged frame that it receives.
#[test]
fn a_vlan_tag_is_put_back() {
    within("veth::a_vlan_tag_is_put_back", || {
        ip("link add port0 type veth peer name port1");
        ip("link set port0 up");
        ip("link set port1 up");
        let [mut left, mut right] = ["port0", "port1"].map(|name| PacketSocket::open(name).expect("it exists"));
        for (protocol, control) in [(0x8100u16, 0xA005u16), (0x88A8, 0x0FFF)] {
            let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, control as u8];
            frame.extend(protocol.to_be_bytes());
            frame.extend(control.to_be_bytes());
            frame.extend([0x88, 0xB5]);
            frame.extend((0..200).map(|at| at as u8));
            let mut discarded = Vec::new();
            let (mut sent, mut arrived) = (Burst::new(), Burst::new());
            // The kernel sends frames of its own on interfaces that have just come up, and drops ours until it has
            // noticed that they are.
            let is_ours = |packet: &Packet| packet.head.bytes()[..12] == frame[..12];
            while !arrived.iter().any(is_ours) {
                let mut packets = VecDeque::from([Packet::of_bytes(&frame)]);
                left.send(&mut packets, &mut sent, &mut discarded).expect("the interface is up");
                assert_eq!(sent.drain(..).count(), 1);
                std::thread::sleep(Duration::from_millis(1));
                right.receive(64, &mut arrived, &mut discarded).expect("the interface is up");
            }
            let mut bytes = Vec::new();
            arrived.iter().find(|packet| is_ours(packet)).expect("it arrived").append_to(&mut bytes);
            assert_eq!(bytes, frame);
            assert!(discarded.is_empty());
        }
    });
}

/// A datagram of 60,000 bytes goes as fragments, and short ones are padded: all arrive, and none comes back to the port
/// that sent it.
#[test]
fn datagrams_of_all_lengths_cross() {
    within("veth::datagrams_of_all_lengths_cross", || {
        let (left, right, mut driver) = hosts();
        let lengths = [0, 1, 18, 100, 1472, 1473, 60_000];
        let receiver = right.spawn(move || {
            let socket = UdpSocket::bind("10.0.0.2:4000").expect("the address is the host's");
            socket.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
            let mut buffer = vec![0; 1 << 16];
            let mut lengths = Vec::new();
            for number in 0..7u8 {
                let length = socket.recv(&mut buffer).expect("a datagram arrives");
                assert!(buffer[..length].iter().all(|byte| *byte == number));
                lengths.extend(u32::try_from(length).expect("a datagram").to_be_bytes());
            }
            lengths
        });
        let sender = left.spawn(move || {
            let socket = UdpSocket::bind("10.0.0.1:0").expect("the address is the host's");
            std::thread::sleep(Duration::from_millis(200));
            for (number, length) in (0u8..).zip(lengths) {
                socket.send_to(&vec![number; length], "10.0.0.2:4000").expect("it is sent");
                std::thread::sleep(Duration::from_millis(5));
            }
            Vec::new()
        });
        let received = patched(&mut driver, vec![receiver, sender]);
        let expected: Vec<u8> = lengths.iter().flat_map(|length| (*length as u32).to_be_bytes()).collect();
        assert_eq!(received[0], expected);
        let tally = driver.tally();
        assert_eq!((tally.received, tally.discarded.len()), (tally.transmitted, 0), "each frame crosses once");
    });
}

// The kernel throws such a frame away and says that there is no room (ENOBUFS), for ever; all later ones waited behind it.
#[test]
fn a_frame_that_is_too_long_for_the_other_end_does_not_block_the_interface() {
    within("veth::a_frame_that_is_too_long_for_the_other_end_does_not_block_the_interface", || {
        let (left, right, mut driver) = hosts();
        right.spawn(|| ip("link set eth0 mtu 1400")).join().expect("the MTU is set");
        let receiver = right.spawn(move || {
            let socket = UdpSocket::bind("10.0.0.2:4000").expect("the address is the host's");
            socket.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
            let mut buffer = vec![0; 1 << 16];
            (0..20).map(|_| socket.recv(&mut buffer).map_or(0, |length| (length / 100) as u8)).collect()
        });
        let sender = left.spawn(move || {
            // Two flows, whose datagrams do not leave together.
            let sockets = [(); 2].map(|()| UdpSocket::bind("10.0.0.1:0").expect("the address is the host's"));
            std::thread::sleep(Duration::from_millis(200));
            for _ in 0..20 {
                for (socket, length) in sockets.iter().zip([1472, 100]) {
                    socket.send_to(&vec![7; length], "10.0.0.2:4000").expect("it is sent");
                    std::thread::sleep(Duration::from_millis(2));
                }
            }
            Vec::new()
        });
        let received = patched(&mut driver, vec![receiver, sender]);
        assert_eq!(received[0], [1; 20], "the short ones arrive, and only those");
        let discarded = &driver.tally().discarded;
        let too_long = discarded.get(&live::reasons::TOO_LONG).copied().unwrap_or_default();
        assert!(too_long >= 19 && discarded.len() == 1, "{discarded:?}");
    });
}

#[test]
fn an_interface_is_one_whatever_it_is_called() {
    within("veth::an_interface_is_one_whatever_it_is_called", || {
        ip("link add one type veth peer name other");
        let claims = |name: &str, namespace: Option<&str>| {
            let options = Options { namespace: namespace.map(str::to_owned), ..Options::default() };
            live::check(name, &options).unwrap_or_else(|unusable| panic!("{name}: {}", unusable.message))
        };
        let (plain, own) = (claims("one", None), format!("/proc/{}/ns/net", std::process::id()));
        for (name, namespace) in [("packet:one", None), ("one", Some(&*own)), ("packet:one", Some("/proc/self/ns/net"))]
        {
            assert!(claims(name, namespace)[0].conflicts_with(&plain[0]), "{name} in {namespace:?}");
        }
        assert!(claims("tap:new", None)[0].conflicts_with(&claims("new", None)[0]), "one that is to be made");
        assert!(!claims("other", None)[0].conflicts_with(&plain[0]));
        // The initial namespace, if it may be entered, has no such interface.
        let elsewhere = Options { namespace: Some("/proc/1/ns/net".to_owned()), ..Options::default() };
        assert!(live::check("packet:one", &elsewhere).is_err());
        assert!(!std::path::Path::new("/proc/sys/net/ipv4/conf/new").exists(), "nothing was made");
    });
}
