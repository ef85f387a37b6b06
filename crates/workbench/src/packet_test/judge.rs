//! Compares the packets that left with those that are expected, port by port.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use control::stf::Expectation;

use super::{ExpectationOutcome, UnexpectedPacket};

/// An expectation of a packet, and its line in the test.
pub(super) struct Expected {
    pub(super) line: usize,
    pub(super) expectation: Expectation,
}

/// A packet that left.
pub(super) struct Left {
    /// The departure time in microseconds.
    pub(super) time: u64,
    pub(super) bytes: Vec<u8>,
    /// The line with `no_packet` that the packet violates.
    pub(super) no_packet: Option<usize>,
}

/// Compares packets with expectations. Returns the expectations in the order of the file, and the unexpected packets.
pub(super) fn judge(
    mut expected: BTreeMap<u32, Vec<Expected>>,
    mut left: BTreeMap<u32, Vec<Left>>,
) -> (Vec<ExpectationOutcome>, Vec<UnexpectedPacket>) {
    let mut expectations = Vec::new();
    let mut unexpected = Vec::new();
    let ports: BTreeSet<u32> = expected.keys().chain(left.keys()).copied().collect();
    for port in ports {
        let wanted = expected.remove(&port).unwrap_or_default();
        let came = left.remove(&port).unwrap_or_default();
        let pairs = pair(&wanted, &came);
        for (wanted, pair) in wanted.iter().zip(&pairs) {
            expectations.push(outcome(port, wanted, pair.map(|at| &came[at])));
        }
        let taken: BTreeSet<usize> = pairs.into_iter().flatten().collect();
        for (_, packet) in came.iter().enumerate().filter(|(at, _)| !taken.contains(at)) {
            let bytes = hexadecimal(&packet.bytes);
            unexpected.push(UnexpectedPacket { port, time: packet.time, bytes, no_packet: packet.no_packet });
        }
    }
    expectations.sort_by_key(|expectation| expectation.line);
    (expectations, unexpected)
}

/// The cost of pairing an expectation with a packet that differs. It is higher than that of a missing or an unexpected
/// packet alone, and lower than that of both.
const DIFFERS: u32 = 3;
const ALONE: u32 = 2;
/// The maximum number of pairs for which the best pairing is computed.
const MOST_PAIRS: usize = 1 << 22;

/// Returns the index of the packet for each expectation. Both are in order. If their numbers differ, the pairing is the
/// one with the lowest cost.
fn pair(wanted: &[Expected], came: &[Left]) -> Vec<Option<usize>> {
    if wanted.len() == came.len() || wanted.len().saturating_mul(came.len()) > MOST_PAIRS {
        return (0..wanted.len()).map(|at| Some(at).filter(|&at| at < came.len())).collect();
    }
    let together = |expected: usize, packet: usize| match wanted[expected].expectation.matches(&came[packet].bytes) {
        true => 0,
        false => DIFFERS,
    };
    // The lowest cost of pairing the expectations and packets from each position on.
    let mut least = vec![vec![0_u32; came.len() + 1]; wanted.len() + 1];
    for expected in (0..=wanted.len()).rev() {
        for packet in (0..=came.len()).rev() {
            let absent = (expected < wanted.len()).then(|| least[expected + 1][packet] + ALONE);
            let extra = (packet < came.len()).then(|| least[expected][packet + 1] + ALONE);
            let both = absent.and(extra).map(|_| least[expected + 1][packet + 1] + together(expected, packet));
            least[expected][packet] = absent.into_iter().chain(extra).chain(both).min().unwrap_or(0);
        }
    }
    let (mut expected, mut packet, mut pairs) = (0, 0, vec![None; wanted.len()]);
    while expected < wanted.len() && packet < came.len() {
        let rest = least[expected][packet];
        if rest == least[expected + 1][packet + 1] + together(expected, packet) {
            pairs[expected] = Some(packet);
            (expected, packet) = (expected + 1, packet + 1);
        } else if rest == least[expected + 1][packet] + ALONE {
            expected += 1;
        } else {
            packet += 1;
        }
    }
    pairs
}

fn outcome(port: u32, expected: &Expected, packet: Option<&Left>) -> ExpectationOutcome {
    let difference = match packet {
        Some(packet) => expected.expectation.difference(&packet.bytes),
        None => Some("did not come".to_owned()),
    };
    ExpectationOutcome {
        line: expected.line,
        port,
        expected: expected.expectation.to_string(),
        found: packet.map(|packet| hexadecimal(&packet.bytes)),
        difference,
    }
}

pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(wanted: &[&str], came: &[&[u8]]) -> (Vec<Option<String>>, usize) {
        let wanted = wanted
            .iter()
            .enumerate()
            .map(|(line, text)| Expected { line, expectation: Expectation::parse(text).unwrap() });
        let came = came.iter().map(|bytes| Left { time: 0, bytes: bytes.to_vec(), no_packet: None });
        let (expectations, unexpected) = judge([(1, wanted.collect())].into(), [(1, came.collect())].into());
        (expectations.into_iter().map(|outcome| outcome.difference).collect(), unexpected.len())
    }

    #[test]
    fn packets_are_compared_in_order() {
        assert_eq!(judged(&["01", "02"], &[&[1], &[2]]), (vec![None, None], 0));
        let (differences, unexpected) = judged(&["01", "02"], &[&[2], &[1]]);
        assert!(differences.iter().all(Option::is_some), "{differences:?}");
        assert_eq!(unexpected, 0);
    }

    #[test]
    fn an_extra_packet_does_not_affect_later_ones() {
        assert_eq!(judged(&["01", "02"], &[&[1], &[9], &[2]]), (vec![None, None], 1));
        assert_eq!(judged(&[], &[&[1]]), (vec![], 1));
    }

    #[test]
    fn a_wrong_packet_beside_an_extra_one_is_reported() {
        let (differences, unexpected) = judged(&["0102", "01"], &[&[1, 3], &[1, 4], &[1, 5]]);
        assert_eq!(differences, [Some("differs in byte 1, digit 2".to_owned()), None]);
        assert_eq!(unexpected, 1);
    }

    #[test]
    fn a_missing_packet_does_not_affect_later_ones() {
        let missing = Some("did not come".to_owned());
        assert_eq!(judged(&["01", "02", "03"], &[&[1], &[3]]), (vec![None, missing.clone(), None], 0));
        assert_eq!(judged(&["01"], &[]), (vec![missing], 0));
    }
}
