//! Property tests with random codelets: a configuration is found for everything that a template computes, and the
//! prover agrees with exhaustive evaluation.

use basis::Random;
use ir::{
    BinaryOperator, Expression, Initial, Program, Register, RegisterId, Statement, Type, UnaryOperator, Variable,
    VariableId, VariableKind,
};
use proptest::prelude::*;

use super::smt::check_again;
use crate::claim::{Claim, evaluate};
use crate::prove::{Verdict, prove};
use crate::{Attempts, Configuration, Premise, Relation, Source, Template, Test, Update, map};

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[random.below(from.len() as u64) as usize]
}

fn constant(random: &mut Random) -> i32 {
    let word = random.bits() as i32;
    let corners = [0, 1, -1, 2, 5, 100, 1000, -7, i32::MAX, i32::MIN, word, word % 1000];
    pick(random, &corners)
}

fn source(random: &mut Random, operands: u8) -> Source {
    match random.below(3) {
        0 => Source::Constant(constant(random).into()),
        _ => Source::Operand(random.below(u64::from(operands)) as u8),
    }
}

fn test(template: Template, random: &mut Random) -> Test {
    let state = random.chance(0.8).then(|| random.below(template.states() as u64) as u8);
    let relation = pick(random, &Relation::ALL);
    let blank = Test { state, plus: None, minus: None, exact: false, relation, with: Source::Constant(0) };
    if !template.compares_sums() {
        return Test { with: source(random, 2), ..blank };
    }
    let operand = |random: &mut Random| pick(random, &[None, Some(0), Some(1)]);
    let (plus, minus) = (operand(random), operand(random));
    Test { plus, minus, exact: random.chance(0.5), with: Source::Constant(constant(random).into()), ..blank }
}

fn update(template: Template, random: &mut Random) -> Configuration {
    let one = |random: &mut Random| {
        let keep = template != Template::ReadWrite && random.chance(0.6);
        if template == Template::MultiplyAccumulate {
            return Update::MultiplyAdd { keep, factor: source(random, 1), addend: 1 };
        }
        let first = source(random, template.operands().min(2) as u8);
        let second = template.adds_two_sources().then(|| (random.chance(0.5), source(random, 2)));
        Update::Add { keep, first, second }
    };
    Configuration::Update((0..template.states()).map(|_| one(random)).collect())
}

/// Returns a random configuration of a template.
fn configuration(template: Template, random: &mut Random) -> Configuration {
    let keep = Configuration::Update(vec![Update::Keep; template.states()]);
    let either = |random: &mut Random, then: Configuration, otherwise: Configuration| {
        Configuration::If(test(template, random), Box::new(then), Box::new(otherwise))
    };
    let split = |random: &mut Random| {
        let (then, otherwise) = (update(template, random), update(template, random));
        either(random, then, otherwise)
    };
    match template {
        Template::ReadWrite | Template::ReadAddWrite | Template::MultiplyAccumulate => update(template, random),
        Template::PredicatedReadAddWrite => {
            let then = update(template, random);
            Configuration::If(test(template, random), Box::new(then), Box::new(keep))
        }
        Template::IfElseReadAddWrite | Template::Subtract => split(random),
        Template::NestedIfs => {
            let (then, otherwise) = (split(random), split(random));
            Configuration::If(test(template, random), Box::new(then), Box::new(otherwise))
        }
        Template::Pair => {
            let (then, inner) = (split(random), split(random));
            let otherwise = Configuration::If(test(template, random), Box::new(inner), Box::new(keep));
            Configuration::If(test(template, random), Box::new(then), Box::new(otherwise))
        }
    }
}

/// Returns a program that computes what a configuration computes. Its variables are `p`, `q`, the old states and the
/// new states.
fn program(ty: Type, template: Template, configuration: &Configuration) -> Program {
    let mut program = Program { name: "random".to_owned(), ..Program::default() };
    for name in ["p", "q"] {
        program.variables.push(Variable { name: name.to_owned(), ty, kind: VariableKind::Field });
    }
    let operand = |number: u8| Expression::Variable(VariableId(u32::from(number)));
    let mut olds = Vec::new();
    for number in 0..template.states() {
        let (name, length) = (format!("r{number}"), None);
        program.registers.push(Register { name, ty, length, initial: Initial::Fill(0) });
        let old = program.add_local("old", ty);
        olds.push(old);
        let value = Expression::read(RegisterId::from(number), None);
        program.packet.push(Statement::Assign { variable: old, value });
    }
    let old = |number: u8| Expression::Variable(olds[usize::from(number)]);
    for number in 0..template.states() {
        let variable = program.add_local("new", ty);
        let value = configuration.expression(ty, number as u8, &old, &operand);
        program.packet.push(Statement::Assign { variable, value });
        let (register, value) = (RegisterId::from(number), Expression::Variable(variable));
        program.packet.push(Statement::Write { register, index: None, value, predicate: None });
    }
    program
}

