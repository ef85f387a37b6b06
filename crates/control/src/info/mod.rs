//! The information about a program that is available to the control plane: its tables, actions and state by name. The
//! front end creates it.
//!
//! The positions of tables, profiles, counters, meters, digests and value sets are their numbers in the IR and in
//! [`runtime::ProgramState`]; a register lists the arrays of the state that hold it.

mod aliases;
mod annotation;
mod data_type;
mod identifiers;
mod lookup;
mod names;
mod package;
mod state;
mod table;
mod threads;

pub use annotation::{Annotation, AnnotationValue};
pub use data_type::{ControllerType, DataType, Leaf, Member, NewType, Representation};
pub use identifiers::{IdentifierError, Prefix, name_hash};
pub use lookup::Entity;
pub use names::{EntityKind, plain_field_name};
pub use package::{ControllerHeader, Documentation, Package, PlatformProperties, ReplicationWidths};
pub use state::{
    Counter, CounterUnit, Digest, Filter, Meter, Profile, Register, Selector, SelectorSize, Size, ValueSet, Wred,
};
pub use table::{Action, ActionReference, DefaultAction, MatchField, Parameter, Scope, Table};
pub use threads::{Event, RecordTable, Segment};

use arch::Architecture;
use basis::typed_id;

typed_id!(
    /// The number of a table in [`Info`].
    TableNumber
);
typed_id!(
    /// The number of an action in [`Info`].
    ActionNumber
);
typed_id!(
    /// The number of an action profile in [`Info`].
    ProfileNumber
);
typed_id!(
    /// The number of counters in [`Info`].
    CounterNumber
);
typed_id!(
    /// The number of meters in [`Info`].
    MeterNumber
);
typed_id!(
    /// The number of low-pass filters in [`Info`].
    FilterNumber
);
typed_id!(
    /// The number of random early detectors in [`Info`].
    WredNumber
);
typed_id!(
    /// The number of a register in [`Info`].
    RegisterNumber
);
typed_id!(
    /// The number of a kind of digest in [`Info`].
    DigestNumber
);
typed_id!(
    /// The number of a value set in [`Info`].
    ValueSetNumber
);
typed_id!(
    /// The number of a segment of shared memory in [`Info`].
    SegmentNumber
);
typed_id!(
    /// The number of a table of records in [`Info`].
    RecordTableNumber
);
typed_id!(
    /// The number of an event in [`Info`].
    EventNumber
);
typed_id!(
    /// The number of a header of packets between controller and switch in [`Info`].
    ControllerHeaderNumber
);

/// The identity of an entity (P4Runtime specification 1.4, section 6.1.2: the preamble).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Identity {
    /// The P4Info id, whose first byte is the kind of the entity; 0 before [`Info::identify`].
    pub id: u32,
    /// The full name, such as `ingress.ipv4_lpm`.
    pub name: String,
    /// A unique shorter name; empty before [`Info::identify`].
    pub alias: String,
    /// The annotations that are visible to the control plane, as written in the program, such as `@defaultonly`.
    pub annotations: Vec<Annotation>,
    /// The documentation of the entity.
    pub documentation: Documentation,
    /// Whether the program hides the entity from the control plane (P4_16 specification 1.2.5, section 18.3.2). A
    /// hidden entity has a number here as all others do, but neither id nor alias, and it cannot be looked up by name.
    pub is_hidden: bool,
}

impl Identity {
    /// Creates an identity with a name, but without id and alias.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Sets the id from an `@id` annotation. The first byte may be 0.
    pub fn with_id(self, id: u32) -> Self {
        Self { id, ..self }
    }

    /// Sets the annotations that are visible to the control plane.
    pub fn with_annotations(self, annotations: Vec<Annotation>) -> Self {
        Self { annotations, ..self }
    }

    /// Sets the documentation.
    pub fn with_documentation(self, documentation: Documentation) -> Self {
        Self { documentation, ..self }
    }

    /// Hides the entity from the control plane.
    pub fn hidden(self) -> Self {
        Self { is_hidden: true, ..self }
    }
}

