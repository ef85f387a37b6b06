//! `[switch]`: what the switches of the network are; or several `[[switch]]`, each for some of them.

use std::ops::Range;
use std::path::{Path, PathBuf};

use basis::Duration;
use netsim::switch::Spread;
use queues::{BufferPlan, ClassMap, DisciplinePlan, FlowControlPlan};

use super::names::Of;
use super::pattern::Pattern;
use super::section::Section;
use super::units::Amount;
use super::{LinkPlan, queue};
use crate::packet_programs::ExecutorKind;

/// What some switches are.
#[derive(Clone, Debug)]
pub struct SwitchChoice {
    /// Which, by name; all if there is none.
    pub names: Vec<Pattern>,
    /// How packets wait at their ports.
    pub discipline: DisciplinePlan,
    /// What their ports share.
    pub buffer: BufferPlan,
    /// Which of equally good ways packets take.
    pub spread: Spread,
    /// The program that they run, if they are no fixed-function switches.
    pub program: Option<ProgramPlan>,
}

/// A program that a switch runs.
#[derive(Clone, Debug)]
pub struct ProgramPlan {
    /// Its file.
    pub path: PathBuf,
    /// Files of table entries.
    pub entries: Vec<PathBuf>,
    /// Who runs it.
    pub executor: ExecutorKind,
}

/// What a plan says of the way in which files are named and packets are counted.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'s> {
    /// Where files are looked for.
    pub folder: &'s Path,
    /// What a full packet takes on the wire, in bytes.
    pub packet: u64,
    /// The queue that switches have if nobody says.
    pub usual_queue: &'s str,
    /// The lines of the network.
    pub link: &'s LinkPlan,
}

/// Reads one section. It adds itself to `plan`.
pub(super) fn choice(section: Section<'_>, surroundings: Surroundings<'_>, plan: &mut String) -> SwitchChoice {
    let names = section.patterns("where", Of::Switch);
    let spreads = Spread::NAMES;
    let spread = section.choice("spread", &spreads, "host");
    let mut classes = String::new();
    let discipline = queue::discipline(&section, surroundings.packet, surroundings.usual_queue, &mut classes);
    let program = program(&section, surroundings.folder);
    let mut below = String::new();
    let buffer = buffer(&section, surroundings, &mut below);
    section.end(plan);
    plan.push_str(&classes);
    plan.push_str(&below);
    SwitchChoice { names, discipline, buffer, spread, program }
}

fn program(section: &Section<'_>, folder: &Path) -> Option<ProgramPlan> {
    let file = |(text, span): (String, Range<usize>)| {
        let path = folder.join(&text);
        if !path.is_file() {
            let hint = "files are looked for from the folder of the plan on";
            section.error(&span, format!("there is no file `{}`", path.display()), hint);
        }
        path
    };
    let entries: Vec<PathBuf> = section.texts("entries").into_iter().map(file).collect();
    let Some(path) = section.text("program").map(file) else {
        if !entries.is_empty() {
            section.error(&section.span_of("entries"), "entries for no program", "add `program = \"router.p4\"`");
        }
        return None;
    };
    let kinds = [("native", ExecutorKind::Native), ("interpreter", ExecutorKind::Interpreter)];
    Some(ProgramPlan { path, entries, executor: section.choice("machine", &kinds, "native") })
}

fn buffer(above: &Section<'_>, surroundings: Surroundings<'_>, plan: &mut String) -> BufferPlan {
    let mut buffer = BufferPlan::default();
    let section = above.section("buffer");
    if section.is_given() {
        section.require("total", "the memory that all ports share: total = \"16 MiB\"");
        buffer.total = section.optional_amount("total").map(|total| total.bytes(surroundings.packet));
        buffer.alpha = section.number("alpha", 0.0..=1000.0, 1.0);
    }
    let place = section.span().clone();
    section.end(plan);
    let section = above.section("flow_control");
    if section.is_given() {
        buffer.flow_control = Some(flow_control(&section, surroundings));
    }
    section.end(plan);
    for problem in buffer.problems() {
        above.error(&place, problem, "docs/queues.md says what buffers take");
    }
    buffer
}

fn flow_control(section: &Section<'_>, surroundings: Surroundings<'_>) -> FlowControlPlan {
    let Surroundings { packet, link, .. } = surroundings;
    let lossless = section.counts("lossless", 0..=7, &[0]).into_iter().fold(0u8, |set, priority| set | 1 << priority);
    let longest = link.line.mtu.saturating_add(link.line.framing);
    let xoff = section.amount("xoff", Amount::Packets(20)).bytes(packet);
    let delay = link.longest_delay().max(Duration::ZERO);
    let usual = FlowControlPlan::new(lossless, xoff, link.fastest_rate(), delay, longest);
    FlowControlPlan {
        priorities: ClassMap::default(),
        xon: section.amount("xon", Amount::Bytes(usual.xon)).bytes(packet),
        headroom: section.amount("headroom", Amount::Bytes(usual.headroom)).bytes(packet),
        quanta: section.count("quanta", 1..=65_535, u64::from(usual.quanta)) as u16,
        ..usual
    }
}
