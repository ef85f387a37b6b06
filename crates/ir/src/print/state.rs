//! The printer of state other than registers and tables, and of the names that architectures define.

use std::fmt::{self, Display, Formatter};

use super::names::{function, list, parser, register, title, variable};
use super::statements::variables_of;
use crate::{Block, Counter, CounterUnit, Program};
use runtime::meter::MeterUnit;
use runtime::profile::SelectionMode;
use runtime::tables::KeyField;

/// Writes errors, value sets, counters, meters, filters, profiles, digests and field lists, which code refers to.
pub(super) fn write_state(f: &mut Formatter<'_>, program: &Program) -> fmt::Result {
    if !program.errors.is_empty() {
        writeln!(f, "errors {}", list(program.errors.iter().map(|error| title(error))))?;
    }
    for set in &program.value_sets {
        let fields = list(set.fields.iter().map(|field| key_field(*field)));
        writeln!(f, "value_set {}: {fields} size {}", title(&set.name), set.size)?;
    }
    for counter in &program.counters {
        let unit = match counter.unit {
            CounterUnit::Packets => "packets",
            CounterUnit::Bytes => "bytes",
            CounterUnit::PacketsAndBytes => "packets_and_bytes",
        };
        write!(f, "counter {}: {unit}{}", title(&counter.name), size(counter.size))?;
        if counter.width != Counter::WIDTH {
            write!(f, " width {}", counter.width)?;
        }
        writeln!(f)?;
    }
    for meter in &program.meters {
        let unit = match meter.unit {
            MeterUnit::Packets => "packets",
            MeterUnit::Bytes => "bytes",
        };
        writeln!(f, "meter {}: {unit}{}", title(&meter.name), size(meter.size))?;
    }
    for filter in &program.filters {
        writeln!(f, "filter {}: size {}", title(&filter.name), filter.size)?;
    }
    for wred in &program.wreds {
        writeln!(f, "wred {}: size {}", title(&wred.name), wred.size)?;
    }
    for profile in &program.profiles {
        write!(f, "profile {}: size {}", title(&profile.name), profile.size)?;
        if let Some(selection) = &profile.selection {
            write!(f, " selection {}", selection.algorithm.name())?;
            if selection.mode == SelectionMode::Resilient {
                write!(f, " resilient")?;
            }
            if let Some(bits) = &selection.bits {
                write!(f, " bits {} places {}", register(program, bits.register), bits.places)?;
            }
        }
        writeln!(f)?;
    }
    for digest in &program.digests {
        let fields = digest.fields.iter().map(|(name, ty)| fmt::from_fn(move |f| write!(f, "{}: {ty}", title(name))));
        writeln!(f, "digest {}({})", title(&digest.name), list(fields))?;
    }
    for kept in &program.field_lists {
        let space = if kept.variables.is_empty() { "" } else { " " };
        writeln!(f, "field_list {}:{space}{}", kept.number, variables_of(program, &kept.variables))?;
    }
    Ok(())
}

/// Returns whether [`write_state`] writes anything.
pub(super) fn has_state(program: &Program) -> bool {
    let Program { errors, value_sets, counters, meters, filters, wreds, profiles, digests, field_lists, .. } = program;
    !(errors.is_empty()
        && value_sets.is_empty()
        && counters.is_empty()
        && meters.is_empty()
        && filters.is_empty()
        && wreds.is_empty()
        && profiles.is_empty()
        && digests.is_empty()
        && field_lists.is_empty())
}

/// Writes the entry points and intrinsic variables.
pub(super) fn write_entrances(f: &mut Formatter<'_>, program: &Program) -> fmt::Result {
    if !(program.entrances.is_empty() && program.intrinsics.is_empty()) {
        writeln!(f)?;
    }
    for entrance in &program.entrances {
        write!(f, "entrance {} = ", title(&entrance.name))?;
        match entrance.block {
            Block::Parser(id) => writeln!(f, "parser {}", parser(program, id))?,
            Block::Function(id) => writeln!(f, "function {}", function(program, id))?,
        }
    }
    for (name, id) in &program.intrinsics {
        writeln!(f, "intrinsic {} = {}", title(name), variable(program, *id))?;
    }
    Ok(())
}

fn size(size: Option<u32>) -> impl Display {
    fmt::from_fn(move |f| match size {
        Some(size) => write!(f, " size {size}"),
        None => f.write_str(" direct"),
    })
}

fn key_field(field: KeyField) -> impl Display {
    fmt::from_fn(move |f| write!(f, "{} bit<{}>", field.kind, field.width))
}
