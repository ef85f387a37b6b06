//! Expressions: computations of a value without side effects.

use runtime::checksum::Algorithm;
use runtime::hash::HashFunction;
use runtime::{Bits, arithmetic};

use crate::threads::MemoryField;
use crate::{ArrayId, Lookup, RegisterId, Type, VariableId};

/// A value known at compile time, of a type of at most 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Constant {
    /// The type.
    pub ty: Type,
    /// The raw bits, zero above the type's width.
    pub value: u64,
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnaryOperator {
    /// `!`: logical negation of a bool.
    Not,
    /// `~`: bitwise complement.
    Complement,
    /// `-`: negation, which wraps around.
    Negate,
}

/// A binary operator. Except for shifts, both operands have the same type; comparisons give a bool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BinaryOperator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, as [`arithmetic`] defines it.
    Divide,
    /// `%`, as [`arithmetic`] defines it.
    Remainder,
    /// `|+|`: saturates at the limits of the type.
    AddSaturating,
    /// `|-|`: saturates at the limits of the type.
    SubtractSaturating,
    /// `&`, also of two bools.
    And,
    /// `|`, also of two bools.
    Or,
    /// `^`, also of two bools.
    Xor,
    /// `<<`, as [`arithmetic`] defines it; the count may have another type.
    ShiftLeft,
    /// `>>`, as [`arithmetic`] defines it; the count may have another type.
    ShiftRight,
    /// `==`, also of two bools.
    Equal,
    /// `!=`, also of two bools.
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

/// A computation without side effects. Reads of registers see the writes of earlier statements.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Expression {
    /// A value known at compile time.
    Constant(Constant),
    /// A variable: a field or a local.
    Variable(VariableId),
    /// The value of a register, or 0 if the predicate is false.
    Read {
        /// The register.
        register: RegisterId,
        /// The index in the array, reduced as [`runtime::RegisterFile::wrap`] defines; `None` for a scalar.
        index: Option<Box<Expression>>,
        /// Whether the register is accessed; `None` stands for always. If it is false, the index is not evaluated.
        predicate: Option<Box<Expression>>,
    },
    /// A unary operation.
    Unary(UnaryOperator, Box<Expression>),
    /// A binary operation.
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// `condition ? if_true : if_false`. Only the reads in the chosen side count as accesses.
    Select(Box<Expression>, Box<Expression>, Box<Expression>),
    /// A hash of words, of type `int<32>`.
    Hash(HashFunction, Vec<Expression>),
    /// A conversion to another type. Numbers are truncated, or extended according to the signedness of their own type;
    /// a bool becomes 0 or 1; a number becomes true unless it is zero.
    Cast(Type, Box<Expression>),
    /// A number known at compile time, of a type of more than 64 bits.
    Wide(Type, Bits),
    /// `value[high:low]`: a bit slice of a number, of type `bit<high - low + 1>`.
    Slice {
        /// The number.
        value: Box<Expression>,
        /// The position of the highest bit, counted from 0; less than the width of the number.
        high: u16,
        /// The position of the lowest bit; at most `high`.
        low: u16,
    },
    /// `high ++ low`: the concatenation of two numbers, an `int<N>` if the first is signed and a `bit<N>` otherwise.
    Concatenate(Box<Expression>, Box<Expression>),
    /// The variable at an index of an array; undefined if the index is outside of the array.
    Element {
        /// The array.
        array: ArrayId,
        /// The index, a number counted from 0.
        index: Box<Expression>,
    },
    /// A value that the language leaves undefined: 0, unless the executor draws one.
    Undefined(Type),
    /// A checksum or hash of a bit string.
    Checksum(Box<Checksum>),
    /// The result of a table look-up.
    Lookup(Box<Lookup>),
    /// A bit field of a thread's local memory, of type `bit<width>`. Only programs of threads ([`crate::Threads`]) have it.
    Memory(Box<MemoryField>),
}

/// A checksum or hash of values, concatenated in wire order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Checksum {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The values: numbers and bools.
    pub data: Vec<ChecksumPart>,
    /// Whether the part of the packet that the parser left follows the values.
    pub with_payload: bool,
    /// The type of the result, a `bit<N>`, to which it is truncated or extended.
    pub result: Type,
}

/// One of the values that a checksum covers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChecksumPart {
    /// The value.
    pub value: Expression,
    /// For a variable-length field, the number of its lowest bits that count; `None` if all do.
    pub length: Option<Expression>,
}

