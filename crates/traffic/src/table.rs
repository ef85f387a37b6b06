//! Tables of field values: CSV with one packet per line.

use std::collections::BTreeSet;
use std::io::Read;

use basis::Instant;
use diagnostics::{Diagnostics, Sources};
use node::{Offered, Port};
use runtime::binding::{Binding, FieldShape, Source};

use crate::Input;
use crate::fields::{FieldGenerator, RecordMaker};
use crate::input::TextFindings;
use crate::lines::{Cell, Lines, TextLine};
use crate::rate::{LineRate, WithoutGaps};

/// The length of a packet in bytes if there is no column for it.
const LENGTH: u32 = 64;

/// The meaning of each column according to the header line.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    count: usize,
    fields: Vec<FieldSource>,
    widths: Vec<u32>,
    time: Option<usize>,
    port: Option<usize>,
    length: Option<usize>,
    /// The number of ports of the switch.
    ports: u16,
}

/// The source of a field's value.
#[derive(Clone, Copy, Debug)]
enum FieldSource {
    Column(usize),
    /// The packet's time, length or port, for a field with that name and no column of its own.
    Packet(FieldGenerator),
    Zero,
}

/// The values of a line.
#[derive(Default)]
struct Row {
    /// The values by column.
    cells: Vec<i128>,
    /// The time in picoseconds.
    time: Option<u64>,
}

impl Columns {
    fn read(line: &TextLine, binding: &Binding, ports: u16, findings: &mut TextFindings) -> Self {
        let fields: Vec<FieldShape<'_>> = binding.fields().collect();
        let names: Vec<(Cell<'_>, String)> = line.cells().map(|cell| (cell, cell.text())).collect();
        let mut seen = BTreeSet::new();
        for (cell, name) in &names {
            let is_known = ["time", "port", "length"].contains(&name.as_str());
            if !is_known && !fields.iter().any(|field| field.name == name) {
                let all = fields.iter().map(|field| field.name).collect::<Vec<_>>().join(", ");
                let hint = format!("columns are the program's fields ({all}), and time, port and length");
                findings.error(line.position_of(*cell), format!("the program has no field `{name}`"), hint);
            }
            if !seen.insert(name) {
                findings.error(line.position_of(*cell), format!("column `{name}` appears twice"), "leave one out");
            }
        }
        let column = |wanted: &str| names.iter().position(|(_, name)| name == wanted);
        let source = |field: &FieldShape<'_>| match (column(field.name), FieldGenerator::of_name(field.name)) {
            (Some(column), _) => FieldSource::Column(column),
            (None, Some(of_packet)) => FieldSource::Packet(of_packet),
            (None, None) => FieldSource::Zero,
        };
        let sources: Vec<FieldSource> = fields.iter().map(source).collect();
        let is_zero = |source: &FieldSource| matches!(source, FieldSource::Zero);
        let missing = fields.iter().zip(&sources).filter(|(_, source)| is_zero(source));
        let missing: Vec<&str> = missing.map(|(field, _)| field.name).collect();
        if !missing.is_empty() {
            let message = format!("no column for {}", missing.join(", "));
            findings.warning(line.position(), message, "a field without a column is 0 on arrival");
        }
        Self {
            count: names.len(),
            fields: sources,
            widths: fields.iter().map(|field| field.width).collect(),
            time: column("time"),
            port: column("port"),
            length: column("length"),
            ports,
        }
    }

    /// Reads the values of a line. Returns false if something is wrong with it, which is reported to `findings`.
    fn row(&self, line: &TextLine, row: &mut Row, findings: &mut TextFindings) -> bool {
        row.cells.clear();
        row.time = None;
        let mut is_right = true;
        let mut count = 0;
        for (column, cell) in line.cells().enumerate() {
            count += 1;
            if column >= self.count {
                continue;
            }
            if self.time == Some(column) {
                row.time = microseconds(cell.bytes);
                if row.time.is_none() {
                    let message = format!("`{}` is not a time", cell.text());
                    findings.error(
                        line.position_of(cell),
                        message,
                        "microseconds, with at most six digits after the point",
                    );
                    is_right = false;
                }
            }
            // A field with this name gets the time in whole microseconds.
            let number = match row.time {
                Some(time) if self.time == Some(column) => Some(i128::from(time / 1_000_000)),
                _ => cell.number(),
            };
            let problem = match number {
                _ if self.time == Some(column) => None,
                None => {
                    let hint = "decimal, or hexadecimal such as 0x1f".to_owned();
                    Some((format!("`{}` is not a number", cell.text()), hint))
                }
                Some(number) => self.out_of_range(column, number),
            };
            if let Some((message, hint)) = problem {
                findings.error(line.position_of(cell), message, hint);
                is_right = false;
            }
            row.cells.push(number.unwrap_or(0));
        }
        if count != self.count || line.is_too_long {
            let message = format!("{count} values, but the first line has {} columns", self.count);
            findings.error(line.position(), message, "give one value per column");
            is_right = false;
        }
        is_right
    }

