//! Exponential low-pass filters over packets, as the externs `Lpf` of Tofino's architecture, in integers.
//!
//! The documentation of Tofino says what a filter is configured with, not its arithmetic. Here a level is held in
//! 2^-32 parts, and a step multiplies by a power of e that is rounded down in 2^-64 parts, so all computers agree.

use std::fmt;

use basis::Instant;
use serde::{Deserialize, Serialize};

/// What a filter smooths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FilterKind {
    /// The values themselves: the level approaches each value for as long as the time constant says.
    Sample,
    /// The sum of the values for each time constant: the level fades with time, and each value adds to it.
    Rate,
}

/// The settings of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FilterSettings {
    /// What the filter smooths.
    pub kind: FilterKind,
    /// The time constant in nanoseconds while the level rises; greater than 0.
    pub gain_time_constant: u64,
    /// The time constant in nanoseconds while the level falls; greater than 0.
    pub decay_time_constant: u64,
    /// The number of bits by which the output is shifted right, at most 31.
    pub scale_down: u8,
}

/// The reason why a filter cannot be configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterError {
    /// There is no filter at the index.
    NoSuchFilter {
        /// The number of filters in the array.
        size: usize,
    },
    /// A time constant is zero.
    NoTimeConstant,
    /// The output is shifted by more bits than it has.
    ScaleTooLarge,
    /// The least threshold is greater than the greatest.
    ThresholdsReversed,
    /// The probability is greater than 1.
    ProbabilityTooLarge,
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchFilter { size } => write!(f, "there is no such filter: the array has {size}"),
            Self::NoTimeConstant => write!(f, "a time constant must be greater than 0 nanoseconds"),
            Self::ScaleTooLarge => write!(f, "the output can be shifted by at most 31 bits"),
            Self::ThresholdsReversed => write!(f, "the least threshold is greater than the greatest"),
            Self::ProbabilityTooLarge => write!(f, "a probability is at most 1000000 millionths"),
        }
    }
}

impl std::error::Error for FilterError {}

/// The level of a filter in 2^-32 parts, and when it was computed; `None` before the first value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Level(Option<(u64, Instant)>);

impl Level {
    /// Takes a value of 32 bits at `now`. A level that has not seen a value takes the first one as it is. If `now` is
    /// before the time of the previous call, that time is used instead.
    pub(crate) fn take(&mut self, now: Instant, value: u64, kind: FilterKind, constants: [u64; 2]) -> u64 {
        let value = value.min(u32::MAX.into()) << 32;
        let Some((old, updated)) = self.0 else {
            self.0 = Some((value, now));
            return value;
        };
        let [gain, decay] = constants;
        let elapsed = now.since(updated).picoseconds();
        let level = match kind {
            FilterKind::Sample if value >= old => value - faded(value - old, elapsed, gain),
            FilterKind::Sample => value + faded(old - value, elapsed, decay),
            FilterKind::Rate => {
                let rising = faded(old, elapsed, gain).saturating_add(value);
                if rising >= old { rising } else { faded(old, elapsed, decay).saturating_add(value) }
            }
        };
        self.0 = Some((level, updated.max(now)));
        level
    }

    /// Returns the level in 2^-32 parts; 0 before the first value.
    pub(crate) fn level(&self) -> u64 {
        self.0.map_or(0, |(level, _)| level)
    }
}

/// The powers 2^(-1/2), 2^(-1/4), ... of two in 2^-64 parts, rounded down.
const ROOTS: [u64; 32] = {
    let mut roots = [0; 32];
    // 2^-1
    let mut power: u64 = 1 << 63;
    let mut at = 0;
    while at < roots.len() {
        // The root of p / 2^64 is the root of p * 2^64, divided by 2^64.
        power = ((power as u128) << 64).isqrt() as u64;
        roots[at] = power;
        at += 1;
    }
    roots
};

/// The binary logarithm of e in 2^-32 parts, rounded down.
const LOG2_E: u128 = 0x1_7154_7652;

