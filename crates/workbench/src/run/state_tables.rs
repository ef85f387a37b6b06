//! The state of a switch as CSV.

use std::fmt::Write;

use control::{
    CounterNumber, CounterRequest, CounterUnit, ElementSelection, RegisterNumber, RegisterRequest, Request, Response,
    Size, TableRequest,
};

use machines::Device;

/// Returns all counters as CSV. The index of a direct counter is the number of the table entry.
pub(super) fn counters(device: &mut dyn Device) -> String {
    let info = device.info().clone();
    let mut text = "counter,index,packets,bytes\n".to_owned();
    for (at, counter) in info.counters.iter().enumerate() {
        let request = Request::Counter(CounterNumber::from(at), CounterRequest::Read(ElementSelection::All));
        let Ok(Response::Counters(counts)) = device.execute(&request) else { continue };
        let indices: Vec<String> = match counter.size {
            Size::Array(_) => (0..counts.len()).map(|index| index.to_string()).collect(),
            Size::Entries(table) => match device.execute(&Request::Table(table, TableRequest::read_all())) {
                Ok(Response::Entries(entries)) => {
                    entries.iter().map(|entry| format!("entry {}", entry.handle.0)).collect()
                }
                _ => continue,
            },
        };
        for (index, count) in indices.iter().zip(counts) {
            let packets = if counter.unit == CounterUnit::Bytes { String::new() } else { count.packets.to_string() };
            let bytes = if counter.unit == CounterUnit::Packets { String::new() } else { count.bytes.to_string() };
            let _ = writeln!(text, "{},{index},{packets},{bytes}", counter.identity.name);
        }
    }
    text
}

/// Returns all registers as CSV, with a row for each scalar of each index.
pub(super) fn registers(device: &mut dyn Device) -> String {
    let info = device.info().clone();
    let mut text = "register,index,field,value\n".to_owned();
    for (at, register) in info.registers.iter().enumerate() {
        let request = Request::Register(RegisterNumber::from(at), RegisterRequest::Read(None));
        let Ok(Response::Registers(cells)) = device.execute(&request) else { continue };
        let leaves = register.data_type.leaves();
        for (index, cell) in cells.iter().enumerate() {
            for (leaf, value) in leaves.iter().zip(cell) {
                let _ = writeln!(text, "{},{index},{},{value}", register.identity.name, leaf.path);
            }
        }
    }
    text
}
