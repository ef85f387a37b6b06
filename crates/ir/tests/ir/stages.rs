//! Pipelines: their invariants, their meaning and their stage map.

use ir::interpret::{Interpreter, PipelineInterpreter};
use ir::pipeline::Pipeline;
use ir::{dot, parse};
use proptest::prelude::*;

use crate::generate::{Choices, choices, value};
use crate::generate_pipeline::{flattened, pipeline};

const FLOWLET: &str = "\
pipeline flowlet

field sport: int<32>
field new_hop: int<32>
field next_hop: int<32>
local id.1: int<32>
local late: bool
local t: int<32>
local hop.1: int<32>
register saved_hop: int<32>[8000] = fill 0
register count: int<32> = 0

resolution 1
stage { // 0
  atom { id.1 = hash2(sport, new_hop) }
  atom { late = new_hop > 5i32 }
}
stage { // 1
  atom pred_raw {
    t = @saved_hop[id.1] if late
    @saved_hop[id.1] = new_hop if late
  }
}
stage { // 2
  atom { hop.1 = late ? new_hop : t }
  atom raw { @count = 1i32 }
}
access @saved_hop stage 1 index id.1 if late sharded
access @count stage 2 always pinned
export next_hop = hop.1
";

fn flowlet() -> Pipeline {
    parse::pipeline("flowlet.ir", FLOWLET).unwrap()
}

