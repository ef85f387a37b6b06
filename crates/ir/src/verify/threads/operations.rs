//! Verification of the operations of transactions.

use std::collections::HashSet;

use super::super::item::Item;
use super::super::{ids, tables};
use super::Operands;
use crate::threads::{Data, LINE_BYTES, Operation, RecordTable, RecordTableId, parameters};
use crate::{DigestId, Expression, TableId, typing};

/// The greatest number of words that a transaction carries in one direction.
const MOST_WORDS: usize = (LINE_BYTES / 8) as usize;

/// Checks an operation; returns whether all is well.
pub(super) fn operation(operands: &mut Operands<'_>, item: Item, operation: &Operation) -> bool {
    let before = operands.findings.len();
    operands.numbers(item, operation);
    operands.sizes(item, operation);
    operands.parts(item, operation);
    // What is wrong with the types inside an operand is reported elsewhere.
    let typed = |value: &&Expression| super::expression(operands.program, value).is_ok();
    let count = operation.expressions().len();
    let typed = operation.expressions().iter().filter(|value| typed(value)).count() == count;
    typed && operands.findings.len() == before
}

impl Operands<'_> {
    /// Checks the operands that are numbers, and the parts of data.
    fn numbers(&mut self, item: Item, operation: &Operation) {
        // Parts of data, of keys and of messages may be bools.
        let mut parts: HashSet<*const Expression> = HashSet::new();
        match operation {
            Operation::Filter { keys: values, .. } | Operation::Digest { values, .. } => {
                parts.extend(values.iter().map(std::ptr::from_ref));
            }
            _ => (),
        }
        for data in operation.data() {
            if let Data::Values(values) = data {
                parts.extend(values.iter().map(std::ptr::from_ref));
            }
        }
        for value in operation.expressions() {
            if parts.contains(&std::ptr::from_ref(value)) {
                self.value(item, value);
            } else {
                self.number(item, "an operand", value);
            }
        }
    }

    fn sizes(&mut self, item: Item, operation: &Operation) {
        let line = LINE_BYTES as u32;
        match operation {
            Operation::Read { bytes, .. } => self.size(item, *bytes, 8, line),
            Operation::Write { data, .. } => self.data(item, data, 8, line),
            Operation::Add { data, .. } => self.data(item, data, 4, line),
            Operation::ReadTail { bytes, .. } => self.size(item, *bytes, 1, line),
            Operation::WriteTail { data, .. } | Operation::Hash { data, .. } => self.data(item, data, 1, line),
            Operation::Find { records, key } | Operation::Delete { records, key } => self.key(item, *records, key),
            Operation::Insert { records, key, contents } => {
                self.key(item, *records, key);
                let most = self.record_table(*records).map_or(line, |table| table.record_bytes.min(line));
                if let Some(bytes) = self.bytes(contents)
                    && bytes > most
                {
                    let message = format!("a new record begins with at most {most} bytes, not {bytes}");
                    self.findings.push(item, message);
                }
            }
            _ => (),
        }
    }

    /// Requires a number of bytes to be a multiple of `unit` from `unit` to `most`.
    fn size(&mut self, item: Item, bytes: u32, unit: u32, most: u32) {
        if bytes == 0 || bytes > most || !bytes.is_multiple_of(unit) {
            let multiple = if unit == 1 { String::new() } else { format!(" in steps of {unit}") };
            self.findings.push(item, format!("the operation takes {unit} to {most} bytes{multiple}, not {bytes}"));
        }
    }

    fn data(&mut self, item: Item, data: &Data, unit: u32, most: u32) {
        if let Some(bytes) = self.bytes(data) {
            self.size(item, bytes, unit, most);
        }
    }

    /// Returns the number of bytes of data, if its values are well typed.
    fn bytes(&self, data: &Data) -> Option<u32> {
        let mut typed = true;
        let bytes = data.bytes(|value| match super::expression(self.program, value) {
            Ok(ty) => ty.width(),
            Err(_) => {
                typed = false;
                0
            }
        });
        typed.then_some(bytes)
    }

    fn key(&mut self, item: Item, records: RecordTableId, key: &Data) {
        let Some(expected) = self.record_table(records).map(|table| table.key_bytes) else { return };
        if let Some(bytes) = self.bytes(key)
            && bytes != expected
        {
            self.findings.push(item, format!("the keys of the table have {expected} bytes, not {bytes}"));
        }
    }

    fn record_table(&self, records: RecordTableId) -> Option<&RecordTable> {
        self.threads.records.get(records.index())
    }

    /// Checks the parts of the program that an operation names.
    fn parts(&mut self, item: Item, operation: &Operation) {
        let missing = |what: &str, place: usize, count: usize| {
            if place < count { Ok(()) } else { Err(format!("{what} {place} does not exist")) }
        };
        let threads = self.threads;
        match operation {
            Operation::Find { records, .. }
            | Operation::Insert { records, .. }
            | Operation::Delete { records, .. }
            | Operation::Remove { records, .. }
            | Operation::Scan { records, .. } => {
                self.findings.check(item, missing("table of records", records.index(), threads.records.len()));
            }
            Operation::Drop { reason, .. } => {
                self.findings.check(item, missing("reason", reason.index(), threads.reasons.len()));
            }
            Operation::StartTimer { timer, .. } | Operation::StopTimer { timer } => {
                self.findings.check(item, missing("timer", timer.index(), threads.timers.len()));
            }
            Operation::Filter { table, keys } => self.filter(item, *table, keys),
            Operation::Digest { digest, values } => self.digest(item, *digest, values),
            _ => (),
        }
    }

    fn filter(&mut self, item: Item, table: TableId, keys: &[Expression]) {
        let words = tables::words(self.program, table).and_then(|words| typing::keys(words, keys.len()));
        if self.check(item, words).is_none() {
            return;
        }
        if keys.len() > MOST_WORDS {
            let message = format!("a filter takes at most {MOST_WORDS} words of a key, not {}", keys.len());
            self.findings.push(item, message);
        }
        let most = parameters(self.program, table);
        if most > 6 {
            let message = format!("the actions of a filter have at most 6 parameters, not {most}");
            self.findings.push(item, message);
        }
    }

    fn digest(&mut self, item: Item, digest: DigestId, values: &[Expression]) {
        let Some(digest) = self.check(item, ids::digest(self.program, digest)) else { return };
        self.check(item, typing::digest(digest, values.len()));
        if values.len() > MOST_WORDS {
            let message = format!("a message has at most {MOST_WORDS} values, not {}", values.len());
            self.findings.push(item, message);
        }
        for ((name, expected), value) in digest.fields.iter().zip(values) {
            if let Ok(found) = super::expression(self.program, value) {
                self.check(item, typing::assigned(&format!("`{name}`"), *expected, found));
            }
        }
    }
}
