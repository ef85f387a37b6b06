//! A program that works on fields, held against the interpreter all along.

use basis::Instant;
use equivalence::{Watcher, compare_watched};
use ir::pipeline::Division;
use measure::Event;
use node::{Discarded, Offered, Transmission};

use super::field_files::FieldFiles;
use super::{Compared, Packets, Progress, ReadyRun, described};
use crate::machine::for_each_access;
use diagnostics::Failure;
use files::Finished;

impl ReadyRun<'_> {
    /// The share of the offered rate that no machine of parallel pipelines can exceed on these packets without
    /// changing what the program means: a register value takes one access a cycle of one pipeline, and what lies in
    /// one pipeline takes one in all (MP5 section 3.5.2). It is 1 where no plan of traffic says which packets come, or the
    /// machine has no stages.
    pub fn cap(&self) -> f64 {
        let (Some(compiled), Some(plan), Some(traffic)) =
            (self.fitted.compiled(), self.fitted.plan(), self.run.offer.prepared())
        else {
            return 1.0;
        };
        let (pipeline, period) = (&compiled.pipeline, plan.parameters.period());
        // When each value, or each pipeline that holds many, would be done if it alone held packets up.
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
        // The first packet is done a period after it came: that is latency.
        let needed = done.into_iter().flatten().max().unwrap_or_default().since(first + period);
        if needed > offered { offered.seconds() / needed.seconds() } else { 1.0 }
    }

    /// Runs it beside the interpreter, and says which files were written.
    ///
    /// # Errors
    /// Packets that cannot be read; a folder that cannot be written.
    pub fn compared(mut self) -> Result<(Compared, Finished), Failure> {
        self.record_timeline();
        let Self { run, fitted, mut device, folder } = self;
        let program = &run.program.program;
        let files = folder.map(|folder| FieldFiles::create(folder, program)).transpose()?;
        let mut packets = Packets::open(&run.offer)?;
        let (mut arrivals, mut trouble) = (Progress::new(), None);
        let mut watched = Watched { departures: Progress::new(), files };
        let noted = Noted { packets: &mut packets, arrivals: &mut arrivals, trouble: &mut trouble };
        let noted = noted.take(run.packets.unwrap_or(u64::MAX).try_into().unwrap_or(usize::MAX));
        let entries = &run.entries;
        let reference = fitted.reference(run.seed, &|device| {
            // The machine has taken them.
            let _ = entries.clone().apply(device);
        })?;
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

/// Packets on their way to a machine.
struct Noted<'n> {
    packets: &'n mut Packets,
    arrivals: &'n mut Progress,
    /// Why there are no more of them, if something is wrong with them.
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

/// The curve of every run, and the files of those that write some.
struct Watched {
    departures: Progress,
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
