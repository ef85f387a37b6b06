//! Commands about low-pass filters and weighted random early detection, which BMv2 does not have.

use runtime::filter::{FilterKind, FilterSettings};
use runtime::wred::WredSettings;

use super::Session;
use crate::{Request, SettingsRequest, Word};

impl Session<'_> {
    /// Reads `lpf_set LPF INDEX KIND GAIN DECAY SCALE`.
    pub(super) fn filter(&mut self, words: &[Word]) -> Option<Vec<Request>> {
        let filter = self.resolver.ok(self.info().filter_named(&words[0].text), words[0].span);
        let index = self.number(&words[1], "index of a low-pass filter");
        let kind = match words[2].text.as_str() {
            "sample" => Ok(FilterKind::Sample),
            "rate" => Ok(FilterKind::Rate),
            other => {
                Err(format!("`{other}` is not `sample`, for a filter of values, or `rate`, for one of their sums"))
            }
        };
        let kind = self.said(kind, words[2].span);
        let [gain, decay] = [3, 4].map(|place| self.nanoseconds(&words[place]));
        let scale = self.number(&words[5], "number of bits");
        let settings = FilterSettings {
            kind: kind?,
            gain_time_constant: gain?,
            decay_time_constant: decay?,
            scale_down: u8::try_from(scale?).unwrap_or(u8::MAX),
        };
        Some(vec![Request::Filter(filter?, SettingsRequest::Set(Some(index?), Some(settings)))])
    }

    /// Reads `wred_set WRED INDEX TIME_CONSTANT MINIMUM MAXIMUM PROBABILITY`.
    pub(super) fn early_detection(&mut self, words: &[Word]) -> Option<Vec<Request>> {
        let wred = self.resolver.ok(self.info().wred_named(&words[0].text), words[0].span);
        let index = self.number(&words[1], "index of an early detector");
        let time_constant = self.nanoseconds(&words[2]);
        let [minimum, maximum] = [3, 4].map(|place| self.number(&words[place], "threshold"));
        let probability = self.number(&words[5], "probability in millionths");
        let settings = WredSettings {
            time_constant: time_constant?,
            minimum: minimum?,
            maximum: maximum?,
            maximum_probability: probability?,
        };
        Some(vec![Request::Wred(wred?, SettingsRequest::Set(Some(index?), Some(settings)))])
    }

    fn nanoseconds(&mut self, word: &Word) -> Option<u64> {
        self.resolver.value(word, 64, || "a time constant in nanoseconds".to_owned()).map(|value| value.low())
    }
}
