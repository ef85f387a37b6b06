//! Threads that are written down.

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};

use super::thread::{At, Pending};
use super::{Fault, Thread, ThreadEnding};
use crate::threads::{Cause, EventId, InstructionId, TimerId};

/// A thread is restored into one of the same program.
impl Snapshot for Thread {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(&(&self.variables, &self.memory, &self.usable, &self.packets))?;
        let calls: Vec<u32> = self.calls[..self.depth].iter().map(|id| id.0).collect();
        into.put(&(at_number(self.at), cause_number(self.cause)))?;
        into.put(&(calls, self.executed, self.asked))?;
        into.put(&self.pending)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        let unfit = || Unfit("the saved thread does not suit the program".to_owned());
        let lengths = (self.variables.len(), self.memory.len());
        (self.variables, self.memory, self.usable, self.packets) = from.take()?;
        let [at, cause]: [(u8, u32); 2] = from.take()?;
        let (calls, executed, asked): (Vec<u32>, u64, u64) = from.take()?;
        if lengths != (self.variables.len(), self.memory.len()) || calls.len() > self.calls.len() {
            return Err(unfit());
        }
        self.at = at_of(at).ok_or_else(unfit)?;
        self.cause = cause_of(cause).ok_or_else(unfit)?;
        self.depth = calls.len();
        self.calls.iter_mut().zip(calls).for_each(|(place, id)| *place = InstructionId(id));
        (self.executed, self.asked) = (executed, asked);
        self.pending = from.take::<Vec<Pending>>()?;
        Ok(())
    }
}

fn at_number(at: At) -> (u8, u32) {
    match at {
        At::Instruction(id) => (0, id.0),
        At::End => (1, 0),
        At::Ended(ThreadEnding::Done) => (2, 0),
        At::Ended(ThreadEnding::Fault(fault)) => {
            (3, Fault::ALL.iter().position(|known| *known == fault).map_or(u32::MAX, |place| place as u32))
        }
    }
}

fn at_of(number: (u8, u32)) -> Option<At> {
    Some(match number {
        (0, id) => At::Instruction(InstructionId(id)),
        (1, _) => At::End,
        (2, _) => At::Ended(ThreadEnding::Done),
        (3, fault) => At::Ended(ThreadEnding::Fault(*Fault::ALL.get(fault as usize)?)),
        _ => return None,
    })
}

fn cause_number(cause: Cause) -> (u8, u32) {
    match cause {
        Cause::Packet => (0, 0),
        Cause::Timer(id) => (1, id.0),
        Cause::Event(id) => (2, id.0),
    }
}

fn cause_of(number: (u8, u32)) -> Option<Cause> {
    Some(match number {
        (0, _) => Cause::Packet,
        (1, id) => Cause::Timer(TimerId(id)),
        (2, id) => Cause::Event(EventId(id)),
        _ => return None,
    })
}
