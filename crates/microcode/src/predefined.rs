//! The symbols that a program has without declaring them.

use ir::threads::intrinsics;

/// The size of a thread's local memory in bytes (section 2.2: "1.25 KBytes").
pub(crate) const LOCAL_MEMORY_BYTES: u32 = 1280;
/// The address in local memory at which the head of a packet is loaded. The room in front of it is ours: a program can put
/// 128 bytes of headers in front of a packet without moving it.
pub(crate) const PACKET_START: u32 = 128;
/// The greatest number of bytes of a packet's head (section 4: "the first 192 bytes").
pub(crate) const HEAD_BYTES: u32 = 192;
/// The number of bytes that an address of shared memory counts. The counters of figure 6 are 16 bytes long and 2 apart.
pub(crate) const WORD_BYTES: u64 = 8;
/// The number of intermediate registers, `ir0` to `ir15`. The paper shows one.
const INTERMEDIATE_REGISTERS: u32 = 16;

/// What a predefined symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Predefined {
    /// A number.
    Constant(u64),
    /// The address of the packet's head in local memory.
    PacketStart,
    /// A variable of so many bits, which has this intrinsic value when a thread begins, or 0.
    Variable { width: u32, intrinsic: Option<&'static str> },
    /// `r_reply.paddr`: the reply's first word as an address of shared memory in words of 8 bytes. It is a bit field of
    /// `r_reply.data`.
    ReplyAddress,
}

/// The name of the type of a packet/byte counter (section 3.2: "Each Packet/Byte Counter is 16 bytes").
pub(crate) const COUNTER: &str = "counter_t";

/// The name of the variable that holds the first word of a reply.
pub(crate) const REPLY_DATA: &str = "r_reply.data";
/// The name of the variable that says whether something was found.
pub(crate) const REPLY_STATUS: &str = "r_reply.status";
/// The name of the variable that says at which places a scan found records.
pub(crate) const REPLY_PRESENT: &str = "r_reply.present";

/// The structures that are predefined, for messages.
pub(crate) const STRUCTURES: [&str; 2] = ["r_work", "r_reply"];

const fn variable(width: u32) -> Predefined {
    Predefined::Variable { width, intrinsic: None }
}

const fn intrinsic(width: u32, name: &'static str) -> Predefined {
    Predefined::Variable { width, intrinsic: Some(name) }
}

/// The predefined symbols, with the fields of `r_work` and `r_reply` after a point.
pub(crate) const SYMBOLS: [(&str, Predefined); 23] = [
    ("r_work.pkt_len", intrinsic(32, intrinsics::PACKET_LENGTH)),
    ("r_work.head_len", intrinsic(16, intrinsics::HEAD_LENGTH)),
    ("r_work.port", intrinsic(16, intrinsics::PORT)),
    ("r_work.cause", intrinsic(8, intrinsics::CAUSE)),
    ("r_work.argument", intrinsic(64, intrinsics::ARGUMENT)),
    ("r_work.time", intrinsic(64, intrinsics::TIME)),
    (REPLY_DATA, variable(64)),
    (REPLY_STATUS, variable(8)),
    (REPLY_PRESENT, variable(64)),
    ("r_reply.paddr", Predefined::ReplyAddress),
    ("packet_start", Predefined::PacketStart),
    ("this_packet", Predefined::Constant(0)),
    ("CAUSE_PACKET", Predefined::Constant(0)),
    ("CAUSE_TIMER", Predefined::Constant(1)),
    ("CAUSE_EVENT", Predefined::Constant(2)),
    ("GREEN", Predefined::Constant(0)),
    ("YELLOW", Predefined::Constant(1)),
    ("RED", Predefined::Constant(2)),
    ("NOT_FOUND", Predefined::Constant(0)),
    ("FOUND", Predefined::Constant(1)),
    ("EXISTED", Predefined::Constant(0)),
    ("INSERTED", Predefined::Constant(1)),
    ("TABLE_FULL", Predefined::Constant(2)),
];

/// Returns the predefined symbol of a name; fields of `r_work` and `r_reply` have a point in theirs.
pub(crate) fn symbol(name: &str) -> Option<Predefined> {
    let number = name.strip_prefix("ir").filter(|digits| *digits == "0" || !digits.starts_with('0'));
    if let Some(number) = number.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit())) {
        let number: u32 = number.parse().ok()?;
        return (number < INTERMEDIATE_REGISTERS).then_some(variable(32));
    }
    SYMBOLS.iter().find(|(known, _)| *known == name).map(|(_, symbol)| *symbol)
}
