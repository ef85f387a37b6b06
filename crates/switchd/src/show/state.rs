//! The counters, meters and registers of a program by name.

use control::{
    CounterNumber, CounterRequest, ElementSelection, Error, Info, MeterNumber, MeterRequest, NameError, RegisterNumber,
    RegisterRequest, Request, Response, Size, TableNumber, TableRequest,
};
use machines::Device;
use runtime::Count;
use workbench::packet_test::{key, values_in_words};

use crate::handle::SwitchHandle;
use crate::message::{CounterRow, Indexed, MeterRow, Refusal, RegisterRow, StateReport};
use crate::switch::Running;

/// The most elements of one counter that metrics show.
const MOST_SAMPLES: usize = 1000;

/// Where an element is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The index, or the key of an entry.
    pub at: String,
    /// The priority of the entry, if its table has priorities: two entries may have one key.
    pub priority: Option<u32>,
}

impl ReadElements {
    fn place(&self, index: usize) -> Place {
        self.places.get(index).cloned().unwrap_or_else(|| Place { at: index.to_string(), priority: None })
    }
}

/// The elements of one object: where each is, and what was read.
struct ReadElements {
    request: Request,
    /// The entries; empty for arrays, whose elements are numbered.
    places: Vec<Place>,
    response: Response,
}

/// Returns the state of some names, or all; of each at most so many elements.
pub(crate) fn counters(handle: &SwitchHandle, names: Vec<String>, most: usize) -> Result<StateReport, Refusal> {
    let read = handle.with(move |running| -> Result<_, Refusal> {
        let info = running.info().clone();
        let wanted = wanted(&info, &names)?;
        let read = read_all(&info, &wanted, running.driver.node_mut().device_mut());
        Ok((info, read))
    });
    let (info, read) = read??;
    let mut report = StateReport::default();
    for elements in read {
        let (name, size) = name_of(&info, &elements.request);
        let (values, more) = values(&info, &elements, most);
        // Where the pipes of a switch differ, each has a row of its own.
        let pipe = elements.request.by_pipe().0.map_or(String::new(), |pipe| format!(" in pipe {pipe}"));
        let name = format!("{name}{pipe}");
        match elements.request.without_pipe() {
            Request::Counter(..) => report.counters.push(CounterRow { name, values, more }),
            Request::Meter(..) => report.meters.push(MeterRow { name, values, more }),
            _ => report.registers.push(RegisterRow { name, size, values, more }),
        }
    }
    Ok(report)
}

/// Returns the requests that read everything of some names, or all. A name may be any end of a full one that is unique among
/// counters, among meters and among registers.
fn wanted(info: &Info, names: &[String]) -> Result<Vec<Request>, Refusal> {
    let counter = |number| Request::Counter(number, CounterRequest::Read(ElementSelection::All));
    let meter = |number| Request::Meter(number, MeterRequest::Read(ElementSelection::All));
    let register = |number| Request::Register(number, RegisterRequest::Read(None));
    let mut wanted = Vec::new();
    if names.is_empty() {
        let counters = info.counters.iter().enumerate().filter(|(_, own)| !own.identity.is_hidden);
        wanted.extend(counters.map(|(number, _)| counter(CounterNumber::from(number))));
        let meters = info.meters.iter().enumerate().filter(|(_, own)| !own.identity.is_hidden);
        wanted.extend(meters.map(|(number, _)| meter(MeterNumber::from(number))));
        let registers = info.registers.iter().enumerate().filter(|(_, own)| !own.identity.is_hidden);
        wanted.extend(registers.map(|(number, _)| register(RegisterNumber::from(number))));
    }
    for name in names {
        let found = [
            info.counter_named(name).map(counter),
            info.meter_named(name).map(meter),
            info.register_named(name).map(register),
        ];
        let is_ambiguous = |error: &Error| matches!(error, Error::Name(NameError::Ambiguous { .. }));
        if let Some(Err(ambiguous)) = found.iter().find(|found| found.as_ref().is_err_and(is_ambiguous)) {
            return Err(Refusal::new(format!("{ambiguous}\n")));
        }
        if found.iter().all(Result::is_err) {
            return Err(Refusal::new(format!("the program has no counter, meter or register `{name}`\n")));
        }
        // Each is read once, however often it is named.
        let new: Vec<Request> = found.into_iter().flatten().filter(|request| !wanted.contains(request)).collect();
        wanted.extend(new);
    }
    Ok(wanted)
}

