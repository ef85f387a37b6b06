//! Tests of every operation.

use basis::Random;
use ir::interpret::PipelineInterpreter;
use ir::{Expression, VariableId};
use runtime::arithmetic;
use std::fmt::Write;

use crate::engine::{Memory, compile};

/// Returns a pipeline of one stage that applies every operation to two values of each type, with one predicated access.
fn everything() -> ir::pipeline::Pipeline {
    let types = ["int<32>", "bit<32>", "int<8>", "bit<5>", "int<64>", "bit<64>", "bool"];
    let mut fields = String::new();
    let mut locals = String::new();
    let mut body = String::new();
    let mut count = 0;
    let mut assign = |ty: &str, value: String| {
        writeln!(locals, "local v{count}: {ty}").unwrap();
        writeln!(body, "    v{count} = {value}").unwrap();
        count += 1;
    };
    for (number, ty) in types.iter().enumerate() {
        writeln!(fields, "field a{number}: {ty}\nfield b{number}: {ty}").unwrap();
        let (a, b) = (format!("a{number}"), format!("b{number}"));
        for operator in ir::BinaryOperator::ALL {
            use ir::BinaryOperator::{And, Equal, NotEqual, Or, Xor};
            if *ty == "bool" && !matches!(operator, And | Or | Xor | Equal | NotEqual) {
                continue;
            }
            let result = if operator.is_comparison() { "bool" } else { ty };
            assign(result, format!("{a} {} {b}", operator.symbol()));
            if operator.is_shift() {
                assign(result, format!("{a} {} b3", operator.symbol()));
            }
        }
        if *ty == "bool" {
            assign(ty, format!("!{a}"));
        } else {
            assign(ty, format!("~{a}"));
            assign(ty, format!("-{a}"));
        }
        assign(ty, format!("a6 ? {a} : {b}"));
        for to in types {
            assign(to, format!("{to}({a})"));
        }
    }
    for hash in ["hash2(a0, a1)", "hash3(a0, b0, b1)", "hash2a(a0, 7i32)", "hash2b(b0, a0)", "hash2c(a1, b1)"] {
        assign("int<32>", hash.to_owned());
    }
    let text = format!(
        "pipeline everything\n{fields}{locals}local old: int<32>\nregister r: int<32>[7] = [1, 2, 3, 4, 5, 6, 7]\n\
         resolution 0\nstage {{\n  atom {{\n{body}  }}\n  atom raw {{\n    old = @r[a0] if a6\n    @r[a0] = b0 if a6\n  \
         }}\n}}\naccess @r stage 0 index a0 if a6 sharded\nexport a0 = b0\nexport b0 = old\n"
    );
    let pipeline = ir::parse::pipeline("everything.ir", &text).unwrap();
    pipeline.verify().unwrap();
    pipeline
}

#[test]
fn dense_code_matches_the_interpreter() {
    let pipeline = everything();
    let program = &pipeline.program;
    // As if the machine itself read them, so that all variables are computed.
    let variables: Vec<Expression> =
        (0..program.variables.len()).map(VariableId::from).map(Expression::Variable).collect();
    let (code, _) = compile(&pipeline, &variables.iter().collect::<Vec<_>>()).unwrap();
    let mut interpreter = PipelineInterpreter::new(&pipeline);
    let (mut memory, mut observed) = (Memory::new(program), Memory::new(program));
    let mut random = Random::new(1);
    let mut frame = vec![0; code.frame_length()];
    let fields = program.fields().count();
    let edges = [0, 1, 2, 31, 32, 63, 1 << 31, (1 << 31) - 1, 1 << 63, u64::MAX, u64::MAX - 1, 0x80, 0x7f];
    for _ in 0..2000 {
        let mut values = vec![0; program.variables.len()];
        for (id, field) in program.fields() {
            let value = if random.chance(0.5) { random.bits() } else { edges[random.below(13) as usize] };
            values[id.index()] = arithmetic::truncate(value, field.ty.width());
        }
        code.clear(&mut frame);
        code.variables(&mut frame).copy_from_slice(&values);
        let mut whole = frame.clone();
        code.execute(0..1, &mut frame, &mut memory);
        code.execute_observed(0, &mut whole, &mut observed, &mut |_| {});
        let locals = frame[fields..].to_vec();
        code.finish(&mut frame);
        let arrived = values.clone();
        interpreter.packet(&mut values);
        for (place, variable) in program.variables.iter().enumerate().skip(fields) {
            let computed = [locals[place - fields], whole[place]];
            assert_eq!(computed, [values[place]; 2], "{} after {arrived:?}", variable.name);
        }
        assert_eq!(code.fields(&frame), &values[..fields]);
        for memory in [&memory, &observed] {
            assert_eq!(&memory.to_registers(code.layout()), interpreter.registers());
        }
    }
}
