//! What transactions name: hash tables, filters, policers, timers, events, reasons and digests.

use diagnostics::{Diagnostic, Span};
use ir::threads::{Contents, Event, LINE_BYTES, MemoryKind, POLICER_BYTES, RecordTable, Segment, SegmentId, Timer};
use ir::{Digest, Expression, Function, FunctionId, FunctionKind, Initial, Key, Meter, MeterId, Table, TableAction};
use runtime::meter::MeterUnit;
use runtime::tables::{MatchKind, Target};

use super::declaration::stride;
use super::{Checker, Entity};
use crate::syntax::{self, Class, Name, ObjectKind, TypeName};
use crate::types::Type;

/// The greatest number of records, policers and entries of one object.
const MOST_ENTRIES: u64 = 1 << 24;
/// The greatest number of fields of a filter's key and of a digest: as many words of 8 bytes as a transaction carries.
const MOST_WORDS: usize = (LINE_BYTES / 8) as usize;

impl Checker<'_> {
    pub(super) fn object(&mut self, object: &syntax::Object) {
        let name = &object.name;
        let entity = match &object.kind {
            ObjectKind::Hash { record, size, key, class } => self.hash_table(name, record, size, key, *class),
            ObjectKind::Filter(filter) => self.filter(name, filter),
            ObjectKind::Policer { size, class } => self.policer(name, size, *class),
            ObjectKind::Timer { interval } => self.timer(name, interval.as_ref()),
            ObjectKind::Digest { ty } => self.digest(name, ty),
            ObjectKind::Event => {
                let events = &mut self.threads().events;
                events.push(Event { name: name.text.to_string() });
                Some(Entity::Event(events.len() - 1))
            }
            ObjectKind::Reason => {
                let reasons = &mut self.threads().reasons;
                reasons.push(name.text.to_string());
                Some(Entity::Reason(reasons.len() - 1))
            }
        };
        self.declare(name, entity.unwrap_or(Entity::Broken));
    }

    fn hash_table(
        &mut self,
        name: &Name,
        record: &TypeName,
        size: &syntax::Expression,
        key: &TypeName,
        class: Class,
    ) -> Option<Entity> {
        let record_type = self.sized_type(record);
        let key_type = self.key_type(key);
        let size = self.count(size, "the number of records", 1, MOST_ENTRIES)?;
        let (record_type, key_type) = (record_type?, key_type?);
        let stride = stride(record_type.bytes());
        if stride > LINE_BYTES {
            let error =
                Diagnostic::error(record.span, format!("a record of {} bytes is too long", record_type.bytes()));
            self.error(error.hint(format!("a record has at most {LINE_BYTES} bytes; let it point to more")));
            return None;
        }
        let kind = memory_kind(class);
        let address = self.shared_room(name, kind, stride * size)?;
        let threads = self.threads();
        let segment = SegmentId::from(threads.segments.len());
        threads.segments.push(Segment {
            name: name.text.to_string(),
            kind,
            address,
            bytes: stride * size,
            contents: Contents::Words(Initial::Fill(0)),
        });
        threads.records.push(RecordTable {
            name: name.text.to_string(),
            key_bytes: key_type.bytes() as u32,
            record_bytes: stride as u32,
            segment,
        });
        Some(Entity::Hash { records: threads.records.len() - 1, key: key_type, address, stride })
    }

    /// Returns the type of a key: a number or a struct of at most 64 bytes, a whole number of them.
    fn key_type(&mut self, key: &TypeName) -> Option<Type> {
        let ty = self.sized_type(key)?;
        let problem = match &ty {
            Type::Array(..) | Type::Pointer(_) | Type::Label => "a key is a number or a struct".to_owned(),
            _ if ty.bits() % 8 != 0 => format!("a key has whole bytes, not {} bits", ty.bits()),
            _ if ty.bits() == 0 || ty.bytes() > LINE_BYTES => format!("a key of {} bytes is not possible", ty.bytes()),
            _ => return Some(ty),
        };
        self.error(Diagnostic::error(key.span, problem).hint("a key has 1 to 64 bytes; fill a struct up: `: 4;`"));
        None
    }

    fn filter(&mut self, name: &Name, filter: &syntax::Filter) -> Option<Entity> {
        let syntax::Filter { result, size, key, kind, action } = filter;
        let result_type = self.sized_type(result);
        let key_type = self.key_type(key);
        let size = self.count(size, "the number of entries", 1, MOST_ENTRIES)?;
        let (result_type, key_type) = (result_type?, key_type?);
        if result_type.bits() > 64 || matches!(result_type, Type::Array(..)) {
            let message = format!("a result of type `{}` is not possible", result_type.describe());
            self.error(Diagnostic::error(result.span, message).hint("a result has at most 64 bits"));
            return None;
        }
        let keys = self.keys_of_filter(&key_type, *kind, key.span)?;
        if *kind == MatchKind::Lpm && keys.len() != 1 {
            let error = Diagnostic::error(key.span, format!("a key with prefixes has one number, not {}", keys.len()));
            self.error(error.hint("leave `lpm` out: entries then have a mask for each field"));
            return None;
        }
        let parameter = ir::Type::Bits(result_type.bits().max(1) as u16);
        let parameter = self.new_variable(&format!("{}.result", name.text), parameter);
        let set = action.as_ref().map_or_else(|| format!("{}.set", name.text), |action| action.text.to_string());
        let set = self.action(&set, vec![parameter]);
        let none = self.action(&format!("{}.none", name.text), Vec::new());
        self.program.tables.push(Table {
            name: name.text.to_string(),
            keys,
            actions: vec![
                TableAction { only_entries: true, ..action_of(set) },
                TableAction { only_default: true, ..action_of(none) },
            ],
            default: Target::Action { action: 1, data: Vec::new() },
            is_default_constant: true,
            entries: Vec::new(),
            is_constant: false,
            size: Some(size as u32),
            profile: None,
            selector: Vec::new(),
            counter: None,
            meter: None,
            has_idle_timeout: false,
            has_slots: false,
            registers: Vec::new(),
            counts_when_called: false,
        });
        Some(Entity::Filter { table: self.program.tables.len() - 1, key: key_type })
    }

    /// Returns the keys of a filter: the fields of a struct, or one number.
    fn keys_of_filter(&mut self, ty: &Type, kind: MatchKind, span: Span) -> Option<Vec<Key>> {
        let key = |name: &str, ty: &Type| Key {
            name: name.to_owned(),
            value: Expression::Undefined(ir::Type::Bits(ty.bits().max(1) as u16)),
            kind,
        };
        let Type::Structure(structure) = ty else { return Some(vec![key("key", ty)]) };
        let fields = structure.order.iter().map(|name| (name, &structure.fields[name].ty));
        if !are_words(fields.clone().map(|(_, ty)| ty)) {
            let message = format!("the key of a filter has 1 to {MOST_WORDS} fields, numbers of at most 64 bits");
            self.error(Diagnostic::error(span, message).hint("write a long field as several fields"));
            return None;
        }
        Some(fields.map(|(name, ty)| key(name, ty)).collect())
    }

    /// Makes an action without a body: only the parameters matter.
    fn action(&mut self, name: &str, parameters: Vec<ir::VariableId>) -> FunctionId {
        self.program.functions.push(Function {
            name: name.to_owned(),
            kind: FunctionKind::Action,
            parameters,
            body: Vec::new(),
        });
        FunctionId::from(self.program.functions.len() - 1)
    }

    fn policer(&mut self, name: &Name, size: &syntax::Expression, class: Class) -> Option<Entity> {
        let count = self.count(size, "the number of policers", 1, MOST_ENTRIES)?;
        let kind = memory_kind(class);
        let address = self.shared_room(name, kind, POLICER_BYTES * count)?;
        let meter = MeterId::from(self.program.meters.len());
        self.program.meters.push(Meter {
            name: name.text.to_string(),
            size: Some(count as u32),
            unit: MeterUnit::Bytes,
        });
        self.threads().segments.push(Segment {
            name: name.text.to_string(),
            kind,
            address,
            bytes: POLICER_BYTES * count,
            contents: Contents::Policers(meter),
        });
        Some(Entity::Policer { address, count })
    }

    fn timer(&mut self, name: &Name, interval: Option<&syntax::Expression>) -> Option<Entity> {
        let period = match interval {
            Some(interval) => Some(self.count(interval, "an interval in nanoseconds", 1, i64::MAX as u64)?),
            None => None,
        };
        let timers = &mut self.threads().timers;
        timers.push(Timer { name: name.text.to_string(), period });
        Some(Entity::Timer(timers.len() - 1))
    }

    fn digest(&mut self, name: &Name, written: &TypeName) -> Option<Entity> {
        let ty = self.sized_type(written)?;
        let fields: Vec<(String, Type)> = match &ty {
            Type::Structure(structure) => {
                let fields = structure.order.iter().map(|name| (name.to_string(), structure.fields[name].ty.clone()));
                fields.collect()
            }
            _ => Vec::from([("value".to_owned(), ty.clone())]),
        };
        if !are_words(fields.iter().map(|(_, ty)| ty)) {
            let message = format!("a digest has 1 to {MOST_WORDS} fields, numbers of at most 64 bits");
            self.error(Diagnostic::error(written.span, message).hint("write a long field as several fields"));
            return None;
        }
        let fields = fields.into_iter().map(|(name, ty)| (name, ty.in_ir())).collect();
        self.program.digests.push(Digest { name: name.text.to_string(), fields });
        Some(Entity::Digest { digest: self.program.digests.len() - 1, ty })
    }
}

/// Returns whether there are as many fields as a transaction carries, each of at most 64 bits.
fn are_words<'t>(mut types: impl ExactSizeIterator<Item = &'t Type>) -> bool {
    (1..=MOST_WORDS).contains(&types.len()) && types.all(|ty| ty.is_scalar() && ty.bits() <= 64)
}

fn action_of(function: FunctionId) -> TableAction {
    TableAction { function, before: Vec::new(), after: Vec::new(), only_default: false, only_entries: false }
}

/// Returns the kind of memory of a storage class.
fn memory_kind(class: Class) -> MemoryKind {
    if class == Class::Dram { MemoryKind::OffChip } else { MemoryKind::OnChip }
}
