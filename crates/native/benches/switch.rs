//! A benchmark of the overhead of the v1model switch around machine code: nanoseconds per 60-byte packet through the
//! blocks of `programs/p4/router` alone, and through the whole switch in bursts of 32. The two take turns, so that
//! disturbances affect both. Run it with `cargo bench -p polyplane-native --bench switch`; an argument sets the number of rounds
//! of 16,384 packets, which are generated beforehand, as in `polyplane-bench`.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant as WallClock;

use basis::{Instant, Random};
use control::stf::Step;
use control::{Info, Request};
use diagnostics::Sources;
use ir::interpret::{PacketInterpreter, Surroundings, Undefined, Unobserved};
use ir::{Block, Program};
use machines::Device;
use machines::blocks::{Executor, Frame};
use machines::v1model::{Switch, V1modelParameters};
use native::Native;
use node::{Burst, Node, Outbox, Port};
use wire::Packet;

const BLOCKS: [&str; 6] = ["parser", "verify_checksum", "ingress", "egress", "compute_checksum", "deparser"];
const PACKETS: usize = 1 << 14;
const BURST: usize = 32;

/// The program, its control plane information, and the requests that fill its tables.
struct Router {
    program: Arc<Program>,
    info: Arc<Info>,
    requests: Vec<Request>,
}

fn router() -> Router {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/p4/router");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a program of this project");
    let mut sources = Sources::new();
    let main = sources.add("router.p4", read("router.p4"));
    let preprocessed = p4::preprocess(&mut sources, main, &p4::Disk, &p4::Options::default());
    let (tree, _) = p4::parse(&preprocessed.tokens);
    let (checked, _) = p4::check(&tree);
    let lowered = p4::lower(&tree, checked).unwrap_or_else(|found| panic!("{}", found.render(&sources, false)));
    let info = Arc::new(lowered.info);
    let test = sources.add("router.stf", read("router.stf"));
    let steps = control::stf::prepare(&info, &sources, test).expect("a packet test of this program").steps;
    let requests = steps.into_iter().map_while(|step| match step.item {
        Step::Request(request) => Some(request),
        _ => None,
    });
    Router { program: Arc::new(lowered.program), requests: requests.collect(), info }
}

/// Builds a packet to port 1 for a host behind port 2 or 3.
fn packet(random: &mut Random) -> [u8; 60] {
    let mut bytes = [0; 60];
    bytes[..14].copy_from_slice(&[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 1, 0xaa, 8, 0]);
    bytes[14..24].copy_from_slice(&[0x45, 0, 0, 46, 0, 0, 0, 0, 64, 17]);
    bytes[26..30].copy_from_slice(&[192, 0, 2, random.below(256) as u8]);
    bytes[30..34].copy_from_slice(&[10, 1, 2 + random.below(2) as u8, 4 + random.below(200) as u8]);
    let sum = wire::checksum::of(&bytes[14..34]);
    bytes[24..26].copy_from_slice(&sum.to_be_bytes());
    bytes
}

/// Returns the nanoseconds per packet in the fastest round, for the blocks alone and for the switch.
fn measure<E: Executor + Clone>(router: &Router, executor: &E, packets: &[[u8; 60]], rounds: usize) -> (f64, f64) {
    let mut switch =
        Switch::new(executor.clone(), router.info.clone(), V1modelParameters::default()).expect("it is for v1model");
    for request in &router.requests {
        switch.execute(request).expect("what the packet test asks for");
    }
    let mut bare = bare(router, executor.clone(), switch.state().into_owned());
    let (mut best_bare, mut best_switch) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..rounds {
        best_bare = best_bare.min(bare(packets));
        best_switch = best_switch.min(through(&mut switch, packets));
    }
    (best_bare, best_switch)
}

/// Returns a closure that runs a round of packets through the blocks alone, reusing the packet's memory.
fn bare<E: Executor>(
    router: &Router,
    mut executor: E,
    mut state: runtime::ProgramState,
) -> impl FnMut(&[[u8; 60]]) -> f64 {
    let block = |name: &str| router.program.entrances.iter().find(|entrance| entrance.name == name);
    let blocks: [Block; 6] = BLOCKS.map(|name| block(name).expect("one of v1model").block);
    let named = |name: &str| router.program.intrinsics.iter().find(|(known, _)| known == name).expect("one of v1model");
    let (port, length) = (named("ingress_port").1, named("packet_length").1);
    let (mut random, mut packet, mut requests) = (Random::new(1), executor.packet(), Vec::new());
    move |packets| {
        let start = WallClock::now();
        for bytes in packets {
            packet.clear();
            packet.set_bytes(|place| place.extend_from_slice(bytes));
            packet.set(port, 1);
            packet.set(length, 60);
            for block in blocks {
                let mut surroundings = Surroundings {
                    state: &mut state,
                    now: Instant::ZERO,
                    length: 60,
                    packets: 1,
                    random: &mut random,
                    undefined: &mut Undefined::Zero,
                    observer: &mut Unobserved,
                };
                executor.run(block, &mut packet, &mut surroundings, &mut requests);
            }
            assert_eq!(packet.emitted().len(), 34, "the router forwards all of them");
        }
        start.elapsed().as_secs_f64() * 1e9 / packets.len() as f64
    }
}

/// Runs a round of packets through the switch.
fn through<E: Executor>(switch: &mut Switch<E>, packets: &[[u8; 60]]) -> f64 {
    let burst = |chunk: &[[u8; 60]]| chunk.iter().map(|bytes| Packet::of_bytes(bytes)).collect();
    let mut bursts: Vec<Burst> = packets.chunks(BURST).map(burst).collect();
    let (mut out, mut left) = (Outbox::default(), 0);
    let start = WallClock::now();
    for burst in &mut bursts {
        out.begin(Instant::ZERO);
        switch.receive(Instant::ZERO, Port(1), burst, &mut out);
        left += out.transmissions.len();
        out.transmissions.clear();
    }
    let elapsed = start.elapsed();
    assert_eq!(left, packets.len(), "the router forwards all of them");
    elapsed.as_secs_f64() * 1e9 / packets.len() as f64
}

fn main() {
    let rounds: usize = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(300);
    let router = router();
    let mut random = Random::new(1);
    let packets: Vec<[u8; 60]> = (0..PACKETS).map(|_| packet(&mut random)).collect();
    let native = Native::compile(Arc::clone(&router.program)).expect("code can be generated for this processor");
    let interpreter = PacketInterpreter::new(Arc::clone(&router.program));
    let report = |name: &str, (bare, switch): (f64, f64)| {
        println!("{name:<12} bare {bare:>7.1} ns, switch {switch:>7.1} ns per packet, {:>5.2} times", switch / bare);
    };
    report("native", measure(&router, &native, &packets, rounds));
    if rounds < 2000 {
        report("interpreter", measure(&router, &interpreter, &packets, rounds.div_ceil(20)));
    }
}
