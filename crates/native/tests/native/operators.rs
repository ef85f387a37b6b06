//! All operators in all widths, on values at the edges of their ranges.

use basis::Random;
use ir::{
    BinaryOperator, Block, Entrance, Expression, Function, FunctionId, FunctionKind, Program, Statement, Type,
    UnaryOperator, Variable, VariableId, VariableKind,
};
use runtime::Bits;

use crate::pair::Pair;

/// A function that evaluates one expression after the other.
struct Calculation {
    program: Program,
    operands: [VariableId; 3],
}

impl Calculation {
    /// Creates a function of two operands of one type and a third one of another type.
    fn new(ty: Type, third: Type) -> Self {
        let mut program = Program { name: "operators".into(), ..Program::default() };
        let operands = [("a", ty), ("b", ty), ("c", third)].map(|(name, ty)| local(&mut program, name, ty));
        let body = Vec::new();
        program.functions.push(Function { name: "f".into(), kind: FunctionKind::Function, parameters: vec![], body });
        program.entrances.push(Entrance { name: "f".into(), block: Block::Function(FunctionId(0)) });
        Self { program, operands }
    }

    fn add(&mut self, value: Expression) {
        let ty = self.program.type_of(&value);
        let name = format!("r{}", self.program.variables.len());
        let variable = local(&mut self.program, &name, ty);
        self.program.functions[0].body.push(Statement::Assign { variable, value });
    }

    /// Runs the function on edge values and some others.
    fn check(self, random: &mut Random) {
        let types = self.operands.map(|id| self.program.variable(id).ty);
        let mut pair = Pair::new(self.program, |_| ());
        let block = pair.entrance("f");
        for a in edges(types[0], random) {
            for b in edges(types[1], random) {
                let c = edges(types[2], random);
                pair.packet(&[]);
                let values = [&a, &b, &c[random.below(c.len() as u64) as usize]];
                self.operands.iter().zip(values).for_each(|(&id, value)| pair.set(id, value));
                if let Err(difference) = pair.run(block) {
                    panic!("{types:?} {values:x?}: {difference}");
                }
            }
        }
    }
}

fn local(program: &mut Program, name: &str, ty: Type) -> VariableId {
    program.variables.push(Variable { name: name.into(), ty, kind: VariableKind::Local });
    VariableId::from(program.variables.len() - 1)
}

/// Returns the minimum and maximum numbers with and without sign, their neighbours, a small number and a random one.
fn edges(ty: Type, random: &mut Random) -> Vec<Bits> {
    let width = ty.width();
    let ones = Bits::ones(width);
    let sign = Bits::from_u64(1, width).shift_left(&Bits::Narrow(u64::from(width) - 1), width);
    let limbs: Vec<u64> = (0..width.div_ceil(64)).map(|_| random.bits()).collect();
    let any = Bits::from_limbs(&limbs, width);
    let small = Bits::from_u64(random.below(width.into()), width);
    vec![Bits::zero(width), Bits::from_u64(1, width), sign.complement(width), sign, ones, small, any]
}

fn all_operators(ty: Type, third: Type) -> Calculation {
    let mut made = Calculation::new(ty, third);
    let [a, b, c] = made.operands.map(Expression::Variable);
    for operator in [UnaryOperator::Complement, UnaryOperator::Negate] {
        made.add(Expression::unary(operator, a.clone()));
    }
    for operator in BinaryOperator::ALL {
        let right = if operator.is_shift() { c.clone() } else { b.clone() };
        made.add(Expression::binary(operator, a.clone(), right));
    }
    let less = Expression::binary(BinaryOperator::Less, a.clone(), b.clone());
    made.add(Expression::select(less, Expression::unary(UnaryOperator::Negate, a), b));
    made
}

#[test]
fn operators_agree_in_every_width() {
    let mut random = Random::new(1);
    for width in (1..=130).chain([1024, 1025, 2000]) {
        let thirds = [Type::Bits(8), Type::Bits(64), Type::Bits(100), Type::Int(7)];
        for ty in [Type::Bits(width), Type::Int(width)] {
            all_operators(ty, thirds[random.below(4) as usize]).check(&mut random);
        }
    }
}

#[test]
fn slices_concatenations_and_casts_agree() {
    let mut random = Random::new(2);
    let others = [1, 8, 33, 63, 64, 65, 127, 128, 200, 1024, 1100];
    for width in [1, 2, 7, 8, 32, 48, 63, 64, 65, 100, 127, 128, 129, 320, 1024, 1025, 1500] {
        for ty in [Type::Bits(width), Type::Int(width)] {
            let third = others[random.below(others.len() as u64) as usize];
            let mut made = Calculation::new(ty, Type::Bits(third));
            let [a, b, c] = made.operands.map(Expression::Variable);
            for other in others {
                made.add(Expression::Cast(Type::Bits(other), Box::new(a.clone())));
                made.add(Expression::Cast(Type::Int(other), Box::new(b.clone())));
            }
            made.add(Expression::Cast(Type::Bool, Box::new(a.clone())));
            made.add(Expression::Concatenate(Box::new(a.clone()), Box::new(c.clone())));
            made.add(Expression::Concatenate(Box::new(c.clone()), Box::new(b.clone())));
            for _ in 0..8 {
                let low = random.below(width.into()) as u16;
                let high = low + random.below(u64::from(width - low)) as u16;
                made.add(Expression::Slice { value: Box::new(a.clone()), high, low });
            }
            made.check(&mut random);
        }
    }
}
