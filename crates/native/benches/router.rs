//! A benchmark of `programs/p4/router` without a switch: parser, controls and deparser in sequence on 64-byte IPv4
//! packets with few routes, reusing the packet's memory. Compares machine code with the interpreter on the same
//! packets, and then measures how long each program of this repository takes to compile. Run it with `cargo bench -p
//! native`; an argument sets the number of rounds of 1024 packets.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant as WallClock;

use basis::{Instant, Random};
use diagnostics::Sources;
use ir::interpret::{Ending, PacketInterpreter, Surroundings, Undefined, Unobserved};
use ir::{Block, Program, VariableId};
use machines::blocks::{Executor, Frame};
use native::Native;
use runtime::tables::{FieldMatch, TableEntry, Target};
use runtime::{Bits, ProgramState};

const BLOCKS: [&str; 6] = ["parser", "verify_checksum", "ingress", "egress", "compute_checksum", "deparser"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/p4")
}

fn load(name: &str) -> Program {
    let text = std::fs::read_to_string(folder().join(name).join(format!("{name}.p4"))).expect("a program of ours");
    let mut sources = Sources::new();
    let main = sources.add("router.p4", text.as_str());
    let files: BTreeMap<String, String> = BTreeMap::new();
    let read = p4::preprocess(&mut sources, main, &files, &p4::Options::default());
    let (tree, _) = p4::parse(&read.tokens);
    let (checked, _) = p4::check(&tree);
    p4::lower(&tree, checked).unwrap_or_else(|_| panic!("`{name}` is sound")).program
}

fn insert(
    program: &Program,
    state: &mut ProgramState,
    table: &str,
    key: Vec<FieldMatch>,
    action: &str,
    data: &[(u64, u32)],
) {
    let table = program.tables.iter().position(|known| known.name.ends_with(table)).expect("the router has it");
    let actions = &program.tables[table].actions;
    let named = |action: &ir::TableAction| program.functions[action.function.index()].name.clone();
    let action = actions.iter().position(|known| named(known).ends_with(action)).expect("the table has it") as u32;
    let data = data.iter().map(|&(value, width)| Bits::from_u64(value, width)).collect();
    let entry = TableEntry { key, priority: 0, target: Target::Action { action, data }, is_constant: false };
    state.tables[table].insert(entry).expect("the table takes it");
}

fn exact(value: u64, width: u32) -> FieldMatch {
    FieldMatch::Exact(Bits::from_u64(value, width))
}

/// Installs eight ports with a route behind each.
fn fill(program: &Program, state: &mut ProgramState) {
    for port in 0..8 {
        let own = 0x0200_0000_0000 + port;
        insert(program, state, "stations", vec![exact(port, 9), exact(own, 48)], "NoAction", &[]);
        insert(program, state, "interfaces", vec![exact(port, 9)], "set_source", &[(own, 48)]);
        let neighbour = 0x0200_0000_0100 + port;
        insert(program, state, "next_hops", vec![exact(port, 16)], "forward", &[(port, 9), (neighbour, 48)]);
        let prefix = FieldMatch::Prefix { value: Bits::from_u64(10 << 24 | port << 16, 32), length: 16 };
        insert(program, state, "routes", vec![prefix], "to_next_hop", &[(port, 16)]);
    }
}

/// Builds a 64-byte packet with Ethernet and IPv4 headers, padded with zeros.
fn packet(random: &mut Random) -> Vec<u8> {
    let mut bytes = vec![0u8; 64];
    bytes[..6].copy_from_slice(&[2, 0, 0, 0, 0, 0]);
    bytes[6..12].copy_from_slice(&[2, 0, 0, 0, 9, 9]);
    bytes[12..14].copy_from_slice(&[8, 0]);
    let header = &mut bytes[14..34];
    header[..10].copy_from_slice(&[0x45, 0, 0, 50, 0, 0, 0, 0, 64, 17]);
    header[12..16].copy_from_slice(&[192, 168, 0, random.below(256) as u8]);
    header[16..20].copy_from_slice(&[10, random.below(8) as u8, random.below(256) as u8, random.below(256) as u8]);
    let sum = wire::checksum::of(header);
    header[10..12].copy_from_slice(&sum.to_be_bytes());
    bytes
}

/// Returns the nanoseconds per packet in the fastest round.
fn measure<E: Executor>(mut executor: E, packets: &[Vec<u8>], rounds: usize) -> f64 {
    let program = executor.program().clone();
    let mut state = program.initial_state();
    fill(&program, &mut state);
    let block = |name: &str| program.entrances.iter().find(|entrance| entrance.name == name).expect("v1model").block;
    let blocks: [Block; 6] = BLOCKS.map(block);
    let intrinsic = |name: &str| -> VariableId {
        program.intrinsics.iter().find(|(known, _)| known == name).expect("standard metadata").1
    };
    let (length, egress_spec, parser_error) =
        (intrinsic("packet_length"), intrinsic("egress_spec"), intrinsic("parser_error"));
    let (mut random, mut undefined, mut requests) = (Random::new(1), Undefined::Zero, Vec::new());
    let mut packet = executor.packet();
    let mut round = || {
        let mut forwarded = 0;
        let start = WallClock::now();
        for bytes in packets {
            packet.clear();
            packet.set_bytes(|place| place.extend_from_slice(bytes));
            packet.set(length, 64);
            let mut surroundings = Surroundings {
                state: &mut state,
                now: Instant::ZERO,
                length: 64,
                packets: 1,
                random: &mut random,
                undefined: &mut undefined,
                observer: &mut Unobserved,
            };
            for block in blocks {
                if let Ending::Rejected(error) = executor.run(block, &mut packet, &mut surroundings, &mut requests) {
                    packet.set(parser_error, error.0.into());
                }
            }
            forwarded += usize::from(packet.low(egress_spec) < 8 && packet.emitted().len() == 34);
        }
        let elapsed = start.elapsed();
        assert_eq!(forwarded, packets.len(), "the router forwards all of them");
        elapsed.as_secs_f64() * 1e9 / packets.len() as f64
    };
    // The fastest round counts, because disturbances only make rounds slower.
    (0..rounds).map(|_| round()).fold(f64::INFINITY, f64::min)
}

fn main() {
    let rounds: usize = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(2000);
    let mut random = Random::new(1);
    let packets: Vec<Vec<u8>> = (0..1024).map(|_| packet(&mut random)).collect();
    let program = Arc::new(load("router"));
    let native = Native::compile(Arc::clone(&program)).expect("code can be generated for this processor");
    let fast = measure(native, &packets, rounds);
    let slow = measure(PacketInterpreter::new(Arc::clone(&program)), &packets, rounds.div_ceil(20));
    for (name, time) in [("native", fast), ("interpreter", slow)] {
        println!("router, bare pipeline, {name:<12} {time:>8.1} ns per packet {:>8.2} million packets/s", 1e3 / time);
    }
    println!("native is {:.1} times as fast", slow / fast);

    let mut names: Vec<String> = std::fs::read_dir(folder())
        .expect("our programs")
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.retain(|name| folder().join(name).join(format!("{name}.p4")).is_file());
    names.sort();
    for name in names {
        let program = Arc::new(load(&name));
        let start = WallClock::now();
        let compiled = Native::compile(program).expect("code can be generated for this processor");
        println!("compile {name:<20} {:>8.1} ms", start.elapsed().as_secs_f64() * 1e3);
        drop(compiled);
    }
}
