//! Traces of packets through pipelines, stage by stage.

use machines::trace::{Access, Step, Trace};
use machines::{Banzai, Device, Mp5, banzai, drive, mp5, recirculating};
use measure::Interest;
use node::{Discarded, Sink, Transmission};

use crate::support::{pipeline, record, record_binding};

/// Two registers, of which the second is indexed by a field that an earlier stage computed.
const PIPELINE: &str = "pipeline chain
field key: bit<32>
field seen: bit<32>
local count.old: bit<32>
local count.new: bit<32>
local slot: bit<32>
local last.old: bit<32>
register count: bit<32>[4] = fill 0
register last: bit<32>[8] = fill 0
resolution 1
stage { // 0
  atom { slot = key + 1u32 }
}
stage { // 1
  atom rw {
    count.old = @count[key]
    count.new = count.old + 1u32
    @count[key] = count.new
  }
}
stage { // 2
  atom rw {
    last.old = @last[slot]
    @last[slot] = count.old
  }
}
access @count stage 1 index key always sharded
access @last stage 2 index slot always sharded
export seen = last.old
";

struct Nowhere;

impl Sink for Nowhere {
    fn transmitted(&mut self, _: Transmission) {}
    fn discarded(&mut self, _: basis::Instant, _: Discarded) {}
    fn event(&mut self, _: basis::Instant, _: measure::Event) {}
}

fn traces(machine: &mut dyn Device) -> Vec<Trace> {
    machine.observe().expect("pipelines tell");
    let packets = [3, 3, 1].into_iter().zip(0..).map(|(key, at)| record(at * 1000, at as u16, &[key, 0]));
    drive(machine, packets.collect::<Vec<_>>(), Interest::default(), &mut Nowhere).expect("it ends");
    machine.take_traces()
}

/// Returns the accesses of a trace in order: register, index, value, and whether it was written.
fn accesses(trace: &Trace) -> Vec<(String, usize, u64, bool)> {
    let stages = trace.pass.steps.iter().filter_map(|step| match step {
        Step::Stage { steps, .. } => Some(steps),
        _ => None,
    });
    let access = |step: &Step| match step {
        Step::Register { register, index, access, value } => {
            Some((register.clone(), *index, value.bits.low(), *access == Access::Write))
        }
        _ => None,
    };
    stages.flatten().filter_map(access).collect()
}

#[test]
fn pipelined_machines_trace_the_same_accesses() {
    let pipeline = pipeline(PIPELINE);
    let binding = record_binding(&pipeline);
    let machines: [Box<dyn Device>; 3] = [
        Box::new(Banzai::new(&pipeline, binding.clone(), banzai::BanzaiParameters::default()).expect("a machine")),
        Box::new(Mp5::new(&pipeline, binding.clone(), mp5::Mp5Parameters::default()).expect("a machine")),
        Box::new(
            recirculating::build(&pipeline, binding.clone(), recirculating::RecirculatingParameters::default())
                .expect("a machine"),
        ),
    ];
    for mut machine in machines {
        let mut traces = traces(&mut *machine);
        traces.sort_by_key(|trace| trace.packet);
        assert_eq!(traces.len(), 3);
        let access = |register: &str, index, value, is_write| (register.to_owned(), index, value, is_write);
        let told = accesses(&traces[1]);
        assert_eq!(
            told,
            [
                access("count", 3, 1, false),
                access("count", 3, 2, true),
                access("last", 4, 0, false),
                access("last", 4, 1, true)
            ],
            "the second packet finds what the first left"
        );
        let ends = traces.iter().map(|trace| trace.pass.steps.last());
        assert!(ends.clone().all(|step| matches!(step, Some(Step::Transmit { .. }))), "{ends:?}");
        let text = traces[0].to_string();
        assert!(text.contains("reads fields of the packet") && text.contains("writes count[3]: 1"), "{text}");
    }
}
