//! The value of an expression: one walk over its tree, for whoever says what variables and registers hold, and for
//! every kind of [`Value`].

use basis::Random;
use runtime::Bits;
use runtime::checksum::BitString;

use crate::value::Value;
use crate::{Checksum, Constant, Expression, Lookup, Program, RegisterId, Type, VariableId};

/// Answers for what an expression mentions.
pub trait Environment {
    /// What values are.
    type Value: Value;

    /// The value of a variable.
    fn variable(&mut self, id: VariableId) -> Self::Value;

    /// The value of a register at a place, which is inside. Called once for each access, in order.
    fn read(&mut self, register: RegisterId, place: usize) -> Self::Value;

    /// A value that the language leaves open: 0, unless somebody draws one.
    #[inline]
    fn undefined(&mut self, ty: Type) -> Self::Value {
        Self::Value::from_u64(0, ty.width())
    }

    /// An empty string of bits, to be filled for [`Environment::checksum`].
    fn bit_string(&mut self) -> BitString {
        BitString::new()
    }

    /// The checksum of data, behind which comes what the parser left of the packet, if that is asked for and there is
    /// a packet.
    fn checksum(&mut self, checksum: &Checksum, data: BitString) -> Bits {
        // Nobody gave a seed, so that what is drawn is always the same.
        checksum.algorithm.output(data.bytes(), checksum.result.width(), &mut Random::new(0))
    }

    /// What a table says of keys, given as words ([`Lookup::keys`]). Whoever gives no tables has none.
    fn lookup(&mut self, lookup: &Lookup, keys: &[u64]) -> Bits {
        unreachable!("the expression looks nothing up: {lookup:?} of {keys:?}")
    }
}

/// Values of variables, where no register is read: a read panics, for whoever gives no registers has none.
impl Environment for &[u64] {
    type Value = u64;

    #[inline]
    fn variable(&mut self, id: VariableId) -> u64 {
        self[id.index()]
    }

    fn read(&mut self, _: RegisterId, _: usize) -> u64 {
        unreachable!("the expression reads no register")
    }
}

/// The value of an expression whose types have at most 64 bits, with its type.
#[inline]
pub fn evaluate(
    program: &Program,
    expression: &Expression,
    environment: &mut impl Environment<Value = u64>,
) -> Constant {
    let (ty, value) = value(program, expression, environment);
    Constant { ty, value }
}

/// The value of an expression, and its type, which the operator around it needs.
pub fn value<E: Environment>(program: &Program, expression: &Expression, environment: &mut E) -> (Type, E::Value) {
    match expression {
        Expression::Constant(Constant { ty, value }) => (*ty, E::Value::from_u64(*value, ty.width())),
        Expression::Variable(id) => (program.variable(*id).ty, environment.variable(*id)),
        Expression::Read { register, index, predicate } => {
            let ty = program.register(*register).ty;
            let value = if holds(program, predicate.as_deref(), environment) {
                let place = place(program, *register, index.as_deref(), environment);
                environment.read(*register, place)
            } else {
                E::Value::from_u64(0, ty.width())
            };
            (ty, value)
        }
        Expression::Unary(operator, operand) => {
            let (ty, operand) = value(program, operand, environment);
            (ty, E::Value::unary(*operator, ty, &operand))
        }
        Expression::Binary(operator, left, right) => {
            // Both, also of `&` and `|`: no operator decides whether a register is accessed.
            let (ty, left) = value(program, left, environment);
            let (_, right) = value(program, right, environment);
            let result = if operator.is_comparison() { Type::Bool } else { ty };
            (result, E::Value::binary(*operator, ty, &left, &right))
        }
        Expression::Select(condition, if_true, if_false) => {
            let taken = value(program, condition, environment).1.is_true();
            value(program, if taken { if_true } else { if_false }, environment)
        }
        Expression::Hash(function, arguments) => {
            let mut words = [0; 3];
            for (word, argument) in words.iter_mut().zip(arguments) {
                *word = value(program, argument, environment).1.low();
            }
            let hash = function.of(&words[..function.arity()]);
            (Type::INT32, E::Value::from_u64(hash, Type::INT32.width()))
        }
        Expression::Cast(ty, operand) => {
            let (from, operand) = value(program, operand, environment);
            (*ty, operand.cast(from, *ty))
        }
        _ => further(program, expression, environment),
    }
}

/// Expressions that flat programs lack: apart, so that the walk over those has a small frame on the stack.
#[inline(never)]
fn further<E: Environment>(program: &Program, expression: &Expression, environment: &mut E) -> (Type, E::Value) {
    match expression {
        Expression::Wide(ty, bits) => (*ty, E::Value::from_bits(bits)),
        Expression::Slice { value: sliced, high, low } => {
            let (_, sliced) = value(program, sliced, environment);
            (Type::Bits(high - low + 1), sliced.slice(u32::from(*high), u32::from(*low)))
        }
        Expression::Concatenate(high, low) => {
            let (high_type, high) = value(program, high, environment);
            let (low_type, low) = value(program, low, environment);
            let ty = crate::typing::concatenated(high_type, low_type);
            (ty, E::Value::concatenate(&high, high_type.width(), &low, low_type.width()))
        }
        Expression::Element { array, index } => {
            let elements = &program.arrays[array.index()].elements;
            let (_, index) = value(program, index, environment);
            let ty = program.variable(elements[0]).ty;
            match element(elements, index.to_u64()) {
                Some(id) => (ty, environment.variable(id)),
                None => (ty, environment.undefined(ty)),
            }
        }
        Expression::Undefined(ty) => (*ty, environment.undefined(*ty)),
        Expression::Checksum(checksum) => (checksum.result, self::checksum(program, checksum, environment)),
        Expression::Lookup(lookup) => {
            let word = |key| value(program, key, environment).1.low();
            let keys: Vec<u64> = lookup.keys.iter().map(word).collect();
            (lookup.result.ty(), E::Value::from_bits(&environment.lookup(lookup, &keys)))
        }
        _ => unreachable!("`value` evaluates the others"),
    }
}

/// Whether a predicate holds; none does.
pub(crate) fn holds(program: &Program, predicate: Option<&Expression>, environment: &mut impl Environment) -> bool {
    predicate.is_none_or(|predicate| value(program, predicate, environment).1.is_true())
}

/// Where an access goes.
pub(crate) fn place(
    program: &Program,
    register: RegisterId,
    index: Option<&Expression>,
    environment: &mut impl Environment,
) -> usize {
    index.map_or(0, |index| value(program, index, environment).1.wrap(program.register(register).size()))
}

/// The element at an index, which a number above 64 bits never is.
#[inline]
pub(crate) fn element<T: Copy>(elements: &[T], index: Option<u64>) -> Option<T> {
    elements.get(usize::try_from(index?).ok()?).copied()
}

fn checksum<E: Environment>(program: &Program, checksum: &Checksum, environment: &mut E) -> E::Value {
    let mut data = environment.bit_string();
    for part in &checksum.data {
        let (ty, number) = value(program, &part.value, environment);
        let width = ty.width();
        let length = part.length.as_ref().map(|length| value(program, length, environment).1.to_u64());
        // A length beyond the field, such as one that was drawn, takes all of it.
        let length = length.map_or(width, |length| length.map_or(width, |length| length.min(width.into()) as u32));
        data.push(&number.to_bits(width), length);
    }
    E::Value::from_bits(&environment.checksum(checksum, data))
}