    /// Returns why a number cannot be the value of a column.
    fn out_of_range(&self, column: usize, number: i128) -> Option<(String, String)> {
        if self.port == Some(column) && !(0..i128::from(self.ports)).contains(&number) {
            let hint = format!("the switch has {} ports, from 0", self.ports);
            return Some((format!("there is no port {number}"), hint));
        }
        if self.length == Some(column) && !(1..=65_535).contains(&number) {
            return Some((format!("a packet cannot be {number} bytes long"), "1 to 65535".to_owned()));
        }
        let of_column = |source: &FieldSource| matches!(source, FieldSource::Column(of) if *of == column);
        let field = self.fields.iter().position(of_column)?;
        let width = self.widths[field];
        let fits = -(1i128 << (width - 1)) <= number && number < 1i128 << width;
        let hint = || format!("from -2^{} to 2^{width} - 1", width - 1);
        (!fits).then(|| (format!("{number} does not fit the field's {width} bits"), hint()))
    }
}

/// Converts decimal microseconds to picoseconds.
fn microseconds(text: &[u8]) -> Option<u64> {
    let mut parts = text.splitn(2, |&byte| byte == b'.');
    let (whole, fraction) = (parts.next()?, parts.next());
    let is_number = |text: &[u8]| !text.is_empty() && text.len() <= 20 && text.iter().all(u8::is_ascii_digit);
    if !is_number(whole) || fraction.is_some_and(|fraction| !is_number(fraction) || fraction.len() > 6) {
        return None;
    }
    let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<u64>().ok();
    let mut picoseconds = number(whole)?.checked_mul(1_000_000)?;
    if let Some(fraction) = fraction {
        picoseconds = picoseconds.checked_add(number(fraction)? * 10u64.pow(6 - fraction.len() as u32))?;
    }
    Some(picoseconds)
}

/// Reads a table to its end and reports everything that is wrong with it. Returns its columns and the number of its
/// packets.
pub(crate) fn survey(
    input: &Input,
    binding: &Binding,
    ports: u16,
    sources: &mut Sources,
    found: &mut Diagnostics,
) -> Option<(Columns, u64)> {
    let mut findings = TextFindings::default();
    let survey = survey_lines(input, binding, ports, &mut findings);
    let has_errors = findings.has_errors();
    findings.tell(input, sources, found);
    match survey {
        Ok(Some(survey)) if !has_errors => Some(survey),
        Ok(Some(_)) => None,
        Ok(None) => {
            let message = format!("{input}: the table is empty");
            found.push(diagnostics::Diagnostic::without_place(message).hint("its first line names the columns"));
            None
        }
        Err(error) => {
            found.push(input.unreadable(&error));
            None
        }
    }
}

fn survey_lines(
    input: &Input,
    binding: &Binding,
    ports: u16,
    findings: &mut TextFindings,
) -> std::io::Result<Option<(Columns, u64)>> {
    let mut lines = Lines::new(input.open()?);
    let Some(header) = lines.next()? else { return Ok(None) };
    let columns = Columns::read(header, binding, ports, findings);
    let (mut row, mut packets, mut latest) = (Row::default(), 0, 0);
    while let Some(line) = lines.next()? {
        columns.row(line, &mut row, findings);
        packets += 1;
        if let Some(time) = row.time {
            if time < latest {
                findings.error(line.position(), "this packet is earlier than one before it", "sort the lines by time");
            }
            latest = latest.max(time);
        }
    }
    Ok(Some((columns, packets)))
}

/// The packets of a table as a stream.
pub(crate) struct TableStream {
    input: Input,
    columns: Columns,
    ports: u16,
    lines: Option<Lines<Box<dyn Read + Send>>>,
    row: Row,
    maker: RecordMaker,
    /// The arrival times of packets if the table has none.
    line: WithoutGaps,
    sequence: u64,
    pub(crate) trouble: Option<String>,
}

impl TableStream {
    pub(crate) fn new(input: Input, columns: Columns, binding: &Binding, rate: LineRate) -> Self {
        let mut stream = Self {
            columns,
            ports: rate.ports,
            lines: None,
            row: Row::default(),
            maker: RecordMaker::new(binding.fields()),
            line: WithoutGaps::new(rate),
            sequence: 0,
            trouble: None,
            input,
        };
        let opened = stream.input.open().and_then(|input| {
            let mut lines = Lines::new(input);
            lines.next()?; // skips the header line, which is known
            Ok(lines)
        });
        match opened {
            Ok(lines) => stream.lines = Some(lines),
            Err(error) => stream.trouble = Some(stream.input.cannot_read(&error)),
        }
        stream
    }
}

impl Iterator for TableStream {
    type Item = Offered;

    fn next(&mut self) -> Option<Offered> {
        let line = match self.lines.as_mut()?.next() {
            Ok(line) => line?,
            Err(error) => {
                self.trouble = Some(self.input.cannot_read(&error));
                return None;
            }
        };
        let columns = &self.columns;
        if !columns.row(line, &mut self.row, &mut TextFindings::default()) {
            self.trouble = Some(self.input.has_changed());
            return None;
        }
        let cells = &self.row.cells;
        let size = columns.length.map_or(LENGTH, |column| cells[column] as u32);
        let at = self.row.time.map_or_else(|| self.line.arrival(size), Instant::from_picoseconds);
        let in_turn = (self.sequence % u64::from(self.ports)) as u16;
        let port = columns.port.map_or(in_turn, |column| cells[column] as u16);
        self.sequence += 1;
        let packet = self.maker.packet(size, |field| match columns.fields[field] {
            FieldSource::Column(column) => cells[column] as u64,
            FieldSource::Packet(FieldGenerator::Arrival) => Source::value_of_arrival(at),
            FieldSource::Packet(FieldGenerator::Length) => size.into(),
            FieldSource::Packet(_) => port.into(),
            FieldSource::Zero => 0,
        });
        Some(Offered { at, port: Port(port), packet })
    }
}