/// Checks that a mapping computes the same as the program on some inputs.
fn agrees(program: &Program, mapping: &crate::Mapping, random: &mut Random) {
    for _ in 0..200 {
        let mut values: Vec<u64> = (0..program.variables.len())
            .map(|id| {
                let ty = program.variables[id].ty;
                ty.value_of(i64::from(constant(random)) + random.below(3) as i64 - 1)
            })
            .collect();
        let inputs = values.clone();
        for statement in &program.packet {
            match statement {
                Statement::Assign { value: Expression::Read { .. }, .. } => {}
                Statement::Assign { variable, value } => {
                    values[variable.index()] = evaluate(program, value, &values);
                }
                Statement::Write { register, value, .. } => {
                    let update = mapping.updates.iter().find(|update| update.register == *register);
                    let by_atom = evaluate(program, &update.expect("written").value, &inputs);
                    assert_eq!(by_atom, evaluate(program, value, &values), "{}", mapping.configuration);
                }
                _ => unreachable!("straight-line code"),
            }
        }
    }
}

fn found_again(ty: Type, template: Template, seed: u64) {
    let mut random = Random::new(seed);
    let configuration = configuration(template, &mut random);
    let program = program(ty, template, &configuration);
    match map(&program, &program.packet, &|_| None, template, Premise::None) {
        Ok(mapping) => {
            assert!(matches!(prove(&mapping.claim), Verdict::Proven));
            agrees(&program, &mapping, &mut random);
            check_again(&mapping);
            mutants(&mapping.claim, &mut random);
        }
        Err(reason) => panic!("{reason}\nof\n{configuration}"),
    }
}

/// Changes constants of the atom at random, and checks that the prover proves the result only if no input refutes it.
fn mutants(claim: &Claim, random: &mut Random) {
    let mut mutant = claim.clone();
    let mut count = 0;
    for (_, atom) in &mut mutant.equalities {
        atom.rewrite(&mut |inner| {
            if let Expression::Constant(constant) = inner
                && random.chance(0.5)
            {
                constant.value = constant.ty.value_of(constant.ty.number(constant.value) as i64 + 1);
                count += 1;
            }
        });
    }
    match prove(&mutant) {
        Verdict::Refuted(mut values) => assert!(mutant.refuted_by(&mut values).is_some()),
        Verdict::Proven => {
            for _ in 0..300 {
                let mut values = mutant.blank();
                for &id in &mutant.free {
                    values[id.index()] = mutant.scope.variable(id).ty.value_of(i64::from(constant(random)));
                }
                assert_eq!(mutant.refuted_by(&mut values), None, "proven, but wrong, after {count} mutations");
            }
        }
        Verdict::Unknown => {}
    }
}

/// Checks that attempts that share what they remember give the same results as separate ones.
fn remembered(ty: Type, made_by: Template, seed: u64) {
    let configuration = configuration(made_by, &mut Random::new(seed));
    let program = program(ty, made_by, &configuration);
    let mut attempts = Attempts::default();
    let few = Template::CHAIN.into_iter().take_while(|&template| template != Template::NestedIfs);
    for (premise, template) in [Premise::None, Premise::NoOverflow, Premise::NoOverflow]
        .into_iter()
        .flat_map(|premise| few.clone().map(move |template| (premise, template)))
    {
        let found = attempts.map(&program, &program.packet, &|_| None, template, premise);
        let alone = map(&program, &program.packet, &|_| None, template, premise);
        assert_eq!(found, alone, "{template}, {premise} of\n{configuration}");
    }
}

// The seeds are fixed: searches are bounded, and a failure to find a random codelet would not mean a bug.

#[test]
fn finds_what_templates_with_one_state_compute() {
    for template in Template::ALL.into_iter().filter(|template| template.states() == 1) {
        (0..25).for_each(|seed| found_again(Type::INT32, template, seed));
    }
}

#[test]
fn attempts_do_not_depend_on_earlier_ones() {
    for ty in [Type::INT32, Type::Bits(16)] {
        for made_by in [Template::ReadWrite, Template::PredicatedReadAddWrite, Template::Subtract] {
            (0..6).for_each(|seed| remembered(ty, made_by, seed));
        }
    }
}

#[test]
fn finds_what_pair_computes() {
    (0..12).for_each(|seed| found_again(Type::INT32, Template::Pair, seed));
}

#[test]
fn finds_what_templates_compute_in_other_types() {
    for ty in [Type::Bits(8), Type::Bits(32), Type::Bits(48), Type::Int(16)] {
        for template in Template::ALL {
            (100..103).for_each(|seed| found_again(ty, template, seed));
        }
    }
}

