//! Tests of the shorter code.

use basis::Random;
use ir::pipeline::Pipeline;

use crate::engine::instruction::Operation;
use crate::engine::{Code, Memory, compile};

/// Returns a pipeline with these locals, whose only stage has this body and may access the register `r` of four words.
fn pipeline(locals: &[&str], body: &[&str], exports: &[&str]) -> Pipeline {
    let locals: String = locals.iter().map(|name| format!("local {name}: bit<32>\n")).collect();
    let exports: String = exports.iter().map(|export| format!("export {export}\n")).collect();
    let text = format!(
        "pipeline short\nfield amount: bit<32>\nfield place: bit<32>\nfield outcome: bit<32>\nfield made: bool\n{locals}\
         register r: bit<32>[4] = [1, 2, 3, 4]\nresolution 0\nstage {{\n  atom raw {{\n    {}\n  }}\n}}\n\
         access @r stage 0 index place if made sharded\n{exports}",
        body.join("\n    ")
    );
    let pipeline = ir::parse::pipeline("short.ir", &text).unwrap();
    pipeline.verify().unwrap();
    pipeline
}

/// Compiles a pipeline and checks that its shorter code does to fields and registers what the whole code does.
fn compiled(pipeline: &Pipeline) -> Code {
    let (code, _) = compile(pipeline, &[]).unwrap();
    let mut random = Random::new(5);
    let mut memories = [0; 2].map(|_| Memory::new(&pipeline.program));
    for _ in 0..200 {
        let values = [random.bits() >> 32, random.below(6), random.bits() >> 32, random.below(2)];
        let [short, whole] = &mut memories;
        let mut outcomes = [Vec::new(), Vec::new()];
        for (outcome, is_short) in outcomes.iter_mut().zip([true, false]) {
            let mut frame = vec![0; code.frame_length()];
            code.clear(&mut frame);
            frame[..4].copy_from_slice(&values);
            if is_short {
                code.execute(0..1, &mut frame, short);
            } else {
                code.execute_observed(0, &mut frame, whole, &mut |_| {});
            }
            code.finish(&mut frame);
            outcome.extend_from_slice(code.fields(&frame));
        }
        assert_eq!(outcomes[0], outcomes[1], "{values:?}");
        assert_eq!(short, whole);
    }
    code
}

fn operations(code: &Code) -> Vec<Operation> {
    code.body.of_stages(0..1).iter().map(|instruction| instruction.operation).collect()
}

const READ: &str = "old = @r[place] if made";

#[test]
fn a_stage_is_left_if_its_access_does_not_happen() {
    use Operation::{Add, MultiplyAdd, ReadOrLeave, WriteWhereRead};
    let locals = ["old", "tripled", "new", "sum"];
    let body =
        [READ, "tripled = old * 3u32", "new = tripled + amount", "@r[place] = new if made", "sum = amount + old"];
    let code = compiled(&pipeline(&locals, &body, &["amount = sum"]));
    assert_eq!(operations(&code), [ReadOrLeave, MultiplyAdd, WriteWhereRead, Add]);
}

#[test]
fn a_stage_that_leaves_nothing_behind_is_left_too() {
    use Operation::{Add, ReadOrLeave, WriteWhereRead};
    let body = [READ, "new = old + 1u32", "@r[place] = new if made"];
    let code = compiled(&pipeline(&["old", "new"], &body, &[]));
    assert_eq!(operations(&code), [ReadOrLeave, Add, WriteWhereRead]);
}

#[test]
fn a_constant_is_left_behind() {
    let body = [READ, "new = old + 1u32", "@r[place] = new if made"];
    let code = compiled(&pipeline(&["old", "new"], &body, &["amount = new"]));
    assert_eq!(operations(&code)[0], Operation::ReadOrLeave);
}

#[test]
fn a_stage_with_two_values_for_others_is_executed() {
    let body = [READ, "new = old + amount", "@r[place] = new if made"];
    let code = compiled(&pipeline(&["old", "new"], &body, &["amount = new", "outcome = old"]));
    assert_eq!(operations(&code)[0], Operation::Read);
}

#[test]
fn a_value_that_needs_an_operation_without_the_access_is_computed() {
    let body = [READ, "new = old ^ amount", "@r[place] = new if made"];
    let code = compiled(&pipeline(&["old", "new"], &body, &["amount = new"]));
    assert_eq!(operations(&code)[0], Operation::Read);
}

#[test]
fn a_product_that_is_read_twice_is_computed_alone() {
    let body = [READ, "product = old * 5u32", "new = product + amount", "@r[place] = new if made"];
    let code = compiled(&pipeline(&["old", "product", "new"], &body, &["amount = product", "outcome = new"]));
    assert!(!operations(&code).contains(&Operation::MultiplyAdd));
}

#[test]
fn what_nobody_reads_is_not_computed() {
    let body = [READ, "other = old * amount", "another = other + 7u32", "new = old + 1u32", "@r[place] = new if made"];
    let code = compiled(&pipeline(&["old", "other", "another", "new"], &body, &[]));
    assert_eq!(operations(&code).len(), 3);
}

#[test]
fn fields_can_exchange_their_values() {
    let exports = ["amount = outcome", "outcome = amount", "place = outcome"];
    let code = compiled(&pipeline(&["old"], &[READ], &exports));
    let mut frame = vec![0; code.frame_length()];
    code.clear(&mut frame);
    frame[..4].copy_from_slice(&[10, 20, 30, 1]);
    code.finish(&mut frame);
    assert_eq!(code.fields(&frame), [30, 30, 10, 1]);
}
