//! P4 architectures as values.
//!
//! An [`Architecture`] describes what programs for the architecture consist of (blocks, intrinsic metadata, externs,
//! properties of tables) and what the switch does between the blocks: what it tells the program and when, when a packet
//! is dropped, how many ports there are, how long a packet is in egress. The front end, the passes and the machines all
//! read this one value: a machine sets variables according to it, and a pass turns the same rules into assignments. No
//! other crate names the metadata of an architecture.
//!
//! This crate knows nothing of source languages or packets, and not how a machine carries out a value. Begin with
//! [`Architecture`] and its one instance, [`V1MODEL`]. To add an architecture, add a value with its P4 header beside
//! it, and list it in [`ALL`].
//!
//! ```
//! let v1model = arch::ALL.iter().find(|architecture| architecture.package_named("V1Switch").is_some()).expect("v1model is listed");
//! assert_eq!(v1model.name, "v1model");
//! assert_eq!(v1model.destination, "egress_spec");
//! assert_eq!(v1model.field(arch::IntrinsicValue::ArrivalPort), Some("ingress_port"));
//! assert_eq!(v1model.main_block(arch::Stage::Ingress).name, "ingress");
//! ```

mod annotations;
mod blocks;
mod externs;
mod intrinsic_metadata;
mod lengths;
mod ports;
mod selectors;
mod tna;
mod traffic;
mod v1model;

use std::cmp::Reverse;
use std::fmt;

use ir::{Program, VariableId};

pub use annotations::Standing;
pub use blocks::{Block, Group, Package, Parameter, Stage, pipe_prefix, programs_of_pipes};
pub use externs::{Function, Header, Kept, Object, Property};
pub use intrinsic_metadata::{Instance, IntrinsicValue, MetadataAssignment, Points};
pub use lengths::{Arithmetic, EmittedHeaders, length_in_egress};
pub use ports::{Drop, Dropped, Ports};
pub use selectors::{Selector, validity_of};
pub use tna::{T2NA, TNA};
pub use traffic::{FrontField, FrontValue, GeneratedFront, GhostFields, InFront, MirrorFields, TrafficFields};
pub use v1model::V1MODEL;

/// All architectures for which programs can be written.
pub static ALL: &[&Architecture] = &[&V1MODEL, &TNA, &T2NA];

/// The architecture of a program that names none, such as one written in the text form of the IR.
pub static USUAL: &Architecture = &V1MODEL;

/// Returns the architecture of a program that declares these names: of those with a package that it declares the one
/// whose header fits best, which tells apart architectures that share a package.
pub fn of_declarations(
    known: &[&'static Architecture],
    is_declared: impl Fn(&str) -> bool,
) -> Option<&'static Architecture> {
    let has_package = |own: &&Architecture| own.packages.iter().any(|package| is_declared(package.name));
    let fit = |own: &&'static Architecture| {
        let declared = own.header.declares.iter().filter(|name| is_declared(name)).count();
        (Reverse(own.header.declares.len() - declared), declared)
    };
    // The first of those that fit equally well.
    known.iter().copied().filter(has_package).rev().max_by_key(fit)
}

/// A P4 architecture. Fields of the intrinsic metadata are given by the names that programs use for them.
#[derive(Clone, PartialEq, Eq)]
pub struct Architecture {
    /// The name of the architecture in messages and in P4Info.
    pub name: &'static str,
    /// The packages that programs can be an instance of, the usual one first.
    pub packages: &'static [Package],
    /// The P4 header that declares the architecture.
    pub header: Header,
    /// The blocks of a program, or of one pipe of it, in the order of the parameters of the package that takes them.
    pub blocks: &'static [Block],
    /// The intrinsic metadata that the switch assigns at each point of a packet's way. All other intrinsic metadata is
    /// 0 when the parser begins.
    pub metadata: Points<&'static [MetadataAssignment]>,
    /// The field in which ingress names the destination port of the packet.
    pub destination: &'static str,
    /// The way in which programs drop a packet.
    pub drop: Drop,
    /// The field in which ingress names a multicast group, where 0 means none.
    pub group: Option<&'static str>,
    /// The field that distinguishes the copies of a multicast packet in egress.
    pub copy: Option<&'static str>,
    /// The field in which ingress selects one of the port's queues, where a port has several. The queue with the
    /// greatest number is served first.
    pub queue: Option<&'static str>,
    /// The field that is set to 1 when a checksum was found to be wrong.
    pub checksum_error: Option<&'static str>,
    /// Whether direct counters and meters count what calls them, with the entry that matched, and not every hit.
    pub counts_when_called: bool,
    /// Whether the first type argument of a counter is the type of its numbers, after whose width they wrap around.
    pub counters_have_widths: bool,
    /// Whether the fields of a header that becomes valid keep what was assigned to them before. P4_16 leaves their values
    /// open then (section 8.17).
    pub keeps_fields: bool,
    /// The numbers of the colours green, yellow and red.
    pub colors: [u64; 3],
    /// The numbers of the kinds of instances, in the order of [`Instance`].
    pub instances: [u64; Instance::COUNT],
    /// The annotations that compilers for the architecture know, by what they do here; `None` if it has no list.
    pub annotations: Option<&'static [(Standing, &'static [&'static str])]>,
    /// The annotation by which programs have fields share one place, if there is one.
    pub alias_annotation: Option<&'static str>,
    /// The fields by whose values deparsers select objects.
    pub selectors: &'static [Selector],
    /// The metadata in front of packets, in an architecture that passes bytes to egress.
    pub in_front: Option<InFront>,
    /// The fields by which a program instructs a traffic manager, in such an architecture.
    pub traffic: Option<TrafficFields>,
    /// The fields of intrinsic metadata that programs must not assign, each with the reason.
    pub refused_fields: &'static [(&'static str, &'static str)],
    /// The extern functions by name.
    pub functions: &'static [(&'static str, Function)],
    /// The extern objects by the name of their type.
    pub objects: &'static [(&'static str, Object)],
    /// The properties of tables other than those of the language, by name.
    pub properties: &'static [(&'static str, Property)],
}

