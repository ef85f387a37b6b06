//! One program on one machine on packets, whatever the program's language and the kind of machine.
//!
//! What is kept of a run follows from what the program works on: of one with a parser what went through each port
//! ([`Replayed`]), of one that works on fields each packet's fields, held against the interpreter all along ([`Compared`]).

mod compared;
mod compared_result;
mod described;
mod field_files;
mod names;
mod offer;
mod outcome;
mod port_files;
mod progress;
mod replayed;
mod replayed_result;
mod state_tables;

use std::path::Path;

use machines::Device;

pub use self::compared_result::Compared;
pub(crate) use self::offer::Packets;
pub use self::offer::{CaptureInput, Offer, Pace};
pub use self::outcome::RunOutcome;
pub use self::progress::Progress;
pub use self::replayed_result::{PortOutcome, Replayed};
use crate::kinds::{Fitted, Kind, Settings};
use crate::program::LoadedProgram;
use crate::{Entries, check_port};
use diagnostics::Failure;
use files::{Finished, OutputFolder};

/// What is run.
pub struct Run<'r> {
    /// The program.
    pub program: &'r LoadedProgram,
    /// What fills its tables.
    pub entries: Entries,
    /// The packets.
    pub offer: Offer,
    /// How many at the most.
    pub packets: Option<u64>,
    /// The machine.
    pub machine: &'static dyn Kind,
    /// How it is built.
    pub settings: Settings,
    /// Where everything random is drawn from.
    pub seed: u64,
    /// The number of cycles of which a timeline is recorded; 0 is none.
    pub timeline: u64,
}

/// A run that is known to be possible: the machine holds the program, and takes what fills its tables.
pub struct ReadyRun<'r> {
    run: Run<'r>,
    fitted: Box<dyn Fitted>,
    device: Box<dyn Device>,
    /// Where what came out is written.
    folder: Option<OutputFolder>,
}

impl<'r> Run<'r> {
    /// All packets through a machine as it is built if nobody says otherwise, with tables as the program begins.
    pub fn new(program: &'r LoadedProgram, machine: &'static dyn Kind, offer: Offer) -> Self {
        let (entries, settings) = (Entries::none(), Settings::default());
        Self { program, entries, offer, packets: None, machine, settings, seed: 0, timeline: 0 }
    }

    /// Fits the program and builds the machine; with a folder, what comes out is written there.
    ///
    /// # Errors
    /// A program that the machine cannot hold, captures that come in on no port of it, entries that it refuses, a folder
    /// that cannot be written or whose results would take the place of what is read.
    pub fn ready(self, folder: Option<&Path>) -> Result<ReadyRun<'r>, Failure> {
        // Before anything else: whether it can be written does not depend on what comes of the run.
        let folder = folder.map(|path| OutputFolder::take(path, names::is_result)).transpose()?;
        if let Some(folder) = &folder {
            let texts = self.program.inputs.iter().map(|(name, _)| &**name);
            let texts = texts.chain(self.entries.inputs().map(|(name, _)| name)).map(Path::new);
            folder.refuse_inputs(texts.chain(self.offer.files()))?;
        }
        let settings = Settings { packets: self.offer.prepared().cloned(), ..self.settings.clone() };
        let fitted = self.machine.fit(self.program, &settings)?;
        let mut device = fitted.build(self.seed)?;
        self.offer.ports().try_for_each(|port| check_port(&*device, port))?;
        self.entries.clone().apply(&mut *device)?;
        Ok(ReadyRun { run: self, fitted, device, folder })
    }

    /// Runs it; with a folder, what came out is written there. Says which files those are, and which of an earlier run are
    /// still there.
    ///
    /// # Errors
    /// Those of [`Run::ready`]; captures that cannot be read, packets that stand still in the machine, a folder that cannot
    /// be written. Then the folder holds nothing of this run.
    pub fn go(self, folder: Option<&Path>) -> Result<(RunOutcome, Finished), Failure> {
        let ready = self.ready(folder)?;
        if ready.run.program.has_parser() {
            let (replayed, written) = ready.replayed()?;
            Ok((RunOutcome::Replayed(Box::new(replayed)), written))
        } else {
            let (compared, written) = ready.compared()?;
            Ok((RunOutcome::Compared(Box::new(compared)), written))
        }
    }
}

impl ReadyRun<'_> {
    /// The program as it is fitted to the machine.
    pub fn fitted(&self) -> &dyn Fitted {
        &*self.fitted
    }

    /// A fresh machine.
    ///
    /// # Errors
    /// What keeps the machine from being built.
    pub fn machine(&self) -> Result<Box<dyn Device>, Failure> {
        self.fitted.build(self.run.seed)
    }

    /// Records what is where in each cycle, if that was asked for.
    fn record_timeline(&mut self) {
        if self.run.timeline > 0 {
            self.device.record_timeline(self.run.timeline);
        }
    }
}
