//! Which switches add up for a job at which level, and the bits by which they tell senders apart.

use std::collections::{BTreeMap, BTreeSet};

use transports::aggregation::WorkerPlace;
use wire::atp::LEVELS;

/// The ways of what workers send: by rank, the switches that may add it up, from the worker's own on. Ways that meet have the
/// rest in common, and all end at one switch.
pub struct Ways<'w> {
    /// The address and the switches of each worker.
    pub of_workers: Vec<(u32, &'w [usize])>,
    /// The most levels, 1 to 5.
    pub most: usize,
}

/// Where workers are in a tree of switches that add up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Levels {
    /// The places of workers, by rank.
    pub places: Vec<WorkerPlace>,
    /// The level of each switch that adds up.
    pub of_switches: BTreeMap<usize, u8>,
    /// The number of senders of each of these switches, and of whoever adds up what arrives at the end.
    pub senders: BTreeMap<Option<usize>, usize>,
}

/// A sender of a switch that adds up: a worker, or a switch of the level below.
#[derive(Clone, Copy, Debug)]
enum Sender {
    Worker(usize),
    Switch(usize),
}

/// A switch on the way of some workers.
#[derive(Default)]
struct OnTheWay {
    workers: Vec<usize>,
    before: BTreeSet<usize>,
    is_last: bool,
}

/// A switch that adds up: who sends to it, and the number of switches that add up on the longest way to it, itself included.
struct AddsUp {
    senders: Vec<Sender>,
    height: usize,
}

impl Ways<'_> {
    /// Chooses the switches that add up. These are those of workers, and those at which what several have sent
    /// comes together, as long as no way has more of them than there may be levels: the last one, and those next to the workers.
    pub fn levels(&self) -> Levels {
        let mut on_the_way: BTreeMap<usize, OnTheWay> = BTreeMap::new();
        let mut last = None;
        for (rank, (_, switches)) in self.of_workers.iter().enumerate() {
            for (at, &switch) in switches.iter().enumerate() {
                let known = on_the_way.entry(switch).or_default();
                match at.checked_sub(1) {
                    None => known.workers.push(rank),
                    Some(before) => drop(known.before.insert(switches[before])),
                }
            }
            if let Some(&switch) = switches.last() {
                on_the_way.entry(switch).or_default().is_last = true;
                last = Some(switch);
            }
        }
        let mut adds_up = BTreeMap::new();
        let ends = last.map(|last| self.choose(last, &on_the_way, &mut adds_up)).unwrap_or_default();
        self.placed(&ends, &adds_up)
    }

    /// Chooses among a switch and all before it. Returns who sends what leaves the switch.
    fn choose(
        &self,
        switch: usize,
        on_the_way: &BTreeMap<usize, OnTheWay>,
        adds_up: &mut BTreeMap<usize, AddsUp>,
    ) -> Vec<Sender> {
        let OnTheWay { workers, before, is_last } = &on_the_way[&switch];
        let own: Vec<Sender> = workers.iter().map(|&rank| Sender::Worker(rank)).collect();
        let mut others = Vec::new();
        for &before in before {
            others.extend(self.choose(before, on_the_way, adds_up));
        }
        let height_of = |sender: &Sender| match sender {
            Sender::Worker(_) => 0,
            Sender::Switch(switch) => adds_up[switch].height,
        };
        let height = 1 + others.iter().map(height_of).max().unwrap_or(0);
        let most = if *is_last { self.most } else { self.most.saturating_sub(1).max(1) };
        let all = own.len() + others.len();
        if height <= most && (all > 1 || others.is_empty()) {
            let senders = own.into_iter().chain(others).collect();
            adds_up.insert(switch, AddsUp { senders, height });
            return vec![Sender::Switch(switch)];
        }
        if !own.is_empty() {
            adds_up.insert(switch, AddsUp { senders: own, height: 1 });
            others.push(Sender::Switch(switch));
        }
        others
    }

    /// Numbers levels from the end on, so that each switch leads to one of the next level, and senders at each switch.
    fn placed(&self, ends: &[Sender], adds_up: &BTreeMap<usize, AddsUp>) -> Levels {
        let nowhere = |&(address, _): &(u32, &[usize])| WorkerPlace { address, bits: [0; LEVELS], fan_in: [0; LEVELS] };
        let mut levels = Levels {
            places: self.of_workers.iter().map(nowhere).collect(),
            of_switches: BTreeMap::new(),
            senders: BTreeMap::new(),
        };
        let highest = ends.iter().map(|end| match end {
            Sender::Worker(_) => 0,
            Sender::Switch(switch) => adds_up[switch].height,
        });
        let highest = highest.max().unwrap_or(0);
        match ends {
            &[Sender::Switch(last)] if highest > 1 => {
                levels.add(last, highest - 1, adds_up);
            }
            // The server adds up what arrives, and tells the ends apart by the bits of a level that no switch has.
            _ => {
                levels.senders.insert(None, ends.len());
                levels.below(ends, highest, 1, adds_up);
            }
        }
        levels
    }
}

