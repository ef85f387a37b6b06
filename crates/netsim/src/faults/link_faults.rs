//! The fault rules that act on one link, and their state.

use basis::{Duration, Instant, Random};
use node::Reason;
use wire::Packet;

use super::damage::damage;
use super::reasons;
use super::rule::{FaultKind, Rule};
use super::strikes::Chooser;
use crate::topology::Topology;

/// The fault rules of one link and their state.
///
/// Rules may delay a packet but never make it arrive earlier, so a parallel simulation may rely on the delay of the
/// link.
#[derive(Clone, Debug)]
pub struct LinkFaults {
    rules: Vec<RuleOfLink>,
    /// The number of copies that were made of packets.
    copied: u64,
    /// The number of packets and copies that do not arrive.
    lost: u64,
}

/// A rule and its state on one link.
#[derive(Clone, Debug)]
struct RuleOfLink {
    /// The index of the rule in the order of rules.
    number: usize,
    rule: Rule,
    chooser: Chooser,
    /// The latest arrival of a packet that the rule has passed, if it keeps the order.
    last: Instant,
}

/// The treatment of a packet, or of a copy of one.
#[derive(Debug, PartialEq, Eq)]
pub enum Fate {
    /// It arrives.
    Arrives {
        /// The time at which its last bit arrives.
        at: Instant,
        /// The packet, which rules may have changed.
        packet: Packet,
    },
    /// It is lost on the link.
    Lost {
        /// The reason of the loss.
        reason: Reason,
        /// The lost packet.
        packet: Packet,
    },
    /// It arrives with a wrong check sequence, so the receiving end of the link discards it.
    Damaged {
        /// The packet before it was damaged.
        packet: Packet,
    },
}

/// The number of times that a rule acted on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// The index of the rule in the order of rules, from 0.
    pub rule: usize,
    /// The number of packets that the rule considered: those within its time and of the kind that it names.
    pub seen: u64,
    /// The number of those packets that it struck.
    pub struck: u64,
}

/// A packet on its way through the rules.
struct Passing {
    /// The index of the first rule that has not seen the packet.
    next: usize,
    arrival: Instant,
    is_damaged: bool,
    packet: Packet,
}

/// The effect of a rule on a packet.
enum Did {
    /// The packet goes on to the next rule.
    Passed,
    Lost(Reason),
    /// A copy arrives at this time.
    Copied(Instant),
}

impl LinkFaults {
    /// Returns the state of the rules on the link from a port of one station to another station, or `None` if no rule
    /// acts there. All draws of a rule are a function of `seed`, the rule's own seed and number, and the link.
    pub fn new(rules: &[Rule], topology: &Topology, (from, port): (usize, u16), to: usize, seed: u64) -> Option<Self> {
        let link = (from as u64) << 16 | u64::from(port);
        let of_link = |(number, rule): (usize, &Rule)| {
            let mut of_rule = Random::for_part(Random::for_part(seed, rule.seed).bits(), number as u64);
            let chooser = Chooser::new(Random::for_part(of_rule.bits(), link));
            RuleOfLink { number, rule: rule.clone(), chooser, last: Instant::ZERO }
        };
        let acting = rules.iter().enumerate().filter(|(_, rule)| rule.links.have(topology, from, to));
        let rules: Vec<RuleOfLink> = acting.map(of_link).collect();
        (!rules.is_empty()).then_some(Self { rules, copied: 0, lost: 0 })
    }

    /// Applies the rules to a packet whose first bit is put on the link at `start` and whose last bit would arrive at
    /// `arrival`. The packet's own fate is added to `fates` first, followed by those of its copies. Packets must be
    /// passed in the order of their starts.
    pub fn pass(&mut self, start: Instant, arrival: Instant, packet: Packet, fates: &mut Vec<Fate>) {
        let mut copies = Vec::new();
        let mut next = Some(Passing { next: 0, arrival, is_damaged: false, packet });
        while let Some(passing) = next {
            let fate = self.pass_one(start, passing, &mut copies);
            self.lost += u64::from(!matches!(fate, Fate::Arrives { .. }));
            fates.push(fate);
            next = copies.pop();
            self.copied += u64::from(next.is_some());
        }
    }

    fn pass_one(&mut self, start: Instant, mut passing: Passing, copies: &mut Vec<Passing>) -> Fate {
        for (number, rule) in self.rules.iter_mut().enumerate().skip(passing.next) {
            match rule.act(start, &mut passing) {
                Did::Passed => {}
                Did::Lost(reason) => return Fate::Lost { reason, packet: passing.packet },
                Did::Copied(arrival) => {
                    let Passing { is_damaged, ref packet, .. } = passing;
                    copies.push(Passing { next: number + 1, arrival, is_damaged, packet: packet.clone() });
                }
            }
        }
        let Passing { arrival, is_damaged, packet, .. } = passing;
        if is_damaged { Fate::Damaged { packet } } else { Fate::Arrives { at: arrival, packet } }
    }

    /// Returns how many copies were made, and how many of all packets and copies do not arrive.
    pub fn copied_and_lost(&self) -> (u64, u64) {
        (self.copied, self.lost)
    }

    /// Returns how often each rule of this link has acted.
    pub fn tallies(&self) -> impl Iterator<Item = Tally> {
        self.rules.iter().map(|RuleOfLink { number, chooser, .. }| Tally {
            rule: *number,
            seen: chooser.seen,
            struck: chooser.struck,
        })
    }
}

impl RuleOfLink {
    fn act(&mut self, start: Instant, passing: &mut Passing) -> Did {
        if !(self.rule.acts_on(start, passing.arrival, &passing.packet) && self.chooser.choose(&self.rule.strikes)) {
            return self.let_through(passing);
        }
        match self.rule.kind {
            FaultKind::Loss => return Did::Lost(reasons::INJECTED_LOSS),
            FaultKind::Down => return Did::Lost(reasons::LINK_DOWN),
            FaultKind::Duplication { later } => return Did::Copied(passing.arrival + later),
            FaultKind::Corruption => passing.is_damaged = true,
            FaultKind::UndetectedCorruption { bits } => damage(&mut passing.packet, bits, self.chooser.random()),
            FaultKind::Delay { least, most, .. } => {
                let range = most.picoseconds().saturating_sub(least.picoseconds());
                let more = self.chooser.random().below(range.saturating_add(1));
                passing.arrival = passing.arrival + least + Duration::from_picoseconds(more);
            }
        }
        self.let_through(passing)
    }

    /// Keeps a packet that the rule does not strike from overtaking one that it has delayed, if the rule keeps the
    /// order.
    fn let_through(&mut self, passing: &mut Passing) -> Did {
        if let FaultKind::Delay { keeps_order: true, .. } = self.rule.kind {
            passing.arrival = passing.arrival.max(self.last);
            self.last = passing.arrival;
        }
        Did::Passed
    }
}

basis::snapshot!(LinkFaults { values copied, lost; parts rules; });
basis::snapshot!(RuleOfLink { values chooser, last; });
