//! What can be set of a chip, and its file in TOML (`chip.toml`).
//!
//! Each part of the file has a reader of its own here, which reports every mistake at its place.

mod bytes;
mod change;
mod check;
mod deflection;
mod generator;
mod ghost;
mod latency;
mod mirrors;
mod multicast;
mod ports;
mod queues;
mod text;

use diagnostics::{Failure, Sources};
use plans::{Entries, Findings, Section, parse};
use serde::{Deserialize, Serialize};

use super::ports::{FIRST_FOR_CPU, FIRST_RECIRCULATION, OF_PIPE, STRIDE, is_outside, pipe_of};

pub use change::SettingsChange;
pub use deflection::{DeflectionPort, DeflectionSettings};
pub use generator::{GeneratorApplication, GeneratorSettings, GeneratorTrigger};
pub use ghost::GhostSettings;
pub use latency::LatencySettings;
pub use mirrors::{MirrorSession, MirrorSettings};
pub use multicast::{Alternatives, MulticastNode, MulticastSettings, MulticastTree, Selection};
pub use ports::PortSettings;
pub use queues::QueueSettings;

/// The numbers of pipes that a chip can have.
const PIPES: [u64; 4] = [1, 2, 4, 8];
/// The number of device ports of the largest chip, whether they exist or not.
const MOST_PORTS: u16 = PIPES[3] as u16 * STRIDE;

/// What is set of a chip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChipSettings {
    /// The number of pipes: 1, 2, 4 or 8.
    pub pipes: u16,
    /// The device port to which copies for the CPU go.
    pub cpu_port: u16,
    /// The ports, those that recirculate included, in the order of their numbers.
    pub ports: Vec<PortSettings>,
    /// Where packets go that find no room.
    pub deflection: DeflectionSettings,
    /// Multicast groups, LAGs and excluded ports.
    pub multicast: MulticastSettings,
    /// Mirror sessions.
    pub mirrors: MirrorSettings,
    /// The applications of the packet generators.
    pub generators: GeneratorSettings,
    /// How long things take, and what waits; `None` for a chip in which nothing takes time, and whose ports have no links
    /// of their own. It does not change while the chip runs.
    #[serde(skip)]
    pub timed: Option<TimedSettings>,
}

/// The times and the queues of a chip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimedSettings {
    /// The clock and the latencies.
    pub latency: LatencySettings,
    /// The queues and their memory.
    pub queues: QueueSettings,
    /// When the ghost thread runs.
    pub ghost: GhostSettings,
}

impl Default for ChipSettings {
    /// Returns a chip of one pipe that has every port.
    fn default() -> Self {
        Self::of_pipes(1)
    }
}

impl ChipSettings {
    /// Returns a chip of so many pipes that has every port.
    pub fn of_pipes(pipes: u16) -> Self {
        let all = (0..pipes).flat_map(|pipe| (0..OF_PIPE).map(move |local| PortSettings::of(pipe * STRIDE + local)));
        Self {
            pipes,
            cpu_port: FIRST_FOR_CPU,
            ports: all.collect(),
            deflection: DeflectionSettings::default(),
            multicast: MulticastSettings::default(),
            mirrors: MirrorSettings::default(),
            generators: GeneratorSettings::default(),
            timed: None,
        }
    }

    /// Returns the chip that a program has if nothing is set: with as many pipes as it has programs for, and every port.
    pub fn for_program(program: &ir::Program) -> Self {
        Self::of_pipes(arch::programs_of_pipes(program).next_power_of_two() as u16)
    }

    /// Returns the device ports of a pipe that lead outside and are up when the chip starts, in order.
    pub fn ports_outside(&self, pipe: u16) -> impl Iterator<Item = u16> {
        let of_pipe = move |number: &u16| is_outside(*number) && pipe_of(*number) == usize::from(pipe);
        self.ports.iter().filter(|port| port.is_up).map(|port| port.number).filter(of_pipe)
    }

    /// Reads the text of a file; `path` is its name in diagnostics.
    ///
    /// # Errors
    /// Fails with a diagnostic for everything that is wrong.
    pub fn parse(path: &str, text: &str) -> Result<Self, Failure> {
        let mut sources = Sources::new();
        let id = sources.add(path, text);
        let (table, mut found) = parse(text, id);
        let findings = Findings::new(id);
        let root = Section::root(Entries::of(&findings, "the chip", &table, 0..0));
        let settings = (!found.has_errors()).then(|| Self::read(root, &mut String::new()));
        found.extend(findings.end());
        match settings {
            Some(settings) if !found.has_errors() => Ok(settings),
            _ => Err(Failure::BadInput { diagnostics: found.at_characters(&sources), sources }),
        }
    }

    /// Reads a chip from the sections of a file, and appends the text of the file with all defaults to `text`.
    pub fn read(section: Section<'_>, text: &mut String) -> Self {
        let mut below = String::new();
        let given = section.count("pipes", 1..=PIPES[3], 1);
        if !PIPES.contains(&given) {
            section.error(&section.span_of("pipes"), format!("a chip cannot have {given} pipes"), "1, 2, 4 or 8");
        }
        let pipes = given as u16;
        let cpu_port = section.count("cpu_port", 0..=u64::from(pipes * STRIDE) - 1, FIRST_FOR_CPU.into()) as u16;
        let latency = latency::read(&section, &mut below);
        let (mut ports, own_queues) = ports::read(&section, pipes, &mut below);
        if (FIRST_FOR_CPU..FIRST_RECIRCULATION).contains(&(cpu_port % STRIDE))
            && ports.iter().all(|port| port.number != cpu_port)
        {
            ports.push(PortSettings::of(cpu_port));
        }
        ports.sort_by_key(|port| port.number);
        if ports.iter().all(|port| port.number != cpu_port) {
            let message = format!("the chip has no port {cpu_port}");
            section.error(
                &section.span_of("cpu_port"),
                message,
                "one of its ports, or port 64, 65, 66 or 67 of a pipe",
            );
        }
        let queues = QueueSettings::read(&section, own_queues, &mut below);
        let timed = TimedSettings { latency, queues, ghost: GhostSettings::read(&section, &mut below) };
        let deflection = DeflectionSettings::read(&section, &mut below);
        let multicast = MulticastSettings::read(&section, &mut below);
        let mirrors = MirrorSettings::read(&section, &mut below);
        let generators = GeneratorSettings::read(&section, pipes, &mut below);
        section.end(text);
        text.push_str(&below);
        Self { pipes, cpu_port, ports, deflection, multicast, mirrors, generators, timed: Some(timed) }
    }
}
