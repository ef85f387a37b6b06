//! Instructions of BPF and how they are encoded (RFC 9669, sections 3 to 5).

/// An instruction in the layout of the kernel's `struct bpf_insn`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    pub(crate) code: u8,
    /// Two registers of four bits each: on little-endian computers the destination in the lower bits, on others in the upper ones.
    registers: u8,
    pub(crate) offset: i16,
    immediate: i32,
}

/// A register, from [`Register::R0`] to [`Register::R10`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register(u8);

impl Register {
    /// The result of a call, and of the program.
    pub const R0: Self = Self(0);
    /// The first argument of the program and of a call, which does not keep it.
    pub const R1: Self = Self(1);
    /// The second argument of a call, which does not keep it.
    pub const R2: Self = Self(2);
    /// The third argument of a call, which does not keep it.
    pub const R3: Self = Self(3);
    /// The fourth argument of a call, which does not keep it.
    pub const R4: Self = Self(4);
    /// The fifth argument of a call, which does not keep it.
    pub const R5: Self = Self(5);
    /// A register that calls keep.
    pub const R6: Self = Self(6);
    /// A register that calls keep.
    pub const R7: Self = Self(7);
    /// A register that calls keep.
    pub const R8: Self = Self(8);
    /// A register that calls keep.
    pub const R9: Self = Self(9);
    /// The end of the stack of 512 bytes, which cannot be written.
    pub const R10: Self = Self(10);
}

/// The number of bytes that are loaded or stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// One byte.
    Byte,
    /// Two bytes.
    Half,
    /// Four bytes.
    Word,
    /// Eight bytes.
    Double,
}

impl Size {
    const fn code(self) -> u8 {
        match self {
            Self::Word => 0x00,
            Self::Half => 0x08,
            Self::Byte => 0x10,
            Self::Double => 0x18,
        }
    }
}

/// The second operand of an operation or a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// The value of a register.
    Register(Register),
    /// This value, extended with its sign to 64 bits.
    Value(i32),
}

impl From<Register> for Operand {
    fn from(register: Register) -> Self {
        Self::Register(register)
    }
}

impl From<i32> for Operand {
    fn from(value: i32) -> Self {
        Self::Value(value)
    }
}

/// An operation on 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The sum.
    Add,
    /// The bits that both have.
    And,
    /// The bits that either has.
    Or,
    /// The first operand shifted to the left.
    ShiftLeft,
    /// The first operand shifted to the right, with zeros from the left.
    ShiftRight,
    /// The second operand.
    Set,
}

impl Operation {
    const fn code(self) -> u8 {
        match self {
            Self::Add => 0x00,
            Self::Or => 0x40,
            Self::And => 0x50,
            Self::ShiftLeft => 0x60,
            Self::ShiftRight => 0x70,
            Self::Set => 0xB0,
        }
    }
}

/// A comparison of two numbers of 64 bits without signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Both are equal.
    Equal,
    /// They differ.
    Unequal,
    /// The first is greater.
    Greater,
    /// The first is less.
    Less,
}

impl Comparison {
    const fn code(self) -> u8 {
        match self {
            Self::Equal => 0x10,
            Self::Greater => 0x20,
            Self::Unequal => 0x50,
            Self::Less => 0xA0,
        }
    }
}

// Classes of instructions, and bits of their codes.
const LOAD_IMMEDIATE: u8 = 0x18;
const LOAD: u8 = 0x61;
const STORE: u8 = 0x63;
const STORE_VALUE: u8 = 0x62;
const ARITHMETIC: u8 = 0x07;
const JUMP: u8 = 0x05;
const OF_REGISTER: u8 = 0x08;
const TO_BIG_ENDIAN: u8 = 0xDC;
const CALL: u8 = 0x85;
const EXIT: u8 = 0x95;
/// The source register that says that a number of 64 bits is the descriptor of a map.
const MAP_DESCRIPTOR: Register = Register(1);
/// The destination or source of instructions that have none.
const NONE: Register = Register(0);

impl Instruction {
    const fn new(code: u8, to: Register, from: Register, offset: i16, immediate: i32) -> Self {
        let registers = if cfg!(target_endian = "little") { from.0 << 4 | to.0 } else { to.0 << 4 | from.0 };
        Self { code, registers, offset, immediate }
    }

    pub(crate) const fn load(size: Size, to: Register, base: Register, offset: i16) -> Self {
        Self::new(LOAD | size.code(), to, base, offset, 0)
    }

    pub(crate) const fn store(size: Size, base: Register, offset: i16, from: Register) -> Self {
        Self::new(STORE | size.code(), base, from, offset, 0)
    }

    pub(crate) const fn store_value(size: Size, base: Register, offset: i16, value: i32) -> Self {
        Self::new(STORE_VALUE | size.code(), base, NONE, offset, value)
    }

    pub(crate) const fn compute(operation: Operation, to: Register, operand: Operand) -> Self {
        Self::with_operand(ARITHMETIC | operation.code(), to, operand)
    }

    pub(crate) const fn jump_if(comparison: Comparison, left: Register, right: Operand) -> Self {
        Self::with_operand(JUMP | comparison.code(), left, right)
    }

    pub(crate) const fn jump() -> Self {
        Self::new(JUMP, NONE, NONE, 0, 0)
    }

    pub(crate) const fn from_big_endian(register: Register, bits: i32) -> Self {
        Self::new(TO_BIG_ENDIAN, register, NONE, 0, bits)
    }

    pub(crate) const fn call(function: i32) -> Self {
        Self::new(CALL, NONE, NONE, 0, function)
    }

    pub(crate) const fn exit() -> Self {
        Self::new(EXIT, NONE, NONE, 0, 0)
    }

    /// Returns the two places that a map by its descriptor takes.
    pub(crate) const fn map(to: Register, descriptor: i32) -> [Self; 2] {
        [Self::new(LOAD_IMMEDIATE, to, MAP_DESCRIPTOR, 0, descriptor), Self::new(0, NONE, NONE, 0, 0)]
    }

    const fn with_operand(code: u8, to: Register, operand: Operand) -> Self {
        match operand {
            Operand::Register(from) => Self::new(code | OF_REGISTER, to, from, 0, 0),
            Operand::Value(value) => Self::new(code, to, NONE, 0, value),
        }
    }

    /// Returns the instruction as the kernel of this computer reads it.
    pub fn bytes(&self) -> [u8; 8] {
        let [a, b] = self.offset.to_ne_bytes();
        let [c, d, e, f] = self.immediate.to_ne_bytes();
        [self.code, self.registers, a, b, c, d, e, f]
    }
}
