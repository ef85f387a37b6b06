//! The memory that threads share, and their records.

use super::pairs::pair;
use super::transfer::Transfer;
use super::{Misfit, Part, What};
use crate::{
    EntityKind, Error, Info, MemoryRequest, ReadRecord, RecordRequest, RecordTableNumber, Request, Response,
    SegmentNumber,
};

/// Links each segment of words of the old program to the one of the new program that has its name. Policers are carried as
/// meters, and the bytes of records with them.
pub fn link_segments(old: &Info, new: &Info) -> Vec<Result<SegmentNumber, Misfit>> {
    let pairs = pair(old.segments.iter().map(|it| &it.identity), new.segments.iter().map(|it| &it.identity));
    let link = |(at, place): (usize, Option<usize>)| {
        let number = SegmentNumber::from(place.ok_or(Misfit::Missing)?);
        let is_same = old.segments[at].has_policers == new.segment(number).has_policers;
        if is_same { Ok(number) } else { Err(Misfit::ElementType) }
    };
    pairs.into_iter().enumerate().map(link).collect()
}

/// Links each table of records of the old program to the one of the new program that has its name, if keys and records have the
/// same sizes.
pub fn link_records(old: &Info, new: &Info) -> Vec<Result<RecordTableNumber, Misfit>> {
    let pairs = pair(old.records.iter().map(|it| &it.identity), new.records.iter().map(|it| &it.identity));
    let link = |(at, place): (usize, Option<usize>)| {
        let number = RecordTableNumber::from(place.ok_or(Misfit::Missing)?);
        let (own, other) = (&old.records[at], new.record_table(number));
        let is_same = (own.key_bytes, own.record_bytes) == (other.key_bytes, other.record_bytes);
        if is_same { Ok(number) } else { Err(Misfit::ElementType) }
    };
    pairs.into_iter().enumerate().map(link).collect()
}

impl Transfer<'_> {
    /// Carries the words that are not what their segments were filled with at first, in the old program or in the new one. All
    /// others are equal, or are those of the new program.
    pub fn carry_memory(&mut self) -> Result<(), Error> {
        let plan = self.plan;
        for (at, segment) in plan.old.segments.iter().enumerate() {
            let number = SegmentNumber::from(at);
            if segment.has_policers || plan.old.records.iter().any(|records| records.segment == number) {
                continue;
            }
            let mut written = written_words(self.ask_old(Request::Memory(number, MemoryRequest::ReadWritten))?);
            // A word with first contents in the new program may have been set to what the segment is filled with.
            let first = match &plan.segments[at] {
                Ok(new) => written_words(self.ask_new(Request::Memory(*new, MemoryRequest::ReadWritten))?),
                Err(_) => Vec::new(),
            };
            // Words come in the order of their offsets.
            let own = written.len();
            for (offset, _) in first {
                let is_new =
                    offset + 8 <= segment.bytes && written[..own].binary_search_by_key(&offset, |word| word.0).is_err();
                if is_new && let Response::Words(words) = self.ask_old(Request::Memory(number, word_at(offset)))? {
                    written.extend(words.first().map(|word| (offset, *word)));
                }
            }
            let part = Part::Entity { kind: EntityKind::Segment, name: segment.identity.name.clone() };
            let mut carried = 0;
            for (offset, word) in written {
                let taken = plan.segments[at].clone().and_then(|new| {
                    let request = MemoryRequest::Write { offset, words: vec![word] };
                    self.ask_new(Request::Memory(new, request)).map_err(Misfit::Refused)
                });
                match taken {
                    Ok(_) => carried += 1,
                    Err(misfit) => self.outcome.lose(&part, &misfit, What::Words, || format!("byte {offset}")),
                }
            }
            self.outcome.carry(&part, What::Words, carried);
        }
        Ok(())
    }

    /// Carries records by their keys, in the order of their places. They have the first free places of the new table.
    pub fn carry_records(&mut self) -> Result<(), Error> {
        let plan = self.plan;
        for (at, table) in plan.old.records.iter().enumerate() {
            let read = Request::Records(RecordTableNumber::from(at), RecordRequest::Read(None));
            let records = match self.ask_old(read)? {
                Response::Records(records) => records,
                other => unreachable!("records were asked for, and not {other:?}"),
            };
            let part = Part::Entity { kind: EntityKind::RecordTable, name: table.identity.name.clone() };
            let mut carried = 0;
            for ReadRecord { place, key, contents, .. } in records {
                let made = plan.records[at].clone().and_then(|new| {
                    let insert = RecordRequest::Insert { key, contents };
                    self.ask_new(Request::Records(new, insert)).map_err(Misfit::Refused)
                });
                match made {
                    Ok(_) => carried += 1,
                    Err(misfit) => self.outcome.lose(&part, &misfit, What::Records, || format!("place {place}")),
                }
            }
            self.outcome.carry(&part, What::Records, carried);
        }
        Ok(())
    }
}

const fn word_at(offset: u64) -> MemoryRequest {
    MemoryRequest::Read { offset, words: 1 }
}

fn written_words(response: Response) -> Vec<(u64, u64)> {
    match response {
        Response::WrittenWords(words) => words,
        other => unreachable!("words were asked for, and not {other:?}"),
    }
}