impl Constant {
    /// Makes a bool.
    pub const fn bool(value: bool) -> Self {
        Self { ty: Type::Bool, value: value as u64 }
    }

    /// Makes a number of a type, wrapping around.
    pub const fn number(ty: Type, number: i64) -> Self {
        Self { ty, value: ty.value_of(number) }
    }
}

impl UnaryOperator {
    /// Applies the operator to a value of type `ty`.
    #[inline]
    pub const fn apply(self, ty: Type, value: u64) -> u64 {
        let result = match self {
            Self::Not => value ^ 1,
            Self::Complement => !value,
            Self::Negate => value.wrapping_neg(),
        };
        arithmetic::truncate(result, ty.width())
    }

    /// Returns the symbol of the operator in the text form.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Not => "!",
            Self::Complement => "~",
            Self::Negate => "-",
        }
    }
}

impl BinaryOperator {
    /// All operators.
    pub const ALL: [Self; 18] = [
        Self::Add,
        Self::Subtract,
        Self::Multiply,
        Self::Divide,
        Self::Remainder,
        Self::AddSaturating,
        Self::SubtractSaturating,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::ShiftLeft,
        Self::ShiftRight,
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::LessEqual,
        Self::Greater,
        Self::GreaterEqual,
    ];

    /// Applies the operator; `ty` is the type of the left operand.
    #[inline]
    pub const fn apply(self, ty: Type, a: u64, b: u64) -> u64 {
        let (width, signed) = (ty.width(), ty.is_signed());
        match self {
            Self::Add => arithmetic::truncate(a.wrapping_add(b), width),
            Self::Subtract => arithmetic::truncate(a.wrapping_sub(b), width),
            Self::Multiply => arithmetic::truncate(a.wrapping_mul(b), width),
            Self::Divide => arithmetic::divide(a, b, width, signed),
            Self::Remainder => arithmetic::remainder(a, b, width, signed),
            Self::AddSaturating => arithmetic::add_saturating(a, b, width, signed),
            Self::SubtractSaturating => arithmetic::subtract_saturating(a, b, width, signed),
            Self::And => a & b,
            Self::Or => a | b,
            Self::Xor => a ^ b,
            Self::ShiftLeft => arithmetic::shift_left(a, b, width),
            Self::ShiftRight => arithmetic::shift_right(a, b, width, signed),
            Self::Equal => (a == b) as u64,
            Self::NotEqual => (a != b) as u64,
            Self::Less => less(a, b, width, signed) as u64,
            Self::LessEqual => !less(b, a, width, signed) as u64,
            Self::Greater => less(b, a, width, signed) as u64,
            Self::GreaterEqual => !less(a, b, width, signed) as u64,
        }
    }

    /// Returns true for comparisons, whose result is always a bool.
    pub const fn is_comparison(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual | Self::Less | Self::LessEqual | Self::Greater | Self::GreaterEqual)
    }

    /// Returns true for shifts, whose right operand may have a type of its own.
    pub const fn is_shift(self) -> bool {
        matches!(self, Self::ShiftLeft | Self::ShiftRight)
    }

    /// Returns true if exchanging the operands does not change the result.
    pub const fn is_commutative(self) -> bool {
        matches!(
            self,
            Self::Add
                | Self::AddSaturating
                | Self::Multiply
                | Self::And
                | Self::Or
                | Self::Xor
                | Self::Equal
                | Self::NotEqual
        )
    }

    /// Returns the symbol of the operator in the text form.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::AddSaturating => "|+|",
            Self::SubtractSaturating => "|-|",
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "^",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
        }
    }
}

#[inline]
const fn less(a: u64, b: u64, width: u32, signed: bool) -> bool {
    if signed { arithmetic::sign_extend(a, width) < arithmetic::sign_extend(b, width) } else { a < b }
}

/// Converts a value of type `from` to type `to`, as [`Expression::Cast`] defines.
#[inline]
pub const fn cast(from: Type, to: Type, value: u64) -> u64 {
    match (from, to) {
        (_, Type::Bool) => (value != 0) as u64,
        (Type::Int(width), _) => arithmetic::truncate(arithmetic::sign_extend(value, width as u32) as u64, to.width()),
        _ => arithmetic::truncate(value, to.width()),
    }
}

