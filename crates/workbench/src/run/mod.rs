//! Runs one program on one machine on packets, for all languages and kinds of machines.
//!
//! The result depends on what the program works on. For a program with a parser, it is the traffic of each port
//! ([`Replayed`]). A program that works on fields is compared with the interpreter while it runs, and the result
//! contains the comparison ([`Compared`]).

mod compared;
mod compared_result;
mod described;
mod field_files;
mod names;
mod offer;
mod outcome;
mod packet_curve;
mod port_files;
mod replayed;
mod replayed_result;
mod state_tables;

use std::path::Path;

use machines::Device;

pub use self::compared_result::Compared;
pub(crate) use self::offer::Packets;
pub use self::offer::{CaptureInput, Offer, Pace};
pub use self::outcome::RunOutcome;
pub use self::packet_curve::PacketCurve;
pub use self::replayed_result::{PortOutcome, Replayed};
use crate::kinds::{Fitted, MachineKind, Settings};
use crate::program::LoadedProgram;
use crate::{Entries, check_port};
use diagnostics::{Diagnostic, Failure};
use files::{Finished, OutputFolder};

/// A run: a program, a machine and packets.
pub struct Run<'r> {
    /// The program.
    pub program: &'r LoadedProgram,
    /// The requests that fill the tables.
    pub entries: Entries,
    /// The packets.
    pub offer: Offer,
    /// The maximum number of packets; `None` runs all.
    pub packets: Option<u64>,
    /// The machine.
    pub machine: &'static dyn MachineKind,
    /// The settings of the machine.
    pub settings: Settings,
    /// The seed of everything random.
    pub seed: u64,
    /// The number of cycles of which a timeline is recorded; 0 records none.
    pub timeline: u64,
}

/// A run that is ready to start: the program fits the machine, and the tables are filled.
pub struct ReadyRun<'r> {
    run: Run<'r>,
    fitted: Box<dyn Fitted>,
    device: Box<dyn Device>,
    /// The folder into which results are written.
    folder: Option<OutputFolder>,
}

impl<'r> Run<'r> {
    /// Returns a run of all packets of an offer on a machine with default settings, without requests.
    pub fn new(program: &'r LoadedProgram, machine: &'static dyn MachineKind, offer: Offer) -> Self {
        let (entries, settings) = (Entries::none(), Settings::default());
        Self { program, entries, offer, packets: None, machine, settings, seed: 0, timeline: 0 }
    }

    /// Fits the program, builds the machine and fills its tables. If a folder is given, results are written there.
    ///
    /// # Errors
    /// If the program does not fit the machine, the machine lacks the port of a capture or refuses a request, the
    /// folder cannot be written, or results would overwrite an input.
    pub fn ready(self, folder: Option<&Path>) -> Result<ReadyRun<'r>, Failure> {
        // The folder comes first, because whether it can be written does not depend on the run.
        let folder = folder.map(|path| OutputFolder::take(path, names::is_result)).transpose()?;
        if let Some(folder) = &folder {
            let texts = self.program.inputs.iter().map(|(name, _)| &**name);
            let texts = texts.chain(self.entries.inputs().map(|(name, _)| name)).map(Path::new);
            let of_options = self.settings.given.inputs()?;
            let texts = texts.chain(of_options.iter().map(|(name, _)| Path::new(name)));
            folder.refuse_inputs(texts.chain(self.offer.files()))?;
        }
        let settings = Settings { packets: self.offer.prepared().cloned(), ..self.settings.clone() };
        let fitted = self.machine.fit(self.program, &settings)?;
        let mut device = fitted.build(self.seed)?;
        self.offer.ports().try_for_each(|port| check_port(&*device, port))?;
        self.entries.clone().apply(&mut *device)?;
        Ok(ReadyRun { run: self, fitted, device, folder })
    }

    /// Runs the packets. If a folder is given, writes the results there, and returns which files were written and which
    /// of an earlier run are still there.
    ///
    /// # Errors
    /// As for [`Run::ready`]; also if packets cannot be read or stand still in the machine, or the results cannot be
    /// written. After an error the folder contains nothing of this run.
    pub fn go(self, folder: Option<&Path>) -> Result<(RunOutcome, Finished), Failure> {
        let ready = self.ready(folder)?;
        if !ready.run.program.binds_fields() {
            let (replayed, written) = ready.replayed()?;
            Ok((RunOutcome::Replayed(Box::new(replayed)), written))
        } else {
            let (compared, written) = ready.compared()?;
            Ok((RunOutcome::Compared(Box::new(compared)), written))
        }
    }
}

impl ReadyRun<'_> {
    /// Returns the fitted program.
    pub fn fitted(&self) -> &dyn Fitted {
        &*self.fitted
    }

    /// Builds a new machine, without the requests of the run.
    ///
    /// # Errors
    /// If the machine cannot be built.
    pub fn machine(&self) -> Result<Box<dyn Device>, Failure> {
        self.fitted.build(self.run.seed)
    }

    /// Starts recording a timeline, if the run asks for one.
    ///
    /// # Errors
    /// If the machine records none, or writes it to a file and there is no folder for that.
    fn record_timeline(&mut self) -> Result<(), Failure> {
        if self.run.timeline == 0 {
            return Ok(());
        }
        if self.device.record_timeline(self.run.timeline) {
            if self.folder.is_some() || self.device.trace_events().is_none() {
                return Ok(());
            }
            let message = "`--timeline` writes trace.json into the folder of the results, and there is no such folder";
            return Err(Diagnostic::without_place(message).hint("give one by `--out-dir`").into());
        }
        let name = self.run.machine.name();
        let message =
            format!("`--timeline` is for machines in which packets take cycles, and in {name} they take none");
        let hint = "leave it out, or take a machine with pipelines";
        Err(Diagnostic::without_place(message).hint(hint).into())
    }
}
