//! Verification of programs that are made by code: each broken invariant is reported with the statement that breaks it.

use ir::form::Form;
use ir::{
    BinaryOperator, Constant, Export, Expression, Initial, Program, RegisterId, Statement, Type, Variable, VariableId,
    VariableKind, parse, verify,
};
use runtime::hash::HashFunction;

fn sound() -> Program {
    let text = "program p\nfield a: int<32>\nfield c: bool\nlocal t: int<32>\n\
                register r: int<32>[4] = fill 0\nregister s: int<32> = 0\npacket {\n  t = @r[a]\n  @s = t if c\n}\nexport a = t\n";
    parse::program("sound.ir", text).unwrap()
}

/// Returns the findings after a change to a sound program.
fn after(change: impl FnOnce(&mut Program)) -> Vec<String> {
    let mut program = sound();
    assert_eq!(verify::program(&program), Ok(()));
    change(&mut program);
    verify::program(&program).expect_err("the change should be refused")
}

fn assigned(value: Expression) -> Vec<String> {
    after(|program| program.packet = vec![Statement::Assign { variable: VariableId(2), value }])
}

fn variable(id: u32) -> Expression {
    Expression::Variable(VariableId(id))
}

#[test]
fn expressions_are_well_typed() {
    let binary = |operator, left, right| assigned(Expression::binary(operator, left, right));
    let message = |expression: &str, error: &str| [format!("`t = {expression}`: {error}")];
    assert_eq!(
        binary(BinaryOperator::Add, variable(0), variable(1)),
        message("a + c", "`+` takes two values of one type, not int<32> and bool")
    );
    assert_eq!(
        binary(BinaryOperator::Less, variable(1), variable(1)),
        message("c < c", "`<` takes two numbers, not two bools")
    );
    assert_eq!(
        binary(BinaryOperator::ShiftLeft, variable(0), variable(1)),
        message("a << c", "`<<` takes two numbers, not int<32> and bool")
    );
    assert_eq!(assigned(variable(1)), message("c", "the variable takes int<32>, not bool"));
    assert_eq!(
        assigned(Expression::select(variable(0), variable(0), variable(0))),
        message("a ? a : a", "the condition of a choice must be a bool, not int<32>")
    );
    assert_eq!(
        assigned(Expression::select(variable(1), variable(0), variable(1))),
        message("c ? a : c", "both sides of a choice must have the same type, not int<32> and bool")
    );
    assert_eq!(
        assigned(Expression::Hash(HashFunction::Hash3, vec![variable(0)])),
        message("hash3(a)", "`hash3` takes 3 values, not 1")
    );
    let wide = Expression::Constant(Constant { ty: Type::Bits(8), value: 256 });
    assert_eq!(
        assigned(Expression::Cast(Type::INT32, Box::new(wide))),
        message("int<32>(256u8)", "the value 0x100 has bits above the width of bit<8>")
    );
    assert_eq!(
        assigned(Expression::Cast(Type::Int(0), Box::new(variable(0)))),
        message("int<0>(a)", "int<0> has no bits")
    );
    // A shift count has a type of its own.
    let shift = Expression::binary(BinaryOperator::ShiftLeft, variable(0), Expression::number(Type::Bits(3), 7));
    assert_eq!(verify::expression(&sound(), &shift), Ok(Type::INT32));
}

#[test]
fn register_accesses_must_match_the_declaration() {
    let read = |register, index: Option<Expression>| assigned(Expression::read(RegisterId(register), index));
    assert_eq!(read(0, None), ["`t = @r`: `@r` is an array of 4 and needs an index"]);
    assert_eq!(read(1, Some(variable(0))), ["`t = @s[a]`: `@s` is a scalar and has no index"]);
    assert_eq!(read(0, Some(variable(1))), ["`t = @r[c]`: an index must be a number, not a bool"]);
    assert_eq!(read(9, None), ["`t = @<register 9>`: register 9 does not exist"]);
    let predicate = Some(Box::new(variable(0)));
    let predicated = Expression::Read { register: RegisterId(1), index: None, predicate };
    assert_eq!(assigned(predicated), ["`t = @s if a`: a predicate must be a bool, not int<32>"]);
}

