//! What a block works on: one packet with its variables, and what is around it.

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use basis::{Instant, Random};
use runtime::{Bits, State, write_bits};

use super::Observer;
use crate::{CloneKind, DigestId, ErrorId, Program, VariableId};

/// One packet on its way through the blocks of a program.
#[derive(Clone, Debug)]
pub struct Packet {
    /// The values of all variables, by number.
    pub values: Vec<Bits>,
    /// The bytes as they arrived, as far as they are in memory.
    pub bytes: Vec<u8>,
    /// How many bytes follow these that are all 0.
    pub zeros: usize,
    /// How many bits of them were extracted or skipped.
    pub position: usize,
    /// The headers that were emitted, in bits: whole bytes in every sensible program.
    pub emitted: Emitted,
}

/// Bits that were emitted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Emitted {
    /// The bits, in the order of the wire; those of the last byte that are not used are 0.
    pub bytes: Vec<u8>,
    /// How many.
    pub bits: usize,
}

/// What is around a packet while a block runs.
pub struct Surroundings<'a> {
    /// What stays between packets.
    pub state: &'a mut State,
    /// When the packet arrived, which meters see.
    pub now: Instant,
    /// Its length in bytes, which counters and meters see.
    pub length: u64,
    /// Where `random` draws from.
    pub random: &'a mut Random,
    /// What a value that the language leaves open is.
    pub undefined: &'a mut Undefined,
    /// Who is told what happens.
    pub observer: &'a mut dyn Observer,
}

/// What a value that the language leaves open is.
#[derive(Clone, Debug, Default)]
pub enum Undefined {
    /// Zero, always.
    #[default]
    Zero,
    /// Drawn anew each time, so that programs that depend on one are found.
    Drawn(Random),
}

/// How a block ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It came to its end; a parser accepted.
    Done,
    /// A parser rejected, with this error.
    Rejected(ErrorId),
    /// Something that an `assert` or `assume` of the program takes to be true is not.
    AssertionFailed,
    /// It was stopped after [`super::STEPS`] turns, calls, tables and states, or at [`super::CALL_DEPTH`] calls within
    /// each other: the program may never end, which is a mistake in it. The packet is dropped and the failure counted.
    Unfinished,
}

/// What a block asked the machine for, with all values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// See [`crate::Effect::Clone`].
    Clone {
        /// Of which packet.
        kind: CloneKind,
        /// The session.
        session: u32,
        /// The place of a field list.
        keep: Option<usize>,
    },
    /// See [`crate::Effect::Resubmit`].
    Resubmit {
        /// The place of a field list.
        keep: Option<usize>,
    },
    /// See [`crate::Effect::Recirculate`].
    Recirculate {
        /// The place of a field list.
        keep: Option<usize>,
    },
    /// See [`crate::Effect::Truncate`].
    Truncate {
        /// In bytes.
        length: u32,
    },
    /// See [`crate::Effect::Digest`].
    Digest {
        /// Which kind.
        digest: DigestId,
        /// Its values.
        values: Vec<Bits>,
    },
}

impl Emitted {
    /// Puts the lowest `width` bits of a value behind what is there.
    pub fn push(&mut self, value: &Bits, width: u32) {
        let end = self.bits + width as usize;
        self.bytes.resize(end.div_ceil(8), 0);
        write_bits(&mut self.bytes, self.bits, width, value);
        self.bits = end;
    }
}

impl Undefined {
    /// A value of this many bits that the language leaves open.
    pub fn value(&mut self, width: u32) -> Bits {
        match self {
            Self::Zero => Bits::zero(width),
            Self::Drawn(random) if width <= 64 => Bits::from_u64(random.bits(), width),
            Self::Drawn(random) => {
                let limbs: Vec<u64> = (0..width.div_ceil(64)).map(|_| random.bits()).collect();
                Bits::from_limbs(&limbs, width)
            }
        }
    }
}

impl Packet {
    /// A packet with these bytes whose variables are all 0: a machine sets the intrinsic ones.
    pub fn new(program: &Program, bytes: Vec<u8>) -> Self {
        let values = program.variables.iter().map(|variable| Bits::zero(variable.ty.width())).collect();
        Self { values, bytes, zeros: 0, position: 0, emitted: Emitted::default() }
    }

    /// The low 64 bits of a variable.
    pub fn low(&self, variable: VariableId) -> u64 {
        self.values[variable.index()].low()
    }

    /// Sets a variable, whose type cuts the value.
    pub fn set(&mut self, program: &Program, variable: VariableId, value: u64) {
        self.values[variable.index()] = Bits::from_u64(value, program.variable(variable).ty.width());
    }

    /// What the parser left of the packet, from the next whole byte on, as far as it is in memory.
    pub fn payload(&self) -> &[u8] {
        &self.bytes[self.position.div_ceil(8).min(self.bytes.len())..]
    }

    /// How many bytes that are all 0 follow the payload, which are not in memory.
    pub fn payload_zeros(&self) -> usize {
        self.zeros - self.position.div_ceil(8).saturating_sub(self.bytes.len()).min(self.zeros)
    }

    /// The packet as it leaves: what was emitted, and the rest.
    pub fn leaving(&self) -> Vec<u8> {
        [&self.emitted.bytes, self.payload(), &vec![0; self.payload_zeros()]].concat()
    }
}

impl Snapshot for Packet {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(&self.values)?;
        into.put(&self.bytes)?;
        into.put(&(self.zeros, self.position))?;
        into.put(&(&self.emitted.bytes, self.emitted.bits))
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.values = from.take()?;
        self.bytes = from.take()?;
        (self.zeros, self.position) = from.take()?;
        (self.emitted.bytes, self.emitted.bits) = from.take()?;
        Ok(())
    }
}

/// Whether values are drawn, the plan says; from where, the state.
impl Snapshot for Undefined {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        match self {
            Self::Zero => Ok(()),
            Self::Drawn(random) => into.put(random),
        }
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        match self {
            Self::Zero => {}
            Self::Drawn(random) => *random = from.take()?,
        }
        Ok(())
    }
}
