//! The interface that all machines share.

use std::borrow::Cow;
use std::sync::Arc;

use control::{Info, RefusedRequest, Request, Response};
use measure::Counts;
use node::{Port, Reason, Station};
use queues::OutputPlan;
use runtime::ProgramState;

use crate::stages::StageCompiler;
use crate::timeline::Timeline;
use crate::trace::Trace;
use crate::unsuitable::Unsuitable;
use crate::{PartUse, Statistics, Stuck};

/// A machine that runs one program: a station that takes requests of the control plane in order with packets, and shows
/// its state in the form in which the program was written, however the machine stores it.
pub trait Device: Station {
    /// Returns what the control plane knows about the program.
    fn info(&self) -> &Arc<Info>;

    /// Returns the number of ports, which are numbered from 0, or `None` if packets may use any port number. Where
    /// [`Device::has_port`] says that some numbers below it are not ports, it is the number after the last port.
    fn ports(&self) -> Option<u32>;

    /// Returns true if there is a port of this number; by default, if it is below [`Device::ports`].
    fn has_port(&self, port: u32) -> bool {
        port < self.ports().unwrap_or(1 << u16::BITS)
    }

    /// Returns the port of the controller, by which packets go to it and come from it; `None` if the machine was built
    /// without one.
    fn cpu_port(&self) -> Option<Port> {
        None
    }

    /// Numbers the ports that lead outside from 0 from now on, in the order of the numbers that they have had. A network, which
    /// numbers the cables of a switch without gaps, asks for it before anything else. Programs and requests keep the
    /// numbers that they know. By default nothing changes, for machines that number their ports so.
    fn number_ports_in_order(&mut self) {}

    /// Returns the number by which programs and requests know a port that leads outside. By default, it is that of the port,
    /// for machines that number their ports so.
    fn number_for_programs(&self, port: Port) -> u32 {
        port.0.into()
    }

    /// Puts a link and queues behind each port, inside the machine. Must be called before the first packet. A machine
    /// that cannot hold such queues returns the plan; its packets then wait in queues behind the machine, if the caller
    /// provides them.
    ///
    /// # Errors
    /// Fails if the program requires queues inside the machine that it cannot have.
    fn hold_queues(&mut self, plan: OutputPlan) -> Result<Option<OutputPlan>, Unsuitable> {
        Ok(Some(plan))
    }

    /// Carries out a request of the control plane. Requests are ordered with packets: packets that arrived earlier do
    /// not see the change, packets that arrive later do.
    ///
    /// # Errors
    /// Fails with the reason if the request is refused; nothing has changed then.
    fn execute(&mut self, request: &Request) -> Result<Response, control::Error>;

    /// Carries out requests in order between two packets, as [`Device::execute`] does. One that is refused changes nothing
    /// and does not keep the following ones from being carried out. Returns the outcome of each.
    fn execute_each(&mut self, requests: &[Request]) -> Vec<Result<Response, control::Error>> {
        requests.iter().map(|request| self.execute(request)).collect()
    }

    /// Carries out requests in order, as [`Device::execute`] does, between two packets: all of them, or none if one is
    /// refused.
    ///
    /// # Errors
    /// Fails with the first request that is refused and the reason; nothing has changed then.
    fn execute_together(&mut self, requests: &[Request]) -> Result<Vec<Response>, RefusedRequest>;

    /// Returns the current state of the program as one logical machine would hold it, by the numbers in
    /// [`Device::info`].
    fn state(&self) -> Cow<'_, ProgramState>;

    /// Returns counters of what the machine has done so far.
    fn statistics(&self) -> Statistics;

    /// Returns the number of discarded packets by reason and by the last program block that each packet entered. The
    /// block is empty for packets that entered none, and on machines without blocks.
    fn drops(&self) -> Counts<(Reason, &'static str)> {
        self.statistics().discarded.iter().map(|(reason, count)| ((reason, ""), count)).collect()
    }

    /// Returns the packets inside in order of arrival, and what each one waits for; empty if the machine cannot tell.
    fn stuck(&self) -> Vec<Stuck> {
        Vec::new()
    }

    /// Starts recording what happens to every packet. Memory grows with the number of packets, so this is for small
    /// runs.
    ///
    /// # Errors
    /// Fails if the machine does not report what happens inside.
    fn observe(&mut self) -> Result<(), Unsuitable> {
        Err(Unsuitable { findings: vec!["this machine does not report what happens to packets inside it".to_owned()] })
    }

    /// Returns the traces of the packets that have finished since the last call, in the order in which they finished.
    fn take_traces(&mut self) -> Vec<Trace> {
        Vec::new()
    }

    /// Starts recording the contents of all stages in each of the next `cycles` cycles in which any packet is inside.
    /// Memory grows with the number of cycles. Returns false if the machine records nothing, as those in which nothing takes time.
    fn record_timeline(&mut self, cycles: u64) -> bool {
        let _ = cycles;
        false
    }

    /// Returns what was recorded since [`Device::record_timeline`] as a text in the Trace Event Format, for Perfetto; `None` if
    /// the machine shows its record otherwise, or there is none.
    fn trace_events(&self) -> Option<String> {
        None
    }

    /// Lets a compiler compile the machine's stages to machine code when another `after` packets have arrived, so that short runs do
    /// not wait for it. It changes how fast the machine is, and nothing else. Machines without stages do nothing.
    fn compile_stages(&mut self, compiler: Arc<dyn StageCompiler>, after: u64) {
        let _ = (compiler, after);
    }

    /// Returns what each part of the machine has done, in a fixed order; empty if the machine does not count it.
    fn parts(&self) -> Vec<PartUse> {
        Vec::new()
    }

    /// Returns the recorded timeline, if [`Device::record_timeline`] was called.
    fn timeline(&self) -> Option<&Timeline> {
        None
    }
}
