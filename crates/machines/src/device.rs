//! What every machine that runs a program can be asked.

use std::borrow::Cow;
use std::sync::Arc;

use control::{Info, Request, Response};
use measure::Counts;
use node::{Reason, Station};
use queues::OutputPlan;
use runtime::State;

use crate::timeline::Timeline;
use crate::trace::Trace;
use crate::unsuitable::Unsuitable;
use crate::{Statistics, Stuck};

/// A machine that runs one program: a station that takes requests of the control plane, in order with packets, and shows
/// its state as the program's author wrote it, however it holds it.
pub trait Device: Station {
    /// What the control plane may know of the program.
    fn info(&self) -> &Arc<Info>;

    /// The number of ports, from 0; `None` if packets may come and go on any.
    fn ports(&self) -> Option<u32>;

    /// Gives its ports lines of their own, each with a queue inside the machine, before the first packet. A machine that has
    /// no queues, or none of this kind, gives the plan back: then its packets wait behind it, if somebody has a place for
    /// them there.
    ///
    /// # Errors
    /// The program asks for queues inside, and these cannot be there.
    fn hold_queues(&mut self, plan: OutputPlan) -> Result<Option<OutputPlan>, Unsuitable> {
        Ok(Some(plan))
    }

    /// Carries out a request of the control plane. It is in order with packets: those that arrived before do not see what
    /// it changes, those that arrive later do.
    ///
    /// # Errors
    /// Why it is refused; then nothing has changed.
    fn execute(&mut self, request: &Request) -> Result<Response, control::Error>;

    /// All state of the program now, by the numbers that [`Device::info`] gives, as one logical machine would show it.
    fn state(&self) -> Cow<'_, State>;

    /// What it has done so far.
    fn statistics(&self) -> Statistics;

    /// The packets that went no further, by reason and by the block of the program that each was in last; the block is
    /// empty for those that came to none, and on machines that know no blocks.
    fn drops(&self) -> Counts<(Reason, &'static str)> {
        self.statistics().discarded.iter().map(|(reason, count)| ((reason, ""), count)).collect()
    }

    /// The packets that are inside, in order of arrival, and what each waits for; none if the machine does not say.
    fn stuck(&self) -> Vec<Stuck> {
        Vec::new()
    }

    /// Records from now on what happens to every packet. For small runs: nothing is forgotten.
    ///
    /// # Errors
    /// The machine tells nobody what happens inside.
    fn observe(&mut self) -> Result<(), Unsuitable> {
        Err(Unsuitable { findings: vec!["this machine does not tell what happens to a packet inside".to_owned()] })
    }

    /// Returns what was recorded since the last call of packets that are done, in the order in which they were done.
    fn take_traces(&mut self) -> Vec<Trace> {
        Vec::new()
    }

    /// Records from now on what is where in each of the next `cycles` cycles in which anything is anywhere. Memory
    /// grows with them. A machine without stages has nothing to record.
    fn record_timeline(&mut self, cycles: u64) {
        let _ = cycles;
    }

    /// What was recorded, if anything was to be.
    fn timeline(&self) -> Option<&Timeline> {
        None
    }
}
