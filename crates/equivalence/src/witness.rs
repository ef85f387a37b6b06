//! Witnesses, which show the input, the expected result and the machine's result side by side.

use std::fmt;

use ir::Program;
use machines::Device;
use node::Offered;
use serde::Serialize;

use crate::check::{Rules, run};
use crate::comparison::{Comparison, Verdict};
use crate::difference::{self, Fate};
use crate::record::{Outcome, Record, Recorded};
use crate::reference::Reference;

/// The results of a few packets on the interpreter and on a machine. Its [`fmt::Display`] form is for people, its
/// serialised form for scripts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Witness {
    /// The name of the program.
    pub program: String,
    /// The name of the machine.
    pub machine: String,
    /// The packets, in order of arrival.
    pub packets: Vec<WitnessPacket>,
    /// The result of the run, with every register that differs.
    pub comparison: Comparison,
    /// Whether registers were compared at the end.
    #[serde(skip)]
    pub compares_registers: bool,
    /// The names of the machine's groups of registers, by number; a group without a name is shown by its number.
    pub access_names: Vec<String>,
}

/// The result of one packet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WitnessPacket {
    /// The index of the packet in the order of arrival.
    pub sequence: u64,
    /// The time of arrival, in picoseconds.
    pub arrival: u64,
    /// The ingress port.
    pub port: u16,
    /// Whether the program applies to the packet.
    pub applies: bool,
    /// The fields, in the order of the program; empty if the program does not apply.
    pub fields: Vec<WitnessField>,
    /// The fate of the packet according to the program.
    pub expected: Fate,
    /// The fates of its copies according to the program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<Fate>,
    /// A description of what the machine did with it.
    pub outcome: String,
    /// Whether the machine did what the program asks for, or lost the packet.
    pub as_expected: bool,
    /// A description of the first byte that differs.
    pub bytes: Option<String>,
}

/// The result of one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WitnessField {
    /// The name of the field.
    pub field: String,
    /// The value on arrival, as a number of the field's type; the same holds for the other values.
    pub arrived: i128,
    /// The final value according to the program.
    pub expected: i128,
    /// The final value according to the machine; `None` if it was not reported.
    pub machine: Option<i128>,
}

impl Witness {
    /// Compares a fresh machine with a fresh reference and keeps everything, which is intended for few packets.
    pub fn of(
        reference: Reference<'_>,
        machine: &mut dyn Device,
        name: &str,
        packets: impl IntoIterator<Item = Offered>,
        rules: &Rules,
    ) -> Self {
        let rules = Rules { kept: usize::MAX, ..rules.clone() };
        let (program, has_fields) = (reference.program(), reference.has_fields());
        let (comparison, record) = run(reference, machine, packets, &rules, Some(Record::default()), None);
        let record = record.unwrap_or_default();
        let packets = (0..).zip(&record.packets).map(|(sequence, packet)| {
            let bytes = comparison.packet_differences.iter().find(|difference| difference.sequence == sequence);
            let bytes = bytes.and_then(|difference| difference.bytes).map(|bytes| bytes.to_string());
            let mut shown = WitnessPacket::of(program, sequence, packet, bytes);
            // A program whose fields are not compared applies to every packet.
            shown.applies |= !has_fields;
            shown
        });
        let packets = packets.collect();
        Self {
            program: program.name.clone(),
            machine: name.to_owned(),
            packets,
            comparison,
            compares_registers: rules.registers,
            access_names: Vec::new(),
        }
    }
}