/// The information about a program that is available to the control plane.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Info {
    /// The architecture of the program; `None` if it is not specified.
    pub architecture: Option<&'static Architecture>,
    /// The description of the program.
    pub package: Package,
    /// The tables, by their numbers in the IR.
    pub tables: Vec<Table>,
    /// The actions that tables may run.
    pub actions: Vec<Action>,
    /// The action profiles, by their numbers in the IR.
    pub profiles: Vec<Profile>,
    /// The counters, including direct ones, by their numbers in the IR.
    pub counters: Vec<Counter>,
    /// The meters, including direct ones, by their numbers in the IR.
    pub meters: Vec<Meter>,
    /// The low-pass filters, by their numbers in the IR. In P4Info they are instances of an extern.
    pub filters: Vec<Filter>,
    /// The random early detectors, by their numbers in the IR. In P4Info they are instances of an extern.
    pub wreds: Vec<Wred>,
    /// The registers.
    pub registers: Vec<Register>,
    /// The kinds of digest, by their numbers in the IR.
    pub digests: Vec<Digest>,
    /// The value sets of parsers, by their numbers in the IR.
    pub value_sets: Vec<ValueSet>,
    /// The segments of the memory that threads share, by their numbers in the IR. P4Info does not have them.
    pub segments: Vec<Segment>,
    /// The tables of records of threads, by their numbers in the IR. P4Info does not have them.
    pub records: Vec<RecordTable>,
    /// The events that begin threads, by their numbers in the IR. P4Info does not have them.
    pub events: Vec<Event>,
    /// The headers of packets between controller and switch.
    pub controller_headers: Vec<ControllerHeader>,
    /// The new types that occur above, in the order of their first use.
    pub new_types: Vec<NewType>,
    /// The enumerations that occur in match fields and parameters.
    pub enumerations: Vec<DataType>,
    /// The errors of the program, in their order.
    pub errors: Vec<String>,
    /// The widths of the numbers used for packet replication.
    pub replication: ReplicationWidths,
}

impl Info {
    /// Returns a table.
    ///
    /// # Panics
    /// Panics if the program has no such table. The other accessors behave in the same way.
    pub fn table(&self, number: TableNumber) -> &Table {
        &self.tables[number.index()]
    }

    /// Returns an action.
    pub fn action(&self, number: ActionNumber) -> &Action {
        &self.actions[number.index()]
    }

    /// Returns an action profile.
    pub fn profile(&self, number: ProfileNumber) -> &Profile {
        &self.profiles[number.index()]
    }

    /// Returns counters.
    pub fn counter(&self, number: CounterNumber) -> &Counter {
        &self.counters[number.index()]
    }

    /// Returns meters.
    pub fn meter(&self, number: MeterNumber) -> &Meter {
        &self.meters[number.index()]
    }

    /// Returns low-pass filters.
    pub fn filter(&self, number: FilterNumber) -> &Filter {
        &self.filters[number.index()]
    }

    /// Returns random early detectors.
    pub fn wred(&self, number: WredNumber) -> &Wred {
        &self.wreds[number.index()]
    }

    /// Returns a register.
    pub fn register(&self, number: RegisterNumber) -> &Register {
        &self.registers[number.index()]
    }

    /// Returns a kind of digest.
    pub fn digest(&self, number: DigestNumber) -> &Digest {
        &self.digests[number.index()]
    }

    /// Returns a value set.
    pub fn value_set(&self, number: ValueSetNumber) -> &ValueSet {
        &self.value_sets[number.index()]
    }

    /// Returns a segment of shared memory.
    pub fn segment(&self, number: SegmentNumber) -> &Segment {
        &self.segments[number.index()]
    }

    /// Returns a table of records.
    pub fn record_table(&self, number: RecordTableNumber) -> &RecordTable {
        &self.records[number.index()]
    }

    /// Returns an event.
    pub fn event(&self, number: EventNumber) -> &Event {
        &self.events[number.index()]
    }

    /// Returns a header of packets between controller and switch.
    pub fn controller_header(&self, number: ControllerHeaderNumber) -> &ControllerHeader {
        &self.controller_headers[number.index()]
    }

    /// Returns a new type by name.
    pub fn new_type(&self, name: &str) -> Option<&NewType> {
        self.new_types.iter().find(|own| own.name == name)
    }

    /// Returns the actions of a table, in the order in which its entries number them.
    pub fn actions_of(&self, table: TableNumber) -> impl Iterator<Item = (ActionNumber, &Action)> {
        self.table(table).actions.iter().map(|reference| (reference.action, self.action(reference.action)))
    }

    /// Returns the tables that take their actions from a profile.
    pub fn tables_of(&self, profile: ProfileNumber) -> impl Iterator<Item = TableNumber> {
        let all = self.tables.iter().enumerate();
        all.filter(move |(_, table)| table.profile == Some(profile)).map(|(at, _)| TableNumber::from(at))
    }
}
