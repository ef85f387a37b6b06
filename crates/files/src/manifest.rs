//! The manifest of a run: what is needed to reproduce its results byte for byte.

use std::fmt::{self, Write};
use std::io;

use serde::Serialize;
use traffic::Traffic;

/// The key of a line about a file that the run wrote.
const RESULT: &str = "result";
/// The key of a line about a file that an earlier run left in the same folder.
const EARLIER: &str = "earlier";

/// The version, plan, seed, parameters and hashes of inputs and outputs of a run, as lines of a key and a value.
#[derive(Clone, Debug)]
pub struct Manifest {
    text: String,
}

impl Manifest {
    /// Returns the manifest of a run of `command` on traffic, whose plan contains its seed. `inputs` are the names and
    /// contents of the texts that were read.
    pub fn new(command: &str, traffic: &Traffic, inputs: &[(String, String)]) -> Self {
        let mut manifest = Self::of_inputs(command, &[]);
        manifest.line("traffic", &traffic.to_string());
        for (name, text) in inputs {
            manifest.input(name, text.as_bytes());
        }
        manifest.traffic_inputs(traffic);
        manifest
    }

    /// Adds the hashes of the files from which a plan of traffic takes its packets.
    pub fn traffic_inputs(&mut self, traffic: &Traffic) {
        for input in traffic.inputs() {
            // A file that has vanished since it was read gets no hash.
            let mut fingerprint = Fingerprint::new();
            if input.open().and_then(|mut bytes| io::copy(&mut bytes, &mut fingerprint)).is_ok() {
                self.input_of(&input.to_string(), fingerprint);
            }
        }
    }

    /// Returns the manifest of a run of `command` without traffic. `inputs` are the names and contents of the texts
    /// that were read.
    pub fn of_inputs(command: &str, inputs: &[(String, String)]) -> Self {
        let mut manifest = Self { text: String::new() };
        manifest.line("polyplane", env!("CARGO_PKG_VERSION"));
        manifest.line("command", command);
        inputs.iter().for_each(|(name, text)| manifest.input(name, text.as_bytes()));
        manifest
    }

    /// Returns the manifest with this text.
    pub fn of_text(text: &str) -> Self {
        Self { text: text.to_owned() }
    }

    /// Adds the hash of an input with these bytes.
    pub fn input(&mut self, name: &str, bytes: &[u8]) {
        self.input_of(name, Fingerprint::of(bytes));
    }

    /// Adds the hash of an input that was hashed while it was read.
    pub fn input_of(&mut self, name: &str, fingerprint: Fingerprint) {
        self.line("input", &format!("{name} {fingerprint}"));
    }

    /// Adds the hash of an output with these bytes.
    pub fn output(&mut self, name: &str, bytes: &[u8]) {
        self.output_of(name, Fingerprint::of(bytes));
    }

    /// Adds the hash of an output that was hashed while it was written.
    pub fn output_of(&mut self, name: &str, fingerprint: Fingerprint) {
        self.line(RESULT, &format!("{name} {fingerprint}"));
    }

    /// Adds the hash of a file that an earlier run left in the same folder.
    pub fn earlier_of(&mut self, name: &str, fingerprint: Fingerprint) {
        self.line(EARLIER, &format!("{name} {fingerprint}"));
    }

    /// Returns the name and hash of every file that the run wrote, according to the text of its manifest.
    pub fn outputs(text: &str) -> impl Iterator<Item = (&str, &str)> {
        Self::files(text, &[RESULT])
    }

    /// Returns the name and hash of every file that this run or an earlier one wrote, according to the text of a
    /// manifest.
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

    /// Adds the hash of a comparison's JSON.
    ///
    /// # Panics
    /// If the comparison cannot be written as JSON because it contains a map whose keys are not texts.
    pub fn comparison(&mut self, name: &str, comparison: &impl Serialize) {
        let json = serde_json::to_string(comparison).expect("a comparison has no maps with odd keys");
        self.line("comparison", &format!("{name} {}", Fingerprint::of(json.as_bytes())));
    }

    /// Returns the text of the manifest.
    pub fn to_text(&self) -> String {
        self.text.clone()
    }

    fn line(&mut self, key: &str, value: &str) {
        let _ = writeln!(self.text, "{key:<14} {value}");
    }
}

/// Returns the 64-bit FNV-1a hash of some bytes. It detects files that have changed, but not files that were forged.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    Fingerprint::of(bytes).0
}

/// A [`fingerprint`] that is computed incrementally.
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
    /// Returns the fingerprint of no bytes.
    pub const fn new() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }

    fn of(bytes: &[u8]) -> Self {
        let mut fingerprint = Self::new();
        fingerprint.add(bytes);
        fingerprint
    }

    /// Appends bytes to those that are hashed.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3));
    }
}

/// Hashes whatever is written.
impl io::Write for Fingerprint {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
