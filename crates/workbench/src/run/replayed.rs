//! Runs a program with a parser, and records the traffic of each port.

use std::collections::BTreeMap;
use std::sync::Arc;

use basis::Instant;
use control::Info;
use equivalence::Times;
use machines::Standstill;
use machines::blocks::Digest;
use measure::{Event, Interest};
use node::{Course, Discarded, Limit, Sink, Transmission};

use super::port_files::PortFiles;
use super::{Packets, PortOutcome, ReadyRun, Replayed, described};
use crate::Activity;
use diagnostics::Failure;
use files::Finished;

impl ReadyRun<'_> {
    /// Runs the packets of a program with a parser. Returns the result and the files that were written.
    ///
    /// # Errors
    /// If packets cannot be read or stand still in the machine, or the results cannot be written; also if a timeline is
    /// requested of a machine that records none.
    pub fn replayed(mut self) -> Result<(Replayed, Finished), Failure> {
        self.record_timeline()?;
        let Self { run, fitted, mut device, folder } = self;
        let mut packets = Packets::open(&run.offer)?;
        let mut collected = Collected {
            ports: BTreeMap::new(),
            files: folder.map(|folder| PortFiles::new(folder, packets.start())),
            times: Times::default(),
            processed: 0,
            info: Arc::clone(device.info()),
            digests: BTreeMap::new(),
        };
        let (mut offered, mut last_arrival) = (0, 0);
        let mut course = Course::new(Limit::default(), Interest::of::<Digest>());
        while run.packets.is_none_or(|most| offered < most)
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
        }
        let end = course.finish(&mut *device, &mut collected);
        let end = end.map_err(|endless| Standstill::of(&*device, endless.at, Some(endless)))?;
        if let Some(standstill) = Standstill::at_end(&*device, end) {
            return Err(standstill.into());
        }
        let Collected { ports, files, times, processed, digests, .. } = collected;
        let outcome = Replayed {
            program: run.program.program.name.clone(),
            machine: run.machine.name(),
            last_arrival,
            // A machine without stages takes no time, so its throughput is not reported.
            throughput: fitted.compiled().map(|_| times.throughput(offered, processed)),
            statistics: Activity::of(&*device),
            ports,
            digests,
            cycles: device.statistics().cycles,
            parts: device.parts(),
            timeline: device.timeline().cloned(),
        };
        debug_assert!(outcome.is_conserved(), "packets were lost or made: {:?}", outcome.statistics);
        let written = match files {
            Some(files) => {
                let manifest = described::manifest(&run, &*fitted, &packets);
                let mut finished = files.finish(&mut *device, &outcome, manifest)?;
                finished.written.sort();
                finished
            }
            None => Finished::default(),
        };
        Ok((outcome, written))
    }
}

/// The results so far.
struct Collected {
    ports: BTreeMap<u16, PortOutcome>,
    files: Option<PortFiles>,
    times: Times,
    /// The number of packets that left or were dropped by the program.
    processed: u64,
    info: Arc<Info>,
    /// The number of digests of each kind, by name.
    digests: BTreeMap<String, u64>,
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

    /// Counts a digest and writes it. A run is told of each by the event, for the queue from which a control plane reads has room
    /// for a certain number, and does not say when they were sent.
    fn event(&mut self, at: Instant, event: Event) {
        let Ok(sent) = event.read::<Digest>() else { return };
        let Some(digest) = self.info.digests.get(sent.digest as usize) else { return };
        *self.digests.entry(digest.identity.name.clone()).or_default() += 1;
        if let Some(files) = &mut self.files {
            files.digest(at, digest, &sent);
        }
    }
}
