//! Commands about the memory that threads share, about records and about events, which BMv2 does not have.

use super::{Session, Verb};
use crate::{MemoryRequest, RecordRequest, Request, Word};

impl Session<'_> {
    pub(super) fn memory(&mut self, verb: Verb, words: &[Word]) -> Option<Vec<Request>> {
        let segment = self.resolver.ok(self.info().segment_named(&words[0].text), words[0].span);
        let offset =
            words.get(1).map(|word| self.sixty_four_bits(word, "the distance from the beginning of a segment"));
        let request = match verb {
            Verb::MemoryDump => MemoryRequest::ReadWritten,
            Verb::MemoryRead => {
                let words = words.get(2).map_or(Some(1), |word| self.sixty_four_bits(word, "a number of words"));
                MemoryRequest::Read { offset: offset??, words: words? }
            }
            _ => {
                let words: Vec<Option<u64>> =
                    words[2..].iter().map(|word| self.sixty_four_bits(word, "a word of memory")).collect();
                MemoryRequest::Write { offset: offset??, words: words.into_iter().collect::<Option<_>>()? }
            }
        };
        Some(vec![Request::Memory(segment?, request)])
    }

    pub(super) fn records(&mut self, verb: Verb, words: &[Word]) -> Option<Vec<Request>> {
        let table = self.resolver.ok(self.info().record_table_named(&words[0].text), words[0].span)?;
        let key = words.get(1).map(|word| self.resolver.record_key(table, word));
        let request = match verb {
            Verb::RecordDump => RecordRequest::Read(None),
            Verb::RecordGet => RecordRequest::Read(Some(key??)),
            Verb::RecordAdd => {
                let words: Vec<Option<u64>> =
                    words[2..].iter().map(|word| self.sixty_four_bits(word, "a word of a record")).collect();
                let words = words.into_iter().collect::<Option<Vec<u64>>>()?;
                RecordRequest::Insert { key: key??, contents: words.into_iter().flat_map(u64::to_be_bytes).collect() }
            }
            _ => RecordRequest::Delete(key??),
        };
        Some(vec![Request::Records(table, request)])
    }

    pub(super) fn event(&mut self, words: &[Word]) -> Option<Vec<Request>> {
        let event = self.resolver.ok(self.info().event_named(&words[0].text), words[0].span);
        let argument = words.get(1).map_or(Some(0), |word| self.sixty_four_bits(word, "what an event carries"));
        Some(vec![Request::RaiseEvent(event?, argument?)])
    }

    fn sixty_four_bits(&mut self, word: &Word, place: &str) -> Option<u64> {
        self.resolver.value(word, 64, || place.to_owned()).map(|value| value.low())
    }
}
