//! Configurations of atoms: what each multiplexer selects, which operator each unit applies, and the constants.

use std::fmt;

use ir::{BinaryOperator, Expression, Type};

/// The input that a multiplexer selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// A packet operand, counted from 0: `pkt_1` is 0.
    Operand(u8),
    /// A constant of the configuration.
    Constant(i64),
}

/// The comparison that a relational unit makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`, in the order of the type of the states.
    Less,
    /// `>`, in the order of the type of the states.
    Greater,
}

/// A relational unit and its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Test {
    /// The number of the state that is compared; `None` for the constant 0 in its place.
    pub state: Option<u8>,
    /// The number of the operand that is added to it, in templates that compare sums.
    pub plus: Option<u8>,
    /// The number of the operand that is subtracted from it, in templates that compare sums.
    pub minus: Option<u8>,
    /// Whether the sum is computed exactly, with guard bits, or wraps to the type of the states.
    pub exact: bool,
    /// The comparison.
    pub relation: Relation,
    /// The right side of the comparison; always a constant in templates that compare sums.
    pub with: Source,
}

/// The update of one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Update {
    /// `(state or 0) + source`, or `(state or 0) + (first + second)`, or with `first - second`.
    Add {
        /// Whether the state is an addend; otherwise 0 takes its place.
        keep: bool,
        /// The first source.
        first: Source,
        /// Whether the second source is subtracted, and the source; `None` in templates that add only one.
        second: Option<(bool, Source)>,
    },
    /// `(state or 0) * factor + operand`.
    MultiplyAdd {
        /// Whether the state is multiplied; otherwise the product is 0.
        keep: bool,
        /// The factor.
        factor: Source,
        /// The number of the operand that is added.
        addend: u8,
    },
    /// The state keeps its value; for branches in which the template has no update.
    Keep,
}

/// A configuration of an atom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Configuration {
    /// An update of each state.
    Update(Vec<Update>),
    /// One of two configurations, selected by a relational unit: the first if it holds, else the second.
    If(Test, Box<Self>, Box<Self>),
}

impl Source {
    fn expression(self, ty: Type, operand: &dyn Fn(u8) -> Expression) -> Expression {
        match self {
            Self::Operand(number) => operand(number),
            Self::Constant(value) => Expression::number(ty, value),
        }
    }
}

impl Relation {
    /// All relations, in the order in which they are tried.
    pub const ALL: [Self; 4] = [Self::Equal, Self::NotEqual, Self::Greater, Self::Less];

    const fn operator(self) -> BinaryOperator {
        match self {
            Self::Equal => BinaryOperator::Equal,
            Self::NotEqual => BinaryOperator::NotEqual,
            Self::Less => BinaryOperator::Less,
            Self::Greater => BinaryOperator::Greater,
        }
    }
}

/// The type with guard bits. Sums of three numbers never overflow it if [`crate::word::Word::has_guard_bits`] is true.
pub(crate) const GUARDED: Type = Type::Int(64);

/// Returns `a + b` or `a - b`, where `None` stands for 0.
fn sum(subtract: bool, a: Option<Expression>, b: Option<Expression>, ty: Type) -> Option<Expression> {
    let operator = if subtract { BinaryOperator::Subtract } else { BinaryOperator::Add };
    match (a, b) {
        (a, None) => a,
        (None, Some(b)) if !subtract => Some(b),
        (a, Some(b)) => Some(Expression::binary(operator, a.unwrap_or(Expression::number(ty, 0)), b)),
    }
}

impl Test {
    /// Returns the comparison as an expression over the old values of the states and the operands.
    pub(crate) fn expression(
        &self,
        ty: Type,
        state: &dyn Fn(u8) -> Expression,
        operand: &dyn Fn(u8) -> Expression,
    ) -> Expression {
        let ty = if self.exact { GUARDED } else { ty };
        let widen = |e: Expression| if self.exact { Expression::Cast(GUARDED, Box::new(e)) } else { e };
        let start = self.state.map(|number| widen(state(number)));
        let raised = sum(false, start, self.plus.map(|number| widen(operand(number))), ty);
        let left = sum(true, raised, self.minus.map(|number| widen(operand(number))), ty);
        let right = match self.with {
            Source::Constant(value) => Expression::number(ty, value),
            Source::Operand(number) => widen(operand(number)),
        };
        Expression::binary(self.relation.operator(), left.unwrap_or(Expression::number(ty, 0)), right)
    }
}

