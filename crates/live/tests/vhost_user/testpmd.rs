//! DPDK's front end (virtio-user), whose driver is not Linux's.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant as Clock};

use live::{Interface, VhostUser};
use node::Burst;

use crate::frames::send;
use crate::guest::{interface, is_readable, socket};

/// A process that ends with the test.
struct Testpmd(Child);

impl Drop for Testpmd {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts `testpmd` with two ports by vhost-user that forwards between them, if it is installed.
fn testpmd(sockets: [&Path; 2], options: &str) -> Option<Testpmd> {
    let folder = std::env::temp_dir();
    let mut command = Command::new("dpdk-testpmd");
    command.args(["--no-huge", "-m", "256", "--no-pci", "--no-telemetry", "--no-shconf", "-l", "0,1"]);
    for (number, socket) in sockets.iter().enumerate() {
        command.arg(format!("--vdev=net_virtio_user{number},path={},{options}", socket.display()));
    }
    command.args(["--", "--forward-mode=mac", "--total-num-mbufs=4096", "--auto-start", "--no-flush-rx"]);
    command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().ok().map(Testpmd)
}

/// Returns an interface that connects to a front end, and the path of its socket.
fn connecting() -> (VhostUser, PathBuf) {
    let path = socket();
    (VhostUser::connect(path.to_str().expect("a path of ASCII")).expect("a thread can be had"), path)
}

#[test]
fn testpmd_forwards_what_it_receives() {
    type Made = fn() -> (VhostUser, PathBuf);
    let ways: [(&str, Made); 3] = [
        ("queue_size=256", interface),
        ("queue_size=256,mrg_rxbuf=0,in_order=0", interface),
        ("queue_size=256,server=1", connecting),
    ];
    for (options, interface) in ways {
        let ((mut first, one), (mut second, other)) = (interface(), interface());
        let Some(mut running) = testpmd([&one, &other], options) else {
            eprintln!("dpdk-testpmd is not installed: nothing is tested");
            return;
        };
        let began = Clock::now();
        let mut is_up = [false; 2];
        while is_up != [true; 2] {
            for (is_up, interface) in is_up.iter_mut().zip([&mut first, &mut second]) {
                *is_up |= has_come_up(interface);
            }
            if let Ok(Some(status)) = running.0.try_wait() {
                eprintln!("dpdk-testpmd cannot run here: {status}");
                return;
            }
            assert!(began.elapsed() < Duration::from_secs(30), "testpmd does not set up its queues");
        }
        let frame: Vec<u8> = [[0x02; 12].to_vec(), vec![8, 0], (0..1000).map(|at| at as u8).collect()].concat();
        let (mut got, mut discarded) = (Burst::new(), Vec::new());
        while got.len() < 500 {
            // What comes before testpmd has started its ports is thrown away there.
            let _ = send(&mut first, vec![wire::Packet::of_bytes(&frame); 10]);
            second.receive(64, &mut got, &mut discarded).expect("receiving works");
            assert!(discarded.is_empty());
            assert!(began.elapsed() < Duration::from_secs(60), "{} frames have come", got.len());
            std::thread::sleep(Duration::from_millis(1));
        }
        for packet in &got {
            let mut bytes = Vec::new();
            packet.append_to(&mut bytes);
            assert_eq!(bytes[12..], frame[12..], "only the addresses are others");
        }
        drop(running);
        for path in [one, other] {
            // DPDK leaves the sockets on which it has listened.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Returns true if the link of an interface has come up meanwhile.
fn has_come_up(interface: &mut VhostUser) -> bool {
    let _ = is_readable(interface.events().expect("it has events"), 1);
    let events = std::iter::from_fn(|| interface.next_event().expect("events can be read"));
    events.fold(false, |is_up, event| match event {
        live::InterfaceEvent::Up => true,
        live::InterfaceEvent::Down => false,
        _ => is_up,
    })
}
