//! Summaries of programs with parsers, which are printed after compiling.

use std::fmt;

use control::{CounterUnit, Info, Size, TableNumber};
use passes::segments::{Shape, treats_alike};
use runtime::meter::MeterUnit;
use serde::Serialize;

use super::words::counted;
use crate::program::LoadedProgram;

/// A summary of a program with a parser: its headers, parsers, tables and other objects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The name of the program.
    pub program: String,
    /// The name of the architecture for which it is written; empty if there is none.
    pub architecture: String,
    /// The blocks of the architecture, in its order: `parser`, `ingress`, ...
    pub entrances: Vec<String>,
    /// The headers and header stacks.
    pub headers: Vec<HeaderRow>,
    /// The parsers.
    pub parsers: Vec<ParserRow>,
    /// The tables.
    pub tables: Vec<TableRow>,
    /// The counters, meters, registers, action profiles, value sets and digests.
    pub objects: Vec<ObjectRow>,
    /// Whether superframes of live interfaces pass the program whole.
    pub superframes: Vec<SuperframeRow>,
}

/// A kind of superframe: a packet of up to 64 KB that is still to be cut into segments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SuperframeRow {
    /// The protocols, such as `TCP over IPv4`.
    pub protocols: &'static str,
    /// The statement because of which it is cut in front of the program, and why; `None` if it passes whole, because the
    /// program treats all segments alike.
    pub cut_because: Option<String>,
}

/// A header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HeaderRow {
    /// The name of the header; that of a stack includes the number of its elements: `hdr.vlan[2]`.
    pub name: String,
    /// The number of fields of the header, or of each element of the stack.
    pub fields: usize,
    /// The size of the header or element in bits; the maximum if it has a `varbit`.
    pub bits: u32,
}

/// A parser.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ParserRow {
    /// The name.
    pub name: String,
    /// The names of its states, beginning with the start state.
    pub states: Vec<String>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableRow {
    /// The name.
    pub name: String,
    /// The P4Info id.
    pub id: u32,
    /// The keys of the table.
    pub keys: Vec<KeyRow>,
    /// The actions of the table with their parameters, such as `forward(port: bit<9>)`.
    pub actions: Vec<String>,
    /// The initial default action.
    pub default_action: String,
    /// The maximum number of entries; `None` if there is no limit.
    pub size: Option<u32>,
    /// The number of initial entries.
    pub initial_entries: u32,
}

/// A key of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeyRow {
    /// The name.
    pub name: String,
    /// The width of the key in bits.
    pub width: u32,
    /// The match kind: `exact`, `lpm`, ...
    pub kind: String,
}

/// An object of the control plane that is not a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ObjectRow {
    /// The kind of object: `counter`, `meter`, `register`, `action profile`, `value set` or `digest`.
    pub kind: &'static str,
    /// The name.
    pub name: String,
    /// The P4Info id.
    pub id: u32,
    /// The size and contents of the object, in words.
    pub what: String,
}

impl Summary {
    /// Returns the summary of a program.
    pub fn of(loaded: &LoadedProgram) -> Self {
        let (program, info) = (&loaded.program, &loaded.info);
        let width = |variable| program.variable(variable).ty.width();
        let row = |name: String, header: &ir::Header| HeaderRow {
            name,
            fields: header.fields.len(),
            bits: header.fields.iter().map(|field| width(field.variable)).sum(),
        };
        // A stack gets a single row. Headers that the compiler added (with a `$` in their names) get none.
        let mut headers = Vec::new();
        for (at, header) in program.headers.iter().enumerate().filter(|(_, header)| !header.name.contains('$')) {
            let place = |stack: &&ir::Stack| stack.elements.iter().any(|element| element.index() == at);
            match program.stacks.iter().find(place) {
                None => headers.push(row(header.name.clone(), header)),
                Some(stack) if stack.elements[0].index() == at => {
                    headers.push(row(format!("{}[{}]", stack.name, stack.elements.len()), header));
                }
                Some(_) => {}
            }
        }
        let parsers = program.parsers.iter().map(|parser| ParserRow {
            name: parser.name.clone(),
            states: parser.states.iter().map(|state| state.name.clone()).collect(),
        });
        Self {
            program: program.name.clone(),
            architecture: info.architecture.map(|own| own.name.to_owned()).unwrap_or_default(),
            entrances: program.entrances.iter().map(|entrance| entrance.name.clone()).collect(),
            headers,
            parsers: parsers.collect(),
            tables: (0..info.tables.len()).map(|at| table(info, TableNumber::from(at))).collect(),
            objects: objects(info),
            superframes: superframes(loaded),
        }
    }
}

fn table(info: &Info, number: TableNumber) -> TableRow {
    let table = info.table(number);
    let actions: Vec<String> = info.actions_of(number).map(|(_, action)| signature(action)).collect();
    let default = info.actions_of(number).nth(table.default.action as usize).map(|(_, action)| action);
    let data: Vec<String> = table.default.data.iter().map(|value| format!("{value:#x}")).collect();
    let keys = table.fields.iter().map(|field| KeyRow {
        name: field.name.clone(),
        width: field.width,
        kind: field.kind.to_string(),
    });
    TableRow {
        name: table.identity.name.clone(),
        id: table.identity.id,
        keys: keys.collect(),
        actions,
        default_action: default
            .map_or_else(String::new, |action| format!("{}({})", action.identity.name, data.join(", "))),
        size: table.size,
        initial_entries: table.initial_entries.len() as u32,
    }
}

