//! Measures the throughput and latency of the router.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant as WallClock;

use basis::{Instant, Random};
use control::Request;
use diagnostics::Sources;
use ir::interpret::{PacketInterpreter, Surroundings, Undefined, Unobserved};
use ir::{Block, VariableId};
use machines::Device;
use machines::blocks::{BlockList, Executor, Frame};
use machines::v1model::{Switch, V1modelParameters};
use native::Native;
use node::{Burst, Node, Outbox, Port};
use serde::Serialize;
use wire::Packet;

use super::entries::{requests, routes};
use super::packets::packets;
use super::{PROGRAM, Tables};
use crate::timing::best;
use diagnostics::Failure;
use workbench::{LoadOptions, LoadedProgram};

/// The speed of the router with tables of some sizes, run by one executor.
#[derive(Clone, Debug, Serialize)]
pub struct MeasuredRouter {
    /// The executor: `native` or `interpreter`.
    pub executor: &'static str,
    /// The number of routes.
    pub routes: usize,
    /// The number of rules in the access list.
    pub rules: usize,
    /// Packets per second through the blocks of the program alone.
    pub bare_packets_per_second: f64,
    /// Packets per second through the switch, in bursts of 32.
    pub switch_packets_per_second: f64,
    /// The median time that the switch takes for a single packet, in nanoseconds.
    pub latency_nanoseconds: f64,
    /// The number of packets of one round that were forwarded, which is the same for all executors.
    pub forwarded: u64,
}

/// The number of packets in a burst.
const BURST: usize = 32;
/// The number of rounds, of which the fastest counts.
const ROUNDS: u64 = 5;

/// Measures the router with tables of some sizes on 64-byte packets, as machine code and by the interpreter; with `quick`, in one
/// round.
///
/// # Errors
/// If machine code cannot be generated for this computer's processor.
pub fn router(tables: Tables, seed: u64, quick: bool) -> Result<Vec<MeasuredRouter>, Failure> {
    let mut sources = Sources::new();
    let main = sources.add("router.p4", PROGRAM);
    let program = LoadedProgram::load(&mut sources, main, &LoadOptions::default())
        .map_err(|diagnostics| Failure::BadInput { sources, diagnostics })?;
    let mut random = Random::new(seed);
    let routes = routes(tables.routes, &mut random);
    let requests = requests(&program.info, tables, &routes, &mut random);
    let packets = packets(&routes, &mut random);
    let compiled = Native::compile(program.program.clone()).map_err(|reason| Failure::plain(reason.to_string()))?;
    let rounds = if quick { 1 } else { ROUNDS };
    let setting = Setting { program: &program, tables, requests: &requests, packets: &packets, rounds };
    let interpreter = PacketInterpreter::new(program.program.clone());
    Ok(vec![setting.measure("native", || compiled.clone())?, setting.measure("interpreter", || interpreter.clone())?])
}

struct Setting<'s> {
    program: &'s LoadedProgram,
    tables: Tables,
    requests: &'s [Request],
    packets: &'s [[u8; 60]],
    rounds: u64,
}

impl Setting<'_> {
    fn measure<E: Executor>(&self, name: &'static str, executor: impl Fn() -> E) -> Result<MeasuredRouter, Failure> {
        let mut switch = Switch::new(executor(), self.program.info.clone(), V1modelParameters::default())?;
        for request in self.requests {
            switch.execute(request).map_err(|error| Failure::plain(error.to_string()))?;
        }
        let mut bare = Bare::new(executor(), self.program, switch.state().into_owned());
        let rate = |seconds: f64| self.packets.len() as f64 / seconds;
        let (bare_seconds, forwarded) = best(self.rounds, || bare.round(self.packets));
        let (switch_seconds, _) = best(self.rounds, || self.round(&mut switch));
        Ok(MeasuredRouter {
            executor: name,
            routes: self.tables.routes,
            rules: self.tables.rules,
            bare_packets_per_second: rate(bare_seconds),
            switch_packets_per_second: rate(switch_seconds),
            latency_nanoseconds: self.latency(&mut switch),
            forwarded,
        })
    }

    /// Sends all packets through the switch. Returns the time in seconds, which does not include making the packets,
    /// and the number of packets that left.
    fn round<E: Executor>(&self, switch: &mut Switch<E>) -> (f64, u64) {
        let mut bursts: Vec<Burst> = self
            .packets
            .chunks(BURST)
            .map(|chunk| chunk.iter().map(|bytes| Packet::of_bytes(bytes)).collect())
            .collect();
        let mut out = Outbox::default();
        let mut left = 0;
        let start = WallClock::now();
        for burst in &mut bursts {
            out.begin(Instant::ZERO);
            switch.receive(Instant::ZERO, Port(1), burst, &mut out);
            left += out.transmissions.len() as u64;
            out.transmissions.clear();
            out.discarded.clear();
        }
        (start.elapsed().as_secs_f64(), left)
    }

    /// Sends the packets one at a time, and returns the median of their times in nanoseconds.
    fn latency<E: Executor>(&self, switch: &mut Switch<E>) -> f64 {
        let mut out = Outbox::default();
        let mut burst = Burst::new();
        let mut times: Vec<u64> = Vec::with_capacity(self.packets.len());
        for bytes in self.packets {
            burst.push(Packet::of_bytes(bytes));
            out.begin(Instant::ZERO);
            let start = WallClock::now();
            switch.receive(Instant::ZERO, Port(1), &mut burst, &mut out);
            times.push(start.elapsed().as_nanos() as u64);
            out.transmissions.clear();
            out.discarded.clear();
        }
        times.sort_unstable();
        times[times.len() / 2] as f64
    }
}

/// The blocks of the program without a switch around them. All packets use the same memory.
struct Bare<E: Executor> {
    executor: E,
    packet: E::Packet,
    state: runtime::ProgramState,
    blocks: BlockList,
    destination: VariableId,
    requests: Vec<ir::interpret::Request>,
    random: Random,
}

/// The egress port of dropped packets.
const DROP_PORT: u64 = 511;

impl<E: Executor> Bare<E> {
    fn new(executor: E, program: &LoadedProgram, state: runtime::ProgramState) -> Self {
        let program: &Arc<ir::Program> = &program.program;
        let blocks = arch::V1MODEL.blocks.iter().filter_map(|block| program.entrance(block.name));
        Self {
            packet: executor.packet(),
            executor,
            state,
            blocks: blocks.collect::<Vec<Block>>().into(),
            destination: program.intrinsic(arch::V1MODEL.destination).expect("a program for v1model"),
            requests: Vec::new(),
            random: Random::new(1),
        }
    }

    /// Runs all packets through the blocks. Returns the time in seconds and the number of packets that were not
    /// dropped.
    fn round(&mut self, packets: &[[u8; 60]]) -> (f64, u64) {
        let mut forwarded = 0;
        let start = WallClock::now();
        for bytes in packets {
            self.packet.clear();
            self.packet.set_bytes(|own| own.extend_from_slice(bytes));
            let mut surroundings = Surroundings {
                state: &mut self.state,
                now: Instant::ZERO,
                length: bytes.len() as u64,
                packets: 1,
                random: &mut self.random,
                undefined: &mut Undefined::Zero,
                observer: &mut Unobserved,
            };
            self.executor.run_each(&self.blocks, &mut self.packet, &mut surroundings, &mut self.requests);
            forwarded += u64::from(self.packet.low(self.destination) != DROP_PORT);
            black_box((self.packet.emitted(), self.packet.bytes()));
        }
        (start.elapsed().as_secs_f64(), forwarded)
    }
}