impl WitnessPacket {
    fn of(program: &Program, sequence: u64, packet: &Recorded, bytes: Option<String>) -> Self {
        let expected = &packet.expected;
        let fields = program.fields().filter(|_| expected.applies).map(|(id, variable)| {
            let number = |values: &[u64]| values.get(id.index()).map(|&value| difference::number(variable.ty, value));
            WitnessField {
                field: variable.name.clone(),
                arrived: number(expected.arrived()).unwrap_or(0),
                expected: number(expected.fields()).unwrap_or(0),
                machine: packet.machine.as_deref().and_then(number),
            }
        });
        let in_words = |outcome: &Outcome| match outcome {
            Outcome::Ended(fate) => fate.to_string(),
            Outcome::Lost(reason) => format!("lost ({reason})"),
        };
        let outcome = match packet.outcomes.as_slice() {
            [] => "never came out".to_owned(),
            outcomes => outcomes.iter().map(in_words).collect::<Vec<_>>().join(", "),
        };
        let is_lost = packet.outcomes.iter().any(|outcome| matches!(outcome, Outcome::Lost(_)));
        let as_expected =
            is_lost || packet.outcomes.iter().copied().eq(expected.ends.iter().map(|end| Outcome::Ended(end.fate)));
        Self {
            sequence,
            arrival: packet.offered.at.picoseconds(),
            port: packet.offered.port.0,
            applies: expected.applies,
            fields: fields.collect(),
            expected: expected.ends.first().map_or(Fate::Dropped, |end| end.fate),
            copies: expected.ends.iter().skip(1).map(|end| end.fate).collect(),
            outcome,
            as_expected,
            bytes,
        }
    }
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let comparison = &self.comparison;
        let count = self.packets.len();
        let packets = if count == 1 { "1 packet".to_owned() } else { format!("{count} packets") };
        writeln!(f, "{packets} through `{}` on {}: {}", self.program, self.machine, comparison.verdict)?;
        for packet in &self.packets {
            packet.write(f, &self.machine)?;
        }
        if comparison.different_registers > 0 {
            writeln!(f, "\nregisters")?;
            let rows = comparison.register_differences.iter().map(|difference| {
                let machine = difference.machine.map_or("none".to_owned(), |value| value.to_string());
                (true, vec![difference.to_string(), difference.expected.to_string(), machine])
            });
            table(f, &["register", "program", &self.machine], rows.collect())?;
        } else if self.compares_registers && !matches!(comparison.verdict, Verdict::Excluded { .. }) {
            writeln!(f, "\nregisters are the same")?;
        }
        for sentence in &comparison.other_differences {
            writeln!(f, "\n{sentence}")?;
        }
        if let Some(standstill) = &comparison.standstill {
            write!(f, "\n{standstill}")?;
        }
        if let Some(first) = &comparison.first_overtaking {
            let (overtaker, overtaken) = (first.overtaker, first.overtaken);
            let name = self.access_names.get(first.unit as usize);
            let name = name.map_or_else(|| format!("access {}", first.unit), Clone::clone);
            writeln!(f, "\npacket {overtaker} accessed {name}[{}] before packet {overtaken} did", first.index)?;
        }
        if let Some(first) = &comparison.first_reordering {
            writeln!(f, "\npacket {} left after packet {} of its flow", first.late, first.before_it)?;
        }
        Ok(())
    }
}

impl WitnessPacket {
    fn write(&self, f: &mut fmt::Formatter<'_>, machine: &str) -> fmt::Result {
        let arrival = basis::Instant::from_picoseconds(self.arrival);
        write!(f, "\npacket {} arrives at {arrival} on port {}", self.sequence, self.port)?;
        if !self.applies {
            write!(f, ", the program does not apply")?;
        }
        writeln!(f)?;
        let rows = self.fields.iter().map(|field| {
            let machine = field.machine.map_or("-".to_owned(), |value| value.to_string());
            let differs = field.machine != Some(field.expected);
            (differs, vec![field.field.clone(), field.arrived.to_string(), field.expected.to_string(), machine])
        });
        table(f, &["field", "in", "program", machine], rows.collect())?;
        if self.as_expected {
            writeln!(f, "    {}", self.outcome)?;
        } else {
            let copies: String = self.copies.iter().map(|fate| format!(", {fate}")).collect();
            writeln!(f, "  ! should be: {}{copies}; {machine}: {}", self.expected, self.outcome)?;
        }
        // Fields that differ are more informative.
        let fields_differ = self.fields.iter().any(|field| field.machine != Some(field.expected));
        if let Some(bytes) = self.bytes.as_ref().filter(|_| !fields_differ) {
            writeln!(f, "  ! {bytes}")?;
        }
        Ok(())
    }
}

/// Writes rows below a heading, with the first column left-aligned and the numbers in the others right-aligned. Marked
/// rows begin with `!`. Writes nothing if there are no rows.
fn table(f: &mut fmt::Formatter<'_>, heading: &[&str], rows: Vec<(bool, Vec<String>)>) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    let heading = (false, heading.iter().map(|&title| title.to_owned()).collect());
    let lines: Vec<(bool, Vec<String>)> = std::iter::once(heading).chain(rows).collect();
    let columns = lines[0].1.len();
    let width = |column: usize| lines.iter().map(|(_, cells)| cells[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for (marked, cells) in &lines {
        write!(f, "  {} {:<width$}", if *marked { "!" } else { " " }, cells[0], width = widths[0])?;
        for (cell, width) in cells.iter().zip(&widths).skip(1) {
            write!(f, "  {cell:>width$}")?;
        }
        writeln!(f)?;
    }
    Ok(())
}
