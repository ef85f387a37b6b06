//! Capture files as ports: frames come at their times, in order, and what is sent is written with time stamps.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::PathBuf;

use live::{CaptureFiles, Driver, Interface, Options, reasons};
use node::Port;
use wire::capture::{Captured, PcapngWriter, Reader, Timestamp};
use wire::{LinkLayer, Packet};

use crate::callers::Patch;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The times of the frames in microseconds after the first: together, apart, and out of order.
const TIMES: [u64; 5] = [0, 0, 3000, 2000, 6000];

fn frame(number: usize) -> Vec<u8> {
    (0..1000 + number).map(|at| (at * (number + 1)) as u8).collect()
}

fn write(name: &str, link: LinkLayer) -> PathBuf {
    let input = path(name);
    let mut writer = PcapngWriter::new(File::create(&input).unwrap(), link).unwrap();
    for (number, time) in TIMES.into_iter().enumerate() {
        let time = Timestamp::from_nanoseconds(1_000_000_000_000 + time * 1000);
        writer.write(time, &Packet::of_bytes(&frame(number))).unwrap();
    }
    writer.finish().unwrap();
    input
}

#[test]
fn frames_of_a_file_arrive_in_real_time() {
    let (input, output) = (write("in.pcapng", LinkLayer::Ethernet), path("out.pcapng"));
    let ports = [
        (Port(0), CaptureFiles::open(&format!("{},", input.display())).unwrap()),
        (Port(1), CaptureFiles::open(&format!(",{}", output.display())).unwrap()),
    ];
    let mut driver = Driver::new(Patch::default(), ports).unwrap();
    driver
        .run(|node, _, _| match node.packets == TIMES.len() as u64 {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })
        .unwrap();
    // What was sent is there at once, as a reader of a pipe needs it.
    let written: Vec<Captured> =
        Reader::with_head_limit(File::open(output).unwrap(), 2000).unwrap().map(Result::unwrap).collect();
    assert!(written.iter().enumerate().all(|(number, it)| it.packet.head.bytes() == frame(number)));
    assert_eq!(written.len(), TIMES.len());
    let times: Vec<_> = written.iter().map(|captured| captured.time.unwrap()).collect();
    assert!(times.is_sorted());
    // A frame may be late, but not early: the clock that stamps is not the one that waits, so that half the time counts.
    for (number, time) in TIMES.into_iter().enumerate() {
        let after = times[number].picoseconds_since(times[0]) / 1_000_000;
        assert!(after >= i128::from(time) / 2, "frame {number} came after {after} us");
    }
}

#[test]
fn other_link_layers_are_discarded_with_the_reason() {
    let input = write("ip.pcapng", LinkLayer::Ip);
    let port = CaptureFiles::open(&format!("{},", input.display())).unwrap();
    let mut driver = Driver::new(Patch::default(), [(Port(0), port)]).unwrap();
    driver.wake_by(Some(driver.now() + basis::Duration::from_microseconds(10_000_000)));
    while driver.tally().received < TIMES.len() as u64 {
        driver.run(|_, _, _| ControlFlow::Break(())).unwrap();
    }
    assert_eq!(driver.tally().discarded[&reasons::NOT_ETHERNET], TIMES.len() as u64);
}

/// An interface that fails is given up, and the others go on.
#[test]
fn a_damaged_file_ends_its_port_alone() {
    let whole = write("whole.pcapng", LinkLayer::Ethernet);
    let mut bytes = std::fs::read(&whole).unwrap();
    bytes.truncate(bytes.len() - 500);
    let damaged = path("damaged.pcapng");
    std::fs::write(&damaged, bytes).unwrap();
    let open = |path: &PathBuf| CaptureFiles::open(&format!("{},", path.display())).unwrap();
    let mut driver = Driver::new(Patch::default(), [(Port(0), open(&damaged)), (Port(1), open(&whole))]).unwrap();
    while driver.tally().received < 2 * TIMES.len() as u64 - 1 || driver.ports().all(|port| port.failure.is_none()) {
        driver.run(|_, _, _| ControlFlow::Break(())).unwrap();
    }
    let states: Vec<_> = driver.ports().map(|port| (port.is_up, port.failure.is_some())).collect();
    assert_eq!(states, [(false, true), (true, false)]);
    assert_eq!(driver.node().links, [(Port(0), false)]);
}

#[test]
fn kinds_are_named() {
    let input = write("kinds.pcapng", LinkLayer::Ethernet);
    let text = format!("{},", input.display());
    let by_prefix = live::open(&format!("pcapng:{text}"), &Options::default()).unwrap();
    assert_eq!(by_prefix.name(), format!("pcapng:{text}"));
    let kind = |kind: &str| Options { kind: Some(kind.to_owned()), ..Options::default() };
    assert!(live::open(&text, &kind("pcapng")).is_ok());
    for (name, options) in [(&text[..], kind("carrier pigeon")), ("pcapng:nothing", Options::default())] {
        let error = live::open(name, &options).err().expect("it cannot be opened");
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{error}");
    }
    let error = live::open("pcapng:/no/such/file,", &Options::default()).err().expect("there is none");
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}
