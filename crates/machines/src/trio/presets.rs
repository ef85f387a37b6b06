//! The generations of the chipset.

use basis::Rate;

use super::TrioParameters;
use super::memory::MemoryParameters;

/// A generation: what the paper says of it, and what we have put between the ends where it says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The name on the command line and in files.
    pub name: &'static str,
    /// The number of packet processing engines.
    pub ppes: u32,
    /// The number of ports.
    pub ports: u16,
    /// The rate of each in Gb/s.
    pub port_rate: u64,
}

/// The first generation, of 2009: 40 Gb/s (section 2.1) and 16 PPEs (section 8). Four ports of 10 Gb/s are ours.
pub static GEN1: Preset = Preset { name: "gen1", ppes: 16, ports: 4, port_rate: 10 };
/// The second generation. All numbers are ours, between those of the first and the fifth.
pub static GEN2: Preset = Preset { name: "gen2", ppes: 32, ports: 8, port_rate: 10 };
/// The third generation. All numbers are ours.
pub static GEN3: Preset = Preset { name: "gen3", ppes: 64, ports: 13, port_rate: 10 };
/// The fourth generation. All numbers are ours.
pub static GEN4: Preset = Preset { name: "gen4", ppes: 80, ports: 6, port_rate: 40 };
/// The fifth generation, that of the paper's measurements: four ports of 100 Gb/s for a packet forwarding engine (section 6.1).
/// 96 PPEs are ours, between the ends.
pub static GEN5: Preset = Preset { name: "gen5", ppes: 96, ports: 4, port_rate: 100 };
/// The sixth generation: 1.6 Tb/s in one chip (section 2.1) and 160 PPEs (section 8). Sixteen ports of 100 Gb/s are ours.
pub static GEN6: Preset = Preset { name: "gen6", ppes: 160, ports: 16, port_rate: 100 };

/// All generations in order.
pub static PRESETS: [&Preset; 6] = [&GEN1, &GEN2, &GEN3, &GEN4, &GEN5, &GEN6];

/// The names of all generations in order.
pub static PRESET_NAMES: [&str; PRESETS.len()] = {
    let (mut names, mut number) = ([""; PRESETS.len()], 0);
    while number < names.len() {
        names[number] = PRESETS[number].name;
        number += 1;
    }
    names
};

impl Preset {
    /// Returns the generation of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        PRESETS.into_iter().find(|preset| preset.name == name)
    }

    /// Returns the parameters of a chip of this generation.
    pub fn parameters(&self) -> TrioParameters {
        TrioParameters {
            clock: 1_000_000_000,
            ppes: self.ppes,
            threads: 20,
            instruction_cycles: 20,
            instructions: ir::interpret::threads::INSTRUCTIONS,
            head_bytes: 192,
            local_memory: 1280,
            waiting: 4096,
            events: 1024,
            timers: 64,
            reorder_queues: 1 << 16,
            ports: vec![Rate::from_bits_per_second(self.port_rate * 1_000_000_000); self.ports.into()],
            queues: 8,
            queue_bytes: 1_000_000,
            digests: 1024,
            memory: MemoryParameters::default(),
            seed: 0,
        }
    }
}
