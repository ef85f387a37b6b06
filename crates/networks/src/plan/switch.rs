//! `[switch]`: the switches of the network; or several `[[switch]]`, each for some switches.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use basis::{Duration, Rate};
use netsim::switch::Spread;
use netsim::topology::{Cable, CableProperties, Role, StationPlan, Topology};
use queues::{BufferPlan, ClassMap, DisciplinePlan, FlowControlPlan};

use super::names::Of;
use super::{LinkPlan, options, room};
use crate::aggregators::{AggregatorKind, AggregatorPlan};
use crate::disciplines::{self, DisciplineKind};
use plans::Amount;
use plans::Pattern;
use plans::Section;
use workbench::kinds::{Given, MachineKind};

/// The properties of some switches.
#[derive(Clone, Debug)]
pub struct SwitchChoice {
    /// The names of the switches; all switches if there is none.
    pub names: Vec<Pattern>,
    /// The queueing discipline of their ports.
    pub discipline: DisciplinePlan,
    /// The memory that their ports share, and flow control.
    pub buffer: BufferPlan,
    /// The way in which packets are spread over equal paths.
    pub spread: Spread,
    /// The program that they run; `None` for fixed-function switches.
    pub program: Option<ProgramPlan>,
    /// The plain aggregator that they are; `None` for all other switches.
    pub aggregator: Option<Arc<dyn AggregatorPlan>>,
}

impl SwitchChoice {
    /// Returns the choice that applies to the switch of a name: the last of those that name it.
    ///
    /// # Panics
    /// If no choice is for all switches; plans refuse such a list.
    pub fn of<'c>(choices: &'c [Self], name: &str) -> &'c Self {
        let is_for =
            |choice: &&Self| choice.names.is_empty() || choice.names.iter().any(|pattern| pattern.matches(name));
        choices.iter().rev().find(is_for).expect("the first choice is for all")
    }

    /// Returns the number of aggregators that jobs share, if it is known.
    pub fn aggregators(&self) -> Option<u32> {
        self.aggregator.as_ref()?.aggregators()
    }

    /// Returns whether the switches have tables that a control plane fills.
    pub fn is_programmable(&self) -> bool {
        self.program.is_some() || self.aggregator.is_some()
    }
}

/// A program that a switch runs.
#[derive(Clone)]
pub struct ProgramPlan {
    /// The program's file.
    pub path: PathBuf,
    /// The place in the plan that chooses the queue of the switch, or else the place that names the program.
    pub place: Range<usize>,
    /// The files with table entries.
    pub entries: Vec<PathBuf>,
    /// Commands of the control plane that follow the files, as `simple_switch_CLI` has them; empty if there are none.
    pub commands: String,
    /// The kind of machine that runs it; a plan's text names one of [`workbench::kinds::ALL`]. `None` for the kind that runs
    /// the program fastest: see [`workbench::kinds::fastest`].
    pub machine: Option<&'static dyn MachineKind>,
    /// The options of the machine.
    pub given: Given,
    /// The place in the plan where options are set, or else the place that names the program.
    pub options_place: Range<usize>,
}

impl fmt::Debug for ProgramPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let machine = self.machine.map_or("the fastest machine", MachineKind::name);
        write!(f, "{} on {machine} {:?} with {:?}", self.path.display(), self.given, self.entries)
    }
}

/// The context in which a section for switches is read.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'s> {
    /// The machines that can run programs.
    pub machines: &'s [&'static dyn MachineKind],
    /// The plain aggregators that switches can be.
    pub aggregators: &'s [&'static dyn AggregatorKind],
    /// The disciplines that queues can have.
    pub disciplines: &'s [&'static dyn DisciplineKind],
    /// The folder to which file names in the plan are relative.
    pub folder: &'s Path,
    /// The size of a full packet on the wire, in bytes.
    pub packet: u64,
    /// The name of the default queue.
    pub usual_queue: &'s str,
    /// The links of the network.
    pub link: &'s LinkPlan,
    /// The network, if it is known.
    pub topology: Option<&'s Topology>,
}

