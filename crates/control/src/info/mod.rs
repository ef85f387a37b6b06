//! What the control plane may know of a program: its tables, actions and state by name, made by the front end.
//!
//! The positions of tables, profiles, counters, meters, digests and value sets are their numbers in the IR and in
//! [`runtime::State`]; a register says which arrays of the state hold it.

mod aliases;
mod annotation;
mod data_type;
mod identifiers;
mod lookup;
mod names;
mod package;
mod state;
mod table;

pub use annotation::{Annotation, AnnotationValue};
pub use data_type::{ControllerType, DataType, Leaf, Member, NewType, Representation};
pub use identifiers::{IdentifierError, Prefix, name_hash};
pub use lookup::Entity;
pub use names::{Kind, plain_field_name};
pub use package::{ControllerHeader, Documentation, Package, PlatformProperties, ReplicationWidths};
pub use state::{Counter, CounterUnit, Digest, Meter, Profile, Register, Selector, SelectorSize, Size, ValueSet};
pub use table::{Action, ActionReference, DefaultAction, MatchField, Parameter, Scope, Table};

use arch::Architecture;
use basis::typed_id;

typed_id!(
    /// Numbers a table of [`Info`].
    TableNumber
);
typed_id!(
    /// Numbers an action of [`Info`].
    ActionNumber
);
typed_id!(
    /// Numbers an action profile of [`Info`].
    ProfileNumber
);
typed_id!(
    /// Numbers counters of [`Info`].
    CounterNumber
);
typed_id!(
    /// Numbers meters of [`Info`].
    MeterNumber
);
typed_id!(
    /// Numbers a register of [`Info`].
    RegisterNumber
);
typed_id!(
    /// Numbers a kind of digest of [`Info`].
    DigestNumber
);
typed_id!(
    /// Numbers a value set of [`Info`].
    ValueSetNumber
);
typed_id!(
    /// Numbers a header between controller and switch of [`Info`].
    ControllerHeaderNumber
);

/// What something is called (P4Runtime specification 1.4, section 6.1.2: the preamble).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Identity {
    /// Its P4Info id, of which the first byte says the kind; 0 before [`Info::identify`].
    pub id: u32,
    /// Its whole name, such as `ingress.ipv4_lpm`.
    pub name: String,
    /// A shorter name that is nobody else's; empty before [`Info::identify`].
    pub alias: String,
    /// The annotations that the control plane may see, as they stand in the program, such as `@defaultonly`.
    pub annotations: Vec<Annotation>,
    /// What it is for.
    pub documentation: Documentation,
    /// Whether the program hides it from the control plane (P4_16 specification 1.2.5, section 18.3.2): it has a number
    /// here as all others do, but neither id nor alias, and its name is not found.
    pub is_hidden: bool,
}

impl Identity {
    /// A name, with neither id nor alias yet.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// With the id of an `@id` annotation. The byte of the kind may be missing.
    pub fn with_id(self, id: u32) -> Self {
        Self { id, ..self }
    }

    /// With the annotations that the control plane may see.
    pub fn with_annotations(self, annotations: Vec<Annotation>) -> Self {
        Self { annotations, ..self }
    }

    /// With what it is for.
    pub fn with_documentation(self, documentation: Documentation) -> Self {
        Self { documentation, ..self }
    }

    /// Hidden from the control plane.
    pub fn hidden(self) -> Self {
        Self { is_hidden: true, ..self }
    }
}

/// What the control plane may know of a program.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Info {
    /// What the program is written for; `None` if nobody says.
    pub architecture: Option<&'static Architecture>,
    /// What the program says of itself.
    pub package: Package,
    /// The tables, by their numbers in the IR.
    pub tables: Vec<Table>,
    /// The actions that tables may run.
    pub actions: Vec<Action>,
    /// The action profiles, by their numbers in the IR.
    pub profiles: Vec<Profile>,
    /// The counters, those of entries among them, by their numbers in the IR.
    pub counters: Vec<Counter>,
    /// The meters, those of entries among them, by their numbers in the IR.
    pub meters: Vec<Meter>,
    /// The registers.
    pub registers: Vec<Register>,
    /// The kinds of digest, by their numbers in the IR.
    pub digests: Vec<Digest>,
    /// The value sets of parsers, by their numbers in the IR.
    pub value_sets: Vec<ValueSet>,
    /// The headers of packets between controller and switch.
    pub controller_headers: Vec<ControllerHeader>,
    /// The types of their own that something above has, in the order of their first use.
    pub new_types: Vec<NewType>,
    /// The enumerations that match fields and parameters have.
    pub enumerations: Vec<DataType>,
    /// The errors of the program, in their order.
    pub errors: Vec<String>,
    /// How wide the numbers of copies are.
    pub replication: ReplicationWidths,
}

impl Info {
    /// A table.
    pub fn table(&self, number: TableNumber) -> &Table {
        &self.tables[number.index()]
    }

    /// An action.
    pub fn action(&self, number: ActionNumber) -> &Action {
        &self.actions[number.index()]
    }

    /// An action profile.
    pub fn profile(&self, number: ProfileNumber) -> &Profile {
        &self.profiles[number.index()]
    }

    /// Counters.
    pub fn counter(&self, number: CounterNumber) -> &Counter {
        &self.counters[number.index()]
    }

    /// Meters.
    pub fn meter(&self, number: MeterNumber) -> &Meter {
        &self.meters[number.index()]
    }

    /// A register.
    pub fn register(&self, number: RegisterNumber) -> &Register {
        &self.registers[number.index()]
    }

    /// A kind of digest.
    pub fn digest(&self, number: DigestNumber) -> &Digest {
        &self.digests[number.index()]
    }

    /// A value set.
    pub fn value_set(&self, number: ValueSetNumber) -> &ValueSet {
        &self.value_sets[number.index()]
    }

    /// A header between controller and switch.
    pub fn controller_header(&self, number: ControllerHeaderNumber) -> &ControllerHeader {
        &self.controller_headers[number.index()]
    }

    /// A type of its own, by name.
    pub fn new_type(&self, name: &str) -> Option<&NewType> {
        self.new_types.iter().find(|own| own.name == name)
    }

    /// The actions of a table, in the order in which its entries number them.
    pub fn actions_of(&self, table: TableNumber) -> impl Iterator<Item = (ActionNumber, &Action)> {
        self.table(table).actions.iter().map(|reference| (reference.action, self.action(reference.action)))
    }

    /// The tables that take their actions from a profile.
    pub fn tables_of(&self, profile: ProfileNumber) -> impl Iterator<Item = TableNumber> {
        let all = self.tables.iter().enumerate();
        all.filter(move |(_, table)| table.profile == Some(profile)).map(|(at, _)| TableNumber::from(at))
    }
}
