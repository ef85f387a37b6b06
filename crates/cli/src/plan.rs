//! Arguments become plans: what can be wrong with them is said here.

use basis::Duration;
use diagnostics::Diagnostic;
use experiments::{Architecture, Failure, LoadedProgram, MachinePlan};
use machines::mp5::{Mutation, Ordering, Parameters, Recirculation, Sharding, Spraying, Steering};
use passes::Target;
use traffic::{Kind, Pace, Traffic};

use crate::arguments::{MachineArguments, ProgramArguments, TargetArguments, TrafficArguments};

/// Reads the program that the arguments name; prints its warnings.
pub fn load(arguments: &ProgramArguments) -> Result<LoadedProgram, Failure> {
    let loaded = LoadedProgram::read(&arguments.program, arguments.binding.as_deref())?;
    if !loaded.warnings.is_empty() {
        eprint!("{}", loaded.warnings);
    }
    Ok(loaded)
}

/// The machine that the arguments describe.
pub fn machine(
    name: &str,
    build: &MachineArguments,
    target: &TargetArguments,
    seed: u64,
) -> Result<MachinePlan, Failure> {
    let architecture = Architecture::from_name(name).ok_or_else(|| {
        unknown("machine", name, &Architecture::ALL.map(Architecture::name))
    })?;
    let recirculation = Recirculation { latency: build.recirculation_latency, ..Recirculation::default() };
    let recirculates = architecture == Architecture::Recirculating;
    let steering = match build.steering.as_str() {
        "crossbar" if !recirculates => Steering::Crossbar,
        "crossbar" | "recirculation" => Steering::Recirculation(recirculation),
        other => return Err(unknown("way of steering", other, &["crossbar", "recirculation"])),
    };
    let sharding = match build.sharding.as_str() {
        "dynamic" | "sorted" => Sharding::Dynamic,
        "random" => Sharding::StaticRandom,
        "modulo" => Sharding::StaticModulo,
        "one-pipeline" => Sharding::AllInOne,
        other => {
            return Err(unknown("sharding", other, &["dynamic", "random", "modulo", "sorted", "one-pipeline"]));
        }
    };
    let ordering = match build.ordering.as_str() {
        "phantoms" => Ordering::Phantoms,
        "none" => Ordering::None,
        other => return Err(unknown("ordering", other, &["phantoms", "none"])),
    };
    let spraying = match build.spraying.as_str() {
        "round-robin" => Spraying::RoundRobin,
        "by-port" => Spraying::ByPort,
        other => return Err(unknown("spraying", other, &["round-robin", "by-port"])),
    };
    let parameters = Parameters {
        pipelines: build.pipelines as usize,
        ports: u16::try_from(build.ports).expect("bounded by the argument's range"),
        fifo_depth: build.fifo_depth,
        remap_period: build.remap_period,
        sharding,
        ordering,
        steering,
        spraying,
        ecn_threshold: build.ecn_threshold,
        starvation_limit: build.starvation_limit,
        seed,
        period: Duration::from_picoseconds(build.clock_period),
        mutation: mutation(build)?,
        ..Parameters::default()
    };
    Ok(MachinePlan {
        architecture,
        parameters,
        sorted_worst_case: build.sharding == "sorted",
        target: Target {
            depth: target.depth,
            stateless_per_stage: target.stateless,
            stateful_per_stage: target.stateful,
            atom: target.atom.clone(),
            assume_no_overflow: target.assume_no_overflow,
            ..Target::default()
        },
        flow_order: target.flow_order.clone(),
    })
}

fn mutation(build: &MachineArguments) -> Result<Mutation, Failure> {
    Ok(match build.mutate.as_deref() {
        None => Mutation::None,
        Some("no-phantoms") => Mutation::NoPhantoms,
        Some("swapped-timestamps") => Mutation::SwappedTimestamps,
        Some("move-while-in-flight") => Mutation::MoveWhileInFlight,
        Some("update-order") => Mutation::UpdateOrder((0..build.pipelines as usize).rev().collect()),
        Some(other) => {
            let names = ["no-phantoms", "swapped-timestamps", "move-while-in-flight", "update-order"];
            return Err(unknown("mutation", other, &names));
        }
    })
}

fn unknown(what: &str, name: &str, known: &[&str]) -> Failure {
    Diagnostic::without_place(format!("there is no {what} called `{name}`"))
        .hint(format!("one of: {}", known.join(", ")))
        .into()
}

/// A plan of traffic as a person writes it.
pub fn parse_traffic(kind: &str) -> Result<Traffic, Failure> {
    Traffic::parse(kind).map_err(|(sources, diagnostics)| Failure::BadInput { sources, diagnostics })
}

/// The packets that the arguments describe: `kind`, with what the other arguments say of it.
pub fn traffic(kind: &str, arguments: &TrafficArguments, build: &MachineArguments) -> Result<Traffic, Failure> {
    let mut traffic = parse_traffic(kind)?;
    if !kind.contains("ports=") {
        traffic.ports = u16::try_from(build.ports).expect("bounded by the argument's range");
    }
    if !kind.contains("seed=") {
        traffic.seed = arguments.seed;
    }
    traffic.packets = arguments.packets.or(traffic.packets);
    if let Kind::Capture(replay) = &mut traffic.kind {
        if arguments.timestamps {
            replay.pace = Pace::Timestamps { numerator: 1, denominator: 1 };
        }
        replay.repeat = replay.repeat.max(arguments.repeat);
    }
    Ok(traffic)
}
