//! What the parts of the chip have done.

use ir::interpret::threads::Instructions;

use super::chip::Trio;
use crate::parts::PartUse;

impl<C: Instructions> Trio<C> {
    /// Returns what each part has done: the dispatch module, the packet processing engines, the engines behind the crossbar,
    /// the ports of the crossbar that had to wait, and the reorder engine.
    pub(super) fn part_uses(&self) -> Vec<PartUse> {
        let one = |part, number| PartUse {
            part,
            number,
            work: 0,
            busy: 0,
            waited: 0,
            longest_queue: 0,
            latency: 0,
            longest_latency: 0,
        };
        let cycles = |picoseconds: u64| picoseconds / self.parameters.memory().period.picoseconds();
        let waited = &self.statistics.waited;
        let dispatch = PartUse {
            work: self.threads,
            // The share of all threads that there were.
            busy: self.statistics.thread_cycles / self.slots.len() as u64,
            waited: cycles(waited.sum),
            longest_queue: self.dispatch.most_waiting,
            latency: cycles(waited.sum),
            longest_latency: cycles(waited.most),
            ..one("dispatch", 0)
        };
        let latency = u64::from(self.parameters.instruction_cycles);
        let ppes = self.engines.counts().zip(0..).map(|(count, number)| PartUse {
            work: count.begun,
            // An engine begins one instruction a cycle.
            busy: count.begun,
            waited: count.waited,
            longest_queue: count.longest.into(),
            latency: count.begun * latency + count.waited,
            longest_latency: latency,
            ..one("ppe", number)
        });
        let memory = self.memory.statistics(self.cycle);
        let ports = memory.ports.iter().zip(0..).filter(|(port, _)| port.stalls > 0).map(|(port, number)| PartUse {
            work: port.stalls,
            waited: port.stalled,
            longest_queue: port.most_held,
            latency: port.stalled,
            ..one("crossbar_port", number)
        });
        let engines = memory.engines.iter().map(|engine| PartUse {
            work: engine.requests,
            busy: engine.busy,
            waited: engine.waited,
            longest_queue: engine.longest_queue,
            latency: engine.latency,
            longest_latency: engine.longest_latency,
            ..one(engine.name.block.name(), engine.name.number)
        });
        let reorder = PartUse {
            work: self.statistics.left,
            waited: self.statistics.reordered.sum,
            longest_queue: self.reorder.most_held(),
            latency: self.statistics.reordered.sum,
            longest_latency: self.statistics.reordered.most,
            ..one("reorder", 0)
        };
        [dispatch].into_iter().chain(ppes).chain(ports).chain(engines).chain([reorder]).collect()
    }
}
