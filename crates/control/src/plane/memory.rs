//! Execution of requests about the memory that threads share, and about records.

use runtime::ProgramState;
use runtime::records::{Insertion, RecordLayout};

use super::Plane;
use crate::{
    Error, MemoryError, MemoryRequest, ReadRecord, RecordError, RecordRequest, RecordTableNumber, Response,
    SegmentNumber,
};

impl Plane {
    pub(super) fn memory(
        &self,
        number: SegmentNumber,
        request: &MemoryRequest,
        state: &mut ProgramState,
    ) -> Result<Response, Error> {
        let range = match request {
            MemoryRequest::Read { offset, words } => Some((*offset, *words)),
            MemoryRequest::Write { offset, words } => Some((*offset, words.len() as u64)),
            MemoryRequest::ReadWritten => None,
        };
        let first = self.check_words(number, range)?;
        const INSIDE: &str = "the words are in the segment";
        match request {
            MemoryRequest::Read { words, .. } => {
                let mut bytes = vec![0; 8 * *words as usize];
                state.memory.read(first, &mut bytes).expect(INSIDE);
                let word = |bytes: &[u8]| u64::from_be_bytes(bytes.try_into().expect("eight bytes"));
                Ok(Response::Words(bytes.chunks_exact(8).map(word).collect()))
            }
            MemoryRequest::ReadWritten => {
                let words = state.memory.written_words(number.index());
                Ok(Response::WrittenWords(words.map(|(address, word)| (address - first, word)).collect()))
            }
            MemoryRequest::Write { words, .. } => {
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
                state.memory.write(first, &bytes).expect(INSIDE);
                Ok(Response::Done)
            }
        }
    }

    /// Checks that words lie in a segment, given by the distance of the first one and their number, and returns the address
    /// of the first one; that of the segment for `None`.
    fn check_words(&self, number: SegmentNumber, range: Option<(u64, u64)>) -> Result<u64, Error> {
        let segment = self.info.segment(number);
        let wrong = |error| Error::Memory { segment: segment.identity.name.clone(), error };
        if segment.has_policers {
            return Err(wrong(MemoryError::Policers));
        }
        let Some((offset, words)) = range else { return Ok(segment.address) };
        if !offset.is_multiple_of(8) {
            return Err(wrong(MemoryError::Unaligned { offset }));
        }
        if words.checked_mul(8).and_then(|bytes| offset.checked_add(bytes)).is_none_or(|end| end > segment.bytes) {
            return Err(wrong(MemoryError::Outside { offset, words, bytes: segment.bytes }));
        }
        if words > MemoryRequest::MOST_WORDS {
            return Err(wrong(MemoryError::TooMany { words }));
        }
        Ok(segment.address + offset)
    }

    /// Returns the bytes that a request about a segment writes, as they are now; nothing if it will be refused.
    pub(super) fn words_before(
        &self,
        number: SegmentNumber,
        request: &MemoryRequest,
        state: &ProgramState,
    ) -> Option<(u64, Vec<u8>)> {
        let MemoryRequest::Write { offset, words } = request else { return None };
        let first = self.check_words(number, Some((*offset, words.len() as u64))).ok()?;
        let mut bytes = vec![0; 8 * words.len()];
        state.memory.read(first, &mut bytes).ok()?;
        Some((first, bytes))
    }

    /// Returns where the records of a table lie.
    pub(super) fn layout(&self, number: RecordTableNumber) -> RecordLayout {
        let table = self.info.record_table(number);
        RecordLayout { first: self.info.segment(table.segment).address, record_bytes: table.record_bytes.into() }
    }

    pub(super) fn records(
        &self,
        number: RecordTableNumber,
        request: &RecordRequest,
        state: &mut ProgramState,
    ) -> Result<Response, Error> {
        let (table, layout, place) = (self.info.record_table(number), self.layout(number), number.index());
        let wrong = |error| Error::Record { table: table.identity.name.clone(), error };
        let check_key = |key: &[u8]| match key.len() == table.key_bytes as usize {
            true => Ok(()),
            false => Err(wrong(RecordError::KeySize { bytes: table.key_bytes, given: key.len() })),
        };
        match request {
            RecordRequest::Read(None) => {
                let stored = &state.records[place];
                let read = |(place, key, is_referenced)| read(state, layout, place, key, is_referenced);
                Ok(Response::Records(stored.records().map(read).collect()))
            }
            RecordRequest::Read(Some(key)) => {
                check_key(key)?;
                let stored = &state.records[place];
                let found = stored.keep(key).ok_or_else(|| wrong(RecordError::Missing))?;
                Ok(Response::Records(vec![read(state, layout, found.place, key, found.is_referenced)]))
            }
            RecordRequest::Insert { key, contents } => {
                check_key(key)?;
                if contents.len() > table.record_bytes as usize {
                    return Err(wrong(RecordError::TooLong { bytes: table.record_bytes, given: contents.len() }));
                }
                if state.records[place].get(key).is_some() {
                    return Err(wrong(RecordError::Exists));
                }
                match state.make_record(place, layout, key, contents) {
                    Insertion::Full => Err(wrong(RecordError::Full { size: table.size })),
                    Insertion::Found(_) | Insertion::Made(_) => Ok(Response::Done),
                }
            }
            RecordRequest::Delete(key) => {
                check_key(key)?;
                if state.records[place].delete(key) { Ok(Response::Done) } else { Err(wrong(RecordError::Missing)) }
            }
        }
    }
}

fn read(state: &ProgramState, layout: RecordLayout, place: u32, key: &[u8], is_referenced: bool) -> ReadRecord {
    let address = layout.address(place);
    let mut contents = vec![0; layout.record_bytes as usize];
    state.memory.read(address, &mut contents).expect("records are in their segment");
    ReadRecord { place, address, key: key.to_vec(), is_referenced, contents }
}
