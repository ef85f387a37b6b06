//! Meters: the two-rate three-colour marker of RFC 2698.

use std::fmt;

use basis::Instant;
use serde::{Deserialize, Serialize};

/// What a packet is, measured against its flow's rates. The numbers are v1model's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Color {
    /// Within the committed rate and burst.
    #[default]
    Green = 0,
    /// Above the committed, within the peak rate and burst.
    Yellow = 1,
    /// Above the peak rate and burst.
    Red = 2,
}

impl Color {
    /// The number that programs see: 0, 1 or 2.
    pub const fn number(self) -> u64 {
        self as u64
    }

    /// The color of a number; red for all that have none, for they are further from green than red is.
    pub const fn from_number(number: u64) -> Self {
        match number {
            0 => Self::Green,
            1 => Self::Yellow,
            _ => Self::Red,
        }
    }
}

/// What a meter measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MeterUnit {
    /// Each packet counts as 1.
    Packets,
    /// Each packet counts as its bytes.
    Bytes,
}

impl MeterUnit {
    /// What a packet of `length` bytes counts as.
    pub const fn amount(self, length: u64) -> u64 {
        match self {
            Self::Packets => 1,
            Self::Bytes => length,
        }
    }
}

/// The four numbers of RFC 2698, section 2, in units a second and units, which are packets or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MeterRates {
    /// Committed information rate (CIR), in units a second.
    pub committed_rate: u64,
    /// Committed burst size (CBS), in units; above 0.
    pub committed_burst: u64,
    /// Peak information rate (PIR), in units a second; at least the committed rate.
    pub peak_rate: u64,
    /// Peak burst size (PBS), in units; above 0.
    pub peak_burst: u64,
}

/// Why a meter cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeterError {
    /// There is no meter at the index.
    NoSuchMeter {
        /// How many meters there are.
        size: usize,
    },
    /// The peak rate is below the committed rate (RFC 2698, section 2: "The PIR must be equal to or greater than the
    /// CIR").
    PeakBelowCommitted,
    /// A burst of nothing (RFC 2698, section 2: "both of them must be configured to be greater than 0").
    NoBurst,
}

impl fmt::Display for MeterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchMeter { size } => write!(f, "there are {size} meters"),
            Self::PeakBelowCommitted => write!(f, "the peak rate is below the committed rate"),
            Self::NoBurst => write!(f, "a burst must be above 0"),
        }
    }
}

impl std::error::Error for MeterError {}

/// Parts of a token: a rate of one unit a second adds one part each picosecond, so that nothing is ever rounded.
const PARTS: u128 = 1_000_000_000_000;

/// One marker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meter {
    rates: MeterRates,
    /// Tokens in both buckets, in parts.
    committed: u128,
    peak: u128,
    updated: Instant,
}

impl Meter {
    /// A marker whose buckets are full (RFC 2698, section 3), whenever it is first asked.
    ///
    /// # Errors
    /// The rates are none.
    pub fn new(rates: MeterRates) -> Result<Self, MeterError> {
        if rates.peak_rate < rates.committed_rate {
            return Err(MeterError::PeakBelowCommitted);
        }
        if rates.committed_burst == 0 || rates.peak_burst == 0 {
            return Err(MeterError::NoBurst);
        }
        let full = |burst: u64| u128::from(burst) * PARTS;
        let (committed, peak) = (full(rates.committed_burst), full(rates.peak_burst));
        Ok(Self { rates, committed, peak, updated: Instant::ZERO })
    }

    /// Its rates.
    pub fn rates(&self) -> MeterRates {
        self.rates
    }

    /// Marks a packet of `amount` units that arrives at `now` with a color (RFC 2698, section 3, color-aware; a packet
    /// that arrives green is marked as in color-blind mode). A `now` before the last one is taken for the last one.
    #[inline]
    pub fn mark(&mut self, now: Instant, amount: u64, arriving: Color) -> Color {
        let elapsed = u128::from(now.since(self.updated).picoseconds());
        self.updated = self.updated.max(now);
        let refill = |tokens: u128, rate: u64, burst: u64| {
            tokens.saturating_add(elapsed * u128::from(rate)).min(u128::from(burst) * PARTS)
        };
        self.committed = refill(self.committed, self.rates.committed_rate, self.rates.committed_burst);
        self.peak = refill(self.peak, self.rates.peak_rate, self.rates.peak_burst);
        let amount = u128::from(amount) * PARTS;
        if arriving == Color::Red || self.peak < amount {
            return Color::Red;
        }
        self.peak -= amount;
        if arriving == Color::Yellow || self.committed < amount {
            return Color::Yellow;
        }
        self.committed -= amount;
        Color::Green
    }
}

/// The meters of one `meter` of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeterArray {
    unit: MeterUnit,
    meters: Vec<Option<Meter>>,
}

impl MeterArray {
    /// Meters that are not configured, so that every packet is green.
    pub fn new(size: usize, unit: MeterUnit) -> Self {
        Self { unit, meters: vec![None; size] }
    }

    /// What the meters measure.
    pub fn unit(&self) -> MeterUnit {
        self.unit
    }

    /// How many meters there are.
    pub fn len(&self) -> usize {
        self.meters.len()
    }

    /// True if there is no meter.
    pub fn is_empty(&self) -> bool {
        self.meters.is_empty()
    }

    /// Gives a meter its rates and full buckets; `None` makes every packet green again.
    ///
    /// # Errors
    /// There is no such meter, or the rates are none.
    pub fn set(&mut self, index: usize, rates: Option<MeterRates>) -> Result<(), MeterError> {
        let size = self.meters.len();
        let meter = self.meters.get_mut(index).ok_or(MeterError::NoSuchMeter { size })?;
        *meter = rates.map(Meter::new).transpose()?;
        Ok(())
    }

    /// The tokens in the committed and the peak bucket of a meter, in parts of 1/10^12. `None` if it has no rates or there is
    /// no such meter.
    pub fn tokens(&self, index: usize) -> Option<[u128; 2]> {
        self.meters.get(index)?.as_ref().map(|meter| [meter.committed, meter.peak])
    }

    /// The rates of a meter. `None` if it has none or there is no such meter.
    pub fn get(&self, index: usize) -> Option<MeterRates> {
        self.meters.get(index)?.as_ref().map(Meter::rates)
    }

    /// Marks a packet of `amount` units ([`MeterUnit::amount`]), color-blind. Green if the meter is not configured, and
    /// if the program's index is outside of the array, where v1model leaves the color open.
    #[inline]
    pub fn mark(&mut self, index: u64, now: Instant, amount: u64) -> Color {
        self.mark_colored(index, now, amount, Color::Green)
    }

    /// Marks a packet that has a color already. Green if the meter is not configured, as in P4Runtime.
    #[inline]
    pub fn mark_colored(&mut self, index: u64, now: Instant, amount: u64, arriving: Color) -> Color {
        let meter = usize::try_from(index).ok().and_then(|index| self.meters.get_mut(index));
        meter.and_then(Option::as_mut).map_or(Color::Green, |meter| meter.mark(now, amount, arriving))
    }
}

basis::snapshot!(MeterArray { values meters; });