impl Update {
    fn expression(self, ty: Type, old: Expression, operand: &dyn Fn(u8) -> Expression) -> Expression {
        let nonzero = |source: Source| (source != Source::Constant(0)).then(|| source.expression(ty, operand));
        let result = match self {
            Self::Keep => return old,
            Self::Add { keep, first, second } => {
                let addend = match second {
                    None => nonzero(first),
                    Some((subtract, second)) => sum(subtract, nonzero(first), nonzero(second), ty),
                };
                sum(false, keep.then_some(old), addend, ty)
            }
            Self::MultiplyAdd { keep, factor, addend } => {
                let product = Expression::binary(BinaryOperator::Multiply, old, factor.expression(ty, operand));
                sum(false, keep.then_some(product), Some(operand(addend)), ty)
            }
        };
        result.unwrap_or(Expression::number(ty, 0))
    }
}

impl Configuration {
    /// Returns the new value of state `number` as an expression over the old values of the states and the operands.
    ///
    /// Relational units that make no difference to this state are left out. `ty` is the type of the states.
    pub(crate) fn expression(
        &self,
        ty: Type,
        number: u8,
        state: &dyn Fn(u8) -> Expression,
        operand: &dyn Fn(u8) -> Expression,
    ) -> Expression {
        match self {
            Self::Update(updates) => updates[usize::from(number)].expression(ty, state(number), operand),
            Self::If(test, then, otherwise) => {
                let (then, otherwise) =
                    (then.expression(ty, number, state, operand), otherwise.expression(ty, number, state, operand));
                if then == otherwise {
                    return then;
                }
                Expression::select(test.expression(ty, state, operand), then, otherwise)
            }
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operand(number) => write!(f, "pkt_{}", number + 1),
            Self::Constant(value) => write!(f, "{value}"),
        }
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.state {
            Some(number) => write!(f, "state_{}", number + 1)?,
            None => f.write_str("0")?,
        }
        if let Some(plus) = self.plus {
            write!(f, " + {}", Source::Operand(plus))?;
        }
        if let Some(minus) = self.minus {
            write!(f, " - {}", Source::Operand(minus))?;
        }
        write!(f, " {} {}", self.relation.operator().symbol(), self.with)?;
        if self.exact { f.write_str(" exactly") } else { Ok(()) }
    }
}

impl Configuration {
    fn print(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        let indent = 2 * depth;
        match self {
            Self::Update(updates) => {
                for (number, update) in updates.iter().enumerate() {
                    let name = format!("state_{}", number + 1);
                    write!(f, "{:indent$}{name} = ", "")?;
                    match update {
                        Update::Keep => writeln!(f, "{name}")?,
                        Update::Add { keep, first, second } => {
                            write!(f, "{} + ", if *keep { &name } else { "0" })?;
                            match second {
                                None => writeln!(f, "{first}")?,
                                Some((subtract, second)) => {
                                    writeln!(f, "({first} {} {second})", if *subtract { "-" } else { "+" })?;
                                }
                            }
                        }
                        Update::MultiplyAdd { keep, factor, addend } => {
                            let addend = Source::Operand(*addend);
                            writeln!(f, "{} * {factor} + {addend}", if *keep { &name } else { "0" })?;
                        }
                    }
                }
                Ok(())
            }
            Self::If(test, then, otherwise) => {
                writeln!(f, "{:indent$}if {test} {{", "")?;
                then.print(f, depth + 1)?;
                writeln!(f, "{:indent$}}} else {{", "")?;
                otherwise.print(f, depth + 1)?;
                writeln!(f, "{:indent$}}}", "")
            }
        }
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(f, 0)
    }
}
