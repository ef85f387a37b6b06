//! Match-action stages: which operations may follow which within one stage.

use ir::match_action::{Phase, phase};
use ir::parse;

const STAGE: &str = "\
pipeline one

field x: bit<16>
field y: bit<16>
field out: bit<16>
local c: bool
local h: bit<16>
local hit: bool
local value: bit<16>
local both: bool
local sum: bit<16>
local old: bit<16>
local out.1: bit<16>
local out.2: bit<16>
register r: bit<16>[16] = fill 0

action set(value) {
}

table t {
  key undefined<bit<16>>: exact named \"x\"
  action set
  default set(0)
}

resolution 0
stages match_action
stage { // 0
  atom { c = x == 1u16 }
  atom { h = checksum(crc16, bit<16>, x, y) }
  atom {
    hit = lookup(t, hit, x)
    value = lookup(t, data 0 0 0 bit<16>, x)
  }
  atom { both = c & hit }
  atom { sum = x + value }
  atom raw {
    old = @r[h] if both
    @r[h] = value if both
  }
  atom { out.1 = both ? sum : out }
  atom { out.2 = c ? old : out.1 }
}
access @r stage 0 index h if-late both pinned
export out = out.2
";

/// Returns the findings for the stage with some of its text replaced.
fn replaced(from: &str, to: &str) -> Vec<String> {
    assert!(STAGE.contains(from), "{from}");
    let changed = parse::pipeline("changed.ir", &STAGE.replacen(from, to, 1)).unwrap();
    changed.verify().expect_err("the change should be refused")
}

#[test]
fn each_atom_works_in_its_phase() {
    let pipeline = parse::pipeline("stage.ir", STAGE).unwrap();
    assert_eq!(pipeline.verify(), Ok(()));
    assert_eq!(pipeline.to_string(), STAGE);
    let made = std::cell::RefCell::new(vec![Phase::Before; pipeline.program.variables.len()]);
    let phases = pipeline.stages[0].atoms.iter().map(|atom| {
        let phase = phase(&pipeline.program, &atom.body, &|id| made.borrow()[id.index()]).unwrap();
        for statement in &atom.body {
            if let ir::Statement::Assign { variable, .. } = statement {
                made.borrow_mut()[variable.index()] = phase;
            }
        }
        phase
    });
    use Phase::*;
    assert_eq!(phases.collect::<Vec<_>>(), [Gateway, Hash, Match, Logic, Action, Action, Choice, Choice]);
}

#[test]
fn values_made_too_late_are_refused() {
    let late = |name: &str, by: &str| format!("`{name}` is made too late, by {by} of the same stage");
    for (from, to, name, by) in [
        ("lookup(t, hit, x)\n    value = lookup(t, data 0 0 0 bit<16>, x)", "lookup(t, hit, h)", "h", "a hash"),
        ("both = c & hit", "both = value == y", "value", "a table"),
        ("sum = x + value", "sum = x + h", "h", "a hash"),
        ("sum = x + value", "sum = checksum(crc16, bit<16>, value)", "value", "a table"),
        ("out.1 = both ? sum : out", "out.1 = sum + y", "sum", "an action"),
        ("out.1 = both ? sum : out", "out.1 = both ? h : out", "h", "a hash"),
        ("out.2 = c ? old : out.1", "out.2 = out.1 + 1u16", "out.1", "a choice"),
        ("    @r[h] = value if both", "    @r[h] = sum if both", "sum", "an action"),
    ] {
        let found = replaced(from, to);
        assert!(found.iter().any(|error| error.ends_with(&late(name, by))), "{to}: {found:?}");
    }
}

#[test]
fn atoms_must_be_listed_in_execution_order() {
    let swapped = "  atom { both = c & hit }\n  atom { c = x == 1u16 }\n";
    let text = STAGE.replacen("  atom { c = x == 1u16 }\n", "", 1).replacen("  atom { both = c & hit }\n", swapped, 1);
    let errors = parse::pipeline("swapped.ir", &text).unwrap().verify().expect_err("swapped");
    assert_eq!(errors, ["stage 0: `both = c & hit`: `c` has no value yet"]);
}

#[test]
fn an_atom_is_one_operation_or_one_look_up() {
    let both = replaced("  atom { c = x == 1u16 }\n  atom { h", "  atom {\n    c = x == 1u16\n    h");
    assert!(both.iter().any(|error| error.ends_with("an atom must be a single operation")), "{both:?}");
    let other_key = replaced("value = lookup(t, data 0 0 0 bit<16>, x)", "value = lookup(t, data 0 0 0 bit<16>, y)");
    assert!(other_key.iter().any(|error| error.ends_with("an atom must be a single operation")), "{other_key:?}");
}

#[test]
fn banzai_stages_are_one_operation_deep() {
    let errors = replaced("stages match_action\n", "");
    assert!(errors.contains(&"stage 0: `both = c & hit`: `c` has no value yet".to_owned()), "{errors:?}");
}

#[test]
fn steered_accesses_must_be_known_before_their_stage() {
    let moved = STAGE
        .replacen("resolution 0\nstages match_action\n", "resolution 1\nstages match_action\nstage {\n}\n", 1)
        .replacen("access @r stage 0", "access @r stage 1", 1);
    let errors = parse::pipeline("moved.ir", &moved).unwrap().verify().expect_err("too late");
    assert_eq!(errors, ["access `@r`: `h` is known too late", "access `@r`: `both` is known too late"]);
}
