//! Verification of what belongs to the entries of tables by their slots, and of the statements that use slots.

use std::collections::{BTreeMap, BTreeSet};

use super::ids;
use super::item::{Findings, Item};
use crate::{
    CounterId, Flow, Initial, MeterId, Program, RegisterId, SharedStatement, Statement, Table, TableId, print,
};

pub(super) fn slots(program: &Program, findings: &mut Findings) {
    let mut owners = BTreeMap::new();
    for (number, table) in program.tables.iter().enumerate() {
        own(program, TableId::from(number), table, &mut owners, findings);
    }
    let uses = Uses::of(program);
    for &id in &uses.tables {
        let table = program.tables.get(id.index());
        if table.is_some_and(|table| !table.has_slots) {
            findings.push(Item::Table(id), "the table is asked for the slot of an entry, but its entries have none");
        }
    }
    for &id in &uses.counters {
        let is_direct = program.counters.get(id.index()).is_some_and(|counter| counter.size.is_none());
        if is_direct && program.table_of_counter(id).is_none() {
            findings.push(Item::Counter(id), NOT_CALLED);
        }
    }
    for &id in &uses.meters {
        let is_direct = program.meters.get(id.index()).is_some_and(|meter| meter.size.is_none());
        if is_direct && program.table_of_meter(id).is_none() {
            findings.push(Item::Meter(id), NOT_CALLED);
        }
    }
    called_once(program, findings);
}

const NOT_CALLED: &str = "it is direct, so a statement can use it only if its table counts when it is called";

/// Checks the direct registers of a table and its settings about slots.
fn own(
    program: &Program,
    id: TableId,
    table: &Table,
    owners: &mut BTreeMap<RegisterId, TableId>,
    findings: &mut Findings,
) {
    let item = Item::Table(id);
    if table.has_slots && table.size.is_none() {
        findings.push(item, "a table whose entries have slots needs a size, which bounds them");
    }
    if !table.has_slots && (table.counts_when_called || !table.registers.is_empty()) {
        findings.push(item, "a table that counts when it is called, or has registers, needs slots");
    }
    for &register in &table.registers {
        let found = match ids::register(program, register) {
            Ok(found) => found,
            Err(error) => {
                findings.push(item, error);
                continue;
            }
        };
        let name = print::register(program, register);
        if found.length.is_none() || found.length != table.size {
            findings.push(item, format!("the register `{name}` of its entries is not an array of the table's size"));
        }
        if !matches!(found.initial, Initial::Fill(_)) {
            findings.push(item, format!("the register `{name}` of its entries needs one initial value: `fill`"));
        }
        if owners.insert(register, id).is_some() {
            findings.push(item, format!("the register `{name}` belongs to the entries of two tables"));
        }
    }
}

/// Requires a direct counter or meter that is called to belong to one table, so that it is clear whose slots are meant.
fn called_once(program: &Program, findings: &mut Findings) {
    let (mut counters, mut meters) = (BTreeSet::new(), BTreeSet::new());
    for table in program.tables.iter().filter(|table| table.counts_when_called) {
        if let Some(counter) = table.counter.filter(|counter| !counters.insert(*counter)) {
            findings.push(Item::Counter(counter), TWO_TABLES);
        }
        if let Some((meter, _)) = table.meter.filter(|(meter, _)| !meters.insert(*meter)) {
            findings.push(Item::Meter(meter), TWO_TABLES);
        }
    }
}

const TWO_TABLES: &str = "it belongs to two tables that count when they are called";

/// What statements use of tables, counters and meters.
#[derive(Default)]
struct Uses {
    tables: BTreeSet<TableId>,
    counters: BTreeSet<CounterId>,
    meters: BTreeSet<MeterId>,
}

impl Uses {
    fn of(program: &Program) -> Self {
        let mut uses = Self::default();
        program.walk(&mut |statement| match statement {
            Statement::Flow(Flow::Apply { table, entry: Some(_), .. }) => _ = uses.tables.insert(*table),
            Statement::Shared(SharedStatement::Count { counter, .. }) => _ = uses.counters.insert(*counter),
            Statement::Shared(SharedStatement::Measure { meter, .. }) => _ = uses.meters.insert(*meter),
            _ => {}
        });
        uses
    }
}