impl Expression {
    /// Makes a number of a type, wrapping around.
    pub const fn number(ty: Type, number: i64) -> Self {
        Self::Constant(Constant::number(ty, number))
    }

    /// Makes a bool.
    pub const fn bool(value: bool) -> Self {
        Self::Constant(Constant::bool(value))
    }

    /// Makes a binary operation.
    pub fn binary(operator: BinaryOperator, left: Self, right: Self) -> Self {
        Self::Binary(operator, Box::new(left), Box::new(right))
    }

    /// Makes a unary operation.
    pub fn unary(operator: UnaryOperator, operand: Self) -> Self {
        Self::Unary(operator, Box::new(operand))
    }

    /// Makes a choice between two values.
    pub fn select(condition: Self, if_true: Self, if_false: Self) -> Self {
        Self::Select(Box::new(condition), Box::new(if_true), Box::new(if_false))
    }

    /// Makes a read without a predicate.
    pub fn read(register: RegisterId, index: Option<Self>) -> Self {
        Self::Read { register, index: index.map(Box::new), predicate: None }
    }

    /// Returns true for a value known at compile time.
    pub const fn is_constant(&self) -> bool {
        matches!(self, Self::Constant(_) | Self::Wide(..))
    }

    /// Returns true for a constant of at most 64 bits or a variable: an operand of three-address code.
    pub const fn is_operand(&self) -> bool {
        matches!(self, Self::Constant(_) | Self::Variable(_))
    }

    /// Returns the operands, left to right.
    pub fn children(&self) -> Vec<&Self> {
        match self {
            Self::Constant(_) | Self::Variable(_) | Self::Wide(..) | Self::Undefined(_) => Vec::new(),
            Self::Read { index, predicate, .. } => index.iter().chain(predicate).map(Box::as_ref).collect(),
            Self::Unary(_, a) | Self::Cast(_, a) => vec![a],
            Self::Binary(_, a, b) | Self::Concatenate(a, b) => vec![a, b],
            Self::Select(a, b, c) => vec![a, b, c],
            Self::Hash(_, arguments) => arguments.iter().collect(),
            Self::Slice { value, .. } => vec![value],
            Self::Element { index, .. } => vec![index],
            Self::Checksum(checksum) => {
                checksum.data.iter().flat_map(|part| [Some(&part.value), part.length.as_ref()]).flatten().collect()
            }
            Self::Lookup(lookup) => lookup.keys.iter().collect(),
            Self::Memory(field) => vec![&field.address],
        }
    }

    /// Returns the operands, left to right, for modification.
    pub fn children_mut(&mut self) -> Vec<&mut Self> {
        match self {
            Self::Constant(_) | Self::Variable(_) | Self::Wide(..) | Self::Undefined(_) => Vec::new(),
            Self::Read { index, predicate, .. } => index.iter_mut().chain(predicate).map(Box::as_mut).collect(),
            Self::Unary(_, a) | Self::Cast(_, a) => vec![a],
            Self::Binary(_, a, b) | Self::Concatenate(a, b) => vec![a, b],
            Self::Select(a, b, c) => vec![a, b, c],
            Self::Hash(_, arguments) => arguments.iter_mut().collect(),
            Self::Slice { value, .. } => vec![value],
            Self::Element { index, .. } => vec![index],
            Self::Checksum(checksum) => checksum
                .data
                .iter_mut()
                .flat_map(|part| [Some(&mut part.value), part.length.as_mut()])
                .flatten()
                .collect(),
            Self::Lookup(lookup) => lookup.keys.iter_mut().collect(),
            Self::Memory(field) => vec![&mut field.address],
        }
    }

    /// Calls `visit` for this expression and every nested one, outermost first.
    pub fn walk<'e>(&'e self, visit: &mut dyn FnMut(&'e Self)) {
        visit(self);
        for child in self.children() {
            child.walk(visit);
        }
    }

    /// Applies `change` to this expression and every nested one, innermost first.
    pub fn rewrite(&mut self, change: &mut dyn FnMut(&mut Self)) {
        for child in self.children_mut() {
            child.rewrite(change);
        }
        change(self);
    }

    /// Returns the variables that occur, in order and with repetitions.
    pub fn variables(&self) -> Vec<VariableId> {
        let mut found = Vec::new();
        self.walk(&mut |expression| {
            if let Self::Variable(id) = expression {
                found.push(*id);
            }
        });
        found
    }
}