impl Surroundings<'_> {
    /// Returns the links of the switches that some patterns name, or of all switches if there is no pattern.
    fn lines(&self, names: &[Pattern]) -> Vec<CableProperties> {
        let is_meant = |station: &StationPlan| {
            let is_named = names.is_empty() || names.iter().any(|pattern| pattern.matches(&station.name));
            is_named && matches!(station.role, Role::Switch(_))
        };
        let cables = self.topology.iter().flat_map(|topology| {
            let ends = |cable: &&Cable| cable.ends.iter().any(|&(station, _)| is_meant(&topology.stations[station]));
            topology.cables.iter().filter(ends)
        });
        let mut lines: Vec<CableProperties> = cables.map(|cable| cable.link).collect();
        if lines.is_empty() {
            lines.extend(self.link.lines());
        }
        lines
    }
}

/// Reads one section, and appends its text to `plan`.
pub(super) fn choice(section: Section<'_>, surroundings: Surroundings<'_>, plan: &mut String) -> SwitchChoice {
    let names = section.patterns("where", Of::Switch.word());
    let spreads = Spread::NAMES;
    let spread = section.choice("spread", &spreads, "host");
    let mut classes = String::new();
    let errors = section.errors();
    let discipline = disciplines::discipline(
        &section,
        surroundings.disciplines,
        surroundings.packet,
        surroundings.usual_queue,
        &mut classes,
    );
    let mut below = String::new();
    let program = program(&section, surroundings, &mut below);
    let aggregator = aggregator(&section, surroundings.aggregators);
    let buffer = buffer(&section, (surroundings, &names), &mut below);
    // Skipped if something is wrong already, since the values then stand in for others.
    if section.errors() == errors {
        for conflict in buffer.conflicts([&discipline]) {
            section.error(section.span(), conflict, "docs/queues.md describes memory in cells");
        }
        room::check(&section, &discipline, &buffer, surroundings.packet);
    }
    section.end(plan);
    plan.push_str(&classes);
    plan.push_str(&below);
    SwitchChoice { names, discipline, buffer, spread, program, aggregator }
}

fn program(section: &Section<'_>, surroundings: Surroundings<'_>, plan: &mut String) -> Option<ProgramPlan> {
    let file = |(text, span): (String, Range<usize>)| {
        let path = surroundings.folder.join(&text);
        if !path.is_file() {
            let hint = "file names are relative to the folder of the plan";
            section.error(&span, format!("there is no file `{}`", path.display()), hint);
        }
        path
    };
    let entries: Vec<PathBuf> = section.texts("entries").into_iter().map(file).collect();
    let Some(path) = section.text("program").map(file) else {
        let given = ["entries", "commands"].into_iter().filter(|name| section.has(name));
        for name in given {
            let message = format!("`{name}` without a program");
            section.error(&section.span_of_list(name), message, "add `program = \"router.p4\"`");
        }
        return None;
    };
    let commands = section.text("commands").map(|(text, _)| text).unwrap_or_default();
    let place = section.span_of(if section.has("queue") { "queue" } else { "program" });
    let names: Vec<(&str, &'static dyn MachineKind)> =
        surroundings.machines.iter().map(|kind| (kind.name(), *kind)).collect();
    let machine = match (section.has("machine"), names.first()) {
        (true, Some((first, _))) => Some(section.choice("machine", &names, first)),
        _ => None,
    };
    let options = section.section("options");
    let options_place = if options.is_given() { options.span().clone() } else { section.span_of("program") };
    let mut given = options::machine_options(options, machine, surroundings.folder, plan);
    options::files_beside(section, machine, surroundings.folder, &mut given);
    Some(ProgramPlan { path, place, entries, commands, machine, given, options_place })
}

fn aggregator(section: &Section<'_>, kinds: &[&'static dyn AggregatorKind]) -> Option<Arc<dyn AggregatorPlan>> {
    if !section.has("aggregator") {
        return None;
    }
    if section.has("program") {
        let hint = "keep one of them: an aggregator is a switch without a program";
        section.error(&section.span_of("aggregator"), "`aggregator` and `program` exclude each other", hint);
    }
    let named: Vec<(&str, &dyn AggregatorKind)> = kinds.iter().map(|kind| (kind.name(), *kind)).collect();
    let (usual, _) = named.first()?;
    Some(section.choice("aggregator", &named, usual).read(section))
}

