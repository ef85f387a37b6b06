//! Runs a program that works on fields, and compares it with the interpreter.

use basis::Instant;
use equivalence::{Watcher, compare_watched};
use ir::pipeline::Division;
use measure::Event;
use node::{Discarded, Offered, Transmission};

use super::field_files::FieldFiles;
use super::{Compared, PacketCurve, Packets, ReadyRun, described};
use crate::machine::for_each_access;
use diagnostics::Failure;
use files::Finished;

impl ReadyRun<'_> {
    /// Returns the fraction of the offered rate that no machine with parallel pipelines can exceed on these packets
    /// without changing the meaning of the program: each register index can be accessed once per clock cycle of a
    /// pipeline, and registers that lie in one pipeline as a whole can be accessed only once per cycle in total (MP5
    /// section 3.5.2). It is 1 if the packets are not those of a plan of traffic, or the machine has no stages.
    pub fn cap(&self) -> f64 {
        let (Some(compiled), Some(plan), Some(traffic)) =
            (self.fitted.compiled(), self.fitted.plan(), self.run.offer.prepared())
        else {
            return 1.0;
        };
        let (pipeline, period) = (&compiled.pipeline, plan.parameters.period());
        // The time at which each index, or each register that is not sharded, would be done if it were the only
        // bottleneck.
        let mut done: Vec<Vec<Instant>> =
            pipeline.accesses.iter().map(|access| vec![Instant::ZERO; pipeline.indices_of(access)]).collect();
        for_each_access(pipeline, traffic.binding(), traffic.packets(), |at, access, index| {
            let pinned = pipeline.accesses[access].division == Division::Whole;
            let place = &mut done[access][if pinned { 0 } else { index }];
            *place = at.max(*place) + period;
        });
        let mut arrivals = traffic.packets().map(|offered| offered.at);
        let first = arrivals.next().unwrap_or_default();
        let offered = arrivals.last().unwrap_or(first).since(first);
        // The first packet is done one period after it arrived, which is latency and does not count.
        let needed = done.into_iter().flatten().max().unwrap_or_default().since(first + period);
        if needed > offered { offered.seconds() / needed.seconds() } else { 1.0 }
    }

    /// Runs the packets beside the interpreter. Returns the result and the files that were written.
    ///
    /// # Errors
    /// If packets cannot be read, the machine has no reference, or the results cannot be written.
    pub fn compared(mut self) -> Result<(Compared, Finished), Failure> {
        self.record_timeline()?;
        let Self { run, fitted, mut device, folder } = self;
        let program = &run.program.program;
        let files = folder.map(|folder| FieldFiles::create(folder, program)).transpose()?;
        let mut packets = Packets::open(&run.offer)?;
        let (mut arrivals, mut trouble) = (PacketCurve::new(), None);
        let mut watched = Watched { departures: PacketCurve::new(), files };
        let noted = Noted { packets: &mut packets, arrivals: &mut arrivals, trouble: &mut trouble };
        let noted = noted.take(run.packets.unwrap_or(u64::MAX).try_into().unwrap_or(usize::MAX));
        let entries = &run.entries;
        // The machine has accepted all requests already.
        let reference = fitted.reference(run.seed, &|execute| entries.requests().for_each(execute))?;
        let comparison = compare_watched(reference, &mut *device, noted, &fitted.rules(), Some(&mut watched));
        if let Some(trouble) = trouble {
            return Err(trouble);
        }
        let Watched { departures, files } = watched;
        let compared = Compared {
            program: program.name.clone(),
            machine: run.machine.name(),
            pipelines: fitted.plan().map(|plan| plan.parameters.pipelines()),
            stages: fitted.compiled().map(|compiled| compiled.pipeline.depth()),
            traffic: run.offer.name(),
            comparison,
            timeline: device.timeline().cloned(),
            registers: device.state().into_owned().registers,
            fitted,
            arrivals,
            departures,
        };
        let written = match files {
            Some(files) => {
                let mut manifest = described::manifest(&run, &*compared.fitted, &packets);
                manifest.comparison(compared.machine, &compared.comparison);
                files.finish(program, &compared, manifest)?
            }
            None => Finished::default(),
        };
        Ok((compared, written))
    }
}

/// An iterator over packets that records their arrivals.
struct Noted<'n> {
    packets: &'n mut Packets,
    arrivals: &'n mut PacketCurve,
    /// The error that ended the packets, if there was one.
    trouble: &'n mut Option<Failure>,
}

impl Iterator for Noted<'_> {
    type Item = Offered;

    fn next(&mut self) -> Option<Offered> {
        match self.packets.next() {
            Ok(offered) => {
                let offered = offered?;
                self.arrivals.add(offered.at.picoseconds());
                Some(offered)
            }
            Err(trouble) => {
                *self.trouble = Some(trouble);
                None
            }
        }
    }
}

/// A watcher that records the curve of departures and writes the result files, if there are any.
struct Watched {
    departures: PacketCurve,
    files: Option<FieldFiles>,
}

impl Watcher for Watched {
    fn transmitted(&mut self, transmission: &Transmission) {
        self.departures.transmitted(transmission);
        if let Some(files) = &mut self.files {
            files.transmitted(transmission);
        }
    }

    fn discarded(&mut self, at: Instant, discarded: &Discarded) {
        if let Some(files) = &mut self.files {
            files.discarded(at, discarded);
        }
    }

    fn event(&mut self, event: &Event) {
        if let Some(files) = &mut self.files {
            files.event(event);
        }
    }
}
