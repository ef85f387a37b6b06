//! A switch that runs machine code on packets in place sends the same packets as one with the interpreter, which copies
//! them.

use std::path::Path;
use std::sync::Arc;

use basis::Instant;
use control::Info;
use control::stf::Step;
use diagnostics::Sources;
use ir::Program;
use ir::interpret::PacketInterpreter;
use machines::Device;
use machines::blocks::Executor;
use machines::v1model::{Switch, V1modelParameters};
use native::Native;
use node::{Node, Outbox, Port};
use wire::{Packet, Sidecar, Tail};

/// Programs, each with one of its packet tests.
const PROGRAMS: [(&str, &str); 9] = [
    ("router", "router"),
    ("tunnel", "entering"),
    ("tunnel", "leaving"),
    ("telemetry", "telemetry"),
    ("ecmp", "ecmp"),
    ("load_balancer", "balancing"),
    ("learning_switch", "learning_switch"),
    ("source_routing", "source_routing"),
    ("stateful_firewall", "connections"),
];

/// Loads a program and its packet test.
fn load(name: &str, test: &str) -> (Arc<Program>, Arc<Info>, Vec<Step>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/p4").join(name);
    let read = |file: String| std::fs::read_to_string(folder.join(file)).expect("one of ours");
    let mut sources = Sources::new();
    let main = sources.add("main.p4", read(format!("{name}.p4")));
    let preprocessed = p4::preprocess(&mut sources, main, &p4::Disk, &p4::Options::default());
    let (tree, _) = p4::parse(&preprocessed.tokens);
    let (checked, _) = p4::check(&tree);
    let lowered = p4::lower(&tree, checked).unwrap_or_else(|_| panic!("`{name}` is sound"));
    let info = Arc::new(lowered.info);
    let test = sources.add("test.stf", read(format!("{test}.stf")));
    let steps = control::stf::prepare(&info, &sources, test).expect("a packet test of this program").steps;
    (Arc::new(lowered.program), info, steps.into_iter().map(|step| step.item).collect())
}

/// Returns packets with these bytes in various forms: split into head and tail at several places, and with heads whose
/// memory ends right behind them.
fn forms(bytes: &[u8]) -> Vec<Packet> {
    let sidecar = Sidecar { id: 7, ..Sidecar::default() };
    let mut forms = Vec::new();
    for cut in [0, 1, 13, 14, 20, 34, bytes.len()] {
        let (head, tail) = bytes.split_at(cut.min(bytes.len()));
        forms.push(Packet::new(head, Tail::Bytes(tail.into()), sidecar));
        forms.push(Packet::new(head, Tail::Length(tail.len() as u32), sidecar));
    }
    for length in [183, 184, 185, 192, 193, 256, 512, 1400] {
        let mut long = bytes.to_vec();
        long.resize(length.max(bytes.len()), 0xAB);
        forms.push(Packet::new(&long, Tail::Length(0), sidecar));
        forms.push(Packet::new(&long, Tail::Length(100), sidecar));
    }
    forms
}

/// Returns as text everything that a switch does with the packets of a test. A switch that `records` runs block by block.
fn outcome<E: Executor>(executor: E, info: &Arc<Info>, steps: &[Step], records: bool) -> Vec<String> {
    let mut switch = Switch::new(executor, Arc::clone(info), V1modelParameters::default()).expect("it is for v1model");
    if records {
        switch.observe().expect("the interpreter reports events");
    }
    let mut told = Vec::new();
    for step in steps {
        match step {
            Step::Request(request) => {
                switch.execute(request).expect("what the packet test asks for");
            }
            Step::Packet { port, bytes } => {
                let mut out = Outbox::default();
                let mut burst = forms(bytes);
                out.begin(Instant::ZERO);
                switch.receive(Instant::ZERO, Port(*port as u16), &mut burst, &mut out);
                told.extend(out.transmissions.iter().map(|sent| format!("{:?}", (sent.port, &sent.packet))));
                told.extend(out.discarded.iter().map(|lost| format!("{:?}", (lost.reason, &lost.packet))));
            }
            _ => {}
        }
    }
    told.push(format!("{:?}", switch.statistics()));
    told
}

#[test]
fn switches_agree_on_packets_in_every_form() {
    for (name, test) in PROGRAMS {
        let (program, info, steps) = load(name, test);
        let native = Native::compile(Arc::clone(&program)).expect("code can be generated for this processor");
        let expected = outcome(PacketInterpreter::new(Arc::clone(&program)), &info, &steps, true);
        let found = outcome(native, &info, &steps, false);
        let interpreted = outcome(PacketInterpreter::new(program), &info, &steps, false);
        for found in [found, interpreted] {
            assert_eq!(found.len(), expected.len(), "{name}");
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found, expected, "{name}");
            }
        }
    }
}
