//! The rules that act on one line, and where each of them is.

use basis::{Duration, Instant, Random};
use node::Reason;
use wire::Packet;

use super::damage::damage;
use super::reasons;
use super::rule::{Kind, Rule};
use super::strikes::Chooser;
use crate::topology::Topology;

/// What becomes of packets on one line.
///
/// A packet comes out of it later than without, never sooner: who runs stations side by side may rely on the delay of
/// the line.
#[derive(Clone, Debug)]
pub struct LineFaults {
    rules: Vec<RuleOfLine>,
    /// Copies that were made of packets.
    copied: u64,
    /// Packets and copies that do not come.
    lost: u64,
}

/// One rule on one line.
#[derive(Clone, Debug)]
struct RuleOfLine {
    /// Its place in the order of rules.
    number: usize,
    rule: Rule,
    chooser: Chooser,
    /// The latest time at which something comes that the rule has let through, where it keeps the order.
    last: Instant,
}

/// What becomes of a packet, or of a copy of one.
#[derive(Debug, PartialEq, Eq)]
pub enum Fate {
    /// It comes.
    Arrives {
        /// When its last bit is there.
        at: Instant,
        /// It, or what has become of it.
        packet: Packet,
    },
    /// It is lost on the line.
    Lost {
        /// Why.
        reason: Reason,
        /// It.
        packet: Packet,
    },
    /// It comes, and its check sequence is wrong: the receiving end of the line discards it.
    Damaged {
        /// It, as it was.
        packet: Packet,
    },
}

/// How often a rule acted on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// The place of the rule in the order of rules, from 0.
    pub rule: usize,
    /// Packets on which it acted: those in its time, and of the kind that it names.
    pub seen: u64,
    /// Those of them that it struck.
    pub struck: u64,
}

/// A packet on its way through the rules.
struct Passing {
    /// The first rule that has not seen it.
    next: usize,
    arrival: Instant,
    is_damaged: bool,
    packet: Packet,
}

/// What a rule did.
enum Did {
    /// Nothing that ends the way of the packet.
    Passed,
    Lost(Reason),
    /// A copy comes at this time.
    Copied(Instant),
}

impl LineFaults {
    /// Those of the line from a port of a station to another station; `None` if no rule acts there. All draws of a rule
    /// are a function of `seed`, the rule's own seed and number, and the line.
    pub fn new(rules: &[Rule], topology: &Topology, (from, port): (usize, u16), to: usize, seed: u64) -> Option<Self> {
        let line = (from as u64) << 16 | u64::from(port);
        let of_line = |(number, rule): (usize, &Rule)| {
            let mut of_rule = Random::for_part(Random::for_part(seed, rule.seed).bits(), number as u64);
            let chooser = Chooser::new(Random::for_part(of_rule.bits(), line));
            RuleOfLine { number, rule: rule.clone(), chooser, last: Instant::ZERO }
        };
        let acting = rules.iter().enumerate().filter(|(_, rule)| rule.lines.have(topology, from, to));
        let rules: Vec<RuleOfLine> = acting.map(of_line).collect();
        (!rules.is_empty()).then_some(Self { rules, copied: 0, lost: 0 })
    }

    /// What becomes of a packet whose first bit is put on the line at `start` and whose last would be there at
    /// `arrival`: added to `fates`, the packet's own first, those of its copies behind it. Packets come in the order of
    /// their starts.
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

    /// How many copies were made of packets, and how many of all do not come.
    pub fn copied_and_lost(&self) -> (u64, u64) {
        (self.copied, self.lost)
    }

    /// How often each rule that acts here acted.
    pub fn tallies(&self) -> impl Iterator<Item = Tally> {
        self.rules.iter().map(|RuleOfLine { number, chooser, .. }| Tally {
            rule: *number,
            seen: chooser.seen,
            struck: chooser.struck,
        })
    }
}

impl RuleOfLine {
    fn act(&mut self, start: Instant, passing: &mut Passing) -> Did {
        if !(self.rule.acts_on(start, passing.arrival, &passing.packet) && self.chooser.choose(&self.rule.strikes)) {
            return self.let_through(passing);
        }
        match self.rule.kind {
            Kind::Loss => return Did::Lost(reasons::INJECTED_LOSS),
            Kind::Down => return Did::Lost(reasons::LINK_DOWN),
            Kind::Duplication { later } => return Did::Copied(passing.arrival + later),
            Kind::Corruption => passing.is_damaged = true,
            Kind::UndetectedCorruption { bits } => damage(&mut passing.packet, bits, self.chooser.random()),
            Kind::Delay { least, most, .. } => {
                let range = most.picoseconds().saturating_sub(least.picoseconds());
                let more = self.chooser.random().below(range.saturating_add(1));
                passing.arrival = passing.arrival + least + Duration::from_picoseconds(more);
            }
        }
        self.let_through(passing)
    }

    /// A packet that the rule does not strike must not overtake one that it has delayed, if it keeps the order.
    fn let_through(&mut self, passing: &mut Passing) -> Did {
        if let Kind::Delay { keeps_order: true, .. } = self.rule.kind {
            passing.arrival = passing.arrival.max(self.last);
            self.last = passing.arrival;
        }
        Did::Passed
    }
}

basis::snapshot!(LineFaults { values copied, lost; parts rules; });
basis::snapshot!(RuleOfLine { values chooser, last; });
