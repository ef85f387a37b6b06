//! Ports of a driver: many of them, and many queues of one.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::process::Command;
use std::thread::JoinHandle;

use basis::{Duration, Instant};
use live::{Driver, Interface, Options, PacketSocket};
use node::{Burst, Control, Node, Outbox, Port};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use wire::Packet;

use crate::namespace::{ip, unshare};
use crate::{bytes_of, frame, open, receive, send, until_it_passes, veth, within};

/// A node that sends what it receives by the next port.
struct Ring {
    ports: u16,
    received: u64,
}

impl Node for Ring {
    fn receive(&mut self, _: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        for packet in burst.drain(..) {
            self.received += 1;
            out.transmit(Port((port.0 + 1) % self.ports), packet);
        }
    }

    fn wake(&mut self, _: Instant, _: &mut Outbox) {}

    fn control(&mut self, _: Instant, _: Control, _: &mut Outbox) {}
}

/// Of sixty-four ports, each eight share memory, and frames cross between all neighbours.
#[test]
fn sixty_four_ports() {
    const PORTS: u16 = 64;
    within("ports::sixty_four_ports", || {
        let mut ports = Vec::new();
        for number in 0..PORTS {
            veth(&format!("port{number}"), &format!("far{number}"), 1500);
            let opened = live::open(&format!("xdp:port{number}"), &Options::default()).expect("it exists");
            ports.push((Port(number), opened));
        }
        let mut far: Vec<_> = (0..PORTS).map(|number| PacketSocket::open(&format!("far{number}")).unwrap()).collect();
        let mut driver = Driver::new(Ring { ports: PORTS, received: 0 }, ports).expect("a descriptor is left");
        let run = |driver: &mut Driver<Ring, Box<dyn Interface>>, enough: u64| {
            let mut turns = 0;
            driver.wake_by(Some(driver.now() + Duration::from_microseconds(1000)));
            driver
                .run(|node, _, _| {
                    turns += 1;
                    if node.received >= enough || turns > 3 {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                })
                .expect("nothing fails");
        };
        for number in 0..usize::from(PORTS) {
            for length in [60, 1514] {
                let sent = frame(length, number);
                let next = (number + 1) % usize::from(PORTS);
                let mut arrived = Burst::new();
                let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
                while !arrived.iter().any(|packet| bytes_of(packet) == sent) {
                    send(&mut far[number], [Packet::of_bytes(&sent)]);
                    let enough = driver.node().received + 1;
                    run(&mut driver, enough);
                    far[next].receive(64, &mut arrived, &mut Vec::new()).expect("it is there");
                    assert!(std::time::Instant::now() < end, "{length} bytes from port {number}");
                }
            }
        }
    });
}

/// The driver hears of room, and of what happens.
#[test]
fn a_burst_that_exceeds_all_rings_goes_out() {
    within("ports::a_burst_that_exceeds_all_rings_goes_out", || {
        veth("port0", "far0", 1500);
        let (mut xdp, mut far) = (open("port0"), PacketSocket::open("far0").expect("it exists"));
        until_it_passes(&mut xdp, &mut far);
        let frames: Vec<_> = (0..4000).map(|number| frame(60 + number % 200, number)).collect();
        assert!(send(&mut xdp, frames.iter().map(|frame| Packet::of_bytes(frame))).is_empty());
        assert!(receive(&mut far, frames.len()).iter().map(bytes_of).eq(frames.iter().cloned()));
    });
}

/// Every queue is served: datagrams of many flows, which the kernel spreads, all arrive.
#[test]
fn all_queues_are_served() {
    within("ports::all_queues_are_served", || {
        ip("link add port0 numrxqueues 4 numtxqueues 4 type veth peer name far0 numrxqueues 4 numtxqueues 4");
        for interface in ["port0", "far0"] {
            let channels = Command::new("ethtool").args(["-L", interface, "rx", "4", "tx", "4"]).status();
            if !channels.is_ok_and(|status| status.success()) {
                eprintln!("SKIPPED ports::all_queues_are_served: no ethtool that gives veth interfaces queues");
                return;
            }
            ip(&format!("link set {interface} up"));
        }
        for mode in crate::MODES {
            let mut xdp = open(&format!("port0,mode={mode}"));
            let mut far = PacketSocket::open("far0").expect("it exists");
            until_it_passes(&mut far, &mut xdp);
            let mut left: Vec<_> = (0..400).map(datagram).collect();
            send(&mut far, left.iter().map(|frame| Packet::of_bytes(frame)));
            for packet in receive(&mut xdp, left.len()) {
                let bytes = bytes_of(&packet);
                let at = left.iter().position(|frame| *frame == bytes).expect("one that was sent, and once");
                left.swap_remove(at);
            }
        }
    });
}

/// Returns a datagram of UDP from a port of its own.
fn datagram(flow: u16) -> Vec<u8> {
    let mut bytes = frame(242, 0);
    bytes[12..14].copy_from_slice(&[8, 0]);
    let ip = [0x45, 0, 0, 228, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
    bytes[14..34].copy_from_slice(&ip);
    let header_checksum = wire::checksum::of(&ip).to_be_bytes();
    bytes[24..26].copy_from_slice(&header_checksum);
    bytes[34..36].copy_from_slice(&(1000 + flow).to_be_bytes());
    bytes[36..42].copy_from_slice(&[0x10, 0, 0, 208, 0, 0]);
    bytes
}

/// A network namespace with the far end of port 1, until this is dropped.
struct Host(std::process::Child);

impl Host {
    fn new(interface: &str, address: &str) -> Self {
        let child = unshare().args(["sleep", "60"]).spawn().expect("unshare was found before");
        let host = Self(child);
        let own = std::fs::read_link("/proc/self/ns/net").expect("a namespace");
        while std::fs::read_link(host.path()).is_ok_and(|its| its == own) {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        ip(&format!("link set {interface} netns {}", host.0.id()));
        let (interface, address) = (interface.to_owned(), address.to_owned());
        host.spawn(move || set_up(&interface, &address)).join().expect("the interface is configured");
        host
    }

    fn path(&self) -> String {
        format!("/proc/{}/ns/net", self.0.id())
    }

    /// Starts a thread in the namespace.
    fn spawn<R: Send + 'static>(&self, body: impl FnOnce() -> R + Send + 'static) -> JoinHandle<R> {
        let path = self.path();
        std::thread::spawn(move || {
            let namespace = std::fs::File::open(path).expect("the namespace exists");
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

/// Gives an interface of this thread's namespace its address, and lets the host compute checksums itself.
fn set_up(interface: &str, address: &str) {
    ip(&format!("link set {interface} up"));
    ip(&format!("address add {address}/24 dev {interface}"));
    // Segmentation needs checksums by the interface, and ends with them.
    let _ = Command::new("ethtool").args(["-K", interface, "tx", "off"]).output();
}

/// TCP crosses between two kernels whose checksums are complete, with the payload of each frame sent from where it was
/// received.
#[test]
fn tcp_crosses() {
    within("ports::tcp_crosses", || {
        if Command::new("ethtool").arg("--version").output().is_err() {
            eprintln!("SKIPPED ports::tcp_crosses: there is no command ethtool");
            return;
        }
        for (mode, mtu) in [("generic", 1500), ("native", 1500), ("native", 9000)] {
            veth("port0", "far0", mtu);
            veth("port1", "far1", mtu);
            set_up("far0", "10.0.0.1");
            let host = Host::new("far1", "10.0.0.2");
            let ports = [0, 1].map(|number| (Port(number), open(&format!("port{number},mode={mode}"))));
            let mut driver = Driver::new(Ring { ports: 2, received: 0 }, ports).expect("a descriptor is left");
            let bytes: Vec<u8> = (0..4_000_000u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
            let receiver = host.spawn(|| {
                let listener = TcpListener::bind("10.0.0.2:4000").expect("the address is the host's");
                let mut received = Vec::new();
                listener.accept().expect("the peer connects").0.read_to_end(&mut received).expect("the peer closes");
                received
            });
            let to_send = bytes.clone();
            let sender = std::thread::spawn(move || {
                for _ in 0..500 {
                    if let Ok(mut stream) = TcpStream::connect("10.0.0.2:4000") {
                        return stream.write_all(&to_send).expect("the peer receives");
                    }
                    std::thread::sleep(std::time::Duration::from_millis(10));
                }
                panic!("nobody listens");
            });
            loop {
                driver.wake_by(Some(driver.now() + Duration::from_microseconds(10_000)));
                let mut turns = 0;
                let turn = |_: &mut Ring, _: Instant, _: &mut Outbox| {
                    turns += 1;
                    if turns > 100 || receiver.is_finished() {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                };
                driver.run(turn).expect("nothing fails");
                if receiver.is_finished() {
                    break;
                }
            }
            sender.join().expect("the sender has not panicked");
            assert!(receiver.join().expect("the receiver has not panicked") == bytes, "{mode}, {mtu}");
            assert!(driver.ports().all(|port| port.warning.is_none() && port.failure.is_none()));
            ip("link delete port0");
            ip("link delete port1");
        }
    });
}
