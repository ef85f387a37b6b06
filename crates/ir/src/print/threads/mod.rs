//! The printer of programs of threads: declarations and entrances.

mod instructions;
mod operations;

pub use instructions::{step, transaction, way};

use std::fmt::{self, Display, Formatter};

use super::declarations::write_first;
use super::expressions::write_list;
use super::names::{meter, title};
use crate::threads::{
    Cause, Contents, EventId, InstructionId, MemoryKind, ReasonId, RecordTableId, SegmentId, TimerId,
};
use crate::{Initial, Program, Threads, Type};

/// Writes the parts of a program of threads.
pub(super) fn write_threads(f: &mut Formatter<'_>, program: &Program, threads: &Threads) -> fmt::Result {
    write!(f, "\nlocal_memory {}", threads.local_memory.bytes)?;
    write_words(f, &threads.local_memory.initial)?;
    writeln!(f, "\nhead {} size {}", threads.head.address, threads.head.bytes)?;
    for segment in &threads.segments {
        let kind = match segment.kind {
            MemoryKind::OnChip => "on_chip",
            MemoryKind::OffChip => "off_chip",
        };
        write!(f, "segment {}: {kind} at {} size {}", title(&segment.name), segment.address, segment.bytes)?;
        match &segment.contents {
            Contents::Words(initial) => write_words(f, initial)?,
            Contents::Policers(id) => write!(f, " policers {}", meter(program, *id))?,
        }
        writeln!(f)?;
    }
    for records in &threads.records {
        let (key, record) = (records.key_bytes, records.record_bytes);
        writeln!(
            f,
            "records {}: key {key} size {record} in {}",
            title(&records.name),
            segment(threads, records.segment)
        )?;
    }
    for timer in &threads.timers {
        write!(f, "timer {}", title(&timer.name))?;
        match timer.period {
            Some(period) => writeln!(f, " period {period}")?,
            None => writeln!(f)?,
        }
    }
    threads.events.iter().try_for_each(|event| writeln!(f, "event {}", title(&event.name)))?;
    threads.reasons.iter().try_for_each(|reason| writeln!(f, "reason {}", title(reason)))?;
    if !threads.flow.is_empty() {
        f.write_str("flow (")?;
        write_list(f, program, &threads.flow)?;
        writeln!(f, ")")?;
    }
    for instruction in &threads.instructions {
        instructions::write_instruction(f, program, threads, instruction)?;
    }
    if !threads.entrances.is_empty() {
        writeln!(f)?;
    }
    for entrance in &threads.entrances {
        writeln!(
            f,
            "entrance {} = instruction {}",
            cause(threads, entrance.cause),
            self::instruction(threads, entrance.start)
        )?;
    }
    Ok(())
}

/// Writes first contents, unless they are zeros, which need no words.
fn write_words(f: &mut Formatter<'_>, initial: &Initial) -> fmt::Result {
    match initial {
        Initial::Fill(0) => Ok(()),
        _ => write_first(f, Type::Bits(64), initial, true),
    }
}

/// Formats what a thread begins for.
pub fn cause(threads: &Threads, cause: Cause) -> impl Display + '_ {
    fmt::from_fn(move |f| match cause {
        Cause::Packet => f.write_str("packet"),
        Cause::Timer(id) => write!(f, "timer {}", timer(threads, id)),
        Cause::Event(id) => write!(f, "event {}", event(threads, id)),
    })
}

macro_rules! titles {
    ($($(#[$meta:meta])* $function:ident: $id:ty, $list:ident, $what:literal, $found:ident => $name:expr;)*) => {
        $($(#[$meta])*
        pub fn $function(threads: &Threads, id: $id) -> impl Display + '_ {
            fmt::from_fn(move |f| match threads.$list.get(id.index()) {
                Some($found) => title($name).fmt(f),
                None => write!(f, "<{} {}>", $what, id.index()),
            })
        })*
    };
}

titles! {
    /// Formats the name of an instruction.
    instruction: InstructionId, instructions, "instruction", found => &found.name;
    /// Formats the name of a segment of shared memory.
    segment: SegmentId, segments, "segment", found => &found.name;
    /// Formats the name of a table of records.
    records: RecordTableId, records, "table of records", found => &found.name;
    /// Formats the name of a timer.
    timer: TimerId, timers, "timer", found => &found.name;
    /// Formats the name of an event.
    event: EventId, events, "event", found => &found.name;
    /// Formats the name of a reason for which packets are dropped.
    reason: ReasonId, reasons, "reason", found => found;
}
