//! The MP5 paper's Figure 3: five packets, a program whose state lies in two pipelines, and three timelines.
//!
//! The figure does not draw the stage in which addresses are resolved, "on packet arrival": it is stage 0 here, so
//! that stages 1 and 2 are those of the figure. The figure counts pipelines from 1 and we from 0. In the tables
//! `[A]` is processed, `B` is a data packet that waits, `(C)` a phantom.

use machines::Machine;
use machines::banzai::{self, Banzai};
use machines::mp5::{Mp5, Ordering, Parameters, Sharding};
use node::Offered;

use crate::support::{Outcome, interpret, pipeline, record, record_binding, run};

/// `mux == 1`: reg3[h3] is multiplied by reg1[h1]; else reg2[h2] is added to it.
const PROGRAM: &str = "\
pipeline figure3

field h1: int<32>
field h2: int<32>
field h3: int<32>
field mux: int<32>
local is_one: bool
local is_other: bool
local factor: int<32>
local summand: int<32>
local old: int<32>
local product: int<32>
local sum: int<32>
local new: int<32>
register reg1: int<32>[4] = [2, 4, 8, 16]
register reg2: int<32>[4] = [1, 3, 5, 7]
register reg3: int<32>[4] = fill 1

resolution 1
stage {
  atom { is_one = mux == 1i32 }
  atom { is_other = mux != 1i32 }
}
stage {
  atom rw { factor = @reg1[h1] if is_one }
  atom rw { summand = @reg2[h2] if is_other }
}
stage {
  atom mul_acc {
    old = @reg3[h3]
    product = old * factor
    sum = old + summand
    new = is_one ? product : sum
    @reg3[h3] = new
  }
}
access @reg1 stage 1 index h1 if is_one sharded
access @reg2 stage 1 index h2 if is_other sharded
access @reg3 stage 2 index h3 always sharded
";

/// Packets A and B at t = 0 on ports 1 and 2, C and D at t = 1, E at t = 2.
fn packets() -> Vec<Offered> {
    let one = [1, 1, 2, 1];
    vec![
        record(0, 1, &one),
        record(0, 2, &one),
        record(1000, 1, &one),
        record(1000, 2, &one),
        record(2000, 1, &[1, 3, 2, 0]),
    ]
}

/// reg1[1] lies in the first pipeline; reg2[3] and reg3[2] lie in the second.
fn parameters(ordering: Ordering) -> Parameters {
    let maps = vec![vec![1, 0, 1, 0], vec![0, 0, 0, 1], vec![0, 0, 1, 1]];
    Parameters { pipelines: 2, sharding: Sharding::Fixed(maps), ordering, ..Parameters::default() }
}

fn run_mp5(ordering: Ordering) -> (String, Outcome) {
    let pipeline = pipeline(PROGRAM);
    let mut machine = Mp5::new(&pipeline, record_binding(&pipeline), parameters(ordering)).unwrap();
    machine.record_timeline(u64::MAX);
    let outcome = run(&mut machine, &packets());
    (machine.timeline().unwrap().to_string(), outcome)
}

fn assert_table(table: &str, expected: &str) {
    assert_eq!(table, expected, "\n{table}");
}

#[test]
fn table_1_on_a_single_pipeline_twice_as_fast() {
    let pipeline = pipeline(PROGRAM);
    let parameters = banzai::Parameters { speedup: 2, ..banzai::Parameters::default() };
    let mut machine = Banzai::new(&pipeline, record_binding(&pipeline), parameters).unwrap();
    machine.record_timeline(u64::MAX);
    let outcome = run(&mut machine, &packets());
    assert_table(&machine.timeline().unwrap().to_string(), include_str!("figure3_table1.txt"));
    // The paper's text prints 135, but 4 * 4 * 4 * 4 + 7 is 263.
    assert_eq!(outcome.registers.array(2), [1, 1, 263, 1]);
    let (registers, completed) = interpret(&pipeline, &packets());
    assert_eq!((outcome.registers, outcome.completed), (registers, completed));
}

#[test]
fn table_2_without_phantoms_e_overtakes_d() {
    let (table, outcome) = run_mp5(Ordering::None);
    assert_table(&table, include_str!("figure3_table2.txt"));
    assert_eq!(outcome.registers.array(2), [1, 1, 284, 1]);
}

#[test]
fn table_3_phantoms_keep_the_order() {
    let (table, outcome) = run_mp5(Ordering::Phantoms);
    assert_table(&table, include_str!("figure3_table3.txt"));
    assert_eq!(outcome.registers.array(2), [1, 1, 263, 1]);
    let (registers, completed) = interpret(&pipeline(PROGRAM), &packets());
    assert_eq!((outcome.registers, outcome.completed), (registers, completed));
}
