//! Splits variables and registers of more than 64 bits into pieces.
//!
//! The containers of a pipeline have fixed widths, and an IPv6 address takes several. A variable becomes pieces of at
//! most 64 bits, the lowest first, and operations on it are applied to each of them.

use ir::{Expression, Initial, Program, Register, RegisterId, Statement, Type, Variable, VariableId, VariableKind};

use super::RegisterPart;
use super::findings::Findings;

/// The type of a whole piece.
pub(super) const PIECE: Type = Type::Bits(64);

/// Returns true for a type that is split.
pub(super) const fn is_wide(ty: Type) -> bool {
    ty.width() > 64
}

/// Returns the lowest bit and the width of each piece of a type, the lowest piece first.
pub(super) fn pieces_of(ty: Type) -> Vec<(u32, u32)> {
    (0..ty.width()).step_by(64).map(|low| (low, (ty.width() - low).min(64))).collect()
}

/// The variables and registers of a program, split into pieces.
pub(super) struct Pieces<'p> {
    /// The program that is split.
    pub(super) source: &'p Program,
    pub(super) findings: Findings,
    /// All pieces of variables, in the order of the variables.
    pub(super) variables: Vec<Variable>,
    /// For each piece, the original variable and the lowest bit; `None` for words that are created here.
    pub(super) origins: Vec<Option<(VariableId, u32)>>,
    of_variable: Vec<Vec<VariableId>>,
    /// All pieces of registers, in the order of the registers.
    pub(super) registers: Vec<Register>,
    /// The part of an original register that each piece holds.
    pub(super) parts: Vec<RegisterPart>,
    of_register: Vec<Vec<RegisterId>>,
    /// The number of words created here.
    words: usize,
}

impl<'p> Pieces<'p> {
    pub(super) fn new(source: &'p Program) -> Self {
        let mut pieces = Self {
            source,
            findings: Findings::default(),
            variables: Vec::new(),
            origins: Vec::new(),
            of_variable: Vec::new(),
            registers: Vec::new(),
            parts: Vec::new(),
            of_register: Vec::new(),
            words: 0,
        };
        for (at, variable) in source.variables.iter().enumerate() {
            let own = cut(variable.ty).into_iter().map(|(low, ty)| {
                let name = piece_name(&variable.name, low, is_wide(variable.ty));
                pieces.variables.push(Variable { name, ty, kind: VariableKind::Local });
                pieces.origins.push(Some((VariableId::from(at), low)));
                VariableId::from(pieces.variables.len() - 1)
            });
            let own = own.collect();
            pieces.of_variable.push(own);
        }
        for (at, register) in source.registers.iter().enumerate() {
            let own = cut(register.ty).into_iter().map(|(low, ty)| {
                let name = piece_name(&register.name, low, is_wide(register.ty));
                // Initial values have at most 64 bits.
                let initial = if low == 0 { register.initial.clone() } else { Initial::Fill(0) };
                pieces.registers.push(Register { name, ty, length: register.length, initial });
                let id = RegisterId::from(pieces.registers.len() - 1);
                pieces.parts.push(RegisterPart {
                    original: RegisterId::from(at),
                    register: id,
                    low,
                    width: ty.width(),
                });
                id
            });
            let own = own.collect();
            pieces.of_register.push(own);
        }
        pieces
    }

    /// Returns the pieces of a variable, the lowest first.
    pub(super) fn of_variable(&self, variable: VariableId) -> &[VariableId] {
        &self.of_variable[variable.index()]
    }

    /// Returns the pieces of a register, the lowest first.
    pub(super) fn of_register(&self, register: RegisterId) -> &[RegisterId] {
        &self.of_register[register.index()]
    }

    /// Returns the type of a variable or a read that is a piece.
    pub(super) fn type_of(&self, expression: &Expression) -> Type {
        match expression {
            Expression::Variable(variable) => self.variables[variable.index()].ty,
            Expression::Read { register, .. } => self.registers[register.index()].ty,
            _ => unreachable!("a piece is a variable or a register"),
        }
    }

    /// Rewrites statements, without statements about headers, in terms of pieces.
    pub(super) fn block(&mut self, statements: &[Statement]) -> Vec<Statement> {
        let mut code = Vec::with_capacity(statements.len());
        for statement in statements {
            match statement {
                Statement::Assign { variable, value } => self.assign(*variable, value, &mut code),
                Statement::Write { register, index, value, predicate } => {
                    let index = index.as_ref().map(|index| self.index(index));
                    let predicate = predicate.as_ref().map(|predicate| self.narrow(predicate));
                    let registers = self.of_register(*register).to_vec();
                    let mut values = self.words(value);
                    if values.len() > 1 {
                        // The values are computed first, because they must not read what these writes write.
                        let types = registers.iter().map(|register| self.registers[register.index()].ty).collect();
                        values = self.kept(types, values, &mut code);
                    }
                    for (register, value) in registers.into_iter().zip(values) {
                        let (index, predicate) = (index.clone(), predicate.clone());
                        code.push(Statement::Write { register, index, value, predicate });
                    }
                }
                Statement::If { condition, then, otherwise } => {
                    let condition = self.narrow(condition);
                    let (then, otherwise) = (self.block(then), self.block(otherwise));
                    code.push(Statement::If { condition, then, otherwise });
                }
                other => unreachable!("written down as something else before: {other:?}"),
            }
        }
        code
    }

    fn assign(&mut self, variable: VariableId, value: &Expression, code: &mut Vec<Statement>) {
        let targets = self.of_variable(variable).to_vec();
        let mut values = self.words(value);
        let is_copy = matches!(value, Expression::Variable(_));
        if values.len() > 1 && !is_copy && value.variables().contains(&variable) {
            let types = targets.iter().map(|piece| self.variables[piece.index()].ty).collect();
            values = self.kept(types, values, code);
        }
        code.extend(targets.into_iter().zip(values).map(|(variable, value)| Statement::Assign { variable, value }));
    }

    /// Assigns words to new local variables.
    fn kept(&mut self, types: Vec<Type>, values: Vec<Expression>, code: &mut Vec<Statement>) -> Vec<Expression> {
        let keep = |(ty, value)| {
            self.words += 1;
            let name = format!("$word{}", self.words);
            self.variables.push(Variable { name, ty, kind: VariableKind::Local });
            self.origins.push(None);
            let variable = VariableId::from(self.variables.len() - 1);
            code.push(Statement::Assign { variable, value });
            Expression::Variable(variable)
        };
        types.into_iter().zip(values).map(keep).collect()
    }
}

fn cut(ty: Type) -> Vec<(u32, Type)> {
    if is_wide(ty) {
        pieces_of(ty).into_iter().map(|(low, width)| (low, Type::Bits(width as u16))).collect()
    } else {
        vec![(0, ty)]
    }
}

fn piece_name(name: &str, low: u32, is_piece: bool) -> String {
    if is_piece { format!("{name}${low}") } else { name.to_owned() }
}
