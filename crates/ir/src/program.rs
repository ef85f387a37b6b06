//! Programs: variables, state, and the code that runs for each packet.

use std::collections::BTreeSet;

use basis::typed_id;

use crate::typing;
use crate::{
    Array, Block, Constant, Counter, Digest, Entrance, Expression, FieldList, Filter, Function, Header, Meter, Parser,
    Profile, Stack, Statement, Table, Threads, Type, ValueSet, Wred,
};

typed_id!(
    /// Identifies a variable of a program.
    VariableId
);
typed_id!(
    /// Identifies a register of a program.
    RegisterId
);

/// A packet-processing program.
///
/// Invariants, checked by [`crate::verify`]: every id is in range, every expression is well typed, names are unique
/// among variables and among registers, and only scalars are accessed without an index.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Program {
    /// The name of the program.
    pub name: String,
    /// The values that travel with a packet. Fields come first, in the order in which their author declared them.
    pub variables: Vec<Variable>,
    /// The registers, which persist across packets.
    pub registers: Vec<Register>,
    /// The code that runs for each packet.
    pub packet: Vec<Statement>,
    /// The final values of fields whose value is not in the field itself: single assignment gives a field's last value
    /// a name of its own. Empty before that pass.
    pub exports: Vec<Export>,
    /// The groups of variables that are selected by an index.
    pub arrays: Vec<Array>,
    /// The groups of variables that are extracted from the bytes of a packet.
    pub headers: Vec<Header>,
    /// The header stacks.
    pub stacks: Vec<Stack>,
    /// The names of the parser errors, those of [`crate::CORE_ERRORS`] first; empty in a program without parsers.
    pub errors: Vec<String>,
    /// The parsers.
    pub parsers: Vec<Parser>,
    /// The value sets, which the control plane fills and parsers use.
    pub value_sets: Vec<ValueSet>,
    /// The functions.
    pub functions: Vec<Function>,
    /// The tables, which the control plane fills and functions apply.
    pub tables: Vec<Table>,
    /// The action profiles.
    pub profiles: Vec<Profile>,
    /// The arrays of counters.
    pub counters: Vec<Counter>,
    /// The arrays of meters.
    pub meters: Vec<Meter>,
    /// The arrays of low-pass filters.
    pub filters: Vec<Filter>,
    /// The arrays of random early detectors.
    pub wreds: Vec<Wred>,
    /// The kinds of messages to the control plane.
    pub digests: Vec<Digest>,
    /// The lists of metadata that clones and resubmitted or recirculated packets preserve.
    pub field_lists: Vec<FieldList>,
    /// The entry points, by the names that the architecture gives them; empty if `packet` is the only code.
    pub entrances: Vec<Entrance>,
    /// The variables that the machine sets or reads, by the names that the architecture gives them.
    pub intrinsics: Vec<(String, VariableId)>,
    /// The threads, if this is a program of threads.
    pub threads: Option<Threads>,
}

/// A value that travels with a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name: see [`crate::verify::is_name`].
    pub name: String,
    /// The type.
    pub ty: Type,
    /// Whether the variable is visible outside of the program.
    pub kind: VariableKind,
}

/// Whether a variable is visible outside of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableKind {
    /// Part of the packet. It has a value when the packet arrives, and its final value is compared and leaves with the
    /// packet.
    Field,
    /// Introduced by a front end or a pass. It is 0 until it is assigned, and is not visible after the packet has left.
    Local,
}

/// A field with its variable's id, as iterators over fields return it.
pub type Field<'p> = (VariableId, &'p Variable);

/// State that persists across packets: an array or a scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// The name.
    pub name: String,
    /// The type of each value.
    pub ty: Type,
    /// The number of values; `None` for a scalar.
    pub length: Option<u32>,
    /// The initial values.
    pub initial: Initial,
}

/// The initial values of a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initial {
    /// The same value at every index.
    Fill(u64),
    /// These values, followed by zeros.
    List(Vec<u64>),
}

/// The final value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// The field.
    pub field: VariableId,
    /// The value, a constant or a variable.
    pub value: Expression,
}

impl Program {
    /// Returns the fields, in the order in which their author declared them.
    pub fn fields(&self) -> impl Iterator<Item = Field<'_>> {
        let all = self.variables.iter().enumerate();
        all.filter(|(_, variable)| variable.kind == VariableKind::Field).map(|(i, v)| (VariableId::from(i), v))
    }

    /// Returns the variable of a name.
    pub fn variable_named(&self, name: &str) -> Option<VariableId> {
        self.variables.iter().position(|variable| variable.name == name).map(VariableId::from)
    }

    /// Returns the intrinsic variable of a name that the architecture defines.
    pub fn intrinsic(&self, name: &str) -> Option<VariableId> {
        self.intrinsics.iter().find(|(known, _)| known == name).map(|&(_, variable)| variable)
    }

    /// Returns the block of an entry point.
    pub fn entrance(&self, name: &str) -> Option<Block> {
        self.entrances.iter().find(|entrance| entrance.name == name).map(|entrance| entrance.block)
    }

    /// Returns the register of a name.
    pub fn register_named(&self, name: &str) -> Option<RegisterId> {
        self.registers.iter().position(|register| register.name == name).map(RegisterId::from)
    }

    /// Returns a variable.
    ///
    /// # Panics
    /// If the id is not one of this program's.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.index()]
    }

    /// Returns a register.
    ///
    /// # Panics
    /// If the id is not one of this program's.
    pub fn register(&self, id: RegisterId) -> &Register {
        &self.registers[id.index()]
    }

    /// Adds a local named after `hint`, with a number appended if the name is taken.
    pub fn add_local(&mut self, hint: &str, ty: Type) -> VariableId {
        let name = if self.variable_named(hint).is_some() {
            // The numbers in use are collected in one pass over the names, because passes add locals by the thousand.
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

    /// Returns the type of an expression of this program.
    ///
    /// # Panics
    /// It may panic on an expression that [`crate::verify::expression`] refuses.
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
            Expression::Memory(field) => Type::Bits(field.width),
        }
    }

    /// Calls `visit` for every statement of the program, outermost first: those of parsers, of functions, around the actions
    /// of tables, and of [`Program::packet`].
    pub fn walk<'p>(&'p self, visit: &mut dyn FnMut(&'p Statement)) {
        let states = self.parsers.iter().flat_map(|parser| &parser.states).flat_map(|state| &state.body);
        let functions = self.functions.iter().flat_map(|function| &function.body);
        let actions = self.tables.iter().flat_map(|table| &table.actions);
        let around = actions.flat_map(|action| action.before.iter().chain(&action.after));
        states.chain(functions).chain(around).chain(&self.packet).for_each(|statement| statement.walk(visit));
    }

    /// Returns the final value of a field: its export, or the field itself.
    pub fn export_of(&self, field: VariableId) -> Expression {
        let found = self.exports.iter().find(|export| export.field == field);
        found.map_or(Expression::Variable(field), |export| export.value.clone())
    }
}

impl Register {
    /// Returns the number of values: 1 for a scalar.
    pub fn size(&self) -> usize {
        self.length.map_or(1, |length| length as usize)
    }

    /// Returns the initial value at each index.
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