fn signature(action: &control::Action) -> String {
    let parameters: Vec<String> =
        action.parameters.iter().map(|parameter| format!("{}: bit<{}>", parameter.name, parameter.width)).collect();
    format!("{}({})", action.identity.name, parameters.join(", "))
}

fn objects(info: &Info) -> Vec<ObjectRow> {
    let row = |kind, identity: &control::Identity, what: String| ObjectRow {
        kind,
        name: identity.name.clone(),
        id: identity.id,
        what,
    };
    let sized = |size: Size, what: &str| match size {
        Size::Array(count) => format!("{count} x {what}"),
        Size::Entries(table) => format!("{what} of each entry of {}", info.table(table).identity.name),
    };
    let mut rows = Vec::new();
    for counter in &info.counters {
        let what = match counter.unit {
            CounterUnit::Packets => "packets",
            CounterUnit::Bytes => "bytes",
            CounterUnit::PacketsAndBytes => "packets and bytes",
        };
        rows.push(row("counter", &counter.identity, sized(counter.size, what)));
    }
    for meter in &info.meters {
        let what = match meter.unit {
            MeterUnit::Packets => "packets",
            MeterUnit::Bytes => "bytes",
        };
        rows.push(row("meter", &meter.identity, sized(meter.size, what)));
    }
    for register in &info.registers {
        let bits: u32 = register.data_type.leaves().iter().map(|leaf| leaf.width).sum();
        rows.push(row("register", &register.identity, format!("{} x {bits} bits", register.size)));
    }
    for profile in &info.profiles {
        let what = if profile.selector.is_some() { "members in groups" } else { "members" };
        rows.push(row("action profile", &profile.identity, format!("{} {what}", profile.size)));
    }
    for set in &info.value_sets {
        rows.push(row("value set", &set.identity, format!("{} members", set.size)));
    }
    for digest in &info.digests {
        let bits: u32 = digest.data_type.leaves().iter().map(|leaf| leaf.width).sum();
        rows.push(row("digest", &digest.identity, format!("{bits} bits")));
    }
    rows
}

/// Returns the usual kinds of superframes: without a VLAN tag or IP options, and with TCP's timestamps.
fn superframes(loaded: &LoadedProgram) -> Vec<SuperframeRow> {
    let kinds = [
        ("TCP over IPv4", false, false),
        ("TCP over IPv6", true, false),
        ("UDP over IPv4", false, true),
        ("UDP over IPv6", true, true),
    ];
    let row = |(protocols, is_ipv6, is_udp)| {
        let (network_length, transport_length) = (if is_ipv6 { 40 } else { 20 }, if is_udp { 8 } else { 32 });
        let shape = Shape { tag: None, is_ipv6, network_length, is_udp, transport_length };
        let proof = treats_alike(&loaded.program, loaded.info.architecture(), shape);
        SuperframeRow { protocols, cut_because: proof.err().map(|obstacle| obstacle.to_string()) }
    };
    kinds.map(row).into()
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} for {}: {}", self.program, self.architecture, self.entrances.join(", "))?;
        section(f, "headers", &self.headers, |f, header| {
            let (fields, bits) = (counted(header.fields as u64, "field"), counted(header.bits.into(), "bit"));
            writeln!(f, "    {}: {fields}, {bits}", header.name)
        })?;
        section(f, "parser states", &self.parsers, |f, parser| {
            writeln!(f, "    {}: {}", parser.name, parser.states.join(", "))
        })?;
        section(f, "tables", &self.tables, |f, table| {
            let size = table.size.map_or_else(|| "any number of entries".to_owned(), |size| format!("{size} entries"));
            let begins = match table.initial_entries {
                0 => String::new(),
                count => format!(", {count} from the start"),
            };
            writeln!(f, "    {}: {size}{begins}", table.name)?;
            for key in &table.keys {
                writeln!(f, "        key      {}: bit<{}>, {}", key.name, key.width, key.kind)?;
            }
            for action in &table.actions {
                writeln!(f, "        action   {action}")?;
            }
            writeln!(f, "        default  {}", table.default_action)
        })?;
        section(f, "state and messages", &self.objects, |f, object| {
            writeln!(f, "    {} {}: {}", object.kind, object.name, object.what)
        })?;
        section(f, "superframes of live interfaces", &self.superframes, |f, row| match &row.cut_because {
            None => writeln!(f, "    {}: whole", row.protocols),
            Some(obstacle) => writeln!(f, "    {}: cut into segments; {obstacle}", row.protocols),
        })
    }
}

fn section<T>(
    f: &mut fmt::Formatter<'_>,
    title: &str,
    rows: &[T],
    mut row: impl FnMut(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n{title}")?;
    rows.iter().try_for_each(|one| row(f, one))
}
