//! What left against what is expected, port by port.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use control::stf::Expectation;

use super::{ExpectationOutcome, UnexpectedPacket};

/// A packet that is expected.
pub(super) struct Expected {
    pub(super) line: usize,
    pub(super) expectation: Expectation,
}

/// A packet that left.
pub(super) struct Left {
    /// In microseconds.
    pub(super) time: u64,
    pub(super) bytes: Vec<u8>,
    /// The line that says that nothing more has left.
    pub(super) no_packet: Option<usize>,
}

/// Compares: the expectations in the order of the file, and the packets that nothing expects.
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

/// What it costs to say that a packet is not what is expected in its place: more than that one did not come, or that
/// nothing expects another, and less than both.
const DIFFERS: u32 = 3;
const ALONE: u32 = 2;
/// More pairs than these are not weighed against each other.
const MOST_PAIRS: usize = 1 << 22;

/// For each expectation the packet that stands in its place: both come in order. Where there are not as many packets as
/// expectations, they are paired so that the least is wrong.
fn pair(wanted: &[Expected], came: &[Left]) -> Vec<Option<usize>> {
    if wanted.len() == came.len() || wanted.len().saturating_mul(came.len()) > MOST_PAIRS {
        return (0..wanted.len()).map(|at| Some(at).filter(|&at| at < came.len())).collect();
    }
    let together = |expected: usize, packet: usize| match wanted[expected].expectation.matches(&came[packet].bytes) {
        true => 0,
        false => DIFFERS,
    };
    // What is wrong at least from an expectation and a packet on.
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
    fn packets_meet_expectations_in_order() {
        assert_eq!(judged(&["01", "02"], &[&[1], &[2]]), (vec![None, None], 0));
        let (differences, unexpected) = judged(&["01", "02"], &[&[2], &[1]]);
        assert!(differences.iter().all(Option::is_some), "{differences:?}");
        assert_eq!(unexpected, 0);
    }

    #[test]
    fn one_packet_too_many_does_not_spoil_those_after_it() {
        assert_eq!(judged(&["01", "02"], &[&[1], &[9], &[2]]), (vec![None, None], 1));
        assert_eq!(judged(&[], &[&[1]]), (vec![], 1));
    }

    #[test]
    fn a_wrong_packet_beside_one_too_many_is_still_shown_as_wrong() {
        let (differences, unexpected) = judged(&["0102", "01"], &[&[1, 3], &[1, 4], &[1, 5]]);
        assert_eq!(differences, [Some("differs in byte 1, digit 2".to_owned()), None]);
        assert_eq!(unexpected, 1);
    }

    #[test]
    fn one_packet_too_few_does_not_spoil_those_after_it() {
        let missing = Some("did not come".to_owned());
        assert_eq!(judged(&["01", "02", "03"], &[&[1], &[3]]), (vec![None, missing.clone(), None], 0));
        assert_eq!(judged(&["01"], &[]), (vec![missing], 0));
    }
}
