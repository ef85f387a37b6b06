//! The counters, meters and registers of a program by name.

use control::{
    CounterNumber, CounterRequest, ElementSelection, EntrySelection, Info, MeterNumber, MeterRequest, RegisterNumber,
    RegisterRequest, Request, Response, Size, TableRequest,
};
use machines::Device;
use runtime::Count;
use runtime::tables::EntryHandle;
use workbench::packet_test::{key, values_in_words};

use crate::handle::SwitchHandle;
use crate::message::{CounterRow, Indexed, MeterRow, Refusal, RegisterRow, StateReport};
use crate::switch::Running;

/// The most elements of one counter that metrics show.
const MOST_SAMPLES: usize = 1000;

/// The elements of one object: where each is, and what was read.
struct ReadElements {
    request: Request,
    /// The keys of entries; empty for arrays, whose elements are numbered.
    places: Vec<String>,
    response: Response,
}

/// Returns the state of some names, or all; of each at most so many elements.
pub(crate) fn counters(handle: &SwitchHandle, names: Vec<String>, most: usize) -> Result<StateReport, Refusal> {
    let read = handle.with(|running| {
        let info = running.info().clone();
        let read = read_all(&info, running.driver.node_mut().device_mut());
        (info, read)
    });
    let (info, read) = read?;
    let mut report = StateReport::default();
    for elements in read {
        let (name, size) = name_of(&info, &elements.request);
        if !names.is_empty() && !names.iter().any(|wanted| wanted == name) {
            continue;
        }
        let (values, more) = values(&info, &elements, most);
        let name = name.to_owned();
        match elements.request {
            Request::Counter(..) => report.counters.push(CounterRow { name, values, more }),
            Request::Meter(..) => report.meters.push(MeterRow { name, values, more }),
            _ => report.registers.push(RegisterRow { name, size, values, more }),
        }
    }
    let is_known = |name: &&String| {
        let counters = report.counters.iter().map(|row| &row.name);
        let meters = report.meters.iter().map(|row| &row.name);
        counters.chain(meters).chain(report.registers.iter().map(|row| &row.name)).any(|known| known == *name)
    };
    match names.iter().find(|name| !is_known(name)) {
        Some(unknown) => Err(Refusal::new(format!("the program has no counter, meter or register `{unknown}`\n"))),
        None => Ok(report),
    }
}

fn name_of<'i>(info: &'i Info, request: &Request) -> (&'i str, u32) {
    match request {
        Request::Counter(number, _) => (&info.counter(*number).identity.name, 0),
        Request::Meter(number, _) => (&info.meter(*number).identity.name, 0),
        Request::Register(number, _) => (&info.register(*number).identity.name, info.register(*number).size),
        _ => ("", 0),
    }
}

/// Returns the counters of the program that are not 0, by name and place.
pub(crate) fn counted(running: &mut Running) -> Vec<(CounterNumber, Vec<(String, Count)>)> {
    let info = running.info().clone();
    let mut all = Vec::new();
    for (number, counter) in info.counters.iter().enumerate().filter(|(_, own)| !own.identity.is_hidden) {
        let request = |element| Request::Counter(CounterNumber::from(number), CounterRequest::Read(element));
        read(&info, running.driver.node_mut().device_mut(), counter.size, &request, &mut all);
    }
    let of_one = |elements: ReadElements| {
        let (Request::Counter(number, _), Response::Counters(counts)) = (elements.request, elements.response) else {
            return None;
        };
        let places = elements.places;
        let place = |index: usize| places.get(index).cloned().unwrap_or_else(|| index.to_string());
        let counts = counts.into_iter().enumerate().filter(|(_, count)| *count != Count::default());
        Some((number, counts.take(MOST_SAMPLES).map(|(index, count)| (place(index), count)).collect()))
    };
    all.into_iter().filter_map(of_one).collect()
}

/// Reads everything. This runs on the switch's thread, which only copies numbers here.
fn read_all(info: &Info, device: &mut dyn Device) -> Vec<ReadElements> {
    let mut all = Vec::new();
    for (number, counter) in info.counters.iter().enumerate().filter(|(_, own)| !own.identity.is_hidden) {
        let request = |element| Request::Counter(CounterNumber::from(number), CounterRequest::Read(element));
        read(info, device, counter.size, &request, &mut all);
    }
    for (number, meter) in info.meters.iter().enumerate().filter(|(_, own)| !own.identity.is_hidden) {
        let request = |element| Request::Meter(MeterNumber::from(number), MeterRequest::Read(element));
        read(info, device, meter.size, &request, &mut all);
    }
    for (number, _) in info.registers.iter().enumerate().filter(|(_, own)| !own.identity.is_hidden) {
        let request = Request::Register(RegisterNumber::from(number), RegisterRequest::Read(None));
        if let Ok(response) = device.execute(&request) {
            all.push(ReadElements { request, places: Vec::new(), response });
        }
    }
    all
}

/// Reads counters or meters: an array at once, direct ones entry by entry.
fn read(
    info: &Info,
    device: &mut dyn Device,
    size: Size,
    request: &dyn Fn(ElementSelection) -> Request,
    all: &mut Vec<ReadElements>,
) {
    let Size::Entries(table) = size else {
        let request = request(ElementSelection::All);
        if let Ok(response) = device.execute(&request) {
            all.push(ReadElements { request, places: Vec::new(), response });
        }
        return;
    };
    let Ok(Response::Entries(entries)) = device.execute(&Request::Table(table, TableRequest::read_all())) else {
        return;
    };
    let places = entries.iter().map(|entry| key(info, table, &entry.key)).collect();
    let handles: Vec<EntryHandle> = entries.iter().map(|entry| entry.handle).collect();
    let mut counts = Vec::new();
    let mut meters = Vec::new();
    for handle in handles {
        match device.execute(&request(ElementSelection::Entry(EntrySelection::Handle(handle)))) {
            Ok(Response::Counters(own)) => counts.extend(own),
            Ok(Response::Meters(own)) => meters.extend(own),
            _ => return,
        }
    }
    let response = if counts.is_empty() { Response::Meters(meters) } else { Response::Counters(counts) };
    all.push(ReadElements { request: request(ElementSelection::All), places, response });
}

/// Returns the elements that are not 0 in words, at most so many, and the number of further ones.
fn values(info: &Info, elements: &ReadElements, most: usize) -> (Vec<Indexed>, usize) {
    let all: Vec<bool> = match &elements.response {
        Response::Counters(counts) => counts.iter().map(|count| count.packets != 0 || count.bytes != 0).collect(),
        Response::Meters(meters) => meters.iter().map(Option::is_some).collect(),
        Response::Registers(cells) => cells.iter().map(|cell| cell.iter().any(|value| !value.is_zero())).collect(),
        _ => Vec::new(),
    };
    let wanted: Vec<usize> = all.iter().enumerate().filter(|(_, is)| **is).map(|(index, _)| index).collect();
    let (shown, rest) = wanted.split_at(wanted.len().min(most));
    let place = |index: usize| elements.places.get(index).cloned().unwrap_or_else(|| index.to_string());
    let word = |index: usize| {
        let one = match &elements.response {
            Response::Counters(counts) => Response::Counters(vec![counts[index]]),
            Response::Meters(meters) => Response::Meters(vec![meters[index]]),
            Response::Registers(cells) => Response::Registers(vec![cells[index].clone()]),
            _ => return String::new(),
        };
        values_in_words(info, &elements.request, one).and_then(|mut words| words.pop()).unwrap_or_default()
    };
    (shown.iter().map(|&index| Indexed { at: place(index), value: word(index) }).collect(), rest.len())
}
