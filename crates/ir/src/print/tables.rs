//! The printer of tables.

use std::fmt::{self, Display, Formatter};

use runtime::Bits;
use runtime::tables::{FieldMatch, TableEntry, Target};

use super::code::action;
use super::expressions::write_plain;
use super::names::{counter, function, list, meter, profile, register, text, title, variable};
use super::statements::{write_braces, write_optional};
use crate::{Key, Program, Table, TableAction};

pub(super) fn write_table(f: &mut Formatter<'_>, program: &Program, table: &Table) -> fmt::Result {
    writeln!(f, "\ntable {} {{", title(&table.name))?;
    table.keys.iter().try_for_each(|key| write_key(f, program, key))?;
    for selector in &table.selector {
        f.write_str("  selector ")?;
        write_plain(f, program, selector)?;
        writeln!(f)?;
    }
    table.actions.iter().try_for_each(|action| write_action(f, program, action))?;
    let constant = if table.is_default_constant { " constant" } else { "" };
    writeln!(f, "  default {}{constant}", target(program, table, &table.default))?;
    if let Some(size) = table.size {
        writeln!(f, "  size {size}")?;
    }
    if let Some(id) = table.profile {
        writeln!(f, "  profile {}", profile(program, id))?;
    }
    if let Some(id) = table.counter {
        writeln!(f, "  counter {}", counter(program, id))?;
    }
    if let Some((id, color)) = table.meter {
        writeln!(f, "  meter {} -> {}", meter(program, id), variable(program, color))?;
    }
    if table.has_idle_timeout {
        writeln!(f, "  idle_timeout")?;
    }
    if table.has_slots {
        writeln!(f, "  slots")?;
    }
    for id in &table.registers {
        writeln!(f, "  register {}", register(program, *id))?;
    }
    if table.counts_when_called {
        writeln!(f, "  counts when called")?;
    }
    if table.is_constant {
        writeln!(f, "  constant entries")?;
    }
    table.entries.iter().try_for_each(|entry| write_entry(f, program, table, entry))?;
    writeln!(f, "}}")
}

/// The default name of a key: its expression as it is written.
pub(crate) fn key_name(program: &Program, key: &crate::Expression) -> String {
    fmt::from_fn(|f| write_plain(f, program, key)).to_string()
}

fn write_key(f: &mut Formatter<'_>, program: &Program, key: &Key) -> fmt::Result {
    f.write_str("  key ")?;
    write_plain(f, program, &key.value)?;
    write!(f, ": {}", key.kind)?;
    if key_name(program, &key.value) != key.name {
        write!(f, " named {}", text(&key.name))?;
    }
    writeln!(f)
}

fn write_action(f: &mut Formatter<'_>, program: &Program, action: &TableAction) -> fmt::Result {
    write!(f, "  action {}", function(program, action.function))?;
    if action.only_default {
        f.write_str(" only_default")?;
    }
    if action.only_entries {
        f.write_str(" only_entries")?;
    }
    if !(action.before.is_empty() && action.after.is_empty()) {
        write_braces(f, program, &action.before, "  ")?;
    }
    write_optional(f, program, " then", &action.after, "  ")?;
    writeln!(f)
}

fn write_entry(f: &mut Formatter<'_>, program: &Program, table: &Table, entry: &TableEntry) -> fmt::Result {
    write!(f, "  entry {} => {}", list(entry.key.iter().map(field)), target(program, table, &entry.target))?;
    if entry.priority != 0 {
        write!(f, " priority {}", entry.priority)?;
    }
    if entry.is_constant {
        f.write_str(" constant")?;
    }
    writeln!(f)
}

/// Formats the match of an entry against a field, without the field's type.
fn field(field: &FieldMatch) -> impl Display + '_ {
    fmt::from_fn(move |f| match field {
        FieldMatch::Exact(value) => raw(value).fmt(f),
        FieldMatch::Prefix { value, length } => write!(f, "{} / {length}", raw(value)),
        FieldMatch::Mask { value, mask } => write!(f, "{} &&& {}", raw(value), raw(mask)),
        FieldMatch::Range { low, high } => write!(f, "{} .. {}", raw(low), raw(high)),
        FieldMatch::Any => f.write_str("_"),
    })
}

fn target<'p>(program: &'p Program, table: &'p Table, target: &'p Target) -> impl Display + 'p {
    fmt::from_fn(move |f| match target {
        Target::Action { action: number, data } => {
            write!(f, "{}({})", action(program, table, *number), list(data.iter().map(raw)))
        }
        Target::Member(member) => write!(f, "member {member}"),
        Target::Group(group) => write!(f, "group {group}"),
        Target::ActionSet(set) => write!(f, "action set {set}"),
    })
}

/// Formats raw bits whose width is known from the context: in decimal up to a length that is readable.
fn raw(value: &Bits) -> impl Display + '_ {
    fmt::from_fn(move |f| match value {
        Bits::Narrow(value) => write!(f, "{value}"),
        Bits::Wide(_) => write!(f, "{value:#x}"),
    })
}