fn name_of<'i>(info: &'i Info, request: &Request) -> (&'i str, u32) {
    match request.without_pipe() {
        Request::Counter(number, _) => (&info.counter(*number).identity.name, 0),
        Request::Meter(number, _) => (&info.meter(*number).identity.name, 0),
        Request::Register(number, _) => (&info.register(*number).identity.name, info.register(*number).size),
        _ => ("", 0),
    }
}

/// Returns the counters of the program that are not 0, by name and place.
pub(crate) fn counted(running: &mut Running) -> Vec<(CounterNumber, Vec<(Place, Count)>)> {
    let info = running.info().clone();
    let counters = info.counters.iter().enumerate().filter(|(_, own)| !own.identity.is_hidden);
    let request = |number| Request::Counter(CounterNumber::from(number), CounterRequest::Read(ElementSelection::All));
    let wanted: Vec<Request> = counters.map(|(number, _)| request(number)).collect();
    let all = read_all(&info, &wanted, running.driver.node_mut().device_mut());
    let of_one = |elements: ReadElements| {
        let (Request::Counter(number, _), Response::Counters(counts)) =
            (elements.request.without_pipe(), &elements.response)
        else {
            return None;
        };
        let counts = counts.iter().enumerate().filter(|(_, count)| **count != Count::default());
        let shown = counts.take(MOST_SAMPLES).map(|(index, count)| (elements.place(index), *count));
        Some((*number, shown.collect()))
    };
    all.into_iter().filter_map(of_one).collect()
}

/// Reads what requests name. This runs on the switch's thread, which only copies numbers here.
fn read_all(info: &Info, wanted: &[Request], device: &mut dyn Device) -> Vec<ReadElements> {
    let mut all = Vec::new();
    for request in wanted {
        let table = match request {
            Request::Counter(number, _) => info.counter(*number).size,
            Request::Meter(number, _) => info.meter(*number).size,
            _ => Size::Array(0),
        };
        match table {
            Size::Entries(table) => all.extend(read_entries(info, device, table, request)),
            Size::Array(_) => {
                let response = device.execute(request).map(Response::merged);
                let parts = response.into_iter().flat_map(Response::by_pipe);
                all.extend(parts.map(|(pipe, response)| ReadElements {
                    request: request.clone().in_pipe(pipe),
                    places: Vec::new(),
                    response,
                }));
            }
        }
    }
    all
}

/// Reads the counters or meters of a table's entries: those of all pipes together or, where that is not possible, those of
/// each.
fn read_entries(info: &Info, device: &mut dyn Device, table: TableNumber, request: &Request) -> Vec<ReadElements> {
    let mut read = |pipe| read_entries_in(info, device, table, request, pipe);
    match read(None) {
        Some(together) => vec![together],
        None => (0..).map_while(|pipe| read(Some(pipe))).collect(),
    }
}

/// Reads the counters or meters of a table's entries in one pipe or, without one, in all. Returns `None` if pipes differ, and
/// if there is no such pipe.
fn read_entries_in(
    info: &Info,
    device: &mut dyn Device,
    table: TableNumber,
    request: &Request,
    pipe: Option<u32>,
) -> Option<ReadElements> {
    let mut ask = |request: Request| device.execute(&request.in_pipe(pipe)).ok().map(Response::merged);
    let Some(Response::Entries(entries)) = ask(Request::Table(table, TableRequest::read_all())) else { return None };
    let has_priorities = info.table(table).has_priorities();
    let place = |entry: &control::ReadEntry| Place {
        at: key(info, table, &entry.key),
        priority: has_priorities.then_some(entry.priority),
    };
    let places = entries.iter().map(place).collect();
    // All at once, in the order of the entries.
    let response = ask(request.clone()).filter(|response| !matches!(response, Response::ByPipe(_)))?;
    Some(ReadElements { request: request.clone().in_pipe(pipe), places, response })
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
    let place = |index: usize| match elements.place(index) {
        Place { at, priority: None } => at,
        Place { at, priority: Some(priority) } => format!("{at} priority {priority}"),
    };
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
