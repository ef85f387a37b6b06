//! Code points in plans.

use std::ops::Range;

use plans::Section;

/// Reads a code point, 0 to 63.
pub(super) fn code_point(section: &Section<'_>, name: &'static str, default: u8) -> u8 {
    section.count(name, 0..=63, u64::from(default)) as u8
}

/// Reads code points, each 0 to 63.
pub(crate) fn code_points(section: &Section<'_>, name: &'static str, default: &[u8]) -> Vec<u8> {
    let default: Vec<u64> = default.iter().map(|&point| u64::from(point)).collect();
    section.counts(name, 0..=63, &default).into_iter().map(|point| point as u8).collect()
}

/// Reads pairs of code points from texts such as `"0 > 10"`.
pub(super) fn code_point_pairs(section: &Section<'_>, name: &'static str) -> Vec<(u8, u8)> {
    let pair = |(text, span): (String, Range<usize>)| {
        let points = text.split_once('>').and_then(|(from, to)| {
            let point = |text: &str| text.trim().parse::<u8>().ok().filter(|point| *point < 64);
            Some((point(from)?, point(to)?))
        });
        if points.is_none() {
            section.error(
                &span,
                "this is not a pair of code points",
                "write \"0 > 10\" for 0 becomes 10; each is 0 to 63",
            );
        }
        points
    };
    section.texts(name).into_iter().filter_map(pair).collect()
}
