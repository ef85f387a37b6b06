//! Commands about counters, registers, meters and value sets.

use runtime::tables::{FieldMatch, KeyField};
use runtime::{Bits, Count, MeterRates};

use super::{Session, Verb};
use crate::client::Style;
use crate::{
    CounterRequest, ElementSelection, EntityKind, MeterRequest, RegisterRequest, Request, ValueSetNumber,
    ValueSetRequest, Word,
};

impl Session<'_> {
    pub(super) fn counter(&mut self, verb: Verb, words: &[Word]) -> Option<Vec<Request>> {
        let counter = self.resolver.ok(self.info().counter_named(&words[0].text), words[0].span)?;
        let size = self.info().counter(counter).size;
        let request = match verb {
            Verb::CounterRead => CounterRequest::Read(self.element_selection(size, &words[1])?),
            Verb::CounterWrite => {
                let element = self.element_selection(size, &words[1]);
                let (packets, bytes) = (self.long(&words[2]), self.long(&words[3]));
                CounterRequest::Write(element?, Count { packets: packets?, bytes: bytes? })
            }
            _ => CounterRequest::Write(ElementSelection::All, Count::default()),
        };
        Some(vec![Request::Counter(counter, request)])
    }

    fn long(&mut self, word: &Word) -> Option<u64> {
        self.resolver.value(word, 64, || "a counter".to_owned()).map(|value| value.low())
    }

    pub(super) fn register(&mut self, verb: Verb, words: &[Word]) -> Option<Vec<Request>> {
        let number = self.resolver.ok(self.info().register_named(&words[0].text), words[0].span)?;
        let request = match verb {
            Verb::RegisterRead => RegisterRequest::Read(match words.get(1) {
                Some(word) => Some(self.number(word, "register index")?),
                None => None,
            }),
            Verb::RegisterWrite => {
                let index = self.number(&words[1], "register index");
                let register = self.info().register(number);
                let name = &register.identity.name;
                let leaves = register.data_type.leaves();
                let width = |at: usize| leaves.get(at).map_or(64, |leaf| leaf.width);
                let values = words[2..].iter().enumerate();
                let values: Vec<Option<Bits>> = values
                    .map(|(at, word)| self.resolver.value(word, width(at), || format!("register `{name}`")))
                    .collect();
                RegisterRequest::Write(Some(index?), values.into_iter().collect::<Option<_>>()?)
            }
            _ => RegisterRequest::Reset,
        };
        Some(vec![Request::Register(number, request)])
    }

    pub(super) fn meter(&mut self, verb: Verb, words: &[Word]) -> Option<Vec<Request>> {
        let meter = self.resolver.ok(self.info().meter_named(&words[0].text), words[0].span)?;
        let size = self.info().meter(meter).size;
        let request = match verb {
            Verb::MeterGetRates => MeterRequest::Read(self.element_selection(size, &words[1])?),
            Verb::MeterSetRates => {
                let element = self.element_selection(size, &words[1]);
                let rates = self.rates(&words[2], &words[3]);
                MeterRequest::Set(element?, Some(rates?))
            }
            _ => MeterRequest::Set(ElementSelection::All, Some(self.rates(&words[1], &words[2])?)),
        };
        Some(vec![Request::Meter(meter, request)])
    }

    /// Reads the committed and the peak rate, with their bursts.
    fn rates(&mut self, committed: &Word, peak: &Word) -> Option<MeterRates> {
        let (committed, peak) = (self.rate(committed), self.rate(peak));
        let ((committed_rate, committed_burst), (peak_rate, peak_burst)) = (committed?, peak?);
        Some(MeterRates { committed_rate, committed_burst, peak_rate, peak_burst })
    }

    /// Reads a rate and a burst. The rate is in units per microsecond in the file, and per second in requests.
    fn rate(&mut self, word: &Word) -> Option<(u64, u64)> {
        let parts = word.text.split_once(':');
        let read = parts.and_then(|(rate, burst)| Some((per_second(rate)?, burst.parse().ok()?)));
        if read.is_none() {
            let words = "is not a rate in units per microsecond, a colon and a burst in units, such as 0.5:1000";
            self.resolver.error(word.span, format!("`{}` {words}", word.text));
        }
        read
    }

    pub(super) fn value_set(&mut self, verb: Verb, words: &[Word]) -> Option<Vec<Request>> {
        let set = self.resolver.ok(self.info().value_set_named(&words[0].text), words[0].span)?;
        let request = match verb {
            Verb::ValueSetAdd => ValueSetRequest::Insert(self.member(set, &words[1])?),
            Verb::ValueSetRemove => ValueSetRequest::Delete(self.member(set, &words[1])?),
            Verb::ValueSetGet => ValueSetRequest::Read,
            _ => ValueSetRequest::Set(Vec::new()),
        };
        Some(vec![Request::ValueSet(set, request)])
    }

    /// Reads a member of a value set: the match for its field or, for several fields, one number that is their
    /// concatenation.
    fn member(&mut self, set: ValueSetNumber, word: &Word) -> Option<Vec<FieldMatch>> {
        let about = self.info().value_set(set);
        let name = &about.identity.name;
        if let [field] = about.fields.as_slice() {
            return Some(vec![self.resolver.field_of(EntityKind::ValueSet, name, field, word, Style::Command)?]);
        }
        let width = about.fields.iter().map(|field| field.width).sum();
        let value = self.resolver.value(word, width, || format!("a member of value set `{name}`"))?;
        let mut left = width;
        let parts = about.fields.iter().map(|field| {
            left -= field.width;
            let part = value.slice(left + field.width - 1, left);
            KeyField { kind: field.kind, width: field.width }.exactly(part)
        });
        Some(parts.collect())
    }
}

/// Converts a decimal number of units per microsecond to units per second, rounded to the nearest. A rate above 0 is
/// never rounded to 0.
fn per_second(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |digits: &str| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let millionths: String = fraction.chars().chain("000000".chars()).take(6).collect();
    let is_up = fraction.as_bytes().get(6).is_some_and(|digit| *digit >= b'5');
    let rate = whole.checked_mul(1_000_000)?.checked_add(millionths.parse().ok()?)?.checked_add(u64::from(is_up))?;
    let is_above_zero = fraction.bytes().any(|digit| digit != b'0');
    Some(rate.max(u64::from(is_above_zero)))
}

#[cfg(test)]
mod tests {
    use super::per_second;

    #[test]
    fn rates_are_exact_to_one_unit_per_second() {
        assert_eq!(per_second("0.000005"), Some(5));
        assert_eq!(per_second("1.5"), Some(1_500_000));
        assert_eq!(per_second("20"), Some(20_000_000));
        assert_eq!(per_second("0.3333335"), Some(333_334));
        assert_eq!(per_second("0.0000001"), Some(1), "a rate above 0 never becomes 0");
        assert_eq!(per_second("0"), Some(0));
        for wrong in ["", ".", "1.", ".5", "-1", "1e3", "99999999999999999999", "99999999999999"] {
            assert_eq!(per_second(wrong), None, "{wrong}");
        }
    }
}
