//! A program: what travels with a packet, what stays, and what a packet does.

use std::collections::BTreeSet;

use basis::typed_id;

use crate::typing;
use crate::{
    Array, Block, Constant, Counter, Digest, Entrance, Expression, FieldList, Function, Header, Meter, Parser, Profile,
    Stack, Statement, Table, Type, ValueSet,
};

typed_id!(
    /// Numbers a variable of a program.
    VariableId
);
typed_id!(
    /// Numbers a register of a program.
    RegisterId
);

/// A packet-processing program.
///
/// Invariants, checked by [`crate::verify`]: every id is in range, every expression is well typed, names are
/// unique among variables and among registers, only scalars are accessed without an index.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Program {
    /// What it is called.
    pub name: String,
    /// What travels with a packet. Fields come first, in the order in which their author declared them.
    pub variables: Vec<Variable>,
    /// What stays between packets.
    pub registers: Vec<Register>,
    /// What happens when a packet comes.
    pub packet: Vec<Statement>,
    /// Where a field's final value is, if not in the field itself: single assignment gives a field's last value
    /// a name of its own. Empty before that pass.
    pub exports: Vec<Export>,
    /// Variables that an index chooses among.
    pub arrays: Vec<Array>,
    /// Groups of variables that come from the bytes of a packet.
    pub headers: Vec<Header>,
    /// Headers that an index chooses among.
    pub stacks: Vec<Stack>,
    /// The names of errors, those of [`crate::CORE_ERRORS`] first; empty without parsers.
    pub errors: Vec<String>,
    /// What takes packets apart.
    pub parsers: Vec<Parser>,
    /// What the control plane fills for parsers.
    pub value_sets: Vec<ValueSet>,
    /// Code with a name.
    pub functions: Vec<Function>,
    /// What the control plane fills for functions.
    pub tables: Vec<Table>,
    /// Actions with data that tables share.
    pub profiles: Vec<Profile>,
    /// Counters.
    pub counters: Vec<Counter>,
    /// Meters.
    pub meters: Vec<Meter>,
    /// Messages to the control plane.
    pub digests: Vec<Digest>,
    /// What copies of packets keep.
    pub field_lists: Vec<FieldList>,
    /// Where a machine begins, by the names of its architecture; empty if `packet` is all there is.
    pub entrances: Vec<Entrance>,
    /// Variables that the machine sets or reads, by the names of its architecture.
    pub intrinsics: Vec<(String, VariableId)>,
}

/// A value that travels with a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name: letters, digits, `_`, `.` and `$`, not starting with a digit.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Who sees it.
    pub kind: VariableKind,
}

/// Who sees a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableKind {
    /// Part of the packet: has a value when the packet comes, and its last value is compared and leaves.
    Field,
    /// Made by a front end or a pass; 0 before it is assigned, and nobody sees it after.
    Local,
}

/// A field, by its variable: for those who go through all of them.
pub type Field<'p> = (VariableId, &'p Variable);

/// State that stays between packets: an array, or a scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its name.
    pub name: String,
    /// The type of each value.
    pub ty: Type,
    /// How many values; `None` for a scalar.
    pub length: Option<u32>,
    /// Its first values.
    pub initial: Initial,
}

/// The first values of a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initial {
    /// Every value is this.
    Fill(u64),
    /// These values, then zeros.
    List(Vec<u64>),
}

/// The final value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Which field.
    pub field: VariableId,
    /// A constant or a variable.
    pub value: Expression,
}

impl Program {
    /// The fields, in the order in which their author declared them.
    pub fn fields(&self) -> impl Iterator<Item = Field<'_>> {
        let all = self.variables.iter().enumerate();
        all.filter(|(_, variable)| variable.kind == VariableKind::Field).map(|(i, v)| (VariableId::from(i), v))
    }

    /// A variable by its name.
    pub fn variable_named(&self, name: &str) -> Option<VariableId> {
        self.variables.iter().position(|variable| variable.name == name).map(VariableId::from)
    }

    /// An intrinsic variable by the name that its architecture gives it.
    pub fn intrinsic(&self, name: &str) -> Option<VariableId> {
        self.intrinsics.iter().find(|(known, _)| known == name).map(|&(_, variable)| variable)
    }

    /// The block at an entrance.
    pub fn entrance(&self, name: &str) -> Option<Block> {
        self.entrances.iter().find(|entrance| entrance.name == name).map(|entrance| entrance.block)
    }

    /// A register by its name.
    pub fn register_named(&self, name: &str) -> Option<RegisterId> {
        self.registers.iter().position(|register| register.name == name).map(RegisterId::from)
    }

    /// A variable.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.index()]
    }

    /// A register.
    pub fn register(&self, id: RegisterId) -> &Register {
        &self.registers[id.index()]
    }

    /// Adds a local named after `hint`, made unique by a number if need be.
    pub fn add_local(&mut self, hint: &str, ty: Type) -> VariableId {
        let name = if self.variable_named(hint).is_some() {
            // All numbers in use from one look at the names, for passes add locals by the thousand.
            let suffixes =
                self.variables.iter().filter_map(|variable| variable.name.strip_prefix(hint)?.strip_prefix('.'));
            let numbers = suffixes.filter(|suffix| !suffix.starts_with('0')).filter_map(|suffix| suffix.parse().ok());
            let used: BTreeSet<u32> = numbers.collect();
            let first_gap = used.iter().zip(1..).find(|(number, expected)| *number != expected);
            let free = first_gap.map_or(used.len() as u32 + 1, |(_, expected)| expected);
            format!("{hint}.{free}")
        } else {
            hint.to_owned()
        };
        self.variables.push(Variable { name, ty, kind: VariableKind::Local });
        VariableId::from(self.variables.len() - 1)
    }

    /// The type of an expression of this program, which is well typed.
    pub fn type_of(&self, expression: &Expression) -> Type {
        match expression {
            Expression::Constant(Constant { ty, .. }) | Expression::Cast(ty, _) => *ty,
            Expression::Variable(id) => self.variable(*id).ty,
            Expression::Read { register, .. } => self.register(*register).ty,
            Expression::Unary(_, operand) => self.type_of(operand),
            Expression::Binary(operator, left, _) => {
                if operator.is_comparison() {
                    Type::Bool
                } else {
                    self.type_of(left)
                }
            }
            Expression::Select(_, if_true, _) => self.type_of(if_true),
            Expression::Hash(..) => Type::INT32,
            Expression::Wide(ty, _) | Expression::Undefined(ty) => *ty,
            Expression::Slice { high, low, .. } => Type::Bits(high - low + 1),
            Expression::Concatenate(high, low) => typing::concatenated(self.type_of(high), self.type_of(low)),
            Expression::Element { array, .. } => self.variable(self.arrays[array.index()].elements[0]).ty,
            Expression::Checksum(checksum) => checksum.result,
            Expression::Lookup(lookup) => lookup.result.ty(),
        }
    }

    /// The final value of a field: its export, or the field itself.
    pub fn export_of(&self, field: VariableId) -> Expression {
        let found = self.exports.iter().find(|export| export.field == field);
        found.map_or(Expression::Variable(field), |export| export.value.clone())
    }
}

impl Register {
    /// How many values it holds.
    pub fn size(&self) -> usize {
        self.length.map_or(1, |length| length as usize)
    }

    /// Its first values, one for each place.
    pub fn initial_values(&self) -> Vec<u64> {
        match &self.initial {
            Initial::Fill(value) => vec![*value; self.size()],
            Initial::List(values) => {
                let mut all = values.clone();
                all.resize(self.size(), 0);
                all
            }
        }
    }
}
