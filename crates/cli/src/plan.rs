//! Arguments become plans: what can be wrong with them is said here.

use std::io::IsTerminal;

use basis::Duration;
use diagnostics::{Diagnostic, Diagnostics, Sources};
use experiments::{Architecture, Failure, KnownLoad, Language, LoadedProgram, MachinePlan, Placement};
use ir::Program;
use machines::mp5::{Blocking, Mutation, Ordering, Parameters, Recirculation, Rules, Sharding, Steering};
use passes::atoms::Template;
use passes::{ANY_ATOM, MatchAction, Operations, Target};
use traffic::{Kind, Pace, Prepared, Traffic};

use crate::arguments::{MachineArguments, ProgramArguments, TargetArguments, TrafficArguments};
use crate::output;

/// The machine of programs that are not P4, if nobody names one.
pub const MACHINE: &str = "banzai";

impl TrafficArguments {
    /// The one plan of traffic that programs take whose fields are bound to packets.
    pub fn one(&self) -> Result<Option<&str>, Failure> {
        match self.traffic.as_slice() {
            [] => Ok(None),
            [kind] => Ok(Some(kind)),
            _ => Err(Diagnostic::without_place("several `--traffic` are for P4 programs")
                .hint("all ports of other programs take their packets from one plan")
                .into()),
        }
    }
}

/// Reads the program that the arguments name; prints its warnings.
pub fn load(arguments: &ProgramArguments) -> Result<LoadedProgram, Failure> {
    Language::of(&arguments.program)?;
    let loaded = LoadedProgram::read(&arguments.program, arguments.binding.as_deref())?;
    output::tell(&loaded.warnings);
    Ok(loaded)
}

/// The machine that the arguments describe, for a program.
pub fn machine(
    name: &str,
    build: &MachineArguments,
    target: &TargetArguments,
    program: &Program,
    seed: u64,
) -> Result<MachinePlan, Failure> {
    let mut machines = machines(&[name.to_owned()], build, target, program, seed)?;
    Ok(machines.remove(0))
}

/// The limits that the arguments name, and those of the kind of stages for all others.
fn limits(arguments: &TargetArguments, atom: &str, is_packet_program: bool) -> Target {
    let matches_and_acts = arguments.stages.as_deref().map_or(is_packet_program, |kind| kind == "match-action");
    let usual = if matches_and_acts { Target::match_action() } else { Target::default() };
    let of_stage = usual.match_action;
    let has = |operation: &str| arguments.operations.iter().any(|named| named == operation);
    Target {
        depth: arguments.depth,
        stateless_per_stage: arguments.stateless.unwrap_or(usual.stateless_per_stage),
        stateful_per_stage: arguments.stateful.unwrap_or(usual.stateful_per_stage),
        atom: atom.to_owned(),
        assume_no_overflow: arguments.assume_no_overflow,
        operations: Operations {
            multiply: usual.operations.multiply || has("multiply"),
            divide_by_constant: usual.operations.divide_by_constant || has("divide-by-constant"),
            divide: usual.operations.divide || has("divide"),
            ..usual.operations
        },
        match_action: MatchAction {
            tables: arguments.tables_per_stage.unwrap_or(of_stage.tables),
            sram_blocks: arguments.sram_blocks.unwrap_or(of_stage.sram_blocks),
            tcam_blocks: arguments.tcam_blocks.unwrap_or(of_stage.tcam_blocks),
            hash_units: arguments.hash_units.unwrap_or(of_stage.hash_units),
            ..of_stage
        },
        ..usual
    }
}

/// Refuses, for a P4 program, to place registers for packets that must be known beforehand.
pub fn refuse_known_load(plan: &MachinePlan, build: &MachineArguments) -> Result<(), Failure> {
    if plan.known_load.is_none() {
        return Ok(());
    }
    let sharding = &build.sharding;
    let error = format!("`--sharding {sharding}` is not for P4 programs: it is made for packets that are known");
    Err(Diagnostic::without_place(error).hint("dynamic, random, modulo or one-pipeline").into())
}

