//! Words of shared memory, records and events.

use super::json::{Reader, Value};
use crate::{MemoryRequest, RecordRequest, Request, Word};

/// Reads `{ "segment": "routes", "offset": 16, "words": [1, 2] }`.
pub(super) fn memory(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Request> {
    let object = reader.object(value, "an entry of `memory`")?;
    reader.check_names(object, &["segment", "offset", "words"]);
    let (segment, list) = (reader.need(object, "segment"), reader.need(object, "words"));
    let segment = reader.text(segment?, "the name of a segment")?;
    let segment = reader.resolver.ok(reader.resolver.info.segment_named(&segment.text), segment.span);
    let offset = match object.get("offset") {
        Some(offset) => number(reader, &offset.value, "the distance from the beginning of a segment"),
        None => Some(0),
    };
    let words = words(reader, list?, "a word of memory");
    Some(Request::Memory(segment?, MemoryRequest::Write { offset: offset?, words: words? }))
}

/// Reads `{ "records": "flows", "key": "0x0a000001", "words": [1] }`.
pub(super) fn record(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Request> {
    let object = reader.object(value, "an entry of `records`")?;
    reader.check_names(object, &["records", "key", "words"]);
    let (table, key) = (reader.need(object, "records"), reader.need(object, "key"));
    let table = reader.text(table?, "the name of a table of records")?;
    let table = reader.resolver.ok(reader.resolver.info.record_table_named(&table.text), table.span)?;
    let key: Word = reader.scalar(key?, "the key of a record")?;
    let key = reader.resolver.record_key(table, &key);
    let words = match object.get("words") {
        Some(list) => words(reader, &list.value, "a word of a record"),
        None => Some(Vec::new()),
    };
    let contents = words?.into_iter().flat_map(u64::to_be_bytes).collect();
    Some(Request::Records(table, RecordRequest::Insert { key: key?, contents }))
}

/// Reads `{ "event": "flush", "number": 7 }`.
pub(super) fn event(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Request> {
    let object = reader.object(value, "an entry of `events`")?;
    reader.check_names(object, &["event", "number"]);
    let event = reader.need(object, "event")?;
    let event = reader.text(event, "the name of an event")?;
    let event = reader.resolver.ok(reader.resolver.info.event_named(&event.text), event.span);
    let argument = match object.get("number") {
        Some(number_of) => number(reader, &number_of.value, "what an event carries"),
        None => Some(0),
    };
    Some(Request::RaiseEvent(event?, argument?))
}

fn words(reader: &mut Reader<'_>, list: &Value<'_>, place: &str) -> Option<Vec<u64>> {
    let items = reader.list(list, "words")?;
    let words: Vec<Option<u64>> = items.iter().map(|item| number(reader, item, place)).collect();
    words.into_iter().collect()
}

fn number(reader: &mut Reader<'_>, value: &Value<'_>, place: &str) -> Option<u64> {
    let word = reader.scalar(value, place)?;
    reader.resolver.value(&word, 64, || place.to_owned()).map(|value| value.low())
}
