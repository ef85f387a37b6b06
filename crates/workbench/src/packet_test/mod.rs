//! Packet tests: STF files, which say what comes in and what must come out.
//!
//! Packets arrive one microsecond apart, the first at the start, and everything that a line asks for is done before the
//! next line. Packets that leave are compared with those expected on the same port in order; between ports there is no
//! order. A packet that nothing expects is a difference, on every port; but a test in which nothing is expected, and no line
//! says `no_packet`, is about something else, such as counters, and says nothing of packets.

mod judge;
mod outcome;
mod reads;
mod run;
mod text;

use std::path::Path;

use control::Placed;
use control::stf::{self, Step};
use diagnostics::{Diagnostics, Sources};

pub use outcome::{CheckOutcome, ExpectationOutcome, ReadOutcome, TestOutcome, UnexpectedPacket};

use super::entries::Entries;
use crate::kinds::Fitted;
use crate::program::{LoadedProgram, add_file};
use diagnostics::Failure;

/// A packet test, made ready for one program.
#[derive(Debug)]
pub struct PacketTest {
    /// Its path.
    pub name: String,
    sources: Sources,
    steps: Vec<Placed<Step>>,
    warnings: Diagnostics,
}

impl PacketTest {
    /// Reads an STF file.
    ///
    /// # Errors
    /// Everything that is wrong with it for this program, at its place.
    pub fn read(path: &Path, program: &LoadedProgram) -> Result<Self, Failure> {
        let mut sources = Sources::new();
        let prepared = add_file(&mut sources, path).and_then(|source| stf::prepare(&program.info, &sources, source));
        match prepared {
            Ok(control::Prepared { steps, warnings }) => {
                Ok(Self { name: path.to_string_lossy().into_owned(), sources, steps, warnings })
            }
            Err(diagnostics) => Err(Failure::BadInput { sources, diagnostics }),
        }
    }

    /// What its author may not have meant, as a person reads it without colours; empty if nothing.
    pub fn warnings(&self) -> String {
        self.warnings.render(&self.sources, false)
    }

    /// Runs it on a fresh machine whose tables are filled before. Everything random in the machine is drawn from `seed`.
    ///
    /// # Errors
    /// What keeps the machine from being built; a request that it refuses, at its place; packets that stand still in it.
    pub fn run(self, entries: Entries, fitted: &dyn Fitted, seed: u64) -> Result<TestOutcome, Failure> {
        let mut device = fitted.build(seed)?;
        entries.apply(&mut *device)?;
        self.run_on(device)
    }
}
