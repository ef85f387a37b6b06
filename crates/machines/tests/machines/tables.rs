//! Tables on machines: packets that arrive after a change see it, and no others do.

use std::collections::BTreeSet;

use basis::{Instant, Random};
use control::{ActionCall, EntrySelection, Request, TableRequest, Target};
use ir::interpret::PipelineInterpreter;
use machines::mp5::{self, Mp5};
use machines::pipelines::events::Completed;
use machines::{Banzai, Device, banzai, recirculating};
use measure::Interest;
use node::{Outbox, Port};
use runtime::Bits;
use runtime::tables::FieldMatch;

use crate::support::{pipeline, record, record_binding};

/// A table determines where each key is counted, and a late stage looks the key up once more.
const COUNTING: &str = r#"pipeline counting
field key: bit<32>
field count: bit<32>
field late: bit<32>
local place: bit<32>
local index: bit<32>
local counts: bool
local old: bit<32>
local new: bit<32>
local later: bit<32>
local again: bit<32>
register counters: bit<32>[8] = fill 0
action count_in(index) {
}
action pass() {
}
table places {
  key undefined<bit<32>>: exact named "key"
  action pass
  action count_in
  default pass()
}
resolution 2
stage {
  atom { counts = lookup(places, runs 1, key) }
  atom { place = lookup(places, data 1 0 0 bit<32>, key) }
}
stage {
}
stage {
  atom pred_raw {
    old = @counters[place] if counts
    new = old + 1u32
    @counters[place] = new if counts
  }
}
stage {
  atom { again = lookup(places, data 1 0 0 bit<32>, key) }
}
access @counters stage 2 index place if counts sharded
export count = new
export late = again
"#;

/// Returns a random change of the table entry of a key.
fn change(random: &mut Random, known: &mut BTreeSet<u64>) -> Request {
    let number = random.below(8);
    let key = vec![FieldMatch::Exact(Bits::from_u64(number, 32))];
    let target = Target::Action(ActionCall { action: 0.into(), data: vec![Bits::from_u64(random.below(8), 32)] });
    let about = if known.insert(number) {
        TableRequest::insert(key, None, target)
    } else {
        TableRequest::modify(EntrySelection::Key { key, priority: None }, target)
    };
    Request::Table(0.into(), about)
}

/// A step of the test: a packet with a key, or a change of the table.
enum Step {
    Packet { picoseconds: u64, key: u32 },
    Change(Request),
}

/// Returns four packets per nanosecond, which is more than one pipeline can process and as much as four can, and a
/// change after every fifth.
fn steps() -> Vec<Step> {
    let mut random = Random::new(3);
    let mut known = BTreeSet::new();
    let mut steps = Vec::new();
    for packet in 0..400 {
        if packet % 5 == 0 {
            steps.push(Step::Change(change(&mut random, &mut known)));
        }
        steps.push(Step::Packet { picoseconds: packet * 250, key: random.below(8) as u32 });
    }
    steps
}

/// Returns the final fields of every packet in order of arrival.
fn run(machine: &mut dyn Device, steps: &[Step]) -> Vec<Vec<u64>> {
    let mut out = Outbox::new(Interest::of::<Completed>());
    let mut sequence = 0;
    for step in steps {
        match step {
            Step::Change(request) => _ = machine.execute(request).unwrap(),
            Step::Packet { picoseconds, key } => {
                let mut offered = record(*picoseconds, 0, &[*key, 0, 0]);
                offered.packet.sidecar.id = sequence;
                sequence += 1;
                out.begin(offered.at);
                machine.receive(offered.at, Port(sequence as u16 % 4), &mut vec![offered.packet], &mut out);
            }
        }
    }
    while let Some(deadline) = out.take_deadline() {
        assert!(deadline < Instant::from_picoseconds(1_000_000_000), "the machine does not drain");
        out.begin(deadline);
        machine.wake(deadline, &mut out);
    }
    let mut completed = vec![Vec::new(); sequence as usize];
    for event in out.events {
        if let Ok(Completed { sequence, fields }) = event.read() {
            completed[sequence as usize] = fields.to_vec();
        }
    }
    completed
}

#[test]
fn packets_see_the_tables_of_their_arrival() {
    let pipeline = pipeline(COUNTING);
    let steps = steps();
    let mut interpreter = PipelineInterpreter::new(&pipeline);
    let binding = || record_binding(&pipeline);
    // This machine only applies the changes, to show the tables that the interpreter needs.
    let parameters = banzai::BanzaiParameters::default();
    let mut view = Banzai::new(&pipeline, binding(), parameters).unwrap();
    let mut expected = Vec::new();
    for step in &steps {
        match step {
            Step::Change(request) => {
                view.execute(request).unwrap();
                interpreter.state_mut().tables.clone_from(&view.state().tables);
            }
            Step::Packet { key, .. } => {
                let mut values = vec![0; pipeline.program.variables.len()];
                values[0] = (*key).into();
                interpreter.packet(&mut values);
                expected.push(values[..3].to_vec());
            }
        }
    }
    // The machine is slower than the packets arrive, so that packets wait while tables change.
    let parameters = banzai::BanzaiParameters { speedup: 2, ..banzai::BanzaiParameters::default() };
    let mut banzai = Banzai::new(&pipeline, binding(), parameters).unwrap();
    assert_eq!(run(&mut banzai, &steps), expected);
    assert_eq!(&banzai.state().registers, interpreter.registers());

    let mut mp5 =
        Mp5::new(&pipeline, binding(), mp5::Mp5Parameters { remap_period: 8, ..mp5::Mp5Parameters::default() })
            .unwrap();
    assert_eq!(run(&mut mp5, &steps), expected);
    assert_eq!(&mp5.state().registers, interpreter.registers());
    assert!(mp5.statistics().own(mp5::counters::MOVES) > 0 && mp5.statistics().largest_queue > 1);

    // The recirculating switch does not keep the order, but late look-ups must still find the same.
    let parameters =
        recirculating::RecirculatingParameters { ports: 4, ..recirculating::RecirculatingParameters::default() };
    let mut recirculating = recirculating::build(&pipeline, binding(), parameters).unwrap();
    let late = |fields: &Vec<u64>| fields[2];
    let found = run(&mut recirculating, &steps);
    assert!(found.iter().map(late).eq(expected.iter().map(late)));
    assert!(recirculating.statistics().recirculations > 0);
}
