//! The fates of all packets of a short run.

use node::{Offered, Reason};

use crate::difference::Fate;
use crate::reference::Expected;

/// The packets of a run with their results, by index in the order of arrival.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub packets: Vec<Recorded>,
}

/// A packet with its expected and its actual result.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub offered: Offered,
    pub expected: Expected,
    /// The final fields on the machine, if it reported them.
    pub machine: Option<Box<[u64]>>,
    /// The outcomes of the packet and of its copies, in order.
    pub outcomes: Vec<Outcome>,
}

/// The outcome of a packet on a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// An outcome that a program can request.
    Ended(Fate),
    /// The packet was lost for this reason.
    Lost(Reason),
}

impl Record {
    pub(crate) fn offered(&mut self, offered: &Offered, expected: &Expected) {
        let (offered, expected) = (offered.clone(), expected.clone());
        self.packets.push(Recorded { offered, expected, machine: None, outcomes: Vec::new() });
    }

    pub(crate) fn completed(&mut self, sequence: u64, fields: &[u64]) {
        self.of(sequence).machine = Some(fields.into());
    }

    pub(crate) fn ended(&mut self, sequence: u64, fate: Fate) {
        self.of(sequence).outcomes.push(Outcome::Ended(fate));
    }

    pub(crate) fn lost(&mut self, sequence: u64, reason: Reason) {
        self.of(sequence).outcomes.push(Outcome::Lost(reason));
    }

    /// Returns the record of a packet, which must have been offered; the judge has checked it.
    fn of(&mut self, sequence: u64) -> &mut Recorded {
        &mut self.packets[sequence as usize]
    }
}
