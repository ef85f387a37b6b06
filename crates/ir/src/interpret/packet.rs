//! The packet that a block works on, with its variables, and the block's surroundings.

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use basis::{Instant, Random};
use runtime::{Bits, ProgramState, write_bits};

use super::Observer;
use crate::{CloneKind, DigestId, ErrorId, Program, VariableId};

/// One packet on its way through the blocks of a program.
#[derive(Clone, Debug)]
pub struct Packet {
    /// The values of all variables, indexed by [`VariableId`].
    pub values: Vec<Bits>,
    /// The bytes of the packet as they arrived, as far as they are held in memory.
    pub bytes: Vec<u8>,
    /// The number of zero bytes that follow those in memory.
    pub zeros: usize,
    /// The position of the parser: the number of bits that were extracted or skipped.
    pub position: usize,
    /// The headers that were emitted.
    pub emitted: Emitted,
}

/// The bits that a deparser has emitted. They are whole bytes unless a program emits headers of odd widths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Emitted {
    /// The bits in wire order; unused bits of the last byte are 0.
    pub bytes: Vec<u8>,
    /// The number of bits.
    pub bits: usize,
}

/// Everything that a block needs besides the packet.
pub struct Surroundings<'a> {
    /// The state that persists across packets.
    pub state: &'a mut ProgramState,
    /// The time at which the packet arrived, which meters use.
    pub now: Instant,
    /// The length of the packet in bytes, which counters and meters use. For a packet that stands for several, it is the
    /// sum of their lengths.
    pub length: u64,
    /// The number of packets that counters count: 1 unless the packet stands for several.
    pub packets: u64,
    /// The source of randomness for `random`.
    pub random: &'a mut Random,
    /// The source of undefined values.
    pub undefined: &'a mut Undefined,
    /// The observer that is told what happens.
    pub observer: &'a mut dyn Observer,
}

/// The source of the values that the language leaves undefined.
#[derive(Clone, Debug, Default)]
pub enum Undefined {
    /// Every undefined value is zero.
    #[default]
    Zero,
    /// Every undefined value is drawn anew, to reveal programs that depend on one.
    Drawn(Random),
}

/// The way in which a block ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The block ran to its end; a parser accepted.
    Done,
    /// A parser rejected with this error.
    Rejected(ErrorId),
    /// The condition of an `assert` or `assume` in the program did not hold.
    AssertionFailed,
    /// The block was stopped after [`super::STEPS`] iterations, calls, tables and states, or at [`super::CALL_DEPTH`]
    /// nested calls: the program might never end, which is an error in the program. The packet is dropped and the
    /// failure is counted.
    Unfinished,
}

/// A request of a block to the machine, with all operands evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// See [`crate::Effect::Clone`].
    Clone {
        /// The version of the packet that is copied.
        kind: CloneKind,
        /// The session.
        session: u32,
        /// The index of a field list.
        keep: Option<usize>,
    },
    /// See [`crate::Effect::Mirror`].
    Mirror {
        /// The session.
        session: u32,
        /// The bytes that lie in front of the packet.
        data: Vec<u8>,
    },
    /// See [`crate::Effect::Resubmit`].
    Resubmit {
        /// The index of a field list.
        keep: Option<usize>,
        /// The bytes that lie in front of the packet.
        data: Vec<u8>,
    },
    /// See [`crate::Effect::Recirculate`].
    Recirculate {
        /// The index of a field list.
        keep: Option<usize>,
    },
    /// See [`crate::Effect::Truncate`].
    Truncate {
        /// The maximum length in bytes.
        length: u32,
    },
    /// See [`crate::Effect::Digest`].
    Digest {
        /// The kind of message.
        digest: DigestId,
        /// The values of its fields.
        values: Vec<Bits>,
    },
}

impl Emitted {
    /// Appends the lowest `width` bits of a value.
    pub fn push(&mut self, value: &Bits, width: u32) {
        let end = self.bits + width as usize;
        self.bytes.resize(end.div_ceil(8), 0);
        write_bits(&mut self.bytes, self.bits, width, value);
        self.bits = end;
    }
}

impl Undefined {
    /// Returns an undefined value of `width` bits.
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
    /// Creates a packet with these bytes whose variables are all 0. The machine sets the intrinsic ones.
    pub fn new(program: &Program, bytes: Vec<u8>) -> Self {
        let values = program.variables.iter().map(|variable| Bits::zero(variable.ty.width())).collect();
        Self { values, bytes, zeros: 0, position: 0, emitted: Emitted::default() }
    }

    /// Returns the lowest 64 bits of a variable.
    pub fn low(&self, variable: VariableId) -> u64 {
        self.values[variable.index()].low()
    }

    /// Sets a variable; the value is truncated to the variable's type.
    pub fn set(&mut self, program: &Program, variable: VariableId, value: u64) {
        self.values[variable.index()] = Bits::from_u64(value, program.variable(variable).ty.width());
    }

    /// Returns the part of the packet that the parser left, from the next whole byte on, as far as it is held in
    /// memory.
    pub fn payload(&self) -> &[u8] {
        &self.bytes[self.position.div_ceil(8).min(self.bytes.len())..]
    }

    /// Returns the number of zero bytes that follow the payload and are not held in memory.
    pub fn payload_zeros(&self) -> usize {
        self.zeros - self.position.div_ceil(8).saturating_sub(self.bytes.len()).min(self.zeros)
    }

    /// Returns the bytes of the departing packet: the emitted headers followed by the payload.
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

/// Whether values are drawn is part of the plan, so only the state of the generator is saved.
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
