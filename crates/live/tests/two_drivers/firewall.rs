//! The program of the stateful firewall, and its state that does not depend on time.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use control::{ActionCall, CounterRequest, ElementSelection, ReadEntry, RegisterRequest, Request, Response};
use control::{TableNumber, TableRequest, Target};
use machines::Device;
use node::{Account, Burst, Control, Node, Outbox, Port, Station};
use runtime::Bits;
use runtime::tables::FieldMatch;
use workbench::kinds::{self, Settings};
use workbench::{LoadOptions, LoadedProgram};

/// A device that the test still has when a driver has taken it.
#[derive(Clone)]
pub struct Shared(Arc<Mutex<Box<dyn Device>>>);

impl Shared {
    fn device(&self) -> MutexGuard<'_, Box<dyn Device>> {
        self.0.lock().expect("nobody panics")
    }
}

impl Node for Shared {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.device().receive(now, port, burst, out);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.device().wake(now, out);
    }

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        self.device().control(now, request, out);
    }
}

impl Station for Shared {
    fn account(&self) -> Account {
        self.device().account()
    }
}

impl Snapshot for Shared {
    fn save(&self, _: &mut Saver) -> Result<(), Unfit> {
        Err(Unfit("a shared device is not saved".to_owned()))
    }

    fn restore(&mut self, _: &mut Loader<'_>) -> Result<(), Unfit> {
        Err(Unfit("a shared device was not saved".to_owned()))
    }
}

/// Builds the firewall for hosts at ports 0, 1, …. A host may open connections to those behind it in the list, of which
/// the firewall lets answers back, and those before it to it.
pub fn device(addresses: &[u32]) -> Shared {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/p4/stateful_firewall/stateful_firewall.p4");
    let program = LoadedProgram::read(&path, &LoadOptions::default());
    let program = program.unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    let fitted = kinds::named("native").and_then(|machine| machine.fit(&program, &Settings::default()));
    let built = fitted.and_then(|fitted| fitted.build(1));
    let mut device = built.unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    let exact = |value: usize| FieldMatch::Exact(Bits::from_u64(value as u64, 9));
    for (port, address) in addresses.iter().enumerate() {
        let prefix = FieldMatch::Prefix { value: Bits::from_u64(u64::from(*address), 32), length: 32 };
        let mac = transports::frame::ethernet_address(*address);
        let mac = mac.iter().fold(0, |mac, byte| mac << 8 | u64::from(*byte));
        insert(&mut *device, "routes", vec![prefix], "forward", &[port as u64, 2, mac]);
        for other in (0..addresses.len()).filter(|other| *other != port) {
            insert(&mut *device, "directions", vec![exact(port), exact(other)], "outgoing", &[]);
        }
    }
    Shared(Arc::new(Mutex::new(device)))
}

fn insert(device: &mut dyn Device, table: &str, key: Vec<FieldMatch>, action: &str, data: &[u64]) {
    let info = device.info().clone();
    let table = info.table_named(table).expect("the program has it");
    let action = info.action_named(table, action).expect("the program has it");
    let data = data.iter().map(|value| Bits::from_u64(*value, 64)).collect();
    let target = Target::Action(ActionCall { action, data });
    let insert = Request::Table(table, TableRequest::insert(key, None, target));
    device.execute(&insert).expect("the table takes it");
}

/// The state of the program that does not depend on time.
#[derive(Debug, PartialEq)]
pub struct ProgramState {
    /// The entries of each table.
    tables: Vec<Vec<ReadEntry>>,
    /// For each register, the elements that are not 0.
    pub registers: Vec<Vec<(usize, Vec<Bits>)>>,
    /// Which counters have counted.
    counted: Vec<Vec<bool>>,
}

impl ProgramState {
    pub fn of(shared: &Shared) -> Self {
        let mut device = shared.device();
        let info = device.info().clone();
        let mut ask = |request: Request| device.execute(&request).expect("reads are not refused");
        let tables = (0..info.tables.len()).map(|table| {
            match ask(Request::Table(TableNumber::from(table), TableRequest::read_all())) {
                Response::Entries(entries) => entries,
                other => panic!("{other:?}"),
            }
        });
        let tables = tables.collect();
        let registers = (0..info.registers.len()).map(|register| {
            let elements = match ask(Request::Register(register.into(), RegisterRequest::Read(None))) {
                Response::Registers(elements) => elements,
                other => panic!("{other:?}"),
            };
            let is_set = |(_, element): &(usize, Vec<Bits>)| element.iter().any(|value| !value.is_zero());
            elements.into_iter().enumerate().filter(is_set).collect()
        });
        let registers = registers.collect();
        let counted = (0..info.counters.len()).map(|counter| {
            match ask(Request::Counter(counter.into(), CounterRequest::Read(ElementSelection::All))) {
                Response::Counters(counts) => counts.iter().map(|count| count.packets > 0).collect(),
                other => panic!("{other:?}"),
            }
        });
        let counted = counted.collect();
        Self { tables, registers, counted }
    }
}
