//! Runs packet tests: STF files, which contain the packets that arrive and those that must leave.
//!
//! Packets arrive one microsecond apart, the first at time 0. On a machine in which packets take time, several may be
//! inside at once; every other line than `packet` and `expect` is carried out when all earlier packets are finished.
//! Packets that leave are compared in order with those expected on the same port; there is no order
//! between ports. An unexpected packet on any port is a difference. However, a test without any `expect` or `no_packet`
//! is about something else, such as counters, and its packets are not compared.

mod judge;
mod options;
mod outcome;
mod reads;
mod run;
mod text;

use std::path::Path;

use control::Placed;
use control::stf::{self, Step};
use diagnostics::{Diagnostics, Sources};

pub use outcome::{CheckOutcome, ExpectationOutcome, ReadOutcome, TestOutcome, UnexpectedPacket};
pub use reads::{call, key, target, values_in_words, what};

use options::TestOption;

use super::entries::Entries;
use crate::kinds::Fitted;
use crate::program::{LoadedProgram, add_file};
use diagnostics::Failure;

/// A packet test, checked against one program.
#[derive(Debug)]
pub struct PacketTest {
    /// The path of the test.
    pub name: String,
    sources: Sources,
    steps: Vec<Placed<Step>>,
    warnings: Diagnostics,
    options: Vec<TestOption>,
}

impl PacketTest {
    /// Reads an STF file.
    ///
    /// # Errors
    /// If the file cannot be read or does not fit the program; reports every mistake at its place.
    pub fn read(path: &Path, program: &LoadedProgram) -> Result<Self, Failure> {
        let mut sources = Sources::new();
        let prepared = add_file(&mut sources, path).and_then(|source| {
            let prepared = stf::prepare(&program.info, &sources, source)?;
            let options = options::options(&prepared.steps, path.parent().unwrap_or(Path::new("")))?;
            Ok((prepared, options))
        });
        match prepared {
            Ok((control::Prepared { steps, warnings }, options)) => {
                Ok(Self { name: path.to_string_lossy().into_owned(), sources, steps, warnings, options })
            }
            Err(diagnostics) => Err(Failure::BadInput { sources, diagnostics }),
        }
    }

    /// Returns the warnings about the test as text without colours; empty if there are none.
    pub fn warnings(&self) -> String {
        self.warnings.render(&self.sources, false)
    }

    /// Runs the test on a new machine whose tables `entries` fill first. `fitted` has the options of the test
    /// ([`PacketTest::fit`]). `seed` determines everything random in the machine.
    ///
    /// # Errors
    /// If the machine cannot be built or refuses a request, or packets stand still in it.
    pub fn run(self, entries: Entries, fitted: &dyn Fitted, seed: u64) -> Result<TestOutcome, Failure> {
        let mut device = fitted.build(seed)?;
        entries.apply(&mut *device)?;
        self.run_on(device)
    }
}
