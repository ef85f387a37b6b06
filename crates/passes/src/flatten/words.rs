//! Rewrites values of any width in terms of words of at most 64 bits, as the containers and ALUs of a pipeline have
//! them.
//!
//! [`Pieces::narrow`] rewrites an expression of at most 64 bits, and [`Pieces::bits`] extracts some bits of any
//! expression. In the process, slices and concatenations become shifts, masks and casts.

use ir::{BinaryOperator, Expression, Lookup, LookupResult, Type, UnaryOperator};
use runtime::Bits;

use super::pieces::{PIECE, Pieces, is_wide, pieces_of};

/// Returns a number as a constant of a type, into which it must fit.
pub(super) fn number(ty: Type, value: u64) -> Expression {
    match ty.width() {
        width if width > 64 => Expression::Wide(ty, Bits::from_u64(value, width)),
        _ => Expression::Constant(ir::Constant { ty, value }),
    }
}

impl Pieces<'_> {
    /// Rewrites an expression of at most 64 bits in terms of words.
    pub(super) fn narrow(&mut self, expression: &Expression) -> Expression {
        match expression {
            Expression::Constant(_) => expression.clone(),
            Expression::Variable(variable) => Expression::Variable(self.of_variable(*variable)[0]),
            Expression::Undefined(ty) => number(*ty, 0),
            Expression::Read { register, index, predicate } => Expression::Read {
                register: self.of_register(*register)[0],
                index: index.as_ref().map(|index| Box::new(self.index(index))),
                predicate: predicate.as_ref().map(|predicate| Box::new(self.narrow(predicate))),
            },
            Expression::Binary(operator, left, right) if operator.is_comparison() && self.is_wide(left) => {
                self.compared(*operator, left, right)
            }
            Expression::Binary(operator, left, right) if operator.is_shift() && self.is_wide(right) => {
                match constant(right) {
                    Some(count) => {
                        let count = number(Type::Bits(64), count);
                        Expression::binary(*operator, self.narrow(left), count)
                    }
                    None => self.refused(expression),
                }
            }
            Expression::Cast(ty, value) if self.is_wide(value) => self.cut(*ty, value),
            Expression::Slice { value, high, low } => self.bits(value, u32::from(*low), u32::from(high - low) + 1),
            Expression::Concatenate(high, low) => {
                let ty = self.source.type_of(expression);
                let width = self.source.type_of(low).width();
                let low_bits = self.bits(low, 0, width);
                let high = self.narrow(high);
                let high = self.cast(ty, high);
                let high = Expression::binary(BinaryOperator::ShiftLeft, high, number(Type::Bits(8), width.into()));
                let low_bits = self.cast(ty, low_bits);
                Expression::binary(BinaryOperator::Or, high, low_bits)
            }
            Expression::Hash(function, arguments) => {
                let word = |pieces: &mut Self, argument| match pieces.is_wide(argument) {
                    true => pieces.bits(argument, 0, 64),
                    false => pieces.narrow(argument),
                };
                Expression::Hash(*function, arguments.iter().map(|argument| word(self, argument)).collect())
            }
            Expression::Checksum(checksum) => self.checksum(checksum, checksum.result),
            Expression::Lookup(lookup) => self.lookup(lookup, lookup.result),
            Expression::Unary(..) | Expression::Binary(..) | Expression::Select(..) | Expression::Cast(..) => {
                let mut narrow = expression.clone();
                for child in narrow.children_mut() {
                    *child = self.narrow(child);
                }
                narrow
            }
            Expression::Wide(..) | Expression::Element { .. } => unreachable!("wide, or resolved before"),
            Expression::Memory(_) => unreachable!("only programs of threads have local memory"),
        }
    }

    /// Rewrites an index; one of more than 64 bits is refused.
    pub(super) fn index(&mut self, index: &Expression) -> Expression {
        if self.is_wide(index) { self.refused(index) } else { self.narrow(index) }
    }

    /// Returns `width` bits, at most 64, of an expression from bit `low` on, as a `bit<width>`.
    pub(super) fn bits(&mut self, expression: &Expression, low: u32, width: u32) -> Expression {
        let ty = Type::Bits(width as u16);
        let whole = self.source.type_of(expression);
        if whole.width() <= 64 {
            let value = self.narrow(expression);
            return self.shifted(value, whole, low, ty);
        }
        match expression {
            Expression::Wide(_, value) => number(ty, value.slice(low + width - 1, low).low()),
            Expression::Undefined(_) => number(ty, 0),
            Expression::Variable(variable) => {
                let pieces = self.of_variable(*variable).to_vec();
                self.chosen(low, width, &mut |_, piece| Expression::Variable(pieces[piece]))
            }
            Expression::Read { register, index, predicate } => {
                let registers = self.of_register(*register).to_vec();
                let index = index.as_ref().map(|index| Box::new(self.index(index)));
                let predicate = predicate.as_ref().map(|predicate| Box::new(self.narrow(predicate)));
                self.chosen(low, width, &mut |_, piece| Expression::Read {
                    register: registers[piece],
                    index: index.clone(),
                    predicate: predicate.clone(),
                })
            }
            Expression::Lookup(lookup) => match lookup.result {
                LookupResult::Data { action, parameter, low: first, .. } => {
                    let low = first + low as u16;
                    self.lookup(lookup, LookupResult::Data { action, parameter, low, ty })
                }
                result => self.lookup(lookup, result),
            },
            Expression::Slice { value, low: first, .. } => self.bits(value, u32::from(*first) + low, width),
            Expression::Concatenate(high, below) => {
                let split = self.source.type_of(below).width();
                self.two(low, width, split, &mut |pieces, is_high, low, width| {
                    pieces.bits(if is_high { high } else { below }, low, width)
                })
            }
            Expression::Unary(UnaryOperator::Complement, operand) => {
                Expression::unary(UnaryOperator::Complement, self.bits(operand, low, width))
            }
            Expression::Binary(operator @ (BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor), a, b) => {
                Expression::binary(*operator, self.bits(a, low, width), self.bits(b, low, width))
            }
            Expression::Binary(BinaryOperator::ShiftLeft, value, count) => match constant(count) {
                Some(count) => {
                    self.two(low, width, clipped(count), &mut |pieces, is_value, low, width| match is_value {
                        true => pieces.bits(value, low, width),
                        false => number(Type::Bits(width as u16), 0),
                    })
                }
                None => self.refused_bits(expression, ty),
            },
            Expression::Binary(BinaryOperator::ShiftRight, value, count) => match constant(count) {
                Some(count) => self.extended(value, low.saturating_add(clipped(count)), width),
                None => self.refused_bits(expression, ty),
            },
            Expression::Select(condition, if_true, if_false) => {
                let condition = self.narrow(condition);
                Expression::select(condition, self.bits(if_true, low, width), self.bits(if_false, low, width))
            }
            Expression::Cast(_, value) => self.extended(value, low, width),
            // No algorithm has a result of more than 64 bits (`runtime::checksum`).
            Expression::Checksum(checksum) => self.two(low, width, 64, &mut |pieces, is_above, low, width| {
                let ty = Type::Bits(width as u16);
                match is_above {
                    true => number(ty, 0),
                    false => {
                        let sum = pieces.checksum(checksum, PIECE);
                        pieces.shifted(sum, PIECE, low, ty)
                    }
                }
            }),
            _ => self.refused_bits(expression, ty),
        }
    }

    /// Returns bits of a value that is sign-extended or zero-extended without limit.
    fn extended(&mut self, value: &Expression, low: u32, width: u32) -> Expression {
        let of = self.source.type_of(value);
        self.two(low, width, of.width(), &mut |pieces, is_above, low, width| {
            let ty = Type::Bits(width as u16);
            match (is_above, of) {
                (false, Type::Bool) => {
                    let value = pieces.narrow(value);
                    pieces.cast(ty, value)
                }
                (false, _) => pieces.bits(value, low, width),
                (true, Type::Int(_)) => {
                    let sign = pieces.bits(value, of.width() - 1, 1);
                    let is_negative = pieces.cast(Type::Bool, sign);
                    let ones = Expression::unary(UnaryOperator::Complement, number(ty, 0));
                    Expression::select(is_negative, ones, number(ty, 0))
                }
                (true, _) => number(ty, 0),
            }
        })
    }

    /// Shifts a value of at most 64 bits right by `low` bits and casts it to a type.
    fn shifted(&mut self, value: Expression, of: Type, low: u32, ty: Type) -> Expression {
        let value = match low {
            0 => value,
            _ => Expression::binary(BinaryOperator::ShiftRight, value, number(Type::Bits(8), low.into())),
        };
        if of == ty { value } else { Expression::Cast(ty, Box::new(value)) }
    }

    /// Casts a value of at most 64 bits to a type, if it is not of that type already.
    fn cast(&self, ty: Type, value: Expression) -> Expression {
        match &value {
            Expression::Constant(constant) => number(ty, ir::cast(constant.ty, ty, constant.value)),
            Expression::Cast(own, _) if *own == ty => value,
            Expression::Variable(id) if self.variables[id.index()].ty == ty => value,
            _ => Expression::Cast(ty, Box::new(value)),
        }
    }

    /// Returns bits of a value that consists of two parts, with `split` bits in the lower one, concatenating bits of
    /// both if necessary. `part` returns bits of one part; it is given whether that is the upper one, the lowest bit
    /// counted within the part, and the width.
    fn two(
        &mut self,
        low: u32,
        width: u32,
        split: u32,
        part: &mut dyn FnMut(&mut Self, bool, u32, u32) -> Expression,
    ) -> Expression {
        if low >= split {
            return part(self, true, low - split, width);
        }
        if low + width <= split {
            return part(self, false, low, width);
        }
        let below = split - low;
        let ty = Type::Bits(width as u16);
        let high = part(self, true, 0, width - below);
        let high = self.cast(ty, high);
        let low = part(self, false, low, below);
        let low = self.cast(ty, low);
        let is_zero = |value: &Expression| constant(value) == Some(0);
        match (is_zero(&high), is_zero(&low)) {
            (true, _) => low,
            (_, is_shifted) => {
                let count = number(Type::Bits(8), below.into());
                let high = Expression::binary(BinaryOperator::ShiftLeft, high, count);
                if is_shifted { high } else { Expression::binary(BinaryOperator::Or, high, low) }
            }
        }
    }

    /// Returns bits of a value that consists of pieces.
    fn chosen(&mut self, low: u32, width: u32, piece: &mut dyn FnMut(&mut Self, usize) -> Expression) -> Expression {
        let first = low / 64;
        self.two(low, width, (first + 1) * 64, &mut |pieces, is_next, low, width| {
            let value = piece(pieces, (first + u32::from(is_next)) as usize);
            let ty = Type::Bits(width as u16);
            // `two` counts bits of the upper part from its beginning, but those of the lower part from bit 0 of the
            // value.
            let low = if is_next { low } else { low % 64 };
            let of = pieces.type_of(&value);
            pieces.shifted(value, of, low, ty)
        })
    }

    /// Casts a value of more than 64 bits to a type of at most 64.
    fn cut(&mut self, ty: Type, value: &Expression) -> Expression {
        if ty != Type::Bool {
            let bits = self.bits(value, 0, ty.width());
            return self.cast(ty, bits);
        }
        // Every value other than 0 is true.
        let pieces = pieces_of(self.source.type_of(value)).into_iter().map(|(low, width)| {
            let piece = self.bits(value, low, width);
            Expression::binary(BinaryOperator::NotEqual, piece, number(Type::Bits(width as u16), 0))
        });
        let pieces: Vec<Expression> = pieces.collect();
        let any = pieces.into_iter().reduce(|one, other| Expression::binary(BinaryOperator::Or, one, other));
        any.unwrap_or(Expression::bool(false))
    }

    /// Compares values of more than 64 bits, from the lowest pieces to the highest, which take precedence.
    fn compared(&mut self, operator: BinaryOperator, left: &Expression, right: &Expression) -> Expression {
        use BinaryOperator::{And, Equal, Greater, GreaterEqual, Less, NotEqual, Or};
        let ty = self.source.type_of(left);
        if ty.is_signed() && !matches!(operator, Equal | NotEqual) {
            return self.refused(&Expression::binary(operator, left.clone(), right.clone()));
        }
        let (left, right) =
            if operator == Greater || operator == BinaryOperator::LessEqual { (right, left) } else { (left, right) };
        let mut all: Option<Expression> = None;
        for (low, width) in pieces_of(ty) {
            let (a, b) = (self.bits(left, low, width), self.bits(right, low, width));
            let compare = |operator| Expression::binary(operator, a.clone(), b.clone());
            all = Some(match (operator, all) {
                (Equal | NotEqual, None) => compare(operator),
                (Equal, Some(below)) => Expression::binary(And, below, compare(Equal)),
                (NotEqual, Some(below)) => Expression::binary(Or, below, compare(NotEqual)),
                (_, None) => compare(Less),
                (_, Some(below)) => {
                    let same = Expression::binary(And, compare(Equal), below);
                    Expression::binary(Or, compare(Less), same)
                }
            });
        }
        let all = all.unwrap_or(Expression::bool(false));
        match operator {
            GreaterEqual | BinaryOperator::LessEqual => Expression::unary(UnaryOperator::Not, all),
            _ => all,
        }
    }

    fn lookup(&mut self, lookup: &Lookup, result: LookupResult) -> Expression {
        let keys = lookup.keys.iter().flat_map(|key| self.words(key)).collect();
        Expression::Lookup(Box::new(Lookup { table: lookup.table, keys, result }))
    }

    /// Returns a value as words, the lowest first. A value of at most 64 bits is a single word.
    pub(super) fn words(&mut self, value: &Expression) -> Vec<Expression> {
        let ty = self.source.type_of(value);
        if is_wide(ty) {
            pieces_of(ty).into_iter().map(|(low, width)| self.bits(value, low, width)).collect()
        } else {
            vec![self.narrow(value)]
        }
    }

    fn is_wide(&self, expression: &Expression) -> bool {
        is_wide(self.source.type_of(expression))
    }

    fn refused(&mut self, expression: &Expression) -> Expression {
        let ty = self.source.type_of(expression);
        self.refused_bits(expression, if is_wide(ty) { PIECE } else { ty })
    }

    fn refused_bits(&mut self, expression: &Expression, ty: Type) -> Expression {
        let quoted = ir::print::expression(self.source, expression).to_string();
        let wide = self.source.type_of(expression);
        let wide = match expression {
            Expression::Binary(_, left, _) => self.source.type_of(left),
            _ => wide,
        };
        let message = format!("the program computes with {} bits, but the words of a pipeline have 64", wide.width());
        self.findings.push(crate::report::Finding::new(message).note(format!("`{quoted}`")));
        number(ty, 0)
    }
}

/// Returns the value of a constant, if it fits into 64 bits.
fn constant(expression: &Expression) -> Option<u64> {
    match expression {
        Expression::Constant(constant) => Some(constant.value),
        Expression::Wide(_, value) => value.to_u64(),
        _ => None,
    }
}

/// Limits a shift count to the maximum width, beyond which all counts are equivalent.
fn clipped(count: u64) -> u32 {
    count.min(u64::from(Bits::MAXIMUM_WIDTH)) as u32
}