impl Levels {
    /// Gives a switch a level. Returns the ranks of the workers below it.
    fn add(&mut self, switch: usize, level: usize, adds_up: &BTreeMap<usize, AddsUp>) -> Vec<usize> {
        let senders = &adds_up[&switch].senders;
        // There are at most 5 levels.
        self.of_switches.insert(switch, level as u8);
        self.senders.insert(Some(switch), senders.len());
        self.below(senders, level, senders.len(), adds_up)
    }

    /// Gives senders their bits at a level.
    fn below(
        &mut self,
        senders: &[Sender],
        level: usize,
        fan_in: usize,
        adds_up: &BTreeMap<usize, AddsUp>,
    ) -> Vec<usize> {
        let mut all = Vec::new();
        for (bit, sender) in senders.iter().enumerate() {
            let ranks = match *sender {
                Sender::Worker(rank) => vec![rank],
                Sender::Switch(switch) => self.add(switch, level - 1, adds_up),
            };
            for &rank in &ranks {
                // Plans with more senders than bits are refused.
                self.places[rank].bits[level] = bit as u8;
                self.places[rank].fan_in[level] = fan_in as u8;
            }
            all.extend(ranks);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(ways: &[&[usize]], most: usize) -> Levels {
        Ways { of_workers: ways.iter().map(|way| (0, *way)).collect(), most }.levels()
    }

    fn place(bits: [u8; LEVELS], fan_in: [u8; LEVELS]) -> WorkerPlace {
        WorkerPlace { address: 0, bits, fan_in }
    }

    #[test]
    fn one_rack_has_one_switch_and_a_bit_at_the_server() {
        let found = levels(&[&[7], &[7]], 2);
        assert_eq!(found.places, [0, 1].map(|bit| place([bit, 0, 0, 0, 0], [2, 1, 0, 0, 0])));
        assert_eq!(found.of_switches, BTreeMap::from([(7, 0)]));
        assert_eq!(
            levels(&[&[7, 9], &[7, 9]], 2),
            found,
            "the server's own switch gets one packet, and adds nothing up"
        );
    }

    #[test]
    fn racks_come_together_at_the_last_switch_unless_there_is_one_level() {
        let ways: [&[usize]; 4] = [&[1, 9], &[1, 9], &[2, 9], &[9]];
        let found = levels(&ways, 2);
        let bits = [[0, 1], [1, 1], [0, 2], [0, 0]];
        let fan_in = [[2, 3], [2, 3], [1, 3], [0, 3]];
        let expected: Vec<_> =
            bits.into_iter().zip(fan_in).map(|(bits, fan_in)| WorkerPlace::with_two_levels(0, bits, fan_in)).collect();
        assert_eq!(found.places, expected);
        assert_eq!(found.of_switches, BTreeMap::from([(1, 0), (2, 0), (9, 1)]));
        let racks = levels(&ways, 1);
        assert_eq!(racks.of_switches, BTreeMap::from([(1, 0), (2, 0), (9, 0)]));
        assert_eq!(racks.places[3].fan_in, [1, 1, 0, 0, 0]);
        assert_eq!(racks.senders[&None], 3);
    }

    /// A fat tree: workers in two racks of one pod, in one of another, and at two racks of the server's pod.
    #[test]
    fn what_comes_together_is_added_up_at_each_level() {
        let ways: [&[usize]; 6] = [
            &[11, 21, 31, 41, 51],
            &[11, 21, 31, 41, 51],
            &[12, 21, 31, 41, 51],
            &[13, 22, 31, 41, 51],
            &[14, 41, 51],
            &[51],
        ];
        let found = levels(&ways, 5);
        // 22 gets what one switch has added up, so it adds nothing up.
        assert_eq!(
            found.of_switches,
            BTreeMap::from([(11, 0), (12, 0), (21, 1), (13, 1), (31, 2), (14, 2), (41, 3), (51, 4)])
        );
        assert_eq!(found.places[0].fan_in, [2, 2, 2, 2, 2]);
        assert_eq!(found.places[3].fan_in, [0, 1, 2, 2, 2]);
        assert_eq!(found.places[5].fan_in, [0, 0, 0, 0, 2]);
        assert_eq!(found.places[5].first_level(), 4);
        // With three levels, those next to the workers and the last one.
        let three = levels(&ways, 3);
        assert_eq!(three.of_switches, BTreeMap::from([(11, 0), (12, 0), (21, 1), (13, 1), (14, 1), (51, 2)]));
        assert_eq!(three.places[0].fan_in, [2, 2, 4, 0, 0]);
    }
}
