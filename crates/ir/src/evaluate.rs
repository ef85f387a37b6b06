//! Evaluation of expressions: one walk over the tree, generic in the [`Environment`] that holds variables and
//! registers, and in the kind of [`Value`].

use basis::Random;
use runtime::Bits;
use runtime::checksum::BitString;

use crate::value::Value;
use crate::{Checksum, Constant, Expression, Lookup, Program, RegisterId, Type, VariableId};

/// Provides the values that an expression refers to.
pub trait Environment {
    /// The representation of values.
    type Value: Value;

    /// Returns the value of a variable.
    fn variable(&mut self, id: VariableId) -> Self::Value;

    /// Returns the value of a register at an index, which is in range. It is called once for each access, in order.
    fn read(&mut self, register: RegisterId, place: usize) -> Self::Value;

    /// Returns a value that the language leaves undefined: 0, unless the environment draws one.
    #[inline]
    fn undefined(&mut self, ty: Type) -> Self::Value {
        Self::Value::from_u64(0, ty.width())
    }

    /// Returns an empty bit string, to be filled and passed to [`Environment::checksum`].
    fn bit_string(&mut self) -> BitString {
        BitString::new()
    }

    /// Returns the checksum of `data`, followed by the part of the packet that the parser left if the checksum asks for
    /// it and the environment has a packet.
    fn checksum(&mut self, checksum: &Checksum, data: BitString) -> Bits {
        // No seed is given here: an algorithm that draws random numbers always draws the same ones.
        checksum.algorithm.output(data.bytes(), checksum.result.width(), &mut Random::new(0))
    }

    /// Returns bits of local memory; `from` is the distance of the first bit from the beginning of the memory. An
    /// environment that does not override this method has no local memory, and panics.
    fn memory(&mut self, from: Option<u64>, width: u16) -> Self::Value {
        unreachable!("the expression reads {width} bits of local memory at {from:?}")
    }

    /// Looks up keys that are given as words, as in [`Lookup::keys`]. An environment that does not override this method
    /// has no tables, and panics.
    fn lookup(&mut self, lookup: &Lookup, keys: &[u64]) -> Bits {
        unreachable!("the expression looks nothing up: {lookup:?} of {keys:?}")
    }
}

/// An environment of variables only: reading a register panics.
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

/// Evaluates an expression whose types have at most 64 bits.
///
/// # Panics
/// It may panic on an expression that [`crate::verify::expression`] refuses.
#[inline]
pub fn evaluate(
    program: &Program,
    expression: &Expression,
    environment: &mut impl Environment<Value = u64>,
) -> Constant {
    let (ty, value) = value(program, expression, environment);
    Constant { ty, value }
}

/// Evaluates an expression and returns its type, which the enclosing operator needs, and its value.
///
/// # Panics
/// It may panic on an expression that [`crate::verify::expression`] refuses.
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
            // Both operands are evaluated, also those of `&` and `|`: no operator decides whether a register is
            // accessed.
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

/// Evaluates the expressions that flat programs lack. It is a function of its own so that the walk over flat programs
/// has a small stack frame.
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
        Expression::Memory(field) => {
            let (_, address) = value(program, &field.address, environment);
            let from = address.to_u64().and_then(|address| first_bit(address, field.offset));
            (Type::Bits(field.width), environment.memory(from, field.width))
        }
        _ => unreachable!("`value` evaluates the others"),
    }
}

/// The distance of a field's first bit from the beginning of local memory; `None` if it is not a number of 64 bits.
#[inline]
pub(crate) fn first_bit(address: u64, offset: u32) -> Option<u64> {
    address.checked_mul(8)?.checked_add(offset.into())
}

/// Returns whether a predicate holds; an absent one does.
pub(crate) fn holds(program: &Program, predicate: Option<&Expression>, environment: &mut impl Environment) -> bool {
    predicate.is_none_or(|predicate| value(program, predicate, environment).1.is_true())
}

/// Returns the index in the register array that an access refers to.
pub(crate) fn place(
    program: &Program,
    register: RegisterId,
    index: Option<&Expression>,
    environment: &mut impl Environment,
) -> usize {
    index.map_or(0, |index| value(program, index, environment).1.wrap(program.register(register).size()))
}

/// The element at an index; `None` stands for an index above 64 bits, which is out of range in any case.
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
        // A length greater than the field, which an undefined value may be, selects the whole field.
        let length = length.map_or(width, |length| length.map_or(width, |length| length.min(width.into()) as u32));
        data.push(&number.to_bits(width), length);
    }
    E::Value::from_bits(&environment.checksum(checksum, data))
}
