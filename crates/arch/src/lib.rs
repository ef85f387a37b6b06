//! P4 architectures as values.
//!
//! An [`Architecture`] says what the programs of an architecture consist of (blocks, intrinsic metadata, externs,
//! properties of tables) and what the switch does between the blocks: what it tells the program and when, when a packet
//! is dropped, how many ports there are, how long a packet is in egress. The front end, the passes and the machines read
//! that one value: a machine sets variables by it, and a pass writes the same down as assignments. No other crate names
//! the metadata of an architecture.
//!
//! A further architecture is a further value, with its header beside it and a line in [`ALL`].

mod blocks;
mod externs;
mod lengths;
mod ports;
mod told;
mod v1model;

use std::fmt;

use ir::{Program, VariableId};

pub use blocks::{Block, Parameter, Stage};
pub use externs::{Function, Header, Kept, Object, Property};
pub use lengths::{Arithmetic, EmittedHeaders, length_in_egress};
pub use ports::{Drop, Dropped, Ports};
pub use told::{Instance, Points, Told, Value};
pub use v1model::V1MODEL;

/// All architectures that programs can be written for.
pub static ALL: &[&Architecture] = &[&V1MODEL];

/// The architecture of a program that names none, such as one written in the IR.
pub static USUAL: &Architecture = &V1MODEL;

/// An architecture of P4. Fields of the intrinsic metadata stand here by the names that programs know them by.
#[derive(Clone, PartialEq, Eq)]
pub struct Architecture {
    /// The name of the architecture, as messages and P4Info give it.
    pub name: &'static str,
    /// The package whose instance is the `main` of a program.
    pub package: &'static str,
    /// The header that declares the architecture.
    pub header: Header,
    /// The blocks of a program, in the order of the parameters of the package.
    pub blocks: &'static [Block],
    /// What the switch tells the program at which point of a packet's way. Everything else is 0 when the parser begins.
    pub told: Points<&'static [Told]>,
    /// The field by which ingress says to which port a packet goes.
    pub destination: &'static str,
    /// When a packet is dropped.
    pub drop: Drop,
    /// The field by which ingress names a multicast group; 0 is none.
    pub group: Option<&'static str>,
    /// The field that tells the copies of a packet apart in egress.
    pub copy: Option<&'static str>,
    /// The field by which ingress chooses among the queues of a port, where a port has several; the greatest goes first.
    pub queue: Option<&'static str>,
    /// The field that is 1 after a checksum was wrong.
    pub checksum_error: Option<&'static str>,
    /// The numbers of instances in the order of [`Instance`].
    pub instances: [u64; Instance::COUNT],
    /// The extern functions, by name.
    pub functions: &'static [(&'static str, Function)],
    /// The extern objects, by the name of their type.
    pub objects: &'static [(&'static str, Object)],
    /// The properties of tables beside those of the language, by name.
    pub properties: &'static [(&'static str, Property)],
}

impl Architecture {
    /// What an extern function does.
    pub fn function(&self, name: &str) -> Option<Function> {
        self.functions.iter().find(|(own, _)| *own == name).map(|&(_, function)| function)
    }

    /// What an extern type is.
    pub fn object(&self, name: &str) -> Option<Object> {
        self.objects.iter().find(|(own, _)| *own == name).map(|&(_, object)| object)
    }

    /// What a property of a table says.
    pub fn property(&self, name: &str) -> Option<Property> {
        self.properties.iter().find(|(own, _)| *own == name).map(|&(_, property)| property)
    }

    /// Whether the header declares a name at the top level.
    pub fn declares(&self, name: &str) -> bool {
        name == self.package
            || self.header.declares.contains(&name)
            || self.function(name).is_some()
            || self.object(name).is_some()
    }

    /// The number by which a program knows an instance.
    pub fn instance(&self, instance: Instance) -> u64 {
        self.instances[instance as usize]
    }

    /// The variable that tells a program where a packet came in, if the program has it.
    pub fn arrival_port(&self, program: &Program) -> Option<VariableId> {
        program.intrinsic(self.field(Value::ArrivalPort)?)
    }

    /// The fields that tell of the queue in which a packet waited, in order.
    pub fn told_of_queues(&self) -> impl Iterator<Item = &'static str> {
        let is_of_queues = |told: &&Told| matches!(told.value, Value::QueueDepth | Value::QueueTime);
        let behind = self.told.before_egress.iter().filter(is_of_queues);
        self.told.before_queue.iter().chain(behind).map(|told| told.field)
    }

    /// The first field that is told a value.
    pub fn field(&self, value: Value) -> Option<&'static str> {
        self.told.all().find(|told| told.value == value).map(|told| told.field)
    }
}

impl fmt::Debug for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Architecture({})", self.name)
    }
}
