//! Meters: the two-rate three-colour marker of RFC 2698.

use std::fmt;

use basis::Instant;
use serde::{Deserialize, Serialize};

/// The colour of a packet that was measured against the rates of its flow. The numbers are v1model's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Color {
    /// The packet is within the committed rate and burst.
    #[default]
    Green = 0,
    /// The packet exceeds the committed rate and burst, but is within the peak rate and burst.
    Yellow = 1,
    /// The packet exceeds the peak rate and burst.
    Red = 2,
}

impl Color {
    /// Returns the number that programs see: 0, 1 or 2.
    pub const fn number(self) -> u64 {
        self as u64
    }

    /// Returns the colour of a number. All numbers from 2 on are red.
    pub const fn from_number(number: u64) -> Self {
        match number {
            0 => Self::Green,
            1 => Self::Yellow,
            _ => Self::Red,
        }
    }
}

/// The unit that a meter measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MeterUnit {
    /// Each packet counts as 1.
    Packets,
    /// Each packet counts as its bytes.
    Bytes,
}

impl MeterUnit {
    /// Returns the number of units of a packet of `length` bytes.
    pub const fn amount(self, length: u64) -> u64 {
        match self {
            Self::Packets => 1,
            Self::Bytes => length,
        }
    }

    /// Returns the number of units of a packet of `length` bytes that counts as `adjust` more bytes, but not as fewer than
    /// none.
    pub const fn adjusted(self, length: u64, adjust: i64) -> u64 {
        self.amount(length.saturating_add_signed(adjust))
    }
}

/// The four parameters of RFC 2698, section 2. A unit is a packet or a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MeterRates {
    /// Committed information rate (CIR), in units per second.
    pub committed_rate: u64,
    /// Committed burst size (CBS), in units; greater than 0.
    pub committed_burst: u64,
    /// Peak information rate (PIR), in units per second; at least the committed rate.
    pub peak_rate: u64,
    /// Peak burst size (PBS), in units; greater than 0.
    pub peak_burst: u64,
}

/// The reason why a meter cannot be configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeterError {
    /// There is no meter at the index.
    NoSuchMeter {
        /// The number of meters in the array.
        size: usize,
    },
    /// The peak rate is below the committed rate (RFC 2698, section 2: "The PIR must be equal to or greater than the
    /// CIR").
    PeakBelowCommitted,
    /// A burst size is zero (RFC 2698, section 2: "both of them must be configured to be greater than 0").
    NoBurst,
}

impl fmt::Display for MeterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchMeter { size } => write!(f, "there is no such meter: the array has {size}"),
            Self::PeakBelowCommitted => write!(f, "the peak rate is below the committed rate"),
            Self::NoBurst => write!(f, "a burst size must be greater than 0"),
        }
    }
}

impl std::error::Error for MeterError {}

/// The parts of a token. A rate of one unit per second adds one part in each picosecond, so nothing is ever rounded.
const PARTS: u128 = 1_000_000_000_000;

/// One two-rate three-colour marker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meter {
    rates: MeterRates,
    /// The tokens in the committed bucket, in parts.
    committed: u128,
    peak: u128,
    updated: Instant,
}

impl Meter {
    /// Creates a marker with full buckets (RFC 2698, section 3). They stay full until the first packet, whenever it
    /// arrives.
    ///
    /// # Errors
    /// If the peak rate is below the committed rate, or a burst size is zero.
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

    /// Returns the tokens in the committed and in the peak bucket, in the units in which the meter counts.
    pub fn tokens(&self) -> [u128; 2] {
        [self.committed, self.peak]
    }

    /// Returns the rates.
    pub fn rates(&self) -> MeterRates {
        self.rates
    }

    /// Marks a packet of `amount` units that arrives at `now` with a colour (RFC 2698, section 3, colour-aware mode;
    /// for a packet that arrives green this equals colour-blind mode). If `now` is before the time of the previous
    /// call, that time is used instead.
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

/// The meters of one `meter` instance of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeterArray {
    unit: MeterUnit,
    meters: Vec<Option<Meter>>,
}

impl MeterArray {
    /// Creates meters that are not configured, so that every packet is green.
    pub fn new(size: usize, unit: MeterUnit) -> Self {
        Self { unit, meters: vec![None; size] }
    }

    /// Returns the unit that the meters measure.
    pub fn unit(&self) -> MeterUnit {
        self.unit
    }

    /// Returns the number of meters.
    pub fn len(&self) -> usize {
        self.meters.len()
    }

    /// Returns true if there are no meters.
    pub fn is_empty(&self) -> bool {
        self.meters.is_empty()
    }

    /// Configures a meter with rates and full buckets; `None` makes every packet green again.
    ///
    /// # Errors
    /// If there is no meter at the index, or the rates are invalid.
    pub fn set(&mut self, index: usize, rates: Option<MeterRates>) -> Result<(), MeterError> {
        let size = self.meters.len();
        let meter = self.meters.get_mut(index).ok_or(MeterError::NoSuchMeter { size })?;
        *meter = rates.map(Meter::new).transpose()?;
        Ok(())
    }

    /// Returns the tokens in the committed and the peak bucket of a meter, in units of 10^-12 tokens; `None` if the
    /// meter is not configured or does not exist.
    pub fn tokens(&self, index: usize) -> Option<[u128; 2]> {
        self.meters.get(index)?.as_ref().map(Meter::tokens)
    }

    /// Returns the rates of a meter; `None` if it is not configured or does not exist.
    pub fn get(&self, index: usize) -> Option<MeterRates> {
        self.meters.get(index)?.as_ref().map(Meter::rates)
    }

    /// Returns a meter with its tokens; `None` if it is not configured or does not exist.
    pub fn meter(&self, index: usize) -> Option<&Meter> {
        self.meters.get(index)?.as_ref()
    }

    /// Makes a meter what it was; does nothing if there is no meter at the index.
    pub fn restore(&mut self, index: usize, meter: Option<Meter>) {
        if let Some(place) = self.meters.get_mut(index) {
            *place = meter;
        }
    }

    /// Marks a packet of `amount` units ([`MeterUnit::amount`]) in colour-blind mode. The packet is green if the meter
    /// is not configured, and if the index is outside of the array, where v1model leaves the colour undefined.
    #[inline]
    pub fn mark(&mut self, index: u64, now: Instant, amount: u64) -> Color {
        self.mark_colored(index, now, amount, Color::Green)
    }

    /// Marks a packet that has a colour already. It keeps the colour if the meter is not configured, as with a meter without
    /// limits (RFC 2698, section 3), and if the index is outside of the array.
    #[inline]
    pub fn mark_colored(&mut self, index: u64, now: Instant, amount: u64, arriving: Color) -> Color {
        let meter = usize::try_from(index).ok().and_then(|index| self.meters.get_mut(index));
        meter.and_then(Option::as_mut).map_or(arriving, |meter| meter.mark(now, amount, arriving))
    }
}

basis::snapshot!(MeterArray { values meters; });
