//! What it takes to make the same bytes again.

use std::fmt::{self, Write};
use std::io;

use serde::Serialize;
use traffic::Traffic;

/// What begins the line of a file that came out.
const RESULT: &str = "result";
/// What begins the line of a file that an earlier run left in the same folder.
const EARLIER: &str = "earlier";

/// Version, plan, seed, parameters and hashes of the inputs of a result.
#[derive(Clone, Debug)]
pub struct Manifest {
    text: String,
}

impl Manifest {
    /// The manifest of a run of `command` on traffic, whose plan names its seed, with the texts that were read.
    pub fn new(command: &str, traffic: &Traffic, inputs: &[(String, String)]) -> Self {
        let mut manifest = Self::of_inputs(command, &[]);
        manifest.line("traffic", &traffic.to_string());
        for (name, text) in inputs {
            manifest.input(name, text.as_bytes());
        }
        manifest.traffic_inputs(traffic);
        manifest
    }

    /// Adds the hashes of the files that a plan of traffic takes its packets from.
    pub fn traffic_inputs(&mut self, traffic: &Traffic) {
        for input in traffic.inputs() {
            // A file that vanished since it was read leaves no hash, and that is the truth.
            let mut fingerprint = Fingerprint::new();
            if input.open().and_then(|mut bytes| io::copy(&mut bytes, &mut fingerprint)).is_ok() {
                self.input_of(&input.to_string(), fingerprint);
            }
        }
    }

    /// The manifest of `command` with the texts that it read: no traffic of its own.
    pub fn of_inputs(command: &str, inputs: &[(String, String)]) -> Self {
        let mut manifest = Self { text: String::new() };
        manifest.line("polyplane", env!("CARGO_PKG_VERSION"));
        manifest.line("command", command);
        inputs.iter().for_each(|(name, text)| manifest.input(name, text.as_bytes()));
        manifest
    }

    /// The manifest that a text is.
    pub fn of_text(text: &str) -> Self {
        Self { text: text.to_owned() }
    }

    /// Adds the hash of something that was read.
    pub fn input(&mut self, name: &str, bytes: &[u8]) {
        self.input_of(name, Fingerprint::of(bytes));
    }

    /// The same of what was hashed as it was read.
    pub fn input_of(&mut self, name: &str, fingerprint: Fingerprint) {
        self.line("input", &format!("{name} {fingerprint}"));
    }

    /// Adds the hash of something that came out.
    pub fn output(&mut self, name: &str, bytes: &[u8]) {
        self.output_of(name, Fingerprint::of(bytes));
    }

    /// The same of what was hashed as it was written.
    pub fn output_of(&mut self, name: &str, fingerprint: Fingerprint) {
        self.line(RESULT, &format!("{name} {fingerprint}"));
    }

    /// Adds the hash of a file that an earlier run left in the same folder.
    pub fn earlier_of(&mut self, name: &str, fingerprint: Fingerprint) {
        self.line(EARLIER, &format!("{name} {fingerprint}"));
    }

    /// The names of all files that came out, in a manifest's text, each with its hash.
    pub fn outputs(text: &str) -> impl Iterator<Item = (&str, &str)> {
        Self::files(text, &[RESULT])
    }

    /// The same, and those of earlier runs.
    pub fn all_outputs(text: &str) -> impl Iterator<Item = (&str, &str)> {
        Self::files(text, &[RESULT, EARLIER])
    }

    fn files<'t>(text: &'t str, keys: &'static [&'static str]) -> impl Iterator<Item = (&'t str, &'t str)> {
        let lines = text.lines().filter_map(|line| line.split_once(' ').filter(|(key, _)| keys.contains(key)));
        lines.filter_map(|(_, file)| file.trim().rsplit_once(' '))
    }

    /// Adds a parameter.
    pub fn parameter(&mut self, name: &str, value: &str) {
        self.line(name, value);
    }

    /// Adds one number that stands for a comparison.
    ///
    /// # Panics
    /// If the comparison cannot be written as JSON: it has a map whose keys are not texts.
    pub fn comparison(&mut self, name: &str, comparison: &impl Serialize) {
        let json = serde_json::to_string(comparison).expect("a comparison has no maps with odd keys");
        self.line("comparison", &format!("{name} {}", Fingerprint::of(json.as_bytes())));
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
    Fingerprint::of(bytes).0
}

/// A [`fingerprint`] of bytes that come one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Fingerprint(u64);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fnv1a64:{:016x}", self.0)
    }
}

impl Default for Fingerprint {
    fn default() -> Self {
        Self::new()
    }
}

impl Fingerprint {
    /// Of no bytes.
    pub const fn new() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }

    fn of(bytes: &[u8]) -> Self {
        let mut fingerprint = Self::new();
        fingerprint.add(bytes);
        fingerprint
    }

    /// Of these bytes, too.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3));
    }
}

/// Whatever is written is hashed.
impl io::Write for Fingerprint {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
