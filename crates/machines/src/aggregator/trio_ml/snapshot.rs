//! Saving and restoring the switch.

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};

use super::state::{JOBS, TrioMlSwitch};

impl Snapshot for TrioMlSwitch {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.jobs.save(into)?;
        into.put(&self.job.iter().map(|record| record.words()).collect::<Vec<_>>())?;
        self.blocks.save(into)?;
        into.put(&self.places)?;
        into.put(&(&self.floors, &self.stragglers, &self.judged))?;
        into.put(&(self.age, self.milliseconds, self.turn, self.judge, self.totals))
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.jobs.restore(from)?;
        let job: Vec<[u64; 8]> = from.take()?;
        self.job = job.iter().map(wire::trio_ml::JobRecord::of).collect();
        self.blocks.restore(from)?;
        self.places = from.take()?;
        (self.floors, self.stragglers, self.judged) = from.take()?;
        (self.age, self.milliseconds, self.turn, self.judge, self.totals) = from.take()?;
        let has_all = self.blocks.records().all(|(place, ..)| {
            let found = self.places.get(place as usize);
            found.is_some_and(|found| {
                (found.record.job_address as usize) < JOBS && usize::from(found.record.gradients) <= found.sums.len()
            })
        });
        if [self.job.len(), self.floors.len(), self.judged.len()] != [JOBS; 3] || !has_all {
            return Err(Unfit("the state is not one of a switch of Trio-ML with these parameters".to_owned()));
        }
        Ok(())
    }
}
