//! The program of the pre-processor in the kernel, in front of AF_XDP sockets in generic and native mode. Without AF_XDP in this build, or
//! without the rights for it, the tests say so.

#![cfg(target_os = "linux")]

#[path = "../linux/guest.rs"]
#[allow(dead_code)]
mod guest;
#[path = "../../../live/tests/linux/namespace.rs"]
mod namespace;
#[path = "../../../vswitch/tests/common/random_frames.rs"]
mod random_frames;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use basis::Random;
use files::PlanText;
use guest::Guest;
use live::{FrameProgram, Interface, Kind, Options, PacketSocket};
use node::Burst;
use vswitch::configuration::read;
use vswitch::headers::{self, LENGTH, Mark, Written, program};
use vswitchd::{Switch, check};
use wire::{Layers, LinkLayer, Packet, Tunnel};

const MODES: [&str; 2] = ["generic", "native"];

fn options(mark: Mark) -> Options {
    Options { program: Some(FrameProgram { instructions: program(mark), metadata: LENGTH }), ..Options::default() }
}

/// Runs `body` in a network namespace of its own if AF_XDP can be used there; otherwise says so.
fn within(name: &str, body: impl FnOnce()) {
    if Kind::named("xdp").is_none() {
        eprintln!("SKIPPED {name}: this build has no AF_XDP");
        return;
    }
    namespace::within(name, || {
        namespace::ip("link add try0 type veth peer name try1");
        if let Err(error) = live::open("xdp:try0", &Options::default()) {
            eprintln!("SKIPPED {name}: AF_XDP cannot be used here: {error}");
            return;
        }
        namespace::ip("link delete try0");
        namespace::set("ipv6/conf/default/disable_ipv6", "1");
        body();
    });
}

/// Sends frames from one interface to another, and returns them as they arrive there, without what the kernel sends beside them.
fn cross(far: &mut PacketSocket, xdp: &mut dyn Interface, frames: &[Vec<u8>]) -> Vec<Packet> {
    let mut packets: VecDeque<Packet> = frames.iter().map(|frame| Packet::of_bytes(frame)).collect();
    let (mut sent, mut discarded, mut arrived, mut burst) = (Burst::new(), Vec::new(), Vec::new(), Burst::new());
    let end = Instant::now() + Duration::from_secs(20);
    while arrived.len() < frames.len() {
        far.send(&mut packets, &mut sent, &mut discarded).expect("the interface is there");
        xdp.receive(64, &mut burst, &mut discarded).expect("the interface is there");
        arrived.extend(burst.drain(..).filter(|packet| packet.head.bytes().starts_with(&[2, 0, 0, 0, 0, 1])));
        assert!(discarded.is_empty(), "{discarded:?}");
        assert!(Instant::now() < end, "{} of {} frames arrived", arrived.len(), frames.len());
    }
    arrived
}

