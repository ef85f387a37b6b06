//! A difference shown side by side: what goes in, what the program makes of it, what the machine made of it.

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

/// All that became of a few packets on the interpreter and on a machine. Displays as text for people and serialises
/// for scripts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Witness {
    /// The program's name.
    pub program: String,
    /// What the machine is called.
    pub machine: String,
    /// Every packet, in order of arrival.
    pub packets: Vec<WitnessPacket>,
    /// What came of the run, with every register that differs.
    pub comparison: Comparison,
    /// What the machine's accesses are called, by their numbers; for those without a name their number is shown.
    pub access_names: Vec<String>,
}

/// What became of one packet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WitnessPacket {
    /// Its place in the order of arrival.
    pub sequence: u64,
    /// When it arrived, in picoseconds.
    pub arrival: u64,
    /// Where it arrived.
    pub port: u16,
    /// True if the program applies to it.
    pub applies: bool,
    /// Its fields, in the order of the program; none if that does not apply.
    pub fields: Vec<WitnessField>,
    /// What the program does with it.
    pub expected: Fate,
    /// What it does with the copies of it that it makes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<Fate>,
    /// What the machine did with it, in words.
    pub outcome: String,
    /// True if the two are the same, or the machine lost the packet.
    pub as_expected: bool,
    /// The first byte that left otherwise, in words.
    pub bytes: Option<String>,
}

/// What became of one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WitnessField {
    /// Its name.
    pub field: String,
    /// Its value when the packet arrived, as a number of its type, as are the others.
    pub arrived: i128,
    /// What the program makes of it.
    pub expected: i128,
    /// What the machine made of it; `None` if it did not tell.
    pub machine: Option<i128>,
}

impl Witness {
    /// Runs a fresh machine and a fresh meaning once more and keeps everything: for few packets.
    pub fn of(
        reference: Reference<'_>,
        machine: &mut dyn Device,
        name: &str,
        packets: impl IntoIterator<Item = Offered>,
        rules: &Rules,
    ) -> Self {
        let rules = Rules { kept: usize::MAX, ..rules.clone() };
        let program = reference.program();
        let (comparison, record) = run(reference, machine, packets, &rules, Some(Record::default()), None);
        let record = record.unwrap_or_default();
        let packets = (0..).zip(&record.packets).map(|(sequence, packet)| {
            let bytes = comparison.packet_differences.iter().find(|difference| difference.sequence == sequence);
            let bytes = bytes.and_then(|difference| difference.bytes).map(|bytes| bytes.to_string());
            WitnessPacket::of(program, sequence, packet, bytes)
        });
        let packets = packets.collect();
        Self { program: program.name.clone(), machine: name.to_owned(), packets, comparison, access_names: Vec::new() }
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
        } else if !matches!(comparison.verdict, Verdict::Excluded { .. }) {
            writeln!(f, "\nregisters are the same")?;
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
        // Fields that differ say the same better.
        let fields_differ = self.fields.iter().any(|field| field.machine != Some(field.expected));
        if let Some(bytes) = self.bytes.as_ref().filter(|_| !fields_differ) {
            writeln!(f, "  ! {bytes}")?;
        }
        Ok(())
    }
}

/// Rows under a heading, the first column to the left and the others, numbers, to the right; rows that differ
/// carry a mark. Nothing for no rows.
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
