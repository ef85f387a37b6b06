//! What it takes to make the same bytes again.

use std::fmt::Write;

use equivalence::Comparison;
use traffic::Traffic;

use crate::machine::MachinePlan;

/// Version, plan, seed, parameters and hashes of the inputs of a result.
#[derive(Clone, Debug)]
pub struct Manifest {
    text: String,
}

impl Manifest {
    /// The manifest of a run of `command` on traffic, whose plan names its seed, with the texts that were read.
    pub fn new(command: &str, traffic: &Traffic, inputs: &[(String, String)]) -> Self {
        let mut manifest = Self { text: String::new() };
        manifest.line("polyplane", env!("CARGO_PKG_VERSION"));
        manifest.line("command", command);
        manifest.line("traffic", &traffic.to_string());
        for (name, text) in inputs {
            manifest.input(name, text.as_bytes());
        }
        for input in traffic.inputs() {
            // A file that vanished since it was read leaves no hash, and that is the truth.
            if let traffic::Input::Path(path) = input
                && let Ok(bytes) = std::fs::read(path)
            {
                manifest.input(&path.display().to_string(), &bytes);
            }
        }
        manifest
    }

    /// The manifest of `command` with the texts that it read: no traffic of its own.
    pub fn of_inputs(command: &str, inputs: &[(String, String)]) -> Self {
        let mut manifest = Self { text: String::new() };
        manifest.line("polyplane", env!("CARGO_PKG_VERSION"));
        manifest.line("command", command);
        inputs.iter().for_each(|(name, text)| manifest.input(name, text.as_bytes()));
        manifest
    }

    /// Adds the hash of something that was read.
    pub fn input(&mut self, name: &str, bytes: &[u8]) {
        self.line("input", &format!("{name} fnv1a64:{:016x}", fingerprint(bytes)));
    }

    /// Adds the hash of something that came out.
    pub fn output(&mut self, name: &str, bytes: &[u8]) {
        self.line("result", &format!("{name} fnv1a64:{:016x}", fingerprint(bytes)));
    }

    /// Adds a parameter.
    pub fn parameter(&mut self, name: &str, value: &str) {
        self.line(name, value);
    }

    /// Adds a machine's parameters.
    pub fn machine(&mut self, plan: &MachinePlan) {
        self.line(plan.architecture.name(), &format!("{:?} {:?}", plan.parameters, plan.target));
    }

    /// Adds one number that stands for everything that came out.
    pub fn result(&mut self, name: &str, comparison: &Comparison) {
        let json = serde_json::to_string(comparison).expect("a comparison has no maps with odd keys");
        self.line("result", &format!("{name} fnv1a64:{:016x}", fingerprint(json.as_bytes())));
    }

    /// The manifest, a line for each thing.
    pub fn to_text(&self) -> String {
        self.text.clone()
    }

    fn line(&mut self, key: &str, value: &str) {
        let _ = writeln!(self.text, "{key:<14} {value}");
    }
}

/// FNV-1a of 64 bits: tells files apart that changed, not files that somebody forged.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3))
}