/// The machines that the arguments describe. Everything that they name and that there is not is told at once.
pub fn machines(
    names: &[String],
    build: &MachineArguments,
    target: &TargetArguments,
    program: &Program,
    seed: u64,
) -> Result<Vec<MachinePlan>, Failure> {
    // Programs with parsers are those that match and act.
    let is_packet_program = !program.parsers.is_empty();
    let mut unknown = Unknown::default();
    let architectures: Vec<(&str, Architecture)> =
        Architecture::ALL.map(|architecture| (architecture.name(), architecture)).to_vec();
    let chosen: Vec<Architecture> = names.iter().map(|name| unknown.choose("machine", name, &architectures)).collect();
    let atoms: Vec<(&str, &str)> = atoms().into_iter().map(|name| (name, name)).collect();
    let atom = unknown.choose("atom", &target.atom, &atoms);
    let fields: Vec<&str> = program.fields().map(|(_, field)| &*field.name).collect();
    for name in target.flow_order.iter().filter(|name| !fields.contains(&name.as_str())) {
        unknown.note("field", name, &fields);
    }
    let flow_order = &target.flow_order;
    let target = limits(target, atom, is_packet_program);
    let parameters = parameters(build, seed, &mut unknown);
    if build.placement.is_some() && build.sharding == "one-pipeline" {
        let message = "`--placement` and `--sharding one-pipeline` exclude each other";
        unknown.0.push(Diagnostic::without_place(message).hint("leave one of them out"));
    }
    unknown.0.into_result(()).map_err(|diagnostics| Failure::BadInput { sources: Sources::new(), diagnostics })?;
    let placement = build.placement.as_deref().map(Placement::read).transpose()?;
    let plan = |architecture| {
        let mut parameters = parameters.clone();
        if architecture == Architecture::Recirculating {
            // This machine has no crossbar, and takes its latency from here.
            parameters.steering = Steering::Recirculation(recirculation(build));
        }
        MachinePlan {
            architecture,
            parameters,
            known_load: match build.sharding.as_str() {
                "sorted" => Some(KnownLoad::Sorted),
                "packed" => Some(KnownLoad::Packed),
                _ => None,
            },
            placement: placement.clone(),
            target: target.clone(),
            flow_order: flow_order.clone(),
        }
    };
    Ok(chosen.into_iter().map(plan).collect())
}

fn parameters(build: &MachineArguments, seed: u64, unknown: &mut Unknown) -> Parameters {
    let steerings =
        [("crossbar", Steering::Crossbar), ("recirculation", Steering::Recirculation(recirculation(build)))];
    let shardings = [
        ("dynamic", Sharding::Dynamic),
        ("random", Sharding::StaticRandom),
        ("modulo", Sharding::StaticModulo),
        // Where the packets are known, a plan replaces these by what is worst, or best, for them.
        ("sorted", Sharding::Dynamic),
        ("packed", Sharding::Dynamic),
        ("one-pipeline", Sharding::AllInOne),
    ];
    let orderings = [("phantoms", Ordering::Phantoms), ("none", Ordering::None)];
    let blockings = [("head-of-line", Blocking::HeadOfLine), ("per-index", Blocking::PerIndex)];
    let mutations = [
        ("no-phantoms", Mutation::NoPhantoms),
        ("swapped-timestamps", Mutation::SwappedTimestamps),
        ("move-while-in-flight", Mutation::MoveWhileInFlight),
        ("lost-packet", Mutation::LostPacket),
        ("update-order", Mutation::UpdateOrder((0..build.pipelines as usize).rev().collect())),
    ];
    let mutation = build.mutate.as_deref().map(|name| unknown.choose("mutation", name, &mutations));
    Parameters {
        pipelines: build.pipelines as usize,
        ports: u16::try_from(build.ports).expect("bounded by the argument's range"),
        fifo_depth: build.fifo_depth,
        remap_period: build.remap_period,
        sharding: unknown.choose("sharding", &build.sharding, &shardings),
        ordering: unknown.choose("ordering", &build.ordering, &orderings),
        steering: unknown.choose("way of steering", &build.steering, &steerings),
        blocking: unknown.choose("blocking", &build.blocking, &blockings),
        rules: unknown.rules(&build.rules),
        ecn_threshold: build.ecn_threshold,
        starvation_limit: build.starvation_limit,
        seed,
        period: Duration::from_picoseconds(build.clock_period),
        mutation: mutation.unwrap_or(Mutation::None),
    }
}

