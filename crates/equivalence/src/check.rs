//! One run of a machine, compared with the interpreter packet by packet.

use basis::Instant;
use control::Request;
use machines::Device;
use machines::pipelines::events::{Access, Completed};
use measure::Interest;
use node::Offered;
use traffic::ArrivalOrder;

use crate::comparison::Comparison;
use crate::course::{Observer, drive};
use crate::flows::Flows;
use crate::judge::Judge;
use crate::record::Record;
use crate::reference::Reference;
use crate::tape::Tape;
use crate::watcher::Watcher;

/// The requirements on a run, and the amount of detail that is kept about differences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The definition of a flow.
    pub flows: Flows,
    /// Whether reordering within a flow is a difference. Off by default: MP5 promises order only within flows whose
    /// packets access the same state (section 3.4).
    pub flow_order: bool,
    /// Whether a violation of C1 is a difference. Off by default: it need not change the results.
    pub access_order: bool,
    /// Whether a register that differs at the end is a difference.
    pub registers: bool,
    /// When a packet has left the machine with all of its copies.
    pub leaving: Leaving,
    /// The maximum number of differing packets and of differing registers that are kept; all are counted.
    pub kept: usize,
    /// The control plane requests of the run, in order of time. Each is executed before the first packet that arrives
    /// at its time or later, on the machine and on the reference, and both must give the same answer.
    pub requests: Vec<(Instant, Request)>,
}

/// When a packet has left a machine with all of its copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// After as many transmissions and drops as the reference has. One more is a fault in the machine's account of packets,
    /// and a drop for a reason that the reference does not have is a loss.
    AsExpected,
    /// Before the next packet arrives, because packets take no time in the machine. A copy more or fewer than expected, and a
    /// drop for whatever reason, are differences.
    BeforeTheNext,
    /// At the end of the run, because packets take time in the machine and in the reference alike. Differences are those of
    /// [`Leaving::BeforeTheNext`]; all packets are held until then.
    AtTheEnd,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            flows: Flows::default(),
            flow_order: false,
            access_order: false,
            registers: true,
            leaving: Leaving::AsExpected,
            kept: 8,
            requests: Vec::new(),
        }
    }
}

/// Feeds `packets`, which must be in order of time, to a fresh machine and to a fresh reference of its program, and
/// compares the results.
///
/// Memory use is proportional to the packets in flight, not to the length of the run, and the number of calls of a
/// machine that is stuck is bounded ([`node::Limit`]). The verdict is, in this order of precedence:
/// [unaccounted](crate::Verdict::Unaccounted) if the accounting of packets is inconsistent,
/// [unfinished](crate::Verdict::Unfinished) if the machine is stuck, [excluded](crate::Verdict::Excluded) if it lost
/// packets, and otherwise equal or different.
pub fn compare(
    reference: Reference<'_>,
    machine: &mut dyn Device,
    packets: impl IntoIterator<Item = Offered>,
    rules: &Rules,
) -> Comparison {
    run(reference, machine, packets, rules, None, None).0
}

/// Runs [`compare`] and shows the output of the machine to `watcher`, if there is one.
pub fn compare_watched(
    reference: Reference<'_>,
    machine: &mut dyn Device,
    packets: impl IntoIterator<Item = Offered>,
    rules: &Rules,
    watcher: Option<&mut dyn Watcher>,
) -> Comparison {
    run(reference, machine, packets, rules, None, watcher).0
}

/// Runs [`compare`] and writes the fate of every packet into a record, if there is one.
pub(crate) fn run(
    reference: Reference<'_>,
    machine: &mut dyn Device,
    packets: impl IntoIterator<Item = Offered>,
    rules: &Rules,
    record: Option<Record>,
    watcher: Option<&mut dyn Watcher>,
) -> (Comparison, Option<Record>) {
    let mut reference = reference;
    let requests = &rules.requests;
    if let Some(interest) = reference.follows_order() {
        let mut tape = Tape::default();
        let standstill = drive(machine, packets, requests, interest, &mut tape).err();
        reference.repeat(&tape, machine.statistics().in_flight);
        let mut judge = Judge::new(reference, rules, record);
        tape.play(&mut Observer { judge: &mut judge, watcher });
        return judge.conclude(machine, standstill);
    }
    let interest = Interest::of::<Access>().and::<Completed>();
    if !reference.takes_time() {
        let mut judge = Judge::new(reference, rules, record);
        let observer = &mut Observer { judge: &mut judge, watcher };
        let standstill = drive(machine, packets, requests, interest, observer).err();
        return judge.conclude(machine, standstill);
    }
    let packets: Vec<Offered> = ArrivalOrder::new(packets.into_iter()).collect();
    reference.run_ahead(&packets, requests);
    let mut judge = Judge::new(reference, rules, record);
    let observer = &mut Observer { judge: &mut judge, watcher };
    let standstill = drive(machine, packets, requests, interest, observer).err();
    judge.conclude(machine, standstill)
}
