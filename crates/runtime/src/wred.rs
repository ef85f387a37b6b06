//! Weighted random early detection over packets, as the externs `Wred` of Tofino's architecture.
//!
//! An average of values, such as queue depths, is compared with two thresholds (S. Floyd and V. Jacobson: Random Early
//! Detection Gateways for Congestion Avoidance, IEEE/ACM Transactions on Networking 1(4), 1993).

use basis::{Instant, Random};
use serde::{Deserialize, Serialize};

use crate::filter::{FilterError, FilterKind, Level};

/// The settings of one random early detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WredSettings {
    /// The time constant of the average in nanoseconds; greater than 0.
    pub time_constant: u64,
    /// The average below which no packet is dropped, in the unit of the values: cells on Tofino.
    pub minimum: u32,
    /// The average from which on all packets are dropped; at least `minimum`.
    pub maximum: u32,
    /// The probability with which packets are dropped where the average reaches `maximum`, in millionths; it rises from 0
    /// at `minimum`.
    pub maximum_probability: u32,
}

/// The number by which probabilities are divided.
const ONE: u32 = 1_000_000;

/// One random early detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wred {
    settings: WredSettings,
    average: Level,
}

/// An array of random early detectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WredArray {
    wreds: Vec<Option<Wred>>,
}

impl WredArray {
    /// Creates detectors that are not configured.
    pub fn new(size: usize) -> Self {
        Self { wreds: vec![None; size] }
    }

    /// Returns the number of detectors.
    pub fn len(&self) -> usize {
        self.wreds.len()
    }

    /// Returns true if there are no detectors.
    pub fn is_empty(&self) -> bool {
        self.wreds.is_empty()
    }

    /// Configures a detector, which then has seen no value; `None` makes it what it was at first.
    ///
    /// # Errors
    /// If there is no detector at the index, or the settings are invalid.
    pub fn set(&mut self, index: usize, settings: Option<WredSettings>) -> Result<(), FilterError> {
        let size = self.wreds.len();
        let wred = self.wreds.get_mut(index).ok_or(FilterError::NoSuchFilter { size })?;
        if let Some(settings) = settings {
            if settings.time_constant == 0 {
                return Err(FilterError::NoTimeConstant);
            }
            if settings.minimum > settings.maximum {
                return Err(FilterError::ThresholdsReversed);
            }
            if settings.maximum_probability > ONE {
                return Err(FilterError::ProbabilityTooLarge);
            }
        }
        *wred = settings.map(|settings| Wred { settings, average: Level::default() });
        Ok(())
    }

    /// Returns a detector with what it has seen; `None` if it is not configured or does not exist.
    pub fn element(&self, index: usize) -> Option<Wred> {
        self.wreds.get(index).copied().flatten()
    }

    /// Makes a detector what it was; does nothing if there is none at the index.
    pub fn restore(&mut self, index: usize, detector: Option<Wred>) {
        if let Some(place) = self.wreds.get_mut(index) {
            *place = detector;
        }
    }

    /// Returns the settings of a detector; `None` if it is not configured or does not exist.
    pub fn get(&self, index: usize) -> Option<WredSettings> {
        self.wreds.get(index)?.map(|wred| wred.settings)
    }

    /// Returns the average of a detector in 2^-32 parts; 0 if it has seen no value.
    pub fn average(&self, index: usize) -> u64 {
        self.wreds.get(index).and_then(Option::as_ref).map_or(0, |wred| wred.average.level())
    }

    /// Takes a value at `now`, and returns whether the packet is to be dropped. A number is drawn only if the average, in
    /// whole units, is between the thresholds. Nothing is dropped if the detector is not configured or the index is
    /// outside of the array.
    pub fn drops(&mut self, index: u64, now: Instant, value: u64, random: &mut Random) -> bool {
        let wred = usize::try_from(index).ok().and_then(|index| self.wreds.get_mut(index));
        let Some(Wred { settings, average }) = wred.and_then(Option::as_mut) else { return false };
        let constant = settings.time_constant;
        let average = average.take(now, value, FilterKind::Sample, [constant; 2]) >> 32;
        let (minimum, maximum) = (u64::from(settings.minimum), u64::from(settings.maximum));
        if average < minimum {
            return false;
        }
        if average >= maximum {
            return true;
        }
        // Fewer than 52 bits: a threshold has 32, a probability 20.
        let likely = u64::from(settings.maximum_probability) * (average - minimum);
        random.below(u64::from(ONE) * (maximum - minimum)) < likely
    }
}

basis::snapshot!(WredArray { values wreds; });
