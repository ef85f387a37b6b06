//! The plain switch and the public program for Tofino (p4lang/p4app-switchML), which is not changed, answer the same packets alike. The
//! variable `SWITCHML` names a checkout of the program; without it, the test says so and passes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use basis::{Duration, Instant};
use machines::Device;
use node::{Control, Outbox, Port};
use transports::aggregation::switchml::{SwitchMlParameters, ValuesPerPacket};
use wire::{Ethernet, Ipv4, Packet};
use workbench::kinds::{self, Settings, option};
use workbench::{Entries, LoadOptions, LoadedProgram};

use crate::star::{Case, Harm, Recorded, SWITCH, Star, address, bytes_of};
use crate::{END, case};

/// The length of the headers up to UDP, which the two fill in differently.
const TO_UDP: usize = 34;

fn said<T>(result: Result<T, diagnostics::Failure>) -> T {
    result.unwrap_or_else(|failure| panic!("{}", failure.render(false)))
}

/// The chip with the program, filled with the entries of `scripts/conformance-switchml`.
struct PublicSwitch {
    device: Box<dyn Device>,
    out: Outbox,
    readies: BTreeSet<(Instant, Port)>,
    now: Instant,
}

impl PublicSwitch {
    fn new(program: &Path, workers: u16, values: usize) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, call: &str| -> PathBuf {
            let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/conformance-switchml");
            let code = format!("import entries; print(entries.{call})");
            let ran = Command::new("python3").args(["-B", "-c", &code]).current_dir(scripts).output().expect("python3");
            assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
            let path = folder.path().join(name);
            fs::write(&path, ran.stdout).expect("a file");
            path
        };
        let chip = write("chip.toml", &format!("chip({workers}, {values}, 0)"));
        let commands = write("commands.txt", &format!("commands({workers}, {values})"));
        let program = said(LoadedProgram::read(program, &LoadOptions::default()));
        let mut settings = Settings::default();
        said(settings.given.push(option::named("chip").expect("the option"), chip.to_string_lossy()));
        let mut device = said(said(kinds::usual(&program).fit(&program, &settings)).build(1));
        said(said(Entries::read(&commands, &program)).apply(&mut *device));
        Self { device, out: Outbox::default(), readies: BTreeSet::new(), now: Instant::ZERO }
    }

    fn call(&mut self, at: Instant, left: &mut Vec<(u16, Vec<u8>)>, work: impl FnOnce(&mut dyn Device, &mut Outbox)) {
        self.out.begin(at);
        work(&mut *self.device, &mut self.out);
        left.extend(self.out.transmissions.drain(..).map(|sent| (sent.port.0, bytes_of(&sent.packet))));
        self.out.discarded.clear();
        self.readies.extend(self.out.readies.drain(..).map(|(port, at)| (at, port)));
    }

    /// Offers a packet, and returns what has left by port when the chip is empty again.
    fn answer(&mut self, port: u16, packet: &[u8]) -> Vec<(u16, Vec<u8>)> {
        let mut left = Vec::new();
        let now = self.now;
        self.call(now, &mut left, |device, out| {
            device.receive(now, Port(port), &mut vec![Packet::of_bytes(packet)], out);
        });
        self.now += Duration::from_microseconds(100);
        loop {
            let ready = self.readies.first().map(|(at, _)| *at);
            let due = ready.into_iter().chain(self.out.deadline()).min().filter(|due| *due <= self.now);
            let Some(due) = due else { break };
            if ready == Some(due) {
                let (_, port) = self.readies.pop_first().expect("it is there");
                self.call(due, &mut left, |device, out| device.control(due, Control::PortReady(port), out));
            } else {
                self.out.take_deadline();
                self.call(due, &mut left, |device, out| device.wake(due, out));
            }
        }
        left.sort();
        left
    }
}

/// The packet of a worker with the MAC addresses of the entries.
fn with_addresses(worker: usize, packet: &[u8]) -> Vec<u8> {
    let mut bytes = packet.to_vec();
    let mut ethernet = Ethernet::new(&mut bytes[..]).expect("a frame");
    ethernet.set_source([2, 0, 0, 0, 1, worker as u8]);
    ethernet.set_destination([2, 0, 0, 0, 0, 0xFE]);
    bytes
}

/// Returns what a result has but for MAC addresses and what IP has beyond addresses.
fn of_result(frame: &[u8]) -> (u32, &[u8]) {
    let ip = Ipv4::new(&frame[14..]).expect("IPv4");
    assert_eq!(ip.is_checksum_right(), Some(true));
    (ip.source_bits(), &frame[TO_UDP..])
}

fn compare(program: &Path, case: &Case) {
    let mut public = PublicSwitch::new(program, case.workers, case.parameters.values.count());
    // The public program requires that packets of a slot keep their order.
    let harm = Harm { lost: 0.1, copied: 0.1, delayed: Duration::ZERO };
    let mut star = Star::new(std::slice::from_ref(case), case.slots.end, harm, 1, None);
    star.record = Some(Vec::new());
    star.run(END).expect("all sums are exact");
    let record = star.record.expect("it was recorded");
    let mut results = 0;
    for (at, Recorded { host, packet, sent: plain }) in record.iter().enumerate() {
        let found = public.answer(4 * *host as u16, &with_addresses(*host, packet));
        let ports: Vec<usize> = found.iter().map(|(port, _)| usize::from(*port) / 4).collect();
        let mut expected: Vec<usize> = plain.iter().map(|(port, _)| *port).collect();
        expected.sort_unstable();
        assert_eq!(ports, expected, "packet {at}: which workers get a result");
        for ((port, found), (_, expected)) in found.iter().zip(plain) {
            assert_eq!(of_result(found), of_result(expected), "packet {at}");
            assert_eq!(of_result(found).0, SWITCH);
            let to = Ipv4::new(&found[14..]).expect("IPv4").destination_bits();
            assert_eq!(to, address(0, port / 4), "the public program addresses each worker");
        }
        results += found.len();
    }
    assert!(results > 100 && record.len() > 200, "{results} results of {} packets", record.len());
}

#[test]
fn both_switches_answer_alike() {
    let Some(checkout) = env::var_os("SWITCHML").filter(|checkout| !checkout.is_empty()) else {
        eprintln!("SWITCHML names no checkout of p4lang/p4app-switchML: nothing is compared");
        return;
    };
    let program = Path::new(&checkout).join("dev_root/p4/switchml.p4");
    for values in [ValuesPerPacket::Few, ValuesPerPacket::Many] {
        for workers in [2, 5] {
            let parameters = SwitchMlParameters { values, ..SwitchMlParameters::default() };
            compare(&program, &Case { parameters, ..case(workers, 0..16, &[values.count() as u64 * 150, 77]) });
        }
    }
}
