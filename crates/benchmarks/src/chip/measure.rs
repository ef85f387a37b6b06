//! Measures packets per second through ingress, queues and egress.

use std::time::Instant as WallClock;

use basis::{Instant, Random, Rate};
use diagnostics::{Failure, Sources};
use machines::Device;
use node::{Link, Offered, Port};
use queues::{BufferPlan, DisciplinePlan, OutputPlan, PortPlan};
use serde::Serialize;
use wire::Packet;
use workbench::kinds::{self, Fitted, Given, Settings};
use workbench::{LoadOptions, LoadedProgram};

use super::entries::{PORTS, port, requests};
use super::{FOR_TNA, FOR_V1MODEL};
use crate::router::{packets, routes};
use crate::timing::{faster, time_machine};

/// The numbers of routes and of rules in the access list.
const TABLES: (usize, usize) = (64, 256);
/// The number of rounds, of which the fastest counts.
const ROUNDS: usize = 5;
/// The time between two packets in picoseconds. Each port of 100 Gb/s then sends 42% of the time.
const GAP: u64 = 1_000;

/// The speed of the router on one machine.
#[derive(Clone, Debug, Serialize)]
pub struct MeasuredChip {
    /// The machine.
    pub machine: &'static str,
    /// What runs the blocks of the program: `native` or `interpreter`.
    pub executor: &'static str,
    /// The time from the source text to a machine that can be built, in seconds.
    pub ready_seconds: f64,
    /// Packets per second if nothing waits: ports have no links.
    pub packets_per_second: f64,
    /// Packets per second through ingress, the queues of the ports, and egress.
    pub queued_packets_per_second: f64,
    /// The passes through ingress and egress per second on that way.
    pub passes_per_second: f64,
    /// The packets per second on that way relative to v1model's switch with the same executor.
    pub against_v1model: f64,
    /// The number of packets that left, which is the same for all.
    pub forwarded: u64,
}

/// A program on a machine, and the best rounds so far: without queues and with them.
struct Contender {
    machine: &'static str,
    executor: &'static str,
    fitted: Box<dyn Fitted>,
    ready_seconds: f64,
    best: [(f64, u64); 2],
}

/// Measures the router for both architectures, run by machine code and by the interpreter.
///
/// # Errors
/// If machine code cannot be generated for this computer's processor.
pub fn chips(quick: bool) -> Result<Vec<MeasuredChip>, Failure> {
    let mut contenders = vec![
        Contender::new("v1model", "native", FOR_V1MODEL)?,
        Contender::new("tofino", "native", FOR_TNA)?,
        Contender::new("v1model", "interpreter", FOR_V1MODEL)?,
        Contender::new("tofino", "interpreter", FOR_TNA)?,
    ];
    let mut random = Random::new(1);
    let routes = routes(TABLES.0, &mut random);
    let packets: Vec<Offered> = packets(&routes, &mut random)
        .iter()
        .enumerate()
        .map(|(number, bytes)| Offered {
            at: Instant::from_picoseconds(GAP * number as u64),
            port: Port(port(number as u64)),
            packet: Packet::of_bytes(bytes),
        })
        .collect();
    // They take turns, because a slow period of the computer can last longer than a round.
    for _ in 0..if quick { 1 } else { ROUNDS } {
        for contender in &mut contenders {
            for has_queues in [false, true] {
                let mut machine = contender.fitted.build(1)?;
                let requests = requests(machine.info(), &routes, TABLES.1, &mut Random::new(2));
                for request in &requests {
                    machine.execute(request).map_err(|error| Failure::plain(error.to_string()))?;
                }
                if has_queues {
                    machine.hold_queues(links(&*machine))?;
                }
                let (seconds, ended) = time_machine(&mut *machine, packets.clone().into_iter());
                ended?;
                let round = (seconds, machine.statistics().transmitted);
                let best = &mut contender.best[usize::from(has_queues)];
                *best = faster(*best, round);
            }
        }
    }
    Ok(contenders.iter().map(|contender| contender.result(packets.len() as f64, &contenders)).collect())
}

/// Returns links of 100 Gb/s with room for 1 MB each behind all ports.
fn links(machine: &dyn Device) -> OutputPlan {
    let link = PortPlan {
        rate: Rate::from_gigabits_per_second(100),
        framing: Link::ETHERNET_FRAMING,
        is_last_hop: true,
        discipline: DisciplinePlan::DropTail { limit: 1_000_000 },
    };
    let ports = machine.ports().map_or(usize::from(port(PORTS - 1)) + 1, |ports| ports as usize);
    OutputPlan { ports: vec![link; ports], buffer: BufferPlan::default(), seed: 1 }
}

impl Contender {
    fn new(machine: &'static str, executor: &'static str, text: &'static str) -> Result<Self, Failure> {
        let start = WallClock::now();
        let mut sources = Sources::new();
        let main = sources.add("router.p4", text);
        let program = LoadedProgram::load(&mut sources, main, &LoadOptions::default())
            .map_err(|diagnostics| Failure::BadInput { sources, diagnostics })?;
        let mut given = Given::default();
        let kind = if executor == "native" { kinds::fastest(&program) } else { kinds::named(machine)? };
        if let Some(option) = kind.options().iter().find(|option| option.name == "executor") {
            given.push(option, executor)?;
        }
        let fitted = kind.fit(&program, &Settings { given, packets: None })?;
        let ready_seconds = start.elapsed().as_secs_f64();
        Ok(Self { machine, executor, fitted, ready_seconds, best: [(f64::INFINITY, 0); 2] })
    }

    fn result(&self, packets: f64, all: &[Self]) -> MeasuredChip {
        let [(bare, _), (queued, forwarded)] = self.best;
        let peer = all.iter().find(|other| other.machine == "v1model" && other.executor == self.executor);
        MeasuredChip {
            machine: self.machine,
            executor: self.executor,
            ready_seconds: self.ready_seconds,
            packets_per_second: packets / bare,
            queued_packets_per_second: packets / queued,
            passes_per_second: (packets + forwarded as f64) / queued,
            against_v1model: peer.map_or(1.0, |peer| peer.best[1].0 / queued),
            forwarded,
        }
    }
}
