//! Threads of timers that look for blocks to which nobody refers (section 5).

use basis::Instant;
use wire::Packet;

use super::Defect;
use super::state::TrioMlSwitch;

impl TrioMlSwitch {
    /// Returns when the next thread of a timer begins that may do something.
    pub(super) fn next_thread(&self) -> Option<Instant> {
        let age = (!self.blocks.is_empty()).then(|| self.age.next());
        let judge = (!self.stragglers.is_empty()).then(|| self.judge.next());
        age.into_iter().chain(judge).min()
    }

    /// Lets the threads of timers begin whose time has come.
    pub(super) fn run_threads(&mut self, now: Instant, send: &mut Vec<Packet>) {
        while let Some(at) = self.next_thread()
            && at <= now
        {
            if !self.blocks.is_empty() && self.age.next() == at {
                self.age.fired += 1;
                self.scan(at, send);
            } else {
                self.judge.fired += 1;
                self.judge_all(send);
            }
        }
    }

    /// Scans the part of the table whose turn it is.
    fn scan(&mut self, now: Instant, send: &mut Vec<Packet>) {
        let first = u64::from(self.turn * self.parameters.scans * 64);
        self.turn = (self.turn + 1) % self.parameters.timer_threads;
        for scan in 0..u64::from(self.parameters.scans) {
            let first = first + 64 * scan;
            let [idle, present] = self.blocks.scan(first, 64);
            let mut rest = present;
            while rest != 0 {
                let at = rest.trailing_zeros();
                rest &= rest - 1;
                self.look(now, first as u32 + at, idle >> at & 1 != 0, send);
            }
        }
    }

    /// Looks at a block, to which somebody has referred since the last look or not.
    fn look(&mut self, now: Instant, place: u32, is_idle: bool, send: &mut Vec<Packet>) {
        // A block that ended in the same scan may have been the last one for which this one was kept.
        if !self.blocks.has(place) {
            return;
        }
        let job = self.places[place as usize].record.job_address;
        let number = self.job[job as usize].job;
        if self.jobs.find(&[number]) != Some(job) {
            // The job is no more.
            self.remove(place);
            return;
        }
        if u64::from(self.places[place as usize].record.block) < self.floors[usize::from(number)] {
            // A late copy has begun the block anew after the switch had lost its memory, or the next aggregator has told that the
            // block is over.
            self.remove(place);
            return;
        }
        let milliseconds = self.milliseconds;
        let found = &mut self.places[place as usize];
        if found.is_built {
            return;
        }
        let age = if is_idle { (u64::from(found.record.age) + milliseconds).min(255) } else { 0 };
        found.record.age = age as u8;
        let timeout = u64::from(found.record.timeout);
        // In units of 1,024 ns, as the program computes: a little less than twice the timeout.
        let elapsed = ((now.picoseconds() / 1000) >> 10).wrapping_sub(found.record.start >> 10) as u32;
        let limit = (timeout << 11) - (timeout << 7);
        let has_aged = timeout != 0 && (age >= timeout || u64::from(elapsed) >= limit);
        if has_aged && self.parameters.defect != Some(Defect::NoAgeing) {
            self.count_stragglers(place, job);
            let result = self.conclude(place, job);
            send.push(result);
        }
    }
}