#[test]
fn ids_names_and_initial_values_must_be_valid() {
    assert_eq!(assigned(variable(7)), ["`t = <variable 7>`: variable 7 does not exist"]);
    assert_eq!(after(|program| program.variables[2].name = "a".to_owned()), ["2 variables are called `a`"]);
    assert_eq!(
        after(|program| program.variables[2].name = "2t".to_owned()),
        ["variable \"2t\": a name consists of letters, digits, `_`, `.` and `$`, and does not start with a digit"]
    );
    let field = Variable { name: "b".to_owned(), ty: Type::Bool, kind: VariableKind::Field };
    assert_eq!(after(|program| program.variables.push(field)), ["the field `b` comes after the local `t`"]);
    assert_eq!(
        after(|program| program.registers[0].length = Some(0)),
        ["register `@r`: an array must have at least one value"]
    );
    assert_eq!(
        after(|program| program.registers[0].initial = Initial::List(vec![0; 5])),
        ["register `@r`: 5 initial values for a register of length 4"]
    );
    assert_eq!(
        after(|program| program.registers[0].initial = Initial::Fill(1 << 32)),
        ["register `@r`: an initial value has bits above the width of int<32>"]
    );
}

#[test]
fn exports_must_be_operands_that_fit_their_fields() {
    let export = |field, value| after(|program| program.exports = vec![Export { field: VariableId(field), value }]);
    assert_eq!(export(2, variable(0)), ["export `t`: a local does not leave with the packet"]);
    assert_eq!(export(0, variable(1)), ["export `a`: the field takes int<32>, not bool"]);
    assert_eq!(export(9, variable(1)), ["export 0 names variable 9, which does not exist"]);
    let read = Expression::read(RegisterId(1), None);
    assert_eq!(export(0, read), ["export `a`: the value is neither a constant nor a variable"]);
    assert_eq!(
        after(|program| program.exports.push(Export { field: VariableId(0), value: variable(0) })),
        ["export `a`: the field is exported twice"]
    );
}

#[test]
fn forms_report_the_statement_that_violates_them() {
    let with = |packet: &str| {
        let text = format!(
            "program p\nfield a: int<32>\nfield c: bool\nlocal t: int<32>\nlocal u: int<32>\n\
             register r: int<32>[4] = fill 0\npacket {{\n{packet}\n}}\n"
        );
        parse::program("form.ir", &text).unwrap()
    };
    let forms = [Form::StraightLine, Form::ThreeAddress, Form::SingleAssignment];
    let verdicts = |packet: &str| forms.map(|form| form.verify(&with(packet)).err().unwrap_or_default().join("; "));

    assert_eq!(verdicts("t = @r[a] if c\n@r[a] = t if c\nu = c ? t : 1i32"), ["", "", ""]);
    let block = "`if c {`: `if` blocks are not allowed in straight-line code";
    let [line, ..] = verdicts("if c {\n t = a\n}");
    assert_eq!(line, block);
    let nested = "`t = (a + a) + a`: `a + a` is neither a constant nor a variable";
    assert_eq!(verdicts("t = (a + a) + a"), ["", nested, nested]);
    let written = "`@r[0i32] = a + a`: `a + a` is neither a constant nor a variable";
    assert_eq!(verdicts("@r[0i32] = a + a"), ["", written, written]);
    let index = "`t = @r[a + a]`: `a + a` is neither a constant nor a variable";
    assert_eq!(verdicts("t = @r[a + a]"), ["", index, index]);
    assert_eq!(verdicts("a = 1i32"), ["", "", "`a = 1i32`: the field `a` is assigned; it must be exported instead"]);
    assert_eq!(verdicts("t = a\nt = 1i32"), ["", "", "`t = 1i32`: `t` is assigned a second time"]);
    assert_eq!(verdicts("t = u\nu = a"), ["", "", "`t = u`: `u` has no value yet"]);
    assert_eq!(verdicts("t = t + 1i32"), ["", "", "`t = t + 1i32`: `t` has no value yet"]);

    let mut unknown = with("t = a");
    unknown.exports.push(Export { field: VariableId(0), value: variable(3) });
    assert_eq!(Form::SingleAssignment.verify(&unknown), Err(vec!["export `a`: `u` is never assigned".to_owned()]));
}
