//! All that became of every packet of a short run.

use node::{Offered, Reason};

use crate::difference::Fate;
use crate::reference::Expected;

/// What became of the packets of a run, by their place in the order of arrival.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub packets: Vec<Recorded>,
}

/// What became of one packet.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub offered: Offered,
    pub expected: Expected,
    /// The fields when the machine was through with it, if it told.
    pub machine: Option<Box<[u64]>>,
    /// What the machine did with it and with the copies of it, in order.
    pub outcomes: Vec<Outcome>,
}

/// What a machine did with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// What a program can ask for.
    Ended(Fate),
    /// It was lost.
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

    /// A packet that has been offered: the judge has looked it up before.
    fn of(&mut self, sequence: u64) -> &mut Recorded {
        &mut self.packets[sequence as usize]
    }
}
