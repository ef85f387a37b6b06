//! Expressions: values without side effects.

use runtime::checksum::Algorithm;
use runtime::hash::HashFunction;
use runtime::{Bits, arithmetic};

use crate::{ArrayId, Lookup, RegisterId, Type, VariableId};

/// A value known at compile time, of a type of at most 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Constant {
    /// Its type.
    pub ty: Type,
    /// Its raw bits.
    pub value: u64,
}

/// How one value becomes another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnaryOperator {
    /// `!`: of a bool.
    Not,
    /// `~`: every bit.
    Complement,
    /// `-`: wraps.
    Negate,
}

/// How two values become one. But for shifts, both operands have one type; comparisons give a bool.
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
    /// `|+|`: stops at the type's ends.
    AddSaturating,
    /// `|-|`: stops at the type's ends.
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

/// A value without side effects. Reads of registers see the writes of earlier statements.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Expression {
    /// A value known at compile time.
    Constant(Constant),
    /// A field or local of the packet.
    Variable(VariableId),
    /// A register's value; 0 when the predicate is false. A scalar has no index.
    Read {
        /// Which register.
        register: RegisterId,
        /// Where in the array, reduced as [`runtime::RegisterFile::wrap`] says; `None` for a scalar.
        index: Option<Box<Expression>>,
        /// Whether the register is accessed at all; `None` is always. Not evaluated for a value elsewhere.
        predicate: Option<Box<Expression>>,
    },
    /// An operator on one value.
    Unary(UnaryOperator, Box<Expression>),
    /// An operator on two values.
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// `condition ? if_true : if_false`. Only the chosen side's reads count as accesses.
    Select(Box<Expression>, Box<Expression>, Box<Expression>),
    /// A hash of words; its type is `int<32>`.
    Hash(HashFunction, Vec<Expression>),
    /// A value in another type: cut or extended (by its own type's sign), a bool is 0 or 1, anything not zero is
    /// true.
    Cast(Type, Box<Expression>),
    /// A number of a type of more than 64 bits, known at compile time.
    Wide(Type, Bits),
    /// `value[high:low]`: some bits of a number, as `bit<high - low + 1>`.
    Slice {
        /// The number.
        value: Box<Expression>,
        /// The place of the highest bit, from 0, below the width of the number.
        high: u16,
        /// The place of the lowest bit, at most `high`.
        low: u16,
    },
    /// `high ++ low`: the bits of two numbers, one behind the other, as a `bit<N>`, or an `int<N>` if the first is one.
    Concatenate(Box<Expression>, Box<Expression>),
    /// The variable at an index of an array; outside of the array the value is undefined.
    Element {
        /// Which array.
        array: ArrayId,
        /// Where in it, from 0: a number.
        index: Box<Expression>,
    },
    /// A value that the language leaves open: 0, unless whoever runs the program draws one.
    Undefined(Type),
    /// A checksum or hash of bits.
    Checksum(Box<Checksum>),
    /// What a table says of keys.
    Lookup(Box<Lookup>),
}

/// A checksum or hash of values, one behind the other as on the wire.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Checksum {
    /// How it is computed.
    pub algorithm: Algorithm,
    /// Of what: numbers and bools.
    pub data: Vec<ChecksumPart>,
    /// Whether what the parser left of the packet follows.
    pub with_payload: bool,
    /// The type of the result, a `bit<N>`, to which it is cut or extended.
    pub result: Type,
}

/// A part of what a checksum is computed of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChecksumPart {
    /// Its value.
    pub value: Expression,
    /// How many of its lowest bits count, for a variable-length field; all without one.
    pub length: Option<Expression>,
}

impl Constant {
    /// True or false.
    pub const fn bool(value: bool) -> Self {
        Self { ty: Type::Bool, value: value as u64 }
    }

    /// A number in a type, which wraps.
    pub const fn number(ty: Type, number: i64) -> Self {
        Self { ty, value: ty.value_of(number) }
    }
}

impl UnaryOperator {
    /// The operator's result for a value of a type.
    #[inline]
    pub const fn apply(self, ty: Type, value: u64) -> u64 {
        let result = match self {
            Self::Not => value ^ 1,
            Self::Complement => !value,
            Self::Negate => value.wrapping_neg(),
        };
        arithmetic::truncate(result, ty.width())
    }

    /// The sign that people write.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Not => "!",
            Self::Complement => "~",
            Self::Negate => "-",
        }
    }
}

impl BinaryOperator {
    /// Every operator.
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

    /// The operator's result, `ty` being the type of the left operand.
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

    /// True if the result is a bool whatever the operands are.
    pub const fn is_comparison(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual | Self::Less | Self::LessEqual | Self::Greater | Self::GreaterEqual)
    }

    /// True if the right operand may have a type of its own.
    pub const fn is_shift(self) -> bool {
        matches!(self, Self::ShiftLeft | Self::ShiftRight)
    }

    /// True if the operands may change places.
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

    /// The sign that people write.
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

/// A value of type `from` in type `to`, as [`Expression::Cast`] says.
#[inline]
pub const fn cast(from: Type, to: Type, value: u64) -> u64 {
    match (from, to) {
        (_, Type::Bool) => (value != 0) as u64,
        (Type::Int(width), _) => arithmetic::truncate(arithmetic::sign_extend(value, width as u32) as u64, to.width()),
        _ => arithmetic::truncate(value, to.width()),
    }
}

impl Expression {
    /// A number in a type, which wraps.
    pub const fn number(ty: Type, number: i64) -> Self {
        Self::Constant(Constant::number(ty, number))
    }

    /// True or false.
    pub const fn bool(value: bool) -> Self {
        Self::Constant(Constant::bool(value))
    }

    /// An operator on two values.
    pub fn binary(operator: BinaryOperator, left: Self, right: Self) -> Self {
        Self::Binary(operator, Box::new(left), Box::new(right))
    }

    /// An operator on one value.
    pub fn unary(operator: UnaryOperator, operand: Self) -> Self {
        Self::Unary(operator, Box::new(operand))
    }

    /// A choice between two values.
    pub fn select(condition: Self, if_true: Self, if_false: Self) -> Self {
        Self::Select(Box::new(condition), Box::new(if_true), Box::new(if_false))
    }

    /// A read that is always made.
    pub fn read(register: RegisterId, index: Option<Self>) -> Self {
        Self::Read { register, index: index.map(Box::new), predicate: None }
    }

    /// True for a value known at compile time.
    pub const fn is_constant(&self) -> bool {
        matches!(self, Self::Constant(_) | Self::Wide(..))
    }

    /// True for a constant or a variable: what an instruction of three-address code takes.
    pub const fn is_operand(&self) -> bool {
        matches!(self, Self::Constant(_) | Self::Variable(_))
    }

    /// The expressions directly inside, left to right.
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
        }
    }

    /// The expressions directly inside, to change.
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
        }
    }

    /// Calls `visit` for this expression and every one inside, outermost first.
    pub fn walk<'e>(&'e self, visit: &mut dyn FnMut(&'e Self)) {
        visit(self);
        for child in self.children() {
            child.walk(visit);
        }
    }

    /// Changes this expression and every one inside, innermost first.
    pub fn rewrite(&mut self, change: &mut dyn FnMut(&mut Self)) {
        for child in self.children_mut() {
            child.rewrite(change);
        }
        change(self);
    }

    /// The variables inside, in order of appearance, with repetitions.
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
