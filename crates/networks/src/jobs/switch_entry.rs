//! What the control plane of a job writes into a switch, by the names of the switch's program.

use control::{
    ActionCall, EntryAttributes, EntrySelection, Info, MulticastGroup, RecordRequest, RegisterRequest, Replica,
    ReplicationRequest, Request, TableRequest, Target,
};
use runtime::Bits;
use runtime::tables::FieldMatch;

/// An entry of a switch by the names of its program. Entries are written in their order, and removed in reverse.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SwitchEntry {
    /// A multicast group, which is not 0, and the ports of its copies.
    Group {
        /// The number of the group.
        number: u32,
        /// The ports.
        ports: Vec<u16>,
    },
    /// A record.
    Record {
        /// The table of records.
        records: &'static str,
        /// The key, in network order.
        key: Vec<u8>,
        /// The bytes with which the record begins; zeros follow.
        contents: Vec<u8>,
    },
    /// An element of a register; it is 0 once it is removed.
    Register {
        /// The register.
        register: &'static str,
        /// The index of the element.
        index: u32,
        /// The value.
        value: u64,
    },
    /// The action of a table for packets that match no entry; once it is removed, that of the program.
    Default {
        /// The table.
        table: &'static str,
        /// The action.
        action: &'static str,
        /// The values of its parameters.
        arguments: Vec<Argument>,
    },
    /// An entry of a table.
    Table {
        /// The table.
        table: &'static str,
        /// The matches of the key's fields.
        key: Vec<Key>,
        /// The action.
        action: &'static str,
        /// The values of its parameters.
        arguments: Vec<Argument>,
    },
}

/// The value of an action's parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Argument {
    /// A number.
    Number(u64),
    /// A port, by its number in the network.
    Port(u16),
}

/// The match of an entry against one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// The field has this value.
    Exact(u64),
    /// The first bits of the field are those of the value.
    Prefix {
        /// The value, with zeros behind the prefix.
        value: u64,
        /// The length of the prefix in bits.
        length: u32,
    },
}

impl SwitchEntry {
    /// Returns the request that writes the entry into a switch with this program. `known` gives the number by which the
    /// program knows a port.
    ///
    /// # Errors
    /// If the program has nothing of this name.
    pub fn insertion(&self, info: &Info, known: &dyn Fn(u16) -> u32) -> Result<Request, control::Error> {
        Ok(match self {
            Self::Group { number, ports } => {
                let replica = |(instance, &port): (u32, &u16)| Replica { port: known(port), instance };
                let replicas: Vec<Replica> = (0..).zip(ports).map(replica).collect();
                Request::MulticastGroup(*number, ReplicationRequest::Put(MulticastGroup::from(replicas)))
            }
            Self::Record { records, key, contents } => {
                let insertion = RecordRequest::Insert { key: key.clone(), contents: contents.clone() };
                Request::Records(info.record_table_named(records)?, insertion)
            }
            Self::Register { register, index, value } => written(info, register, *index, *value)?,
            Self::Default { table, action, arguments } => {
                let number = info.table_named(table)?;
                let target = Self::target((info, table), action, arguments, known)?;
                Request::Table(number, TableRequest::set_default(target))
            }
            Self::Table { table, key, action, arguments } => {
                let number = info.table_named(table)?;
                let target = Self::target((info, table), action, arguments, known)?;
                let key = Self::matches(info, table, key)?;
                let attributes = EntryAttributes::default();
                Request::Table(number, TableRequest::Insert { key, priority: None, target, attributes })
            }
        })
    }

    /// Returns the request that removes the entry from a switch with this program.
    ///
    /// # Errors
    /// If the program has nothing of this name.
    pub fn removal(&self, info: &Info) -> Result<Request, control::Error> {
        Ok(match self {
            Self::Group { number, .. } => Request::MulticastGroup(*number, ReplicationRequest::Delete),
            Self::Record { records, key, .. } => {
                Request::Records(info.record_table_named(records)?, RecordRequest::Delete(key.clone()))
            }
            Self::Register { register, index, .. } => written(info, register, *index, 0)?,
            Self::Default { table, .. } => Request::Table(info.table_named(table)?, TableRequest::ResetDefault),
            Self::Table { table, key, .. } => {
                let entry = EntrySelection::Key { key: Self::matches(info, table, key)?, priority: None };
                Request::Table(info.table_named(table)?, TableRequest::Delete(entry))
            }
        })
    }

    fn target(
        (info, table): (&Info, &str),
        action: &str,
        arguments: &[Argument],
        known: &dyn Fn(u16) -> u32,
    ) -> Result<Target, control::Error> {
        let action = info.action_named(info.table_named(table)?, action)?;
        let widths = info.action(action).parameters.iter().map(|parameter| parameter.width);
        let number = |argument: &Argument| match *argument {
            Argument::Number(number) => number,
            Argument::Port(port) => known(port).into(),
        };
        let data = arguments.iter().zip(widths).map(|(value, width)| Bits::from_u64(number(value), width)).collect();
        Ok(Target::Action(ActionCall { action, data }))
    }

    fn matches(info: &Info, table: &str, key: &[Key]) -> Result<Vec<FieldMatch>, control::Error> {
        let widths = info.table(info.table_named(table)?).fields.iter().map(|field| field.width);
        let field = |(key, width): (&Key, u32)| match *key {
            Key::Exact(value) => FieldMatch::Exact(Bits::from_u64(value, width)),
            // A prefix of length 0 is any value.
            Key::Prefix { length: 0, .. } => FieldMatch::Any,
            Key::Prefix { value, length } => FieldMatch::Prefix { value: Bits::from_u64(value, width), length },
        };
        Ok(key.iter().zip(widths).map(field).collect())
    }
}

fn written(info: &Info, register: &str, index: u32, value: u64) -> Result<Request, control::Error> {
    let number = info.register_named(register)?;
    Ok(Request::Register(number, RegisterRequest::Write(Some(index), vec![Bits::from_u64(value, 64)])))
}