/// Returns what is left of a number after `elapsed` picoseconds if it falls to the e-th part in each time constant of so
/// many nanoseconds.
fn faded(number: u64, elapsed: u64, constant: u64) -> u64 {
    // In 2^-32 parts: the time in time constants, and the power of two. A time too long for it leaves nothing.
    let time = (u128::from(elapsed) << 32) / (u128::from(constant.max(1)) * 1000);
    let Some(power) = time.checked_mul(LOG2_E).map(|product| product >> 32) else { return 0 };
    let (whole, part) = (power >> 32, power as u32);
    if whole >= 64 {
        return 0;
    }
    let root = |number: u64, place: usize| match (part >> (31 - place)) & 1 {
        0 => number,
        _ => ((u128::from(number) * u128::from(ROOTS[place])) >> 64) as u64,
    };
    (0..ROOTS.len()).fold(number, root) >> whole
}

/// One low-pass filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    settings: FilterSettings,
    level: Level,
}

/// An array of low-pass filters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterArray {
    filters: Vec<Option<Filter>>,
}

impl FilterArray {
    /// Creates filters that are not configured.
    pub fn new(size: usize) -> Self {
        Self { filters: vec![None; size] }
    }

    /// Returns the number of filters.
    pub fn len(&self) -> usize {
        self.filters.len()
    }

    /// Returns true if there are no filters.
    pub fn is_empty(&self) -> bool {
        self.filters.is_empty()
    }

    /// Configures a filter, which then has seen no value; `None` makes it what it was at first.
    ///
    /// # Errors
    /// If there is no filter at the index, or the settings are invalid.
    pub fn set(&mut self, index: usize, settings: Option<FilterSettings>) -> Result<(), FilterError> {
        let size = self.filters.len();
        let filter = self.filters.get_mut(index).ok_or(FilterError::NoSuchFilter { size })?;
        if let Some(settings) = settings {
            if settings.gain_time_constant == 0 || settings.decay_time_constant == 0 {
                return Err(FilterError::NoTimeConstant);
            }
            if settings.scale_down > 31 {
                return Err(FilterError::ScaleTooLarge);
            }
        }
        *filter = settings.map(|settings| Filter { settings, level: Level::default() });
        Ok(())
    }

    /// Returns a filter with what it has seen; `None` if it is not configured or does not exist.
    pub fn element(&self, index: usize) -> Option<Filter> {
        self.filters.get(index).copied().flatten()
    }

    /// Makes a filter what it was; does nothing if there is none at the index.
    pub fn restore(&mut self, index: usize, filter: Option<Filter>) {
        if let Some(place) = self.filters.get_mut(index) {
            *place = filter;
        }
    }

    /// Returns the settings of a filter; `None` if it is not configured or does not exist.
    pub fn get(&self, index: usize) -> Option<FilterSettings> {
        self.filters.get(index)?.map(|filter| filter.settings)
    }

    /// Returns the level of a filter in 2^-32 parts, before its output is shifted; 0 if it has seen no value.
    pub fn level(&self, index: usize) -> u64 {
        self.filters.get(index).and_then(Option::as_ref).map_or(0, |filter| filter.level.level())
    }

    /// Filters a value at `now` and returns the output, which has at most 32 bits. Values of more than 32 bits count as
    /// the greatest of 32. A filter that is not configured returns the value, and so does an index outside of the array.
    pub fn filter(&mut self, index: u64, now: Instant, value: u64) -> u64 {
        let value = value.min(u32::MAX.into());
        let filter = usize::try_from(index).ok().and_then(|index| self.filters.get_mut(index));
        let Some(Filter { settings, level }) = filter.and_then(Option::as_mut) else { return value };
        let constants = [settings.gain_time_constant, settings.decay_time_constant];
        level.take(now, value, settings.kind, constants) >> 32 >> settings.scale_down
    }
}

basis::snapshot!(FilterArray { values filters; });