/// The kernel's verifier takes the program, and what it writes in front of frames is what software finds in them.
#[test]
fn the_kernels_program_finds_what_software_finds() {
    within("the_kernels_program_finds_what_software_finds", || {
        let mark = Mark::of([3, 4]);
        for mode in MODES {
            namespace::ip("link add port0 mtu 9000 type veth peer name far0 mtu 9000");
            namespace::ip("link set far0 up");
            namespace::ip("link set port0 up");
            let mut xdp = live::open(&format!("xdp:port0,mode={mode}"), &options(mark))
                .unwrap_or_else(|error| panic!("{mode}: {error}"));
            let mut far = PacketSocket::open("far0").expect("it exists");
            let mut random = Random::new(5);
            let (mut found, mut in_tunnels, mut left) = (0, 0, 0);
            for round in 0..30 {
                let mut frames: Vec<_> = (0..50).map(|_| random_frames::frame(&mut random, true)).collect();
                if round % 3 == 0 {
                    // Long ones, and damaged ones.
                    for frame in &mut frames {
                        let at = 12 + random.below(80) as usize;
                        if let Some(byte) = frame.get_mut(at) {
                            *byte = random.below(256) as u8;
                        }
                        frame.resize(frame.len() + random.below(8000) as usize, 0);
                    }
                }
                // Drivers may pad frames up to the least length of Ethernet.
                frames.iter_mut().for_each(|frame| frame.resize(frame.len().max(60), 0));
                for (frame, packet) in frames.iter().zip(cross(&mut far, &mut *xdp, &frames)) {
                    assert_eq!(packet.head.bytes(), &frame[..frame.len().min(128)], "{mode}: in order");
                    match headers::read(&packet, mark) {
                        Written::Headers(headers) => {
                            let head = packet.head.bytes();
                            let outer = Layers::parse(LinkLayer::Ethernet, head, frame.len());
                            assert_eq!(headers.outer, outer, "{mode}: {frame:02x?}");
                            if let Some(inner) = headers.inner {
                                let tunnel = Tunnel::of(&outer, head, frame.len()).expect("it is one");
                                assert_eq!(inner, tunnel.inner, "{mode}: {frame:02x?}");
                                in_tunnels += 1;
                            }
                            found += 1;
                        }
                        Written::Left => left += 1,
                        Written::Foreign => panic!("{mode}: the program has written nothing in front of {frame:02x?}"),
                    }
                }
            }
            assert!(found > 700 && in_tunnels > 100 && left > 100, "{mode}: {found} {in_tunnels} {left}");
            namespace::ip("link delete port0");
        }
    });
}

/// Returns a configuration with two guests on AF_XDP, and what is said of the path.
fn configuration(mode: &str, path: &str) -> PlanText {
    let mut text = format!(
        "[path]\n{path}\n[[vpc]]\nname = \"red\"\nvni = 7001\n[[vpc.subnet]]\nprefix = \"10.0.1.0/24\"\n\
         gateway = \"10.0.1.254\"\n"
    );
    for number in [1, 2] {
        text.push_str(&format!(
            "[[vnic]]\nname = \"{number}\"\ninterface = \"{mode}guest{number}\"\nvpc = \"red\"\n\
             mac = \"02:00:00:00:00:{number:02x}\"\naddresses = [\"10.0.1.{number}\"]\n"
        ));
    }
    PlanText { name: "host".into(), path: "host.toml".into(), text, folder: Default::default() }
}

#[test]
fn guests_reach_each_other_behind_the_program() {
    within("guests_reach_each_other_behind_the_program", || {
        let [one, two] = [1, 2].map(Guest::new);
        let (sender, opened) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let reading = read(&configuration("xdp:", "xdp = true")).expect("a configuration");
            check(&reading).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
            let switch = Switch::open(reading).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
            sender.send(switch.handle()).expect("the test waits for it");
            switch.run(None).expect("no interface fails")
        });
        let handle = opened.recv().expect("it can be opened");
        assert!(one.pings("10.0.1.2") && two.pings("10.0.1.1"));
        let metrics = vswitchd::metrics::of(&handle).expect("it runs");
        let count = |outcome: &str| -> u64 {
            let name = format!("polyplane_vswitch_xdp_packets_total{{outcome=\"{outcome}\"}} ");
            let line = metrics.lines().find_map(|line| line.strip_prefix(&name)).expect("a metric");
            line.parse().expect("a number")
        };
        // ARP is left to software, and pings are not.
        assert!(count("found") >= 8 && count("left") >= 2 && count("foreign") == 0, "{metrics}");
        handle.stop();
        thread.join().expect("the switch does not panic");
    });
}

/// The option needs an interface that can run the program.
#[test]
fn the_option_is_refused_at_its_place() {
    let refused = |mode: &str| {
        let reading = read(&configuration(mode, "xdp = true")).expect("a configuration");
        check(&reading).expect_err("it is refused").render(false)
    };
    let (of_build, of_interfaces) = ("loads no XDP programs", "no interface here runs an XDP program");
    let expected = if Kind::named("xdp").is_some() { of_interfaces } else { of_build };
    let text = refused("tap:");
    assert!(text.contains(expected) && text.contains("host.toml:2:"), "{text}");
    if Kind::named("xdp").is_none() {
        assert!(refused("xdp:").contains(of_build));
    }
}
