//! Packets, one after the other, through a machine that runs a program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use basis::Instant;
use control::{DigestNumber, Request, Response};
use equivalence::Times;
use machines::{Device, Standstill};
use measure::{Event, Interest};
use node::{Course, Discarded, Limit, Sink, Transmission};

use super::files::ResultFolder;
use super::input::{Offer, Packets};
use super::names::is_result;
use super::result::ReplayOutcome;
use crate::failure::Failure;
use crate::kinds::{self, Kind, Settings};
use crate::output_folder::{Finished, OutputFolder};
use crate::packet_programs::{Activity, Entries, check_port};
use crate::program::LoadedProgram;

/// What is run.
pub struct Replay<'r> {
    /// The program.
    pub program: &'r LoadedProgram,
    /// What fills its tables.
    pub entries: Entries,
    /// The packets.
    pub offer: Offer<'r>,
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

impl<'r> Replay<'r> {
    /// All packets through the machine that packet programs are written for.
    pub fn new(program: &'r LoadedProgram, entries: Entries, offer: Offer<'r>) -> Self {
        let machine = kinds::MEANING;
        Self { program, entries, offer, packets: None, machine, settings: Settings::default(), seed: 0, timeline: 0 }
    }
}

/// Runs it; with a folder, what came out is written there. Says which files those are, and which of an earlier run are
/// still there.
///
/// # Errors
/// A program that the machine cannot hold, captures that cannot be read or come in on no port of it, entries that it
/// refuses, packets that stand still in it, a folder that cannot be written or whose results would take the place of what
/// is read. Then the folder holds nothing of this run.
pub fn replay_into(plan: Replay<'_>, folder: Option<&Path>) -> Result<(ReplayOutcome, Finished), Failure> {
    // Before anything else: whether it can be written does not depend on what comes of the run.
    let folder = folder.map(|path| OutputFolder::take(path, is_result)).transpose()?;
    if let Some(folder) = &folder {
        let texts = plan.program.inputs.iter().map(|(name, _)| &**name);
        let texts = texts.chain(plan.entries.inputs().map(|(name, _)| name)).map(Path::new);
        folder.refuse_inputs(texts.chain(plan.offer.files()))?;
    }
    let fitted = plan.machine.fit(plan.program, &plan.settings)?;
    let mut device = fitted.build(plan.seed)?;
    plan.offer.ports().try_for_each(|port| check_port(&*device, port))?;
    plan.entries.clone().apply(&mut *device)?;
    if plan.timeline > 0 {
        device.record_timeline(plan.timeline);
    }
    let mut packets = Packets::open(&plan.offer)?;
    let mut collected = Collected {
        ports: BTreeMap::new(),
        files: folder.map(|folder| ResultFolder::new(folder, packets.start())),
        times: Times::default(),
        processed: 0,
    };
    let mut digests = BTreeMap::new();
    let (mut offered, mut last_arrival) = (0, 0);
    let mut course = Course::new(Limit::default(), Interest::default());
    while plan.packets.is_none_or(|most| offered < most)
        && let Some(packet) = packets.next()?
    {
        offered += 1;
        let at = packet.at;
        last_arrival = at.microseconds();
        collected.times.arrival(at.picoseconds());
        let port = collected.ports.entry(packet.port.0).or_default();
        port.packets_in += 1;
        port.bytes_in += packet.packet.len() as u64;
        let went_on = course.offer(&mut *device, packet, &mut collected);
        went_on.map_err(|endless| Standstill::of(&*device, endless.at, Some(endless)))?;
        take_digests(&mut *device, last_arrival, &mut digests, collected.files.as_mut());
    }
    let end = course.finish(&mut *device, &mut collected);
    let end = end.map_err(|endless| Standstill::of(&*device, endless.at, Some(endless)))?;
    if device.statistics().in_flight > 0 {
        return Err(Standstill::of(&*device, end, None).into());
    }
    let Collected { ports, files, times, processed } = collected;
    let outcome = ReplayOutcome {
        program: plan.program.program.name.clone(),
        machine: plan.machine.name(),
        last_arrival,
        // A machine without stages takes no time, and there is nothing to say.
        throughput: fitted.compiled().map(|_| times.throughput(offered, processed)),
        statistics: Activity::of(&*device),
        ports,
        digests,
        timeline: device.timeline().cloned(),
    };
    debug_assert!(outcome.is_conserved(), "packets were lost or made: {:?}", outcome.statistics);
    let written = match files {
        Some(files) => {
            let manifest = super::described::manifest(&plan, &*fitted, &packets);
            let mut finished = files.finish(&mut *device, &outcome, manifest)?;
            finished.written.sort();
            finished
        }
        None => Finished::default(),
    };
    Ok((outcome, written))
}

/// The same as [`replay_into`], for whoever wants to know only which files were written.
///
/// # Errors
/// Those of [`replay_into`].
pub fn replay(plan: Replay<'_>, folder: Option<&Path>) -> Result<(ReplayOutcome, Vec<PathBuf>), Failure> {
    replay_into(plan, folder).map(|(outcome, finished)| (outcome, finished.written))
}

/// What came out so far.
struct Collected {
    ports: BTreeMap<u16, super::PortOutcome>,
    files: Option<ResultFolder>,
    times: Times,
    /// The number of packets that left or were dropped by the program.
    processed: u64,
}

impl Sink for Collected {
    fn transmitted(&mut self, transmission: Transmission) {
        let port = self.ports.entry(transmission.port.0).or_default();
        port.packets_out += 1;
        port.bytes_out += transmission.packet.len() as u64;
        self.times.departure(transmission.at.picoseconds());
        self.processed += 1;
        if let Some(files) = &mut self.files {
            files.packet(&transmission);
        }
    }

    fn discarded(&mut self, at: Instant, discarded: Discarded) {
        if discarded.reason.is_by_program() {
            self.times.departure(at.picoseconds());
            self.processed += 1;
        }
    }

    /// Nobody asked for any.
    fn event(&mut self, _at: Instant, _event: Event) {}
}

/// Digests go to their file in the order of packets.
fn take_digests(
    device: &mut dyn Device,
    time: u64,
    counts: &mut BTreeMap<String, u64>,
    mut files: Option<&mut ResultFolder>,
) {
    for number in 0..device.info().digests.len() {
        let taken = device.execute(&Request::TakeDigests(DigestNumber::from(number)));
        let Ok(Response::Digests(messages)) = taken else { continue };
        if messages.is_empty() {
            continue;
        }
        let digest = &device.info().digests[number];
        *counts.entry(digest.identity.name.clone()).or_default() += messages.len() as u64;
        if let Some(files) = &mut files {
            messages.iter().for_each(|message| files.digest(time, digest, message));
        }
    }
}
