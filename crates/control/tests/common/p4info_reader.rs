//! A reader of P4Info text, limited to what the packet tests of p4c need.

use std::collections::BTreeMap;

use control::*;
use runtime::meter::MeterUnit;
use runtime::tables::MatchKind;

/// A message: its fields by name, in order.
#[derive(Default)]
struct Message(Vec<(String, Value)>);

enum Value {
    Scalar(String),
    Message(Message),
}

fn message<'t>(lines: &mut impl Iterator<Item = &'t str>) -> Message {
    let mut fields = Vec::new();
    while let Some(line) = lines.next() {
        if line == "}" {
            break;
        } else if let Some(name) = line.strip_suffix(" {") {
            fields.push((name.to_owned(), Value::Message(message(lines))));
        } else if let Some((name, value)) = line.split_once(": ") {
            fields.push((name.to_owned(), Value::Scalar(value.trim_matches('"').to_owned())));
        }
    }
    Message(fields)
}

impl Message {
    fn all<'m>(&'m self, name: &str) -> impl Iterator<Item = &'m Message> {
        self.0.iter().filter_map(move |(field, value)| match value {
            Value::Message(message) if field == name => Some(message),
            _ => None,
        })
    }

    fn scalars<'m>(&'m self, name: &str) -> impl Iterator<Item = &'m str> {
        self.0.iter().filter_map(move |(field, value)| match value {
            Value::Scalar(value) if field == name => Some(value.as_str()),
            _ => None,
        })
    }

    fn text(&self, name: &str) -> &str {
        self.scalars(name).next().unwrap_or_default()
    }

    fn number(&self, name: &str) -> u32 {
        self.text(name).parse().unwrap_or_default()
    }

    fn identity(&self) -> Identity {
        let preamble = self.all("preamble").next().unwrap();
        Identity {
            id: preamble.number("id"),
            name: preamble.text("name").to_owned(),
            alias: preamble.text("alias").to_owned(),
            ..Identity::default()
        }
    }
}

fn field(field: &Message) -> MatchField {
    let kind = match field.text("match_type") {
        "LPM" => MatchKind::Lpm,
        "TERNARY" => MatchKind::Ternary,
        "RANGE" => MatchKind::Range,
        "OPTIONAL" => MatchKind::Optional,
        _ => MatchKind::Exact,
    };
    MatchField { id: field.number("id"), ..MatchField::new(field.text("name"), field.number("bitwidth"), kind) }
}

/// Reads the tables, actions, counters, meters and registers of a P4Info text.
pub fn read(text: &str) -> Info {
    let whole = message(&mut text.lines().map(str::trim));
    let parameter =
        |it: &Message| Parameter { id: it.number("id"), ..Parameter::new(it.text("name"), it.number("bitwidth")) };
    let action =
        |it: &Message| Action { identity: it.identity(), parameters: it.all("params").map(parameter).collect() };
    let actions: Vec<Action> = whole.all("actions").map(action).collect();
    let by_id: BTreeMap<u32, usize> = actions.iter().enumerate().map(|(at, it)| (it.identity.id, at)).collect();
    let table = |it: &Message| Table {
        identity: it.identity(),
        fields: it.all("match_fields").map(field).collect(),
        actions: it
            .all("action_refs")
            .filter_map(|it| by_id.get(&it.number("id")).map(|at| ActionReference::new(ActionNumber::from(*at))))
            .collect(),
        default: DefaultAction { action: 0, data: vec![] },
        is_default_constant: it.number("const_default_action_id") != 0,
        size: Some(it.number("size")),
        is_constant: it.text("is_const_table") == "true",
        initial_entries: vec![],
        profile: None,
        counter: None,
        meter: None,
        has_idle_timeout: false,
    };
    let tables: Vec<Table> = whole.all("tables").map(table).collect();
    let table_of = |id: u32| TableNumber::from(tables.iter().position(|it| it.identity.id == id).unwrap());
    let entries = |it: &Message| Size::Entries(table_of(it.number("direct_table_id")));
    let array = |it: &Message| Size::Array(it.number("size"));
    let counter = |it: &Message, size| Counter { identity: it.identity(), unit: CounterUnit::PacketsAndBytes, size };
    let meter = |it: &Message, size| Meter { identity: it.identity(), unit: MeterUnit::Bytes, size };
    let counters = whole.all("counters").map(|it| counter(it, array(it)));
    let meters = whole.all("meters").map(|it| meter(it, array(it)));
    let registers = whole.all("registers").enumerate().map(|(at, it)| Register {
        identity: it.identity(),
        data_type: DataType::Bits(64),
        size: it.number("size"),
        arrays: vec![at as u32],
    });
    let mut info = Info {
        counters: counters.chain(whole.all("direct_counters").map(|it| counter(it, entries(it)))).collect(),
        meters: meters.chain(whole.all("direct_meters").map(|it| meter(it, entries(it)))).collect(),
        registers: registers.collect(),
        actions,
        tables,
        ..Info::default()
    };
    for (at, counter) in info.counters.iter().enumerate() {
        if let Size::Entries(table) = counter.size {
            info.tables[table.index()].counter = Some(CounterNumber::from(at));
        }
    }
    for (at, meter) in info.meters.iter().enumerate() {
        if let Size::Entries(table) = meter.size {
            info.tables[table.index()].meter = Some(MeterNumber::from(at));
        }
    }
    info
}