/// Returns the findings for the flowlet pipeline with some of its text replaced.
fn replaced(replacements: &[(&str, &str)]) -> Vec<String> {
    let mut text = FLOWLET.to_owned();
    for (from, to) in replacements {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    parse::pipeline("changed.ir", &text).unwrap().verify().expect_err("the change should be refused")
}

#[test]
fn a_sound_pipeline_is_accepted_and_reads_back() {
    assert_eq!(flowlet().verify(), Ok(()));
    assert_eq!(flowlet().to_string(), FLOWLET);
}

#[test]
fn atoms_read_only_assigned_variables() {
    assert_eq!(
        replaced(&[("late = new_hop > 5i32", "late = id.1 > 5i32")]),
        ["stage 0: `late = id.1 > 5i32`: `id.1` has no value yet"]
    );
    assert_eq!(
        replaced(&[("atom { hop.1 = late ? new_hop : t }", "atom { t = late ? new_hop : 1i32 }")]),
        [
            "stage 2: `t = late ? new_hop : 1i32`: `t` is assigned a second time",
            "export `next_hop`: `hop.1` is never assigned"
        ]
    );
    assert_eq!(
        replaced(&[("atom { hop.1 = late ? new_hop : t }", "atom { hop.1 = 1i32 }\n  atom { hop.1 = 2i32 }")]),
        ["stage 2: `hop.1 = 2i32`: `hop.1` is assigned a second time"]
    );
    assert_eq!(
        replaced(&[("atom { hop.1 = late ? new_hop : t }", "atom { next_hop = 1i32 }\n  atom { hop.1 = 2i32 }")]),
        ["stage 2: `next_hop = 1i32`: the field `next_hop` is assigned; it must be exported instead"]
    );
    assert_eq!(
        replaced(&[("hop.1 = late ? new_hop : t", "hop.1 = (late ? new_hop : t) + 1i32")]),
        ["stage 2: `hop.1 = (late ? new_hop : t) + 1i32`: `late ? new_hop : t` is neither a constant nor a variable"]
    );
    assert_eq!(
        replaced(&[("atom { hop.1 = late ? new_hop : t }", "atom {\n if late {\n hop.1 = t\n }\n}")]),
        ["stage 2: `if late {`: `if` blocks are not allowed in straight-line code"]
    );
}

#[test]
fn a_register_has_one_atom_and_one_access() {
    let second = ("atom raw { @count = 1i32 }", "atom raw { @count = 1i32 }\n  atom raw { @count = 2i32 }");
    let found = replaced(&[second]);
    assert_eq!(
        found,
        [
            "stage 2: `@count` is accessed by a second atom",
            "access `@count`: its registers are accessed by several atoms"
        ]
    );
    assert_eq!(replaced(&[("access @count stage 2 always pinned\n", "")]), ["stage 2: `@count` belongs to no access"]);
    assert_eq!(
        replaced(&[("access @count", "access @saved_hop stage 1 index id.1 if late sharded\naccess @count")]),
        ["access `@saved_hop`: `@saved_hop` belongs to two accesses"]
    );
    assert_eq!(
        replaced(&[("atom raw {", "atom {")]),
        ["stage 2: `@count = 1i32`: an atom that accesses state needs a template"]
    );
    assert_eq!(
        replaced(&[("access @count stage 2", "access @count stage 1")]),
        ["access `@count`: `@count = 1i32` is in stage 2, not 1"]
    );
    assert_eq!(
        replaced(&[("access @count stage 2", "access @count stage 3")]),
        ["access 1: there is no stage 3: the pipeline has 3, counted from 0"]
    );
    // An access to a register that no atom touches only reserves a place in the order of packets.
    let dummy = FLOWLET.replace("atom raw { @count = 1i32 }", "");
    assert_eq!(parse::pipeline("dummy.ir", &dummy).unwrap().verify(), Ok(()));
}

#[test]
fn address_resolution_needs_early_values() {
    let count = "access @count stage 2 always pinned";
    let late = |access: &str| {
        let local = ("local late: bool", "local late: bool\nlocal seen: bool");
        let made = ("atom pred_raw", "atom { seen = late & true }\n  atom pred_raw");
        let write = ("@count = 1i32", "@count = 1i32 if seen");
        replaced(&[local, made, write, (count, access)])
    };
    assert_eq!(late("access @count stage 2 if seen pinned"), ["access `@count`: `seen` is known too late"]);
    let conservative =
        FLOWLET.replace("late sharded", "late pinned").replacen("if late pinned", "if-late late pinned", 1);
    assert_eq!(parse::pipeline("late.ir", &conservative).unwrap().verify(), Ok(()));

    let moved = [("resolution 1", "resolution 0"), ("stage 1 index id.1 if late", "stage 0 index id.1 if late")];
    let found = replaced(&moved);
    assert_eq!(found[0], "access `@saved_hop`: `id.1` is known too late");
    assert_eq!(
        replaced(&[("resolution 1", "resolution 2")]),
        ["access `@saved_hop`: stage 1 resolves addresses and cannot hold state"]
    );
    assert_eq!(replaced(&[("resolution 1", "resolution 4")]), ["there are 4 resolution stages, but only 3 stages"]);
}

#[test]
fn an_access_must_match_its_atom() {
    assert_eq!(
        replaced(&[("t = @saved_hop[id.1] if late", "t = @saved_hop[id.1]")]),
        ["access `@saved_hop`: `t = @saved_hop[id.1]` has no predicate, but the access has one"]
    );
    assert_eq!(
        replaced(&[("@saved_hop[id.1] = new_hop if late", "@saved_hop[id.1] = new_hop")]),
        ["access `@saved_hop`: `@saved_hop[id.1] = new_hop` has no predicate, but the access has one"]
    );
    assert_eq!(
        replaced(&[("@saved_hop[id.1] = new_hop if late", "@saved_hop[sport] = new_hop if late")]),
        ["access `@saved_hop`: `@saved_hop[sport] = new_hop if late` has another index than the access"]
    );
    assert_eq!(
        replaced(&[("access @saved_hop stage 1 index id.1", "access @saved_hop stage 1")])[0],
        "access `@saved_hop`: an access to arrays needs an index"
    );
    assert_eq!(
        replaced(&[("access @count stage 2 always pinned", "access @count stage 2 index id.1 always sharded")]),
        ["access `@count`: an access to scalars cannot have an index", "access `@count`: scalars cannot be sharded"]
    );
}

/// The predicate of a write may be any: whether the access's predicate covers it shows only when packets come.
#[test]
fn packets_reveal_a_predicate_that_is_too_narrow() {
    let text = FLOWLET.replace("@saved_hop[id.1] = new_hop if late", "@saved_hop[id.1] = new_hop if true");
    let wrong = parse::pipeline("wrong.ir", &text).unwrap();
    assert_eq!(wrong.verify(), Ok(()));
    let mut interpreter = PipelineInterpreter::new(&wrong);
    let mut values = [0; 7];
    values[1] = 6;
    assert_eq!(interpreter.packet_checked(&mut values), Ok(()));
    values[1] = 5;
    let found = interpreter.packet_checked(&mut values).unwrap_err();
    assert!(found.ends_with("is accessed although the predicate of its access is false"), "{found}");
}

#[test]
fn the_stage_map_shows_stages_atoms_and_data_flow() {
    let expected = r#"digraph "flowlet" {
  rankdir=LR;
  node [shape=box, fontname="monospace"];
  edge [fontname="monospace"];
  subgraph cluster_0 {
    label="stage 0 (address resolution)";
    atom_0_0 [label="id.1 = hash2(sport, new_hop)\l"];
    atom_0_1 [label="late = new_hop > 5i32\l"];
  }
  subgraph cluster_1 {
    label="stage 1";
    atom_1_0 [label="[pred_raw]\lt = @saved_hop[id.1] if late\l@saved_hop[id.1] = new_hop if late\l(if late, sharded)\l", style=filled, fillcolor=lightgrey];
  }
  subgraph cluster_2 {
    label="stage 2";
    atom_2_0 [label="hop.1 = late ? new_hop : t\l"];
    atom_2_1 [label="[raw]\l@count = 1i32\l(always, pinned)\l", style=filled, fillcolor=lightgrey];
  }
  atom_0_0 -> atom_1_0 [label="id.1"];
  atom_0_1 -> atom_1_0 [label="late"];
  atom_0_1 -> atom_2_0 [label="late"];
  atom_1_0 -> atom_2_0 [label="t"];
  export_0 [label="next_hop", shape=ellipse];
  atom_2_0 -> export_0;
}
"#;
    assert_eq!(dot::pipeline(&flowlet()), expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_pipeline_equals_its_statements_in_order(choices in choices(), seed in choices()) {
        let pipeline = pipeline(&mut Choices::new(choices));
        prop_assert_eq!(pipeline.verify(), Ok(()), "{}", pipeline);
        let program = flattened(&pipeline);
        prop_assert_eq!(ir::form::Form::SingleAssignment.verify(&program), Ok(()), "{}", program);
        let mut staged = PipelineInterpreter::new(&pipeline);
        let mut checked = PipelineInterpreter::new(&pipeline);
        let mut plain = Interpreter::new(&program);
        let mut packets = Choices::new(seed);
        for _ in 0..10 {
            let mut first: Vec<u64> = program.variables.iter().map(|v| value(&mut packets, v.ty)).collect();
            let (mut second, mut third) = (first.clone(), first.clone());
            let (mut seen, mut expected) = (Vec::new(), Vec::new());
            staged.packet_observed(&mut first, &mut |register, place| seen.push((register, place)));
            plain.packet_observed(&mut second, &mut |register, place| expected.push((register, place)));
            prop_assert_eq!(&first, &second, "{}", &pipeline);
            prop_assert_eq!(seen, expected, "{}", &pipeline);
            prop_assert_eq!(checked.packet_checked(&mut third), Ok(()), "{}", &pipeline);
            prop_assert_eq!(first, third);
        }
        prop_assert_eq!(staged.registers(), plain.registers());
    }
}
