//! Published distributions of flow sizes, included as data.

use std::fmt;

use basis::Random;

/// A published distribution of flow sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowSizes {
    /// The web search workload of DCTCP and pFabric; the first lines of the data file name the source.
    WebSearch,
    /// The Hadoop workload at Facebook; the first lines of the data file name the source.
    Hadoop,
}

impl FlowSizes {
    /// All distributions.
    pub const ALL: [Self; 2] = [Self::WebSearch, Self::Hadoop];

    /// Returns the name of the distribution in plans.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WebSearch => "websearch",
            Self::Hadoop => "hadoop",
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::WebSearch => include_str!("../data/flow_sizes_websearch.txt"),
            Self::Hadoop => include_str!("../data/flow_sizes_hadoop.txt"),
        }
    }

    /// Parses the cumulative distribution, ready to draw from.
    pub fn table(self) -> FlowSizeTable {
        let data = self.text().lines().filter(|line| !line.starts_with('#'));
        let point = |line: &str| {
            let (bytes, percent) = line.split_once(' ').expect("two columns");
            Point { bytes: bytes.parse().expect("bytes"), share: share_of_percent(percent) }
        };
        FlowSizeTable { points: data.map(point).collect() }
    }
}

impl fmt::Display for FlowSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A cumulative distribution of flow sizes, linear between its points.
#[derive(Clone, Debug)]
pub struct FlowSizeTable {
    points: Vec<Point>,
}

#[derive(Clone, Copy, Debug)]
struct Point {
    bytes: u64,
    /// The share of flows with at most `bytes` bytes, in units of 2^-32.
    share: u64,
}

const WHOLE: u64 = 1 << 32;

/// Converts a decimal percentage with at most two fractional digits to a share in units of 2^-32, rounded down.
fn share_of_percent(text: &str) -> u64 {
    let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let hundredths = whole.parse::<u64>().expect("percent") * 100
        + format!("{fraction:0<2}").parse::<u64>().expect("two digits after the point");
    hundredths * WHOLE / 10_000
}

impl FlowSizeTable {
    /// Draws the size of one flow in bytes, at least 1. The computation uses integers only, so that the result is the
    /// same on every machine.
    pub fn draw(&self, random: &mut Random) -> u64 {
        self.quantile(random.below(WHOLE))
    }

    /// Returns the largest size in bytes.
    pub fn longest(&self) -> u64 {
        self.points.iter().map(|point| point.bytes).max().unwrap_or(0)
    }

    /// Returns the mean size in bytes.
    pub fn mean(&self) -> f64 {
        let part = |pair: &[Point]| (pair[1].share - pair[0].share) as u128 * (pair[0].bytes + pair[1].bytes) as u128;
        let twice: u128 = self.points.windows(2).map(part).sum();
        twice as f64 / (2 * WHOLE) as f64
    }

    /// Returns the size in bytes that the given share of flows, in units of 2^-32, does not exceed.
    fn quantile(&self, share: u64) -> u64 {
        let above = self.points.iter().position(|point| point.share > share).unwrap_or(self.points.len() - 1).max(1);
        let (low, high) = (self.points[above - 1], self.points[above]);
        let along = (high.bytes - low.bytes) * (share - low.share) / (high.share - low.share);
        (low.bytes + along).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate_between_the_points() {
        let table = FlowSizes::WebSearch.table();
        assert_eq!(table.points.len(), 12);
        assert_eq!(table.quantile(0), 1);
        assert_eq!(table.quantile(share_of_percent("20")), 20_000);
        assert_eq!(table.quantile(WHOLE * 75 / 100), 1_500_000);
        assert_eq!(table.quantile(WHOLE - 1), 29_999_999);
        let hadoop = FlowSizes::Hadoop.table();
        assert_eq!(hadoop.quantile(share_of_percent("97.5") + 1), 1_000_000);
        assert_eq!(hadoop.points.last().unwrap().share, WHOLE);
    }

    #[test]
    fn draws_follow_the_distribution() {
        let (table, mut random) = (FlowSizes::Hadoop.table(), Random::new(5));
        let draws: Vec<u64> = (0..20_000).map(|_| table.draw(&mut random)).collect();
        for (bytes, percent) in [(400, 20), (1000, 60), (30_000, 72), (300_000, 95)] {
            let below = draws.iter().filter(|&&size| size <= bytes).count();
            // The standard deviation of the count is at most 71.
            assert!(below.abs_diff(percent * 200) < 300, "{bytes}: {below}");
        }
    }
}
