//! Tables on machines: what the control plane writes is seen by those that come after it, and by no others.

use std::sync::Arc;

use basis::{Instant, Random};
use ir::interpret::PipelineInterpreter;
use ir::pipeline::Pipeline;
use machines::mp5::{self, Mp5};
use machines::recirculating::{self, Recirculating};
use machines::{Banzai, Machine, banzai};
use measure::{Event, Interest};
use node::{Outbox, Port};
use runtime::tables::{Entry, FieldMatch, Target};
use runtime::{Bits, State};

use crate::support::{pipeline, record, record_binding};

/// A table says where each key counts, and behind that, late, it is asked once more.
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

/// The tables after another change.
fn changed(state: &State, random: &mut Random) -> State {
    let mut changed = state.clone();
    let table = &mut changed.tables[0];
    let key = vec![FieldMatch::Exact(Bits::from_u64(random.below(8), 32))];
    if let Some(entry) = table.matches().find(&key, 0) {
        table.delete(entry).unwrap();
    }
    let target = Target::Action { action: 1, data: vec![Bits::from_u64(random.below(8), 32)] };
    table.insert(Entry { key, priority: 0, target, is_constant: false }).unwrap();
    changed
}

/// Something that happens: a packet of a key, or a change of the tables.
enum Step {
    Packet { picoseconds: u64, key: u32 },
    Change(Arc<State>),
}

/// Four packets a nanosecond, which is more than a pipeline takes and what four take, and a change for every fifth.
fn steps(pipeline: &Pipeline) -> Vec<Step> {
    let mut random = Random::new(3);
    let mut state = pipeline.program.initial_state();
    let mut steps = Vec::new();
    for packet in 0..400 {
        if packet % 5 == 0 {
            state = changed(&state, &mut random);
            steps.push(Step::Change(Arc::new(state.clone())));
        }
        steps.push(Step::Packet { picoseconds: packet * 250, key: random.below(8) as u32 });
    }
    steps
}

/// The final fields of every packet, in the order of arrival.
fn run<M: Machine>(machine: &mut M, set_tables: fn(&mut M, &Arc<State>), steps: &[Step]) -> Vec<Vec<u64>> {
    let mut out = Outbox::new(Interest { completions: true, ..Interest::default() });
    let mut sequence = 0;
    for step in steps {
        match step {
            Step::Change(tables) => set_tables(machine, tables),
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
        if let Event::Completed { sequence, fields } = event {
            completed[sequence as usize] = fields.to_vec();
        }
    }
    completed
}

#[test]
fn every_packet_finds_in_the_tables_of_its_arrival() {
    let pipeline = pipeline(COUNTING);
    let steps = steps(&pipeline);
    let mut interpreter = PipelineInterpreter::new(&pipeline);
    let mut expected = Vec::new();
    for step in &steps {
        match step {
            Step::Change(tables) => interpreter.state_mut().tables.clone_from(&tables.tables),
            Step::Packet { key, .. } => {
                let mut values = vec![0; pipeline.program.variables.len()];
                values[0] = (*key).into();
                interpreter.packet(&mut values);
                expected.push(values[..3].to_vec());
            }
        }
    }
    let binding = || record_binding(&pipeline);
    // Slower than packets come, so that they wait while tables change.
    let parameters = banzai::Parameters { speedup: 2, ..banzai::Parameters::default() };
    let mut banzai = Banzai::new(&pipeline, binding(), parameters).unwrap();
    assert_eq!(run(&mut banzai, Banzai::set_tables, &steps), expected);
    assert_eq!(&banzai.registers(), interpreter.registers());

    let mut mp5 =
        Mp5::new(&pipeline, binding(), mp5::Parameters { remap_period: 8, ..mp5::Parameters::default() }).unwrap();
    assert_eq!(run(&mut mp5, Mp5::set_tables, &steps), expected);
    assert_eq!(&mp5.registers(), interpreter.registers());
    assert!(mp5.statistics().moves > 0 && mp5.statistics().largest_queue > 1);

    // One that recirculates does not keep the order, but what each packet finds late it does.
    let parameters = recirculating::Parameters { ports: 4, ..recirculating::Parameters::default() };
    let mut recirculating = Recirculating::new(&pipeline, binding(), parameters).unwrap();
    let late = |fields: &Vec<u64>| fields[2];
    let found = run(&mut recirculating, Recirculating::set_tables, &steps);
    assert!(found.iter().map(late).eq(expected.iter().map(late)));
    assert!(recirculating.statistics().recirculations > 0);
}
