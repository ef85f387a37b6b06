//! A benchmark of the v1model switch itself: nanoseconds per 64-byte packet in bursts of 32, for the program
//! `programs/p4/router` with executors that do next to nothing, and for comparison with the interpreter. Run it with
//! `cargo bench -p polyplane-machines --bench v1model`; an argument sets the number of packets.

use std::hint::black_box;
use std::iter::repeat_n;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant as WallClock};

use arch::Stage;
use basis::{Instant, Random};
use control::Info;
use control::stf::Step;
use ir::interpret::{Ending, PacketInterpreter, Request, Surroundings, Undefined, Unobserved};
use ir::{Block, Program, VariableId};
use machines::Device;
use machines::blocks::{Executor, Frame};
use machines::v1model::{Switch, V1modelParameters};
use node::{Burst, Node, Outbox, Port};
use wire::{Packet, Tail};

const BURST: usize = 32;
const RUNS: usize = 51;

/// The size in bytes of the Ethernet and IPv4 headers, which the idle executor treats as parsed and emits unchanged.
const HEADERS: usize = 34;

/// An executor that does nothing except sending every packet to port 1.
struct Idle<P> {
    program: Arc<Program>,
    packet: P,
    parser: Block,
    ingress: Block,
    deparser: Block,
    destination: VariableId,
}

/// The operations of the idle executor on a packet.
trait IdleFrame: Frame {
    fn parse(&mut self);
    fn deparse(&mut self);
}

/// A packet with its variables in flat words, like that of machine code.
#[derive(Clone, Debug)]
struct Words {
    words: Vec<u64>,
    bytes: Vec<u8>,
    position: usize,
    emitted: Vec<u8>,
}

impl<P: IdleFrame> Executor for Idle<P> {
    type Packet = P;

    fn program(&self) -> &Program {
        &self.program
    }

    fn packet(&self) -> P {
        self.packet.clone()
    }

    fn run(&mut self, block: Block, packet: &mut P, _: &mut Surroundings<'_>, _: &mut Vec<Request>) -> Ending {
        if block == self.parser {
            packet.parse();
        } else if block == self.ingress {
            packet.set(self.destination, 1);
        } else if block == self.deparser {
            packet.deparse();
        }
        Ending::Done
    }

    fn observes(&self) -> bool {
        false
    }
}

impl IdleFrame for ir::interpret::Packet {
    fn parse(&mut self) {
        self.position = 8 * HEADERS;
    }

    fn deparse(&mut self) {
        self.emitted.bytes.extend_from_slice(&self.bytes[..HEADERS]);
        self.emitted.bits = 8 * HEADERS;
    }
}

impl IdleFrame for Words {
    fn parse(&mut self) {
        self.position = 8 * HEADERS;
    }

    fn deparse(&mut self) {
        self.emitted.extend_from_slice(&self.bytes[..HEADERS]);
    }
}

impl Frame for Words {
    fn low(&self, variable: VariableId) -> u64 {
        self.words[variable.index()]
    }

    fn set(&mut self, variable: VariableId, value: u64) {
        self.words[variable.index()] = value;
    }

    fn copy_variables(&mut self, from: &Self, variables: &[VariableId]) {
        variables.iter().for_each(|variable| self.words[variable.index()] = from.words[variable.index()]);
    }

    fn copy_from(&mut self, from: &Self) {
        self.clone_from(from);
    }

    fn clear(&mut self) {
        self.words.fill(0);
        self.set_bytes(|_| ());
    }

    fn clear_variables(&mut self, variables: &[VariableId]) {
        variables.iter().for_each(|variable| self.words[variable.index()] = 0);
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn set_bytes(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.bytes.clear();
        write(&mut self.bytes);
        self.position = 0;
        self.emitted.clear();
    }

    fn rest(&self) -> Tail {
        Tail::Length(0)
    }

    fn set_rest(&mut self, _: Tail) {}

    fn length(&self) -> usize {
        self.bytes.len()
    }

    fn position(&self) -> usize {
        self.position
    }

    fn emitted(&self) -> &[u8] {
        &self.emitted
    }
}

basis::snapshot!(Words { values words, bytes, position, emitted; });

/// The program, its control plane information, and a test packet.
struct Router {
    program: Arc<Program>,
    info: Arc<Info>,
    /// The requests that fill its tables.
    requests: Vec<control::Request>,
    /// The first packet of its packet test, which it routes, extended to 64 bytes.
    packet: Packet,
}

fn router() -> Router {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/p4/router");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a program of this project");
    let mut sources = diagnostics::Sources::new();
    let main = sources.add("router.p4", read("router.p4"));
    let preprocessed = p4::preprocess(&mut sources, main, &p4::Disk, &p4::Options::default());
    let (program, _) = p4::parse(&preprocessed.tokens);
    let (checked, _) = p4::check(&program);
    let lowered = p4::lower(&program, checked).unwrap_or_else(|found| panic!("{}", found.render(&sources, false)));
    let info = Arc::new(lowered.info);
    let test = sources.add("router.stf", read("router.stf"));
    let mut requests = Vec::new();
    for step in control::stf::prepare(&info, &sources, test).expect("a packet test of this program").steps {
        match step.item {
            Step::Request(request) => requests.push(request),
            Step::Packet { mut bytes, .. } => {
                bytes.resize(64, 0);
                return Router { program: Arc::new(lowered.program), info, requests, packet: Packet::of_bytes(&bytes) };
            }
            _ => {}
        }
    }
    panic!("the packet test has no packet");
}

