//! What a running switch shows: ports, tables, counters and drops.

use std::collections::BTreeMap;

use control::{Info, Response, TableNumber, TableRequest, Target};
use workbench::packet_test::{call, key, target};

use crate::handle::SwitchHandle;
use crate::message::{DropRow, EntryRow, PortRow, Refusal, SwitchReport, TableRow};
use crate::switch::Running;

mod measured;
mod state;

pub(crate) use measured::{counter_metrics, metrics};
pub(crate) use state::{Place, counted, counters};

/// Returns what runs, and for how long.
pub(crate) fn switch(running: &Running) -> SwitchReport {
    SwitchReport {
        name: running.plan.name.clone(),
        program: running.program.program.name.clone(),
        machine: running.machine.to_owned(),
        process: std::process::id(),
        seconds: running.driver.now().picoseconds() / 1_000_000_000_000,
        reloads: running.reloads,
        controllers: running.controllers_report(),
    }
}

/// Returns the ports.
pub(crate) fn ports(running: &Running) -> Vec<PortRow> {
    let station = running.driver.node().as_station();
    let row = |view: live::PortView<'_>| {
        let queue = station.queue(view.port);
        PortRow {
            port: view.port.0,
            interface: view.name.to_owned(),
            up: view.is_up,
            longest_frame: view.longest_frame,
            waiting: view.waiting as u64,
            queued_packets: queue.packets,
            queued_bytes: queue.bytes,
            received: view.tally.received.into(),
            transmitted: view.tally.transmitted.into(),
            dropped: view.tally.discarded.values().sum(),
            note: view.failure.map(|error| error.to_string()).or_else(|| view.warning.map(str::to_owned)),
        }
    };
    running.driver.ports().map(row).collect()
}

/// Returns the discarded packets by reason, in the order of results.
pub(crate) fn drops(running: &Running) -> Vec<DropRow> {
    let counted = service::metrics::drops(&running.driver).into_iter();
    let row = |(reason, drops): (node::Reason, service::metrics::Drops)| {
        let row = DropRow {
            reason: reason.to_string(),
            packets: drops.packets,
            by_port: drops.by_port,
            ..DropRow::default()
        };
        (reason, row)
    };
    let mut rows: BTreeMap<node::Reason, DropRow> = counted.map(row).collect();
    let now = running.driver.node().device().drops();
    let earlier = running.earlier_drops.iter().map(|(key, packets)| (*key, *packets));
    for ((reason, block), packets) in now.iter().chain(earlier) {
        if let Some(row) = rows.get_mut(&reason).filter(|_| !block.is_empty()) {
            *row.by_block.entry(block.to_owned()).or_default() += packets;
        }
    }
    rows.into_values().collect()
}

/// Returns the tables of some names, or all.
pub(crate) fn tables(handle: &SwitchHandle, names: Vec<String>) -> Result<Vec<TableRow>, Refusal> {
    let read = handle.with(move |running| -> Result<_, Refusal> {
        let info = running.info().clone();
        let numbers = if names.is_empty() {
            (0..info.tables.len()).map(TableNumber::from).collect()
        } else {
            let mut numbers = Vec::new();
            for name in &names {
                let number = info.table_named(name).map_err(|error| Refusal::new(error.to_string()))?;
                // Each is read once, however often it is named.
                if !numbers.contains(&number) {
                    numbers.push(number);
                }
            }
            numbers
        };
        let device = running.driver.node_mut().device_mut();
        let mut read = |number: TableNumber| {
            let mut ask = |pipe, request| device.execute(&control::Request::Table(number, request).in_pipe(pipe)).ok();
            let mut both = |pipe| {
                let entries = ask(pipe, TableRequest::read_all())?;
                Some(TableAnswer { number, pipe, entries, default: ask(pipe, TableRequest::ReadDefault) })
            };
            match both(None) {
                Some(table) => vec![table],
                // A table that is written by pipe has its entries in each.
                None => (0..).map_while(|pipe| both(Some(pipe))).collect(),
            }
        };
        let shown = numbers.into_iter().filter(|number| !info.table(*number).identity.is_hidden);
        let answers: Vec<TableAnswer> = shown.flat_map(&mut read).collect();
        Ok((info, answers))
    })?;
    let (info, answers) = read?;
    Ok(answers.into_iter().map(|answer| table(&info, answer)).collect())
}

/// What a table was read to hold: in all pipes, or in one.
struct TableAnswer {
    number: TableNumber,
    pipe: Option<u32>,
    entries: Response,
    default: Option<Response>,
}

fn table(info: &Info, TableAnswer { number, pipe, entries, default }: TableAnswer) -> TableRow {
    let about = info.table(number);
    let name = &about.identity.name;
    let entries = match entries {
        Response::Entries(entries) => entries,
        _ => Vec::new(),
    };
    let in_pipe = pipe.map_or(String::new(), |pipe| format!("pipe {pipe} "));
    let row = |entry: control::ReadEntry| {
        let line = in_pipe.clone() + &added_by(info, number, &entry);
        EntryRow { handle: entry.handle.0, line, constant: entry.is_constant }
    };
    let default = match default {
        Some(Response::Default { target: Target::Action(action), .. }) if !about.is_default_constant => {
            format!("{in_pipe}setdefault {name} {}", call(info, &action))
        }
        _ => String::new(),
    };
    let name = pipe.map_or(name.clone(), |pipe| format!("{name} in pipe {pipe}"));
    TableRow { name, size: about.size, default, entries: entries.into_iter().map(row).collect() }
}

/// Returns the line of a packet test that adds an entry.
fn added_by(info: &Info, number: TableNumber, entry: &control::ReadEntry) -> String {
    let about = info.table(number);
    let name = &about.identity.name;
    let matches = || entry.key.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    match &entry.target {
        Target::Action(action) => {
            let priority = if about.has_priorities() { format!(" {}", entry.priority) } else { String::new() };
            format!("add {name}{priority} {} {}", key(info, number, &entry.key), call(info, action))
        }
        // A packet test adds these by commands, where the smaller priority wins.
        Target::Member(number) | Target::Group(number) => {
            let suffix = if matches!(entry.target, Target::Group(_)) { "_with_group" } else { "" };
            let priority = match about.has_priorities() {
                true => format!(" {}", (i32::MAX as u32).saturating_sub(entry.priority)),
                false => String::new(),
            };
            format!("table_indirect_add{suffix} {name} {} => {number}{priority}", matches())
        }
        // No line of a packet test adds such an entry.
        Target::ActionSet(_) => {
            let priority = if about.has_priorities() { format!(" {}", entry.priority) } else { String::new() };
            format!("# {name}{priority} {} {}", key(info, number, &entry.key), target(info, &entry.target))
        }
    }
}
