//! Random statements of every kind, each where it is allowed.

use ir::parser::{Case, Next, ParserState, Set, StateId, Transition};
use ir::{
    Checksum, ChecksumPart, CloneKind, CounterId, DigestId, Effect, Expression, FilterId, Flow, FunctionId, HeaderId,
    HeaderReference, MeterId, PacketStatement, ParserId, Program, SharedStatement, StackId, Statement, TableId, Type,
    ValueSetId, VariableId, WredId,
};

use crate::generate::{self, Choices, TYPES, constant};
use crate::generate_parts::{WIDE, algorithm, array_of, title};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeContext {
    Packet,
    Parser,
    Function,
    Table,
}

/// The place for which statements are made.
#[derive(Clone, Copy)]
pub struct Code<'p> {
    pub program: &'p Program,
    pub place: CodeContext,
    pub in_loop: bool,
    pub after: bool,
}

const INDEX: [Type; 3] = [Type::INT32, Type::Bits(8), Type::Bits(65)];

impl Code<'_> {
    pub fn block(&self, choices: &mut Choices, depth: u32) -> Vec<Statement> {
        (0..choices.below(4)).filter_map(|_| self.statement(choices, depth)).collect()
    }

    /// Makes a statement; `None` if the program has nothing that it could refer to.
    fn statement(&self, choices: &mut Choices, depth: u32) -> Option<Statement> {
        match choices.below(5) {
            0 => self.assignment(choices),
            1 if depth > 0 => Some(Statement::If {
                condition: self.expression(choices, Type::Bool, 2),
                then: self.block(choices, depth - 1),
                otherwise: self.block(choices, depth - 1),
            }),
            1 | 2 => self.flow(choices, depth).map(Statement::Flow),
            3 => self.packet(choices).map(Statement::Packet),
            _ => self.shared(choices).map(Statement::Shared),
        }
    }

    fn assignment(&self, choices: &mut Choices) -> Option<Statement> {
        if !self.program.arrays.is_empty() && choices.chance(2) {
            let array = ir::ArrayId::from(choices.below(self.program.arrays.len()));
            let ty = self.program.variable(self.program.arrays[array.index()].elements[0]).ty;
            let index = self.number(choices);
            return Some(Statement::AssignElement { array, index, value: self.expression(choices, ty, 2) });
        }
        let variable = VariableId::from(choices.below(self.program.variables.len()));
        let value = self.expression(choices, self.program.variable(variable).ty, 3);
        Some(Statement::Assign { variable, value })
    }

    fn flow(&self, choices: &mut Choices, depth: u32) -> Option<Flow> {
        let after = Self { after: true, in_loop: false, ..*self };
        Some(match choices.below(8) {
            0 if depth > 0 => Flow::Loop {
                condition: self.expression(choices, Type::Bool, 2),
                body: Self { in_loop: true, ..*self }.block(choices, depth - 1),
                step: Self { in_loop: false, ..*self }.block(choices, depth - 1),
            },
            1 if self.in_loop => Flow::Break,
            2 if self.in_loop => Flow::Continue,
            3 if self.place == CodeContext::Function && !self.after => Flow::Return,
            4 if matches!(self.place, CodeContext::Function | CodeContext::Packet) && !self.after => Flow::Exit,
            5 if depth > 0 => Flow::Call {
                function: FunctionId::from(some(choices, self.program.functions.len())?),
                after: after.block(choices, depth - 1),
            },
            6 if depth > 0 && self.place == CodeContext::Parser => Flow::Parse {
                parser: ParserId::from(some(choices, self.program.parsers.len())?),
                after: after.block(choices, depth - 1),
            },
            7 if matches!(self.place, CodeContext::Function | CodeContext::Packet) => {
                let table = some(choices, self.program.tables.len())?;
                let has_slots = self.program.tables[table].has_slots;
                let hit = if choices.chance(2) { self.variable(choices, Type::Bool) } else { None };
                let mut number = || if choices.chance(2) { self.variable(choices, Type::Bits(32)) } else { None };
                let (action, entry) = (number(), number().filter(|_| has_slots));
                Flow::Apply { table: TableId::from(table), hit, action, entry }
            }
            _ => return None,
        })
    }

    fn packet(&self, choices: &mut Choices) -> Option<PacketStatement> {
        let is_parser = self.place == CodeContext::Parser;
        Some(match choices.below(6) {
            0 => PacketStatement::SetValid { header: self.header(choices)?, valid: choices.chance(2) },
            1 if !is_parser => PacketStatement::Emit { header: self.header(choices)? },
            2 if is_parser => {
                let header = self.header(choices)?;
                let like = match &header {
                    HeaderReference::Fixed(id) => *id,
                    HeaderReference::Element(stack, _) => self.program.stacks[stack.index()].elements[0],
                };
                let fields = &self.program.headers[like.index()].fields;
                let length = match fields.iter().filter(|field| field.length.is_some()).count() {
                    0 => None,
                    1 => Some(self.number(choices)),
                    _ => return None,
                };
                PacketStatement::Extract { header, length }
            }
            3 if is_parser => PacketStatement::Lookahead {
                variables: (0..choices.below(3))
                    .map(|_| VariableId::from(choices.below(self.program.variables.len())))
                    .collect(),
            },
            4 if is_parser => PacketStatement::Advance { bits: self.number(choices) },
            5 if is_parser => PacketStatement::Verify {
                condition: self.expression(choices, Type::Bool, 2),
                error: self.expression(choices, Type::Bits(8), 1),
            },
            _ => return None,
        })
    }

    fn shared(&self, choices: &mut Choices) -> Option<SharedStatement> {
        let program = self.program;
        Some(match choices.below(13) {
            0 => {
                let counter = CounterId::from(some(choices, program.counters.len())?);
                let is_called = program.table_of_counter(counter).is_some();
                (is_called || program.counters[counter.index()].size.is_some()).then_some(())?;
                let adjust = choices.chance(2).then(|| self.expression(choices, Type::INT32, 2));
                SharedStatement::Count { counter, index: self.number(choices), adjust }
            }
            1 => {
                let meter = MeterId::from(some(choices, program.meters.len())?);
                let is_called = program.table_of_meter(meter).is_some();
                (is_called || program.meters[meter.index()].size.is_some()).then_some(())?;
                let color = self.variable(choices, Type::Bits(32))?;
                let before = choices.chance(2).then(|| self.number(choices));
                let adjust = choices.chance(2).then(|| self.expression(choices, Type::INT32, 2));
                SharedStatement::Measure { meter, index: self.number(choices), before, adjust, color }
            }
            2 => SharedStatement::Random {
                variable: self.variable(choices, Type::Bits(32))?,
                low: self.expression(choices, Type::Bits(32), 1),
                high: self.expression(choices, Type::Bits(32), 1),
            },
            3 => SharedStatement::Log {
                text: title(choices, 4),
                values: (0..choices.below(3)).map(|_| self.number(choices)).collect(),
            },
            4 => {
                SharedStatement::Assert { condition: self.expression(choices, Type::Bool, 2), text: title(choices, 2) }
            }
            5 => SharedStatement::Effect(Effect::Clone {
                kind: choices.pick(&[CloneKind::IngressToEgress, CloneKind::EgressToEgress]),
                session: self.number(choices),
                keep: self.keep(choices),
            }),
            6 => {
                let (keep, data) = (self.keep(choices), self.in_front(choices));
                SharedStatement::Effect(Effect::Resubmit { keep, data })
            }
            10 => SharedStatement::Filter {
                filter: FilterId::from(some(choices, program.filters.len())?),
                index: self.number(choices),
                value: self.number(choices),
                result: self.variable(choices, Type::Bits(32))?,
            },
            11 => SharedStatement::Wred {
                wred: WredId::from(some(choices, program.wreds.len())?),
                index: self.number(choices),
                value: self.number(choices),
                drops: self.variable(choices, Type::Bool)?,
            },
            9 => {
                let (session, data) = (self.number(choices), self.in_front(choices));
                SharedStatement::Effect(Effect::Mirror { session, data })
            }
            7 => SharedStatement::Effect(Effect::Recirculate { keep: self.keep(choices) }),
            8 => SharedStatement::Effect(Effect::Truncate { length: self.number(choices) }),
            _ => {
                let digest = some(choices, program.digests.len())?;
                let fields = program.digests[digest].fields.iter();
                let values = fields.map(|(_, ty)| self.expression(choices, *ty, 2)).collect();
                SharedStatement::Effect(Effect::Digest { digest: DigestId::from(digest), values })
            }
        })
    }

    /// Makes data that lie in front of a packet.
    fn in_front(&self, choices: &mut Choices) -> Vec<Expression> {
        let types = [&TYPES[..], &WIDE[..]].concat();
        let data = |choices: &mut Choices| {
            let ty = choices.pick(&types);
            self.expression(choices, ty, 2)
        };
        (0..choices.below(4)).map(|_| data(choices)).collect()
    }

    fn keep(&self, choices: &mut Choices) -> Option<usize> {
        if choices.chance(2) { some(choices, self.program.field_lists.len()) } else { None }
    }

    fn header(&self, choices: &mut Choices) -> Option<HeaderReference> {
        if !self.program.stacks.is_empty() && choices.chance(2) {
            let stack = StackId::from(choices.below(self.program.stacks.len()));
            return Some(HeaderReference::Element(stack, self.number(choices)));
        }
        Some(HeaderReference::Fixed(HeaderId::from(some(choices, self.program.headers.len())?)))
    }

    fn variable(&self, choices: &mut Choices, ty: Type) -> Option<VariableId> {
        let all = (0..self.program.variables.len()).map(VariableId::from);
        let fitting: Vec<VariableId> = all.filter(|&id| self.program.variable(id).ty == ty).collect();
        Some(fitting[some(choices, fitting.len())?])
    }

    fn number(&self, choices: &mut Choices) -> Expression {
        let ty = choices.pick(&INDEX);
        self.expression(choices, ty, 2)
    }

    /// Makes an expression of a type, often one that flat programs do not have.
    pub fn expression(&self, choices: &mut Choices, ty: Type, depth: u32) -> Expression {
        if depth == 0 || choices.chance(3) {
            return generate::expression(self.program, choices, ty, depth);
        }
        let kind = choices.below(7);
        let own = |choices: &mut Choices, ty| self.expression(choices, ty, depth - 1);
        match (ty, kind) {
            (_, 0) => Expression::Undefined(ty),
            (_, 1) => match array_of(self.program, choices, ty) {
                Some(array) => Expression::Element { array, index: Box::new(self.number(choices)) },
                None => constant(choices, ty),
            },
            (Type::Bits(width), 2) if width <= 500 => {
                let from = choices.pick(&[Type::Bits(600), Type::Int(512)]);
                let low = choices.pick(&[0, 3, 8]);
                Expression::Slice { value: Box::new(own(choices, from)), high: low + width - 1, low }
            }
            (Type::Bits(width) | Type::Int(width), 3) if width > 1 => {
                let low = choices.below(usize::from(width) - 1) as u16 + 1;
                let high = if ty.is_signed() { Type::Int(width - low) } else { Type::Bits(width - low) };
                let low = choices.pick(&[Type::Bits(low), Type::Int(low)]);
                Expression::Concatenate(Box::new(own(choices, high)), Box::new(own(choices, low)))
            }
            (Type::Bits(_), 4) => Expression::Checksum(Box::new(Checksum {
                algorithm: algorithm(choices),
                data: (0..choices.below(3))
                    .map(|_| {
                        let part = choices.pick(&TYPES);
                        let value = own(choices, part);
                        ChecksumPart { value, length: choices.chance(2).then(|| own(choices, Type::Bits(8))) }
                    })
                    .collect(),
                with_payload: choices.chance(2),
                result: ty,
            })),
            (_, 5) => {
                let from = choices.pick(&WIDE);
                Expression::Cast(ty, Box::new(own(choices, from)))
            }
            _ => {
                let kind = choices.below(8);
                generate::operation(ty, kind, choices, &mut |choices, ty| own(choices, ty))
            }
        }
    }

    /// Makes a state of a parser that has `count` states.
    pub fn state(&self, choices: &mut Choices, number: usize, count: usize) -> ParserState {
        let next = |choices: &mut Choices| match choices.below(3) {
            0 => Next::Accept,
            1 => Next::Reject,
            _ => Next::State(StateId::from(choices.below(count))),
        };
        let body = self.block(choices, 2);
        let transition = if choices.chance(2) {
            let types: Vec<Type> = (0..1 + choices.below(2)).map(|_| choices.pick(&[Type::Bits(8), WIDE[0]])).collect();
            let keys = types.iter().map(|&ty| self.expression(choices, ty, 1)).collect();
            let cases = (0..choices.below(4)).map(|_| Case { sets: self.sets(choices, &types), next: next(choices) });
            Transition::Select { keys, cases: cases.collect() }
        } else {
            Transition::To(next(choices))
        };
        ParserState { name: title(choices, number), body, transition }
    }

    fn sets(&self, choices: &mut Choices, types: &[Type]) -> Vec<Set> {
        let fits = |number: &usize| {
            let fields = &self.program.value_sets[*number].fields;
            fields.len() == types.len() && types.iter().all(|ty| *ty == Type::Bits(8))
        };
        if let Some(set) = (0..self.program.value_sets.len()).find(fits)
            && choices.chance(2)
        {
            return vec![Set::ValueSet(ValueSetId::from(set))];
        }
        let set = |ty: &Type| {
            let mut value = || self.expression(choices, *ty, 1);
            let (first, second) = (value(), value());
            match choices.below(4) {
                0 => Set::Any,
                1 => Set::Value(first),
                2 => Set::Mask(first, second),
                _ => Set::Range(first, second),
            }
        };
        types.iter().map(set).collect()
    }
}

fn some(choices: &mut Choices, count: usize) -> Option<usize> {
    (count > 0).then(|| choices.below(count))
}
