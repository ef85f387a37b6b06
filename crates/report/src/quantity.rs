//! The quantity that an axis measures, and the way in which its numbers are written for people: in which unit and with
//! how many digits.

/// The quantity that an axis measures. Values are in the base unit; the figure chooses the unit in which they are
/// written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quantity {
    /// A number without a unit, or with one that the label names.
    #[default]
    Number,
    /// The number of things of one kind: ticks are whole numbers.
    Count,
    /// Seconds.
    Time,
    /// Bits per second.
    Rate,
    /// Bytes, written in powers of 1024.
    Bytes,
}

/// An axis: what stands beside it, and what it measures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Axis {
    /// The label beside it, without the unit, unless the quantity has none.
    pub label: String,
    /// The quantity.
    pub quantity: Quantity,
}

/// A unit: its name, and how much of the base unit it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    pub name: &'static str,
    pub size: f64,
}

const PLAIN: [Unit; 1] = [Unit { name: "", size: 1.0 }];
const TIMES: [Unit; 5] = [
    Unit { name: "ps", size: 1e-12 },
    Unit { name: "ns", size: 1e-9 },
    Unit { name: "µs", size: 1e-6 },
    Unit { name: "ms", size: 1e-3 },
    Unit { name: "s", size: 1.0 },
];
const RATES: [Unit; 5] = [
    Unit { name: "b/s", size: 1.0 },
    Unit { name: "kb/s", size: 1e3 },
    Unit { name: "Mb/s", size: 1e6 },
    Unit { name: "Gb/s", size: 1e9 },
    Unit { name: "Tb/s", size: 1e12 },
];
const BYTES: [Unit; 4] = [
    Unit { name: "B", size: 1.0 },
    Unit { name: "KiB", size: 1024.0 },
    Unit { name: "MiB", size: 1_048_576.0 },
    Unit { name: "GiB", size: 1_073_741_824.0 },
];

impl Quantity {
    /// The largest unit of which a value is at least `least`.
    pub(crate) fn unit(self, value: f64, least: f64) -> Unit {
        let units: &[Unit] = match self {
            Self::Number | Self::Count => &PLAIN,
            Self::Time => &TIMES,
            Self::Rate => &RATES,
            Self::Bytes => &BYTES,
        };
        let fits = |unit: &&Unit| value.abs() >= least * unit.size;
        *units.iter().rfind(fits).unwrap_or(&units[0])
    }

    /// A value with its unit, as people read it.
    pub fn text(self, value: f64) -> String {
        // A little less than one, for what is one but for the dust of binary fractions.
        let unit = self.unit(value, 0.999_999);
        let number = digits(value / unit.size);
        if unit.name.is_empty() || value == 0.0 { number } else { format!("{number} {}", unit.name) }
    }
}

impl Axis {
    /// An axis.
    pub fn new(label: impl Into<String>, quantity: Quantity) -> Self {
        Self { label: label.into(), quantity }
    }

    /// Returns the label of the axis if its ticks are in this unit.
    pub(crate) fn in_unit(&self, unit: Unit) -> String {
        if unit.name.is_empty() { self.label.clone() } else { format!("{} ({})", self.label, unit.name) }
    }
}

/// A number with four significant digits at most, and all digits before the point.
pub(crate) fn digits(number: f64) -> String {
    let places = match number.abs() {
        size if size >= 1000.0 => 0,
        size if size >= 100.0 => 1,
        size if size >= 10.0 => 2,
        size if size >= 1.0 => 3,
        _ => 4,
    };
    fixed(number, places)
}

/// A number with at most so many places behind the point, and no zeros at their end.
pub(crate) fn fixed(number: f64, places: usize) -> String {
    let text = format!("{number:.places$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_in_a_unit_that_suits_them() {
        assert_eq!(Quantity::Time.text(0.000_012_5), "12.5 µs");
        assert_eq!(Quantity::Time.text(0.000_001), "1 µs");
        assert_eq!(Quantity::Rate.text(99.5e9), "99.5 Gb/s");
        assert_eq!(Quantity::Bytes.text(65536.0), "64 KiB");
        assert_eq!(Quantity::Bytes.text(0.0), "0");
        assert_eq!(Quantity::Count.text(3500.0), "3500");
        assert_eq!(digits(0.123_456), "0.1235");
        assert_eq!(digits(100.0), "100");
    }
}