fn buffer(above: &Section<'_>, (surroundings, names): (Surroundings<'_>, &[Pattern]), plan: &mut String) -> BufferPlan {
    let section = above.section("buffer");
    let place = section.span().clone();
    let mut buffer = queues::read::memory(section, surroundings.packet, plan);
    let section = above.section("flow_control");
    if section.is_given() {
        buffer.flow_control = Some(flow_control(&section, surroundings.packet, &surroundings.lines(names)));
    }
    section.end(plan);
    for problem in buffer.problems() {
        above.error(&place, problem, "docs/queues.md describes the fields of buffers");
    }
    buffer
}

/// Reads flow control for these links, and reports settings with which a lossless priority would lose packets.
fn flow_control(section: &Section<'_>, packet: u64, lines: &[CableProperties]) -> FlowControlPlan {
    let lossless = section.counts("lossless", 0..=7, &[0]).into_iter().fold(0u8, |set, priority| set | 1 << priority);
    let on_line = |line: &CableProperties| line.mtu.saturating_add(line.framing);
    let longest = lines.iter().map(on_line).max().unwrap_or(0);
    let xoff = section.amount("xoff", Amount::Packets(20)).bytes(packet);
    let first = lines
        .first()
        .copied()
        .unwrap_or(CableProperties::ethernet(Rate::from_gigabits_per_second(100), Duration::ZERO));
    let mut usual = FlowControlPlan::new(lossless, xoff, first.rate, first.delay, longest);
    let least = lines.iter().map(|line| usual.least_headroom(line.rate, line.delay, on_line(line)));
    usual.headroom = least.max().unwrap_or(usual.headroom);
    let plan = FlowControlPlan {
        priorities: ClassMap::default(),
        xon: section.amount("xon", Amount::Bytes(usual.xon)).bytes(packet),
        headroom: section.amount("headroom", Amount::Bytes(usual.headroom)).bytes(packet),
        quanta: section.count("quanta", 1..=65_535, u64::from(usual.quanta)) as u16,
        ..usual.clone()
    };
    if lossless != 0 && plan.headroom < usual.headroom {
        let message = format!(
            "a lossless priority loses packets with {} of headroom on these links",
            units::bytes_text(plan.headroom)
        );
        let hint = format!(
            "use at least {}: what arrives in a round trip on the link before the pause begins, and three full packets",
            units::bytes_text(usual.headroom)
        );
        section.error(&section.span_of("headroom"), message, hint);
    }
    let least = plan.least_quanta(longest);
    if lossless != 0 && u64::from(plan.quanta) < least {
        let message = format!("pauses of {} quanta end before they can be renewed", plan.quanta);
        let hint = format!("use at least {least}, as packets take up to {longest} B on the wire; the default is 65535");
        section.error(&section.span_of("quanta"), message, hint);
    }
    let of_hosts = plan.priorities.class(wire::dscp::CONTROL) & 7;
    if lossless >> of_hosts & 1 != 0 {
        let message =
            format!("priority {of_hosts} cannot be lossless: hosts send control packets in it and never pause it");
        let hint = "hosts pause data, which has priority 0: lossless = [0]";
        section.error(&section.span_of_list("lossless"), message, hint);
    }
    plan
}
