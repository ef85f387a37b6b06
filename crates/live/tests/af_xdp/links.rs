//! What happens to the interface, and what stays of a process that was killed.

use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use live::{Interface, InterfaceEvent, PacketSocket, Xdp};
use node::Burst;
use wire::Packet;

use crate::namespace::ip;
use crate::{MODES, frame, open, send, until_it_passes, veth, within};

/// Waits for the next event of an interface.
fn next(xdp: &mut Xdp) -> InterfaceEvent {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(event) = xdp.next_event().expect("nothing fails") {
            return event;
        }
        assert!(Instant::now() < end, "no event");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn an_interface_goes_down_is_removed_and_returns() {
    within("links::an_interface_goes_down_is_removed_and_returns", || {
        for mode in MODES {
            veth("port0", "far0", 1500);
            let mut xdp = open(&format!("port0,mode={mode}"));
            let far = || PacketSocket::open("far0").expect("it exists");
            until_it_passes(&mut xdp, &mut far());
            for _ in 0..2 {
                for [down, up] in [["port0 down", "port0 up"], ["far0 down", "far0 up"]] {
                    ip(&format!("link set {down}"));
                    assert_eq!(next(&mut xdp), InterfaceEvent::Down);
                    let discarded = send(&mut xdp, [Packet::of_bytes(&frame(60, 0))]);
                    assert_eq!(discarded[0].reason, live::reasons::INTERFACE_DOWN);
                    ip(&format!("link set {up}"));
                    assert_eq!(next(&mut xdp), InterfaceEvent::Up);
                    until_it_passes(&mut xdp, &mut far());
                    until_it_passes(&mut far(), &mut xdp);
                }
                ip("link set port0 mtu 1400");
                assert_eq!(next(&mut xdp), InterfaceEvent::LongestFrame(1414));
                ip("link delete port0");
                while next(&mut xdp) != InterfaceEvent::Removed {}
                let discarded = send(&mut xdp, [Packet::of_bytes(&frame(60, 0))]);
                assert_eq!(discarded[0].reason, live::reasons::INTERFACE_DOWN);
                xdp.receive(64, &mut Burst::new(), &mut Vec::new()).expect("nothing fails");
                veth("port0", "far0", 1500);
                while next(&mut xdp) != InterfaceEvent::Up {}
                until_it_passes(&mut xdp, &mut far());
                until_it_passes(&mut far(), &mut xdp);
            }
            ip("link delete port0");
        }
    });
}

/// A datagram of the kernel has a partial checksum, which is told once.
#[test]
fn partial_checksums_of_a_peer_are_told() {
    within("links::partial_checksums_of_a_peer_are_told", || {
        for mode in MODES {
            veth("port0", "far0", 1500);
            ip("address add 10.0.0.1/24 dev far0");
            ip("neighbour add 10.0.0.2 lladdr 02:00:00:00:00:02 dev far0");
            let mut xdp = open(&format!("port0,mode={mode}"));
            let socket = UdpSocket::bind("10.0.0.1:0").expect("the address is ours");
            let end = Instant::now() + Duration::from_secs(20);
            let mut warnings = Vec::new();
            let mut frames = 0;
            while frames < 100 {
                let _ = socket.send_to(&[7; 100], "10.0.0.2:4000");
                std::thread::sleep(Duration::from_millis(1));
                let mut burst = Burst::new();
                xdp.receive(64, &mut burst, &mut Vec::new()).expect("the interface is there");
                frames += burst.len();
                while let Some(event) = xdp.next_event().expect("nothing fails") {
                    if let InterfaceEvent::Warning(Some(warning)) = event {
                        warnings.push(warning);
                    }
                }
                assert!(Instant::now() < end, "{frames} frames arrived");
            }
            assert!(warnings.len() == 1 && warnings[0].contains("ethtool -K"), "{mode}: {warnings:?}");
            ip("link delete port0");
        }
    });
}

/// Returns true if an interface has an XDP program.
fn has_program(interface: &str) -> bool {
    let output = Command::new("ip").args(["link", "show", interface]).output().expect("ip was found before");
    String::from_utf8_lossy(&output.stdout).contains("xdp")
}

/// The environment variable that makes a test the process that is killed.
const VICTIM: &str = "POLYPLANE_TEST_VICTIM";

#[test]
fn a_kill_leaves_no_program() {
    within("links::a_kill_leaves_no_program", || {
        if let Ok(text) = std::env::var(VICTIM) {
            let _xdp = open(&text);
            println!("opened");
            std::thread::sleep(Duration::from_secs(60));
            return;
        }
        veth("port0", "far0", 1500);
        for mode in MODES {
            let itself = std::env::current_exe().expect("the executable of the test exists");
            let mut child = Command::new(itself)
                .args(["links::a_kill_leaves_no_program", "--exact", "--nocapture"])
                .env(VICTIM, format!("port0,mode={mode}"))
                .stdout(Stdio::piped())
                .spawn()
                .expect("the test can be executed");
            let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
            assert!(lines.any(|line| line.is_ok_and(|line| line.contains("opened"))));
            assert!(has_program("port0"), "{mode}");
            let busy = Xdp::open(&format!("port0,mode={mode}")).err().expect("another process has it");
            assert_eq!(busy.kind(), std::io::ErrorKind::ResourceBusy);
            child.kill().expect("the child can be killed");
            child.wait().expect("the child has ended");
            let end = Instant::now() + Duration::from_secs(20);
            while has_program("port0") {
                assert!(Instant::now() < end, "{mode}: the program is still there");
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    });
}

#[test]
fn other_texts_are_refused() {
    for text in ["lo,mode=fast", "lo,", "lo,generic"] {
        let error = Xdp::open(text).err().expect("it is no such text");
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{text}");
    }
    assert!(Xdp::open("no-such-if").is_err());
}