/// Returns a claim about random straight-line code over words of four bits, for which all inputs can be tried.
fn small_claim(random: &mut Random) -> Claim {
    let small = Type::Int(4);
    let mut scope = Program { name: "small".to_owned(), ..Program::default() };
    let free: Vec<VariableId> = [("x", small), ("y", small), ("c", Type::Bool)]
        .into_iter()
        .map(|(name, ty)| scope.add_local(name, ty))
        .collect();
    let mut claim = Claim {
        scope,
        free,
        definitions: Vec::new(),
        assumptions: Vec::new(),
        exact: Vec::new(),
        equalities: Vec::new(),
    };
    let types = [small, small, small, Type::Bool, Type::Bool, Type::Bits(4), Type::Int(6)];
    for _ in 0..random.below(10) + 2 {
        let ty = pick(random, &types);
        let value = operation(&claim.scope, ty, random);
        let id = claim.scope.add_local("t", ty);
        if Claim::exact_parts(&value).is_some() && ty == small && random.chance(0.2) {
            claim.exact.push(id);
        }
        claim.definitions.push((id, value));
    }
    let side = |random: &mut Random, claim: &Claim| operand(&claim.scope, small, random);
    let left = side(random, &claim);
    let right = if random.chance(0.3) { operation(&claim.scope, small, random) } else { side(random, &claim) };
    claim.equalities.push((left, right));
    if random.chance(0.3) {
        claim.assumptions.push(operand(&claim.scope, Type::Bool, random));
    }
    claim
}

fn operand(scope: &Program, ty: Type, random: &mut Random) -> Expression {
    let fitting: Vec<VariableId> =
        (0..scope.variables.len()).map(VariableId::from).filter(|&id| scope.variable(id).ty == ty).collect();
    if fitting.is_empty() || random.chance(0.25) {
        return Expression::number(ty, random.below(16) as i64 - 8);
    }
    // Prefer late ones, so that the code becomes deep.
    let late = fitting.len() as u64 - 1 - random.below(fitting.len() as u64) * random.below(3) / 3;
    Expression::Variable(fitting[late as usize])
}

fn operation(scope: &Program, ty: Type, random: &mut Random) -> Expression {
    use BinaryOperator::{Add, And, Multiply, Or, ShiftLeft, ShiftRight, Subtract, Xor};
    let others = [Type::Bool, Type::Int(4), Type::Bits(4), Type::Int(6)];
    let mut value = |ty| operand(scope, ty, random);
    if ty == Type::Bool {
        let operands = [Type::Int(4), Type::Bits(4), Type::Bool];
        let (a, b) = (value(Type::Bool), value(Type::Bool));
        return match random.below(6) {
            0 => Expression::unary(UnaryOperator::Not, a),
            1 => Expression::binary(pick(random, &[And, Or, Xor]), a, b),
            _ => {
                let ty = pick(random, &operands);
                let comparisons: Vec<_> = BinaryOperator::ALL.into_iter().filter(|o| o.is_comparison()).collect();
                let operator = pick(random, &comparisons);
                Expression::binary(operator, operand(scope, ty, random), operand(scope, ty, random))
            }
        };
    }
    let (a, b, c) = (value(ty), value(ty), value(Type::Bool));
    match random.below(9) {
        0 => Expression::unary(pick(random, &[UnaryOperator::Negate, UnaryOperator::Complement]), a),
        1 => Expression::binary(pick(random, &[And, Or, Xor]), a, b),
        2 => Expression::select(c, a, b),
        3 => {
            let from = pick(random, &others);
            Expression::Cast(ty, Box::new(operand(scope, from, random)))
        }
        4 => Expression::binary(Multiply, a, Expression::number(ty, random.below(16) as i64 - 8)),
        5 => {
            let count = Expression::number(Type::Int(4), random.below(16) as i64 - 8);
            Expression::binary(pick(random, &[ShiftLeft, ShiftRight]), a, count)
        }
        _ => Expression::binary(pick(random, &[Add, Subtract]), a, b),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn the_prover_agrees_with_exhaustive_evaluation(seed: u64) {
        let claim = small_claim(&mut Random::new(seed));
        let mut refuted = false;
        for bits in 0..512u64 {
            let mut values = claim.blank();
            for (&id, value) in claim.free.iter().zip([bits & 15, bits >> 4 & 15, bits >> 8]) {
                values[id.index()] = value;
            }
            refuted |= claim.refuted_by(&mut values).is_some();
        }
        match prove(&claim) {
            Verdict::Proven => prop_assert!(!refuted, "proven, but wrong"),
            Verdict::Refuted(_) => prop_assert!(refuted, "refuted, but right"),
            Verdict::Unknown => prop_assert!(false, "given up"),
        }
    }
}
