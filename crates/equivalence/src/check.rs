//! One run of a machine, held against the interpreter packet by packet.

use basis::Instant;
use control::Request;
use machines::pipelines::events::{Access, Completed};
use machines::{Device, Standstill};
use measure::{Event, Interest};
use node::{Course, Discarded, Endless, Limit, Offered, Sink, Transmission};
use traffic::ArrivalOrder;

use crate::comparison::Comparison;
use crate::flows::Flows;
use crate::judge::Judge;
use crate::record::Record;
use crate::reference::Reference;
use crate::watcher::Watcher;

/// What a run is held to, and how much of a difference is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// What makes packets one flow.
    pub flows: Flows,
    /// A reordered flow is a difference. Off by default: MP5 promises order within a flow only to flows whose
    /// packets access the same state (section 3.4).
    pub flow_order: bool,
    /// A violation of C1 is a difference. Off by default: it need not change what comes out.
    pub access_order: bool,
    /// How many packets and registers that differ are kept; all are counted.
    pub kept: usize,
    /// What the control plane asks for while packets come, in order of time: each before the first packet that arrives at
    /// its time or later. Machine and meaning are both asked, and must answer alike.
    pub requests: Vec<(Instant, Request)>,
}

impl Default for Rules {
    fn default() -> Self {
        Self { flows: Flows::default(), flow_order: false, access_order: false, kept: 8, requests: Vec::new() }
    }
}

/// Drives a fresh machine with `packets`, which come in order of time, and the meaning of its program, just as fresh,
/// beside it.
///
/// Memory follows the packets in flight, not the run, and so do the calls of a machine that stands still
/// ([`node::Limit`]). The verdict is, in this order: unaccounted if packets do not add up, unfinished if the machine stands
/// still, excluded if it lost some, else equal or different.
pub fn compare(
    reference: Reference<'_>,
    machine: &mut dyn Device,
    packets: impl IntoIterator<Item = Offered>,
    rules: &Rules,
) -> Comparison {
    run(reference, machine, packets, rules, None, None).0
}

/// As [`compare`], while `watcher`, if there is one, sees what the machine puts out.
pub fn compare_watched(
    reference: Reference<'_>,
    machine: &mut dyn Device,
    packets: impl IntoIterator<Item = Offered>,
    rules: &Rules,
    watcher: Option<&mut dyn Watcher>,
) -> Comparison {
    run(reference, machine, packets, rules, None, watcher).0
}

/// As [`compare`], writing all that became of every packet into a record, if there is one.
pub(crate) fn run(
    reference: Reference<'_>,
    machine: &mut dyn Device,
    packets: impl IntoIterator<Item = Offered>,
    rules: &Rules,
    record: Option<Record>,
    watcher: Option<&mut dyn Watcher>,
) -> (Comparison, Option<Record>) {
    let mut judge = Judge::new(reference, rules, record);
    let standstill = drive(machine, packets, rules, &mut judge, watcher).err();
    judge.conclude(machine, standstill)
}

/// Offers the packets to the machine, and to the judge before, and between them the requests of the control plane.
fn drive(
    machine: &mut dyn Device,
    packets: impl IntoIterator<Item = Offered>,
    rules: &Rules,
    judge: &mut Judge<'_>,
    watcher: Option<&mut dyn Watcher>,
) -> Result<(), Standstill> {
    let interest = Interest::of::<Access>().and::<Completed>();
    let mut course = Course::new(Limit::default(), interest);
    let mut observer = Observer { judge, watcher };
    let mut requests = rules.requests.iter().peekable();
    let endless = |machine: &dyn Device, endless: Endless| Standstill::of(machine, endless.at, Some(endless));
    for offered in ArrivalOrder::new(packets.into_iter()) {
        while let Some((_, request)) = requests.next_if(|(at, _)| *at <= offered.at) {
            observer.judge.asked(request, machine.execute(request));
        }
        observer.judge.offer(&offered);
        course.offer(machine, offered, &mut observer).map_err(|error| endless(machine, error))?;
    }
    let at = course.finish(machine, &mut observer).map_err(|error| endless(machine, error))?;
    match machine.statistics().in_flight {
        0 => Ok(()),
        _ => Err(Standstill::of(machine, at, None)),
    }
}

/// What the machine does, told to the judge, who also watches what it is offered.
struct Observer<'j, 'r, 'w> {
    judge: &'j mut Judge<'r>,
    watcher: Option<&'w mut dyn Watcher>,
}

impl Sink for Observer<'_, '_, '_> {
    fn transmitted(&mut self, transmission: Transmission) {
        if let Some(watcher) = &mut self.watcher {
            watcher.transmitted(&transmission);
        }
        self.judge.transmitted(transmission);
    }

    fn discarded(&mut self, at: Instant, discarded: Discarded) {
        if let Some(watcher) = &mut self.watcher {
            watcher.discarded(at, &discarded);
        }
        self.judge.discarded(at, &discarded);
    }

    fn event(&mut self, at: Instant, event: Event) {
        if let Some(watcher) = &mut self.watcher {
            watcher.event(&event);
        }
        let judge = &mut self.judge;
        match event.read() {
            Ok(Access { unit, index, sequence }) => judge.access(at, unit, index, sequence),
            Err(event) => {
                if let Ok(Completed { sequence, fields }) = event.read() {
                    judge.completed(at, sequence, &fields);
                }
            }
        }
    }
}