impl Architecture {
    /// Returns what the extern function of a name does.
    pub fn function(&self, name: &str) -> Option<Function> {
        self.functions.iter().find(|(own, _)| *own == name).map(|&(_, function)| function)
    }

    /// Returns what the extern type of a name is.
    pub fn object(&self, name: &str) -> Option<Object> {
        self.objects.iter().find(|(own, _)| *own == name).map(|&(_, object)| object)
    }

    /// Returns what the table property of a name specifies.
    pub fn property(&self, name: &str) -> Option<Property> {
        self.properties.iter().find(|(own, _)| *own == name).map(|&(_, property)| property)
    }

    /// Returns true if the P4 header declares the name at the top level.
    pub fn declares(&self, name: &str) -> bool {
        self.packages.iter().any(|package| name == package.name || Some(name) == package.pipeline)
            || self.header.declares.contains(&name)
            || self.function(name).is_some()
            || self.object(name).is_some()
    }

    /// Returns the number by which programs know a kind of instance.
    pub fn instance(&self, instance: Instance) -> u64 {
        self.instances[instance as usize]
    }

    /// Returns the variable that tells the program at which port a packet arrived, if the program has it.
    pub fn arrival_port(&self, program: &Program) -> Option<VariableId> {
        program.intrinsic(self.field(IntrinsicValue::ArrivalPort)?)
    }

    /// Returns the fields that tell the program about the queue in which a packet waited, in order.
    pub fn metadata_of_queues(&self) -> impl Iterator<Item = &'static str> {
        let is_of_queues = |assignment: &&MetadataAssignment| {
            matches!(assignment.value, IntrinsicValue::QueueDepth | IntrinsicValue::QueueTime)
        };
        let behind = self.metadata.before_egress.iter().filter(is_of_queues);
        self.metadata.before_queue.iter().chain(behind).map(|assignment| assignment.field)
    }

    /// Returns the first field to which the switch assigns a value.
    pub fn field(&self, value: IntrinsicValue) -> Option<&'static str> {
        self.metadata.all().find(|assignment| assignment.value == value).map(|assignment| assignment.field)
    }
}

impl fmt::Debug for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Architecture({})", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every field of the intrinsic metadata that an architecture names.
    fn named(architecture: &Architecture) -> Vec<&'static str> {
        let assigned = architecture.functions.iter().flat_map(|(_, function)| match function {
            Function::Assign(fields) => fields.iter().map(|(field, _)| *field).collect(),
            _ => Vec::new(),
        });
        let dropped = match architecture.drop {
            Drop::Flag(field) => Some(field),
            Drop::Port => None,
        };
        let single = [architecture.group, architecture.copy, architecture.queue, architecture.checksum_error, dropped];
        let metadata = architecture.metadata.all().map(|assignment| assignment.field);
        let selectors = architecture.selectors.iter().map(|selector| selector.field);
        let directing = architecture.traffic.into_iter().flat_map(|traffic| traffic.mirrors).flatten();
        let lengths = architecture.traffic.into_iter().flat_map(|traffic| traffic.greatest_lengths).flatten();
        let refused = architecture.refused_fields.iter().map(|(field, _)| *field);
        metadata
            .chain(selectors)
            .chain(directing.flat_map(|mirrors| mirrors.all()))
            .chain(lengths)
            .chain(refused)
            .chain(assigned)
            .chain(single.into_iter().flatten())
            .chain([architecture.destination])
            .collect()
    }

    #[test]
    fn headers_declare_the_fields_that_architectures_name() {
        for architecture in ALL {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let words: Vec<&str> =
                architecture.header.files().flat_map(|(_, text)| text.split(|c| !is_word(c))).collect();
            // A field is named after its group, which is the name of a parameter.
            let parts = named(architecture).into_iter().flat_map(|field| field.split('.'));
            let absent: Vec<_> = parts.filter(|part| !words.contains(part)).collect();
            assert!(absent.is_empty(), "{}: {absent:?} are not in {}", architecture.name, architecture.header.name);
        }
    }

    /// Blocks share the variables of a kind of parameter, so that two parameters of one kind would be one variable.
    #[test]
    fn blocks_have_one_parameter_of_each_kind() {
        for architecture in ALL {
            for block in architecture.blocks {
                for (place, kind) in block.parameters.iter().enumerate().filter(|(_, own)| **own != Parameter::Packet) {
                    let again = block.parameters[..place].contains(kind);
                    assert!(!again, "{}: `{}` has two parameters {kind:?}", architecture.name, block.name);
                }
            }
            for stage in [Stage::Parser, Stage::Ingress, Stage::Deparser] {
                let has = architecture.blocks.iter().any(|block| block.stage == stage);
                assert!(has, "{}: no block of the stage {stage:?}", architecture.name);
            }
        }
    }
}
