//! `[[limiter]]`.

use std::ops::Range;

use plans::Section;
use runtime::meter::{MeterRates, MeterUnit};

use super::names::Names;
use super::values::course;
use crate::configuration::Limiter;

/// A limiter, and where its bursts stand.
pub struct Placed {
    pub value: Limiter,
    pub burst: Range<usize>,
    pub peak_burst: Range<usize>,
}

/// A rate in bytes or packets per second.
type UnitRate = (MeterUnit, u64);

/// The bursts that a limiter allows unless it says otherwise: what comes in a tenth of a second, and at least so much that
/// the largest frame passes.
const BURSTS_A_SECOND: u64 = 10;
const LEAST_BYTES: u64 = 65_550;

pub fn read(section: Section<'_>, vnics: &Names, text: &mut String) -> Option<Placed> {
    let name = section.hidden_text("name").map(|(name, _)| name).unwrap_or_default();
    section.require("vnic", "the vNIC: vnic = \"…\"");
    section.require("direction", "whose packets: direction = \"egress\" (that it sends) or \"ingress\"");
    section.require("rate", "the rate: rate = \"1 Gb/s\", or rate = \"10000 packets/s\"");
    let vnic = section.text("vnic").and_then(|(name, span)| vnics.find(&section, &name, &span));
    let course = course(&section, "direction");
    let committed = rate(&section, "rate");
    let peak = rate(&section, "peak_rate");
    let (unit, committed_rate) = committed.unwrap_or((MeterUnit::Bytes, 1));
    let (peak_unit, peak_rate) = peak.unwrap_or((unit, committed_rate));
    if committed.is_some() && peak_unit != unit {
        let hint = "both are rates of bits, or both are rates of packets";
        section.error(&section.span_of("peak_rate"), "`peak_rate` is of another unit than `rate`", hint);
    } else if committed.is_some() && peak_rate < committed_rate {
        let hint = "give a greater one, or leave it out: then there is one rate";
        section.error(&section.span_of("peak_rate"), "`peak_rate` is below `rate`", hint);
    }
    let least = if unit == MeterUnit::Bytes { LEAST_BYTES } else { 1 };
    let usual = |rate: u64| (rate / BURSTS_A_SECOND).max(least);
    let committed_burst = burst(&section, "burst", unit, usual(committed_rate));
    // With one rate, both bursts are of that rate.
    let usual_peak = if peak.is_some() { usual(peak_rate).max(committed_burst) } else { committed_burst };
    let peak_burst = burst(&section, "peak_burst", unit, usual_peak);
    let [burst, peak] = ["burst", "peak_burst"].map(|name| section.span_of(name));
    let excess_dscp = section.optional_count("excess_dscp", 0..=63).map(|dscp| dscp as u8);
    section.end(text);
    let rates = MeterRates { committed_rate, committed_burst, peak_rate, peak_burst };
    let value = Limiter { name, vnic: vnic?, course, unit, rates, excess_dscp };
    Some(Placed { value, burst, peak_burst: peak })
}

/// Reads a rate such as `1 Gb/s` or `10000 packets/s`.
fn rate(section: &Section<'_>, name: &'static str) -> Option<UnitRate> {
    let mut read = None;
    section.checked(name, |text| {
        let packets = ["packets/s", "packet/s", "pkts/s", "pps"].into_iter().find_map(|unit| text.strip_suffix(unit));
        read = match packets {
            Some(number) => units::count(number.trim(), 1, 1 << 40).ok().map(|count| (MeterUnit::Packets, count)),
            None => units::rate(text).ok().map(|rate| (MeterUnit::Bytes, (rate.bits_per_second() / 8).max(1))),
        };
        read.map(|_| ()).ok_or_else(|| "such as \"1 Gb/s\" or \"10000 packets/s\"".to_owned())
    });
    read
}

/// Reads a burst in the unit of the limiter: a size such as `128 KiB`, or a number of packets.
fn burst(section: &Section<'_>, name: &'static str, unit: MeterUnit, usual: u64) -> u64 {
    match unit {
        MeterUnit::Bytes => section.bytes(name, 1..=u64::MAX, usual),
        MeterUnit::Packets => section.count(name, 1..=1 << 40, usual),
    }
}
