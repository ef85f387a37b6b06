//! A thread as a value.

use serde::{Deserialize, Serialize};

use super::packets::Packets;
use super::{Bytes, Instructions, ReplyPlace, Request, ThreadEnding, Ticket, Touched, memory};
use crate::interpret::Observer;
use crate::threads::{Cause, InstructionId, MAX_CALLS};
use crate::{Type, VariableId, cast};

/// A thread: its variables, its local memory, where it is, and what it waits for.
#[derive(Clone, Debug)]
pub struct Thread {
    /// The values of all variables, by id.
    pub(super) variables: Vec<u64>,
    pub(super) memory: Vec<u8>,
    pub(super) at: At,
    /// The instructions at which subroutines return, the innermost last.
    pub(super) calls: [InstructionId; MAX_CALLS],
    pub(super) depth: usize,
    /// The number of instructions that were executed.
    pub(super) executed: u64,
    /// The number of transactions that were asked for.
    pub(super) asked: u64,
    /// The transactions that have not been answered.
    pub(super) pending: Vec<Pending>,
    pub(super) packets: Packets,
    /// For each packet, whether the thread can still use it: it has not asked to send or to drop it.
    pub(super) usable: Vec<bool>,
    pub(super) cause: Cause,
    /// The places and values that the present instruction writes.
    pub(super) writes: Vec<Write>,
}

/// The place at which a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// This instruction comes next.
    Instruction(InstructionId),
    /// The thread comes to its end with the next step.
    End,
    /// The thread has ended.
    Ended(ThreadEnding),
}

/// A transaction that has not been answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pending {
    pub ticket: Ticket,
    pub request: Request,
    pub is_asynchronous: bool,
    /// The number of the instruction, which knows where the reply goes.
    pub instruction: u32,
    /// The address in local memory to which the reply goes, if it goes there.
    pub address: u64,
}

/// A place with its new value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Write {
    Variable { variable: VariableId, value: u64 },
    Memory { from: u64, width: u16, value: u64 },
}

impl Thread {
    /// Returns what the thread began for.
    pub fn cause(&self) -> Cause {
        self.cause
    }

    /// Returns the values of all variables, by id.
    pub fn variables(&self) -> &[u64] {
        &self.variables
    }

    /// Returns the local memory.
    pub fn local_memory(&self) -> &[u8] {
        &self.memory
    }

    /// Returns the instruction that comes next; `None` if the thread ends.
    pub fn next_instruction(&self) -> Option<InstructionId> {
        match self.at {
            At::Instruction(id) => Some(id),
            At::End | At::Ended(_) => None,
        }
    }

    /// Returns the number of instructions that were executed.
    pub fn executed(&self) -> u64 {
        self.executed
    }

    /// Returns the number of transactions that the thread has asked for.
    pub fn asked(&self) -> u64 {
        self.asked
    }

    /// Returns the thread's packets.
    pub fn packets(&self) -> &Packets {
        &self.packets
    }

    /// Returns the thread's packets, on which transactions take effect.
    pub fn packets_mut(&mut self) -> &mut Packets {
        &mut self.packets
    }

    /// Returns whether the thread still holds the packet that it began for: it was neither sent nor dropped.
    pub fn holds_packet(&self) -> bool {
        self.usable.first().is_some_and(|usable| *usable)
    }

    /// Returns the transactions that have not been answered, in the order in which they were asked for.
    pub fn pending(&self) -> impl Iterator<Item = (Ticket, &Request)> {
        self.pending.iter().map(|pending| (pending.ticket, &pending.request))
    }

    /// Returns a transaction that has not been answered.
    pub fn request(&self, ticket: Ticket) -> Option<&Request> {
        self.pending.iter().find(|pending| pending.ticket == ticket).map(|pending| &pending.request)
    }

    /// Returns whether a transaction may take effect now: it has not been answered, and no earlier one that touches the same
    /// has not been answered.
    pub fn may_apply(&self, ticket: Ticket) -> bool {
        let Some(request) = self.request(ticket) else { return false };
        let touched = request.touches();
        let earlier = self.pending.iter().take_while(|pending| pending.ticket < ticket);
        touched == Touched::Nothing || !earlier.into_iter().any(|pending| pending.request.touches() == touched)
    }

    /// Returns whether the thread waits for a reply, so that a step would do nothing ([`Step::Waits`](super::Step::Waits)).
    #[inline]
    pub fn waits<I: Instructions + ?Sized>(&self, code: &I) -> bool {
        if self.pending.is_empty() {
            return false;
        }
        let is_suspended = self.pending.iter().any(|pending| !pending.is_asynchronous);
        let At::Instruction(id) = self.at else { return is_suspended };
        is_suspended || code.waits(id)
    }

    /// Answers a transaction that has taken effect: the reply goes where the instruction says.
    ///
    /// # Panics
    /// If the transaction has been answered before, or was never asked for, or if the reply is shorter than the operation
    /// says.
    pub fn answer<I, O>(&mut self, code: &I, ticket: Ticket, reply: &Bytes, observer: &mut O)
    where
        I: Instructions + ?Sized,
        O: Observer + ?Sized,
    {
        let place = self.pending.iter().position(|pending| pending.ticket == ticket);
        let pending = self.pending.remove(place.expect("a transaction that has not been answered"));
        observer.replied(ticket, reply);
        match code.reply(InstructionId(pending.instruction)) {
            ReplyPlace::Nothing => (),
            ReplyPlace::Memory => {
                let range = memory::range(&self.memory, pending.address, reply.len() as u64);
                let range = range.expect("checked when the transaction was asked for");
                observer.copied(pending.address, reply);
                self.memory[range].copy_from_slice(reply);
            }
            ReplyPlace::Variables(variables) => {
                for (word, variable) in variables.iter().enumerate() {
                    let Some(variable) = *variable else { continue };
                    let value =
                        cast(Type::Bits(64), code.declarations().program().variable(variable).ty, reply.word(word));
                    self.set(code, variable, value, observer);
                }
            }
        }
    }

    /// Sets a variable, and tells the observer if the value changes.
    #[inline]
    pub(super) fn set<I, O>(&mut self, code: &I, variable: VariableId, value: u64, observer: &mut O)
    where
        I: Instructions + ?Sized,
        O: Observer + ?Sized,
    {
        let place = &mut self.variables[variable.index()];
        if *place != value {
            let width = code.declarations().program().variable(variable).ty.width();
            let bits = |value| runtime::Bits::from_u64(value, width);
            observer.changed(variable, &bits(*place), &bits(value));
            *place = value;
        }
    }
}