impl Router {
    /// Prints the time per packet through a switch, in the fastest of several runs.
    fn measure<E: Executor>(&self, name: &str, executor: E, count: usize) {
        let mut switch =
            Switch::new(executor, self.info.clone(), V1modelParameters::default()).expect("it is for v1model");
        for request in &self.requests {
            switch.execute(request).expect("what the packet test asks for");
        }
        let (mut burst, mut out) = (Burst::new(), Outbox::default());
        let mut best = Duration::MAX;
        for _ in 0..RUNS {
            let mut time = Duration::ZERO;
            for number in 0..count / BURST {
                let now = Instant::from_microseconds(number as u64);
                burst.extend(repeat_n(&self.packet, BURST).cloned());
                let start = WallClock::now();
                out.begin(now);
                switch.receive(now, Port(1), &mut burst, &mut out);
                time += start.elapsed();
                out.transmissions.clear();
            }
            best = best.min(time);
        }
        assert_eq!(switch.statistics().discarded.total(), 0, "all packets are routed");
        println!("{name:<36} {:>8.1} ns per packet", best.as_secs_f64() * 1e9 / (count / BURST * BURST) as f64);
    }

    /// Prints the time per packet that an executor itself takes for all blocks, without a switch, in the fastest of
    /// several runs.
    fn measure_alone<E: Executor>(&self, name: &str, mut executor: E, count: usize) {
        let blocks: Vec<Block> = self.program.entrances.iter().map(|entrance| entrance.block).collect();
        let (mut packet, mut requests) = (executor.packet(), Vec::new());
        let mut state = self.program.initial_state();
        let mut surroundings = Surroundings {
            state: &mut state,
            now: Instant::ZERO,
            length: 64,
            packets: 1,
            random: &mut Random::new(0),
            undefined: &mut Undefined::Zero,
            observer: &mut Unobserved,
        };
        let mut best = Duration::MAX;
        for _ in 0..RUNS {
            let start = WallClock::now();
            for _ in 0..count {
                packet.clear();
                packet.set_bytes(|bytes| bytes.extend_from_slice(self.packet.head.bytes()));
                for &block in &blocks {
                    black_box(executor.run(block, &mut packet, &mut surroundings, &mut requests));
                }
            }
            best = best.min(start.elapsed());
        }
        println!("{name:<36} {:>8.1} ns per packet", best.as_secs_f64() * 1e9 / count as f64);
    }

    fn idle<P: IdleFrame>(&self, packet: P) -> Idle<P> {
        let block = |stage| self.program.entrance(arch::V1MODEL.main_block(stage).name).expect("a block of v1model");
        Idle {
            program: self.program.clone(),
            packet,
            parser: block(Stage::Parser),
            ingress: block(Stage::Ingress),
            deparser: block(Stage::Deparser),
            destination: self.program.intrinsic(arch::V1MODEL.destination).expect("a field of v1model"),
        }
    }
}

fn main() {
    let count = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(20_000);
    let router = router();
    let variables = router.program.variables.len();
    println!("{variables} variables, {} headers", router.program.headers.len());
    let words = Words { words: vec![0; variables], bytes: Vec::new(), position: 0, emitted: Vec::new() };
    router.measure_alone("does nothing, flat words, no switch", router.idle(words.clone()), count);
    router.measure("does nothing, flat words", router.idle(words), count);
    let values = ir::interpret::Packet::new(&router.program, Vec::new());
    router.measure("does nothing, interpreter's packets", router.idle(values), count);
    router.measure("interpreter", PacketInterpreter::new(router.program.clone()), count / 10);
}