fn recirculation(build: &MachineArguments) -> Recirculation {
    Recirculation { latency: build.recirculation_latency, ..Recirculation::default() }
}

fn atoms() -> Vec<&'static str> {
    Template::ALL.iter().map(|template| template.name()).chain([ANY_ATOM]).collect()
}

/// Names in the arguments that mean nothing.
#[derive(Default)]
struct Unknown(Diagnostics);

impl Unknown {
    fn note(&mut self, what: &str, name: &str, known: &[&str]) {
        let message = format!("there is no {what} called `{name}`");
        self.0.push(Diagnostic::without_place(message).hint(format!("one of: {}", known.join(", "))));
    }

    /// The rules that `text` says; if there are none such, the paper's, and it is noted.
    fn rules(&mut self, text: &str) -> Rules {
        text.parse().unwrap_or_else(|message: String| {
            self.0.push(Diagnostic::without_place(message));
            Rules::paper()
        })
    }

    /// What `name` stands for; if there is no such thing, the first, and it is noted.
    fn choose<T: Clone>(&mut self, what: &str, name: &str, known: &[(&str, T)]) -> T {
        let found = known.iter().find(|(known, _)| *known == name);
        if found.is_none() {
            self.note(what, name, &known.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        }
        found.unwrap_or(&known[0]).1.clone()
    }
}

/// A plan of traffic as a person writes it.
pub fn parse_traffic(kind: &str) -> Result<Traffic, Failure> {
    Traffic::parse(kind).map_err(|(sources, diagnostics)| Failure::BadInput { sources, diagnostics })
}

/// Whether a plan of traffic gives an option (`field.seed=…` is another one than `seed=…`).
fn says(kind: &str, option: &str) -> bool {
    kind.split([',', ':']).any(|part| part.trim().strip_prefix(option).is_some_and(|rest| rest.trim().starts_with('=')))
}

/// What the author of a plan of traffic, or of a file that it names, may not have meant, as a person reads it.
pub fn warnings(prepared: &Prepared) -> String {
    let (sources, warnings) = prepared.warnings();
    warnings.render(sources, std::io::stderr().is_terminal())
}

/// The packets that the arguments describe: `kind`, with what the other arguments say of it.
pub fn traffic(kind: &str, arguments: &TrafficArguments, build: &MachineArguments) -> Result<Traffic, Failure> {
    let mut traffic = parse_traffic(kind)?;
    if !says(kind, "ports") {
        traffic.ports = u16::try_from(build.ports).expect("bounded by the argument's range");
    }
    if !says(kind, "seed") {
        traffic.seed = arguments.seed;
    }
    traffic.packets = arguments.packets.or(traffic.packets);
    let Kind::Capture(replay) = &mut traffic.kind else {
        let given = [("--timestamps", arguments.timestamps), ("--repeat", arguments.repeat.is_some())];
        return match given.iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(Diagnostic::without_place(format!("`{option}` is for captures"))
                .hint(format!("`{kind}` is none: leave the option out"))
                .into()),
            None => Ok(traffic),
        };
    };
    if arguments.timestamps && !matches!(replay.pace, Pace::Timestamps { .. }) {
        if says(kind, "pace") {
            let error = format!("`--timestamps` and the pace in `{kind}` exclude each other");
            return Err(Diagnostic::without_place(error).hint("leave one of them out").into());
        }
        replay.pace = Pace::Timestamps { numerator: 1, denominator: 1 };
    }
    replay.repeat = arguments.repeat.unwrap_or(replay.repeat);
    Ok(traffic)
}
