//! The state of a switch as CSV.

use control::{
    CounterNumber, CounterRequest, CounterUnit, ElementSelection, MemoryRequest, ReadRecord, RecordRequest,
    RecordTableNumber, RegisterNumber, RegisterRequest, Request, Response, SegmentNumber, Size, TableRequest,
};

use machines::Device;

/// Returns all counters as CSV. The index of a direct counter is the number of the table entry.
pub(super) fn counters(device: &mut dyn Device) -> String {
    let info = device.info().clone();
    let mut table = ByPipe::new("counter", "index,packets,bytes");
    for (at, counter) in info.counters.iter().enumerate() {
        let request = Request::Counter(CounterNumber::from(at), CounterRequest::Read(ElementSelection::All));
        for (pipe, response) in read(device, &request) {
            let Response::Counters(counts) = response else { continue };
            let indices: Vec<String> = match counter.size {
                Size::Array(_) => (0..counts.len()).map(|index| index.to_string()).collect(),
                Size::Entries(table) => {
                    // A table that is written to all pipes has the same entries in each.
                    let request = Request::Table(table, TableRequest::read_all());
                    let entries = device.execute(&request).or_else(|_| device.execute(&request.in_pipe(pipe)));
                    let Ok(Response::Entries(entries)) = entries else { continue };
                    entries.iter().map(|entry| format!("entry {}", entry.handle.0)).collect()
                }
            };
            for (index, count) in indices.iter().zip(counts) {
                let packets =
                    if counter.unit == CounterUnit::Bytes { String::new() } else { count.packets.to_string() };
                let bytes = if counter.unit == CounterUnit::Packets { String::new() } else { count.bytes.to_string() };
                table.row(&counter.identity.name, pipe, format!("{index},{packets},{bytes}"));
            }
        }
    }
    table.text()
}

/// Returns all registers as CSV, with a row for each scalar of each index.
pub(super) fn registers(device: &mut dyn Device) -> String {
    let info = device.info().clone();
    let mut table = ByPipe::new("register", "index,field,value");
    for (at, register) in info.registers.iter().enumerate() {
        let leaves = register.data_type.leaves();
        for (pipe, response) in read(device, &Request::Register(RegisterNumber::from(at), RegisterRequest::Read(None)))
        {
            let Response::Registers(cells) = response else { continue };
            for (index, cell) in cells.iter().enumerate() {
                for (leaf, value) in leaves.iter().zip(cell) {
                    table.row(&register.identity.name, pipe, format!("{index},{},{value}", leaf.path));
                }
            }
        }
    }
    table.text()
}

/// Returns the words of shared memory that are not what their segments were filled with at first as CSV, with their distances
/// from the beginnings of the segments in bytes; `None` if the program has no segments of words.
pub(super) fn memory(device: &mut dyn Device) -> Option<String> {
    let info = device.info().clone();
    let mut segments = info.segments.iter().enumerate().filter(|(_, own)| !own.has_policers).peekable();
    segments.peek()?;
    let mut table = ByPipe::new("segment", "offset,value");
    for (at, segment) in segments {
        let request = Request::Memory(SegmentNumber::from(at), MemoryRequest::ReadWritten);
        for (pipe, response) in read(device, &request) {
            let Response::WrittenWords(words) = response else { continue };
            for (offset, word) in words {
                table.row(&segment.identity.name, pipe, format!("{offset},{word}"));
            }
        }
    }
    Some(table.text())
}

/// Returns the records as CSV, with their keys and bytes in hexadecimal digits; `None` if the program has no tables of records.
pub(super) fn records(device: &mut dyn Device) -> Option<String> {
    let info = device.info().clone();
    if info.records.is_empty() {
        return None;
    }
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let mut table = ByPipe::new("records", "place,key,referenced,contents");
    for (at, records) in info.records.iter().enumerate() {
        let request = Request::Records(RecordTableNumber::from(at), RecordRequest::Read(None));
        for (pipe, response) in read(device, &request) {
            let Response::Records(all) = response else { continue };
            for ReadRecord { place, key, is_referenced, contents, .. } in all {
                let row = format!("{place},{},{is_referenced},{}", hex(&key), hex(&contents));
                table.row(&records.identity.name, pipe, row);
            }
        }
    }
    Some(table.text())
}

/// Returns the answers to a request that reads, each with its pipe if the device has several.
fn read(device: &mut dyn Device, request: &Request) -> Vec<(Option<u32>, Response)> {
    match device.execute(request) {
        Ok(response) => response.by_pipe(),
        // What belongs to the entries of a table that is written by pipe is read in the same way.
        Err(control::Error::Pipe(control::PipeError::ByPipe { .. })) => (0..)
            .map_while(|pipe| Some((Some(pipe), device.execute(&request.clone().in_pipe(Some(pipe))).ok()?)))
            .collect(),
        Err(_) => Vec::new(),
    }
}

/// A table as CSV with a column of pipes if any of its rows has a pipe.
struct ByPipe {
    first: &'static str,
    others: &'static str,
    rows: Vec<(String, Option<u32>, String)>,
}

impl ByPipe {
    /// Creates a table without rows. The pipe comes after the first column.
    fn new(first: &'static str, others: &'static str) -> Self {
        Self { first, others, rows: Vec::new() }
    }

    fn row(&mut self, first: &str, pipe: Option<u32>, others: String) {
        self.rows.push((first.to_owned(), pipe, others));
    }

    fn text(self) -> String {
        let has_pipes = self.rows.iter().any(|(_, pipe, _)| pipe.is_some());
        let line = |(first, pipe, others): (String, Option<u32>, String)| match pipe {
            Some(pipe) if has_pipes => format!("{first},{pipe},{others}\n"),
            None if has_pipes => format!("{first},,{others}\n"),
            _ => format!("{first},{others}\n"),
        };
        let pipe = if has_pipes { ",pipe" } else { "" };
        let header = format!("{}{pipe},{}\n", self.first, self.others);
        std::iter::once(header).chain(self.rows.into_iter().map(line)).collect()
    }
}

/// Returns what each part of a machine has done.
pub(super) fn parts(parts: &[machines::PartUse]) -> String {
    let mut text =
        String::from("part,number,work,busy_cycles,waited_cycles,longest_queue,latency_cycles,longest_latency\n");
    for part in parts {
        let machines::PartUse { part, number, work, busy, waited, longest_queue, latency, longest_latency } = part;
        text += &format!("{part},{number},{work},{busy},{waited},{longest_queue},{latency},{longest_latency}\n");
    }
    text
}
