//! The transactions of the language, and how they are written.

/// A transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    MemRead,
    MemWrite,
    MemWriteMasked,
    MemAdd32,
    MemFetch(ir::threads::FetchOperator),
    CounterIncPhys,
    PolicerCheckPhys,
    HashLookup,
    HashInsert,
    HashDelete,
    HashRemove,
    HashScan,
    HashFields,
    FilterLookup,
    TailRead,
    TailWrite,
    TailCut,
    PacketMake,
    PacketSend,
    PacketMulticast,
    PacketDrop,
    DigestSend,
    TimerStart,
    TimerStop,
    TimeNow,
    XtxnWait,
}

/// A transaction by its name, and how it is written.
pub(super) struct Known {
    pub name: &'static str,
    pub kind: Kind,
    /// What can follow the name.
    pub usage: &'static str,
}

const fn known(name: &'static str, kind: Kind, usage: &'static str) -> Known {
    Known { name, kind, usage }
}

use ir::threads::FetchOperator as Fetch;

/// All transactions, in the order of the language's page.
pub(super) const ALL: [Known; 30] = [
    known("MemRead", Kind::MemRead, "(address)` or `MemRead(address, pointer, bytes)"),
    known("MemWrite", Kind::MemWrite, "(address, value)` or `MemWrite(address, pointer, bytes)"),
    known("MemWriteMasked", Kind::MemWriteMasked, "(address, value, mask)"),
    known("MemAdd32", Kind::MemAdd32, "(address, value)` or `MemAdd32(address, pointer, bytes)"),
    known("MemFetchAnd", Kind::MemFetch(Fetch::And), "(address, value)"),
    known("MemFetchOr", Kind::MemFetch(Fetch::Or), "(address, value)"),
    known("MemFetchXor", Kind::MemFetch(Fetch::Xor), "(address, value)"),
    known("MemFetchClear", Kind::MemFetch(Fetch::Clear), "(address, value)"),
    known("MemFetchSwap", Kind::MemFetch(Fetch::Swap), "(address, value)"),
    known("CounterIncPhys", Kind::CounterIncPhys, "(address, length)"),
    known(
        "PolicerCheckPhys",
        Kind::PolicerCheckPhys,
        "(address, length)` or `PolicerCheckPhys(address, length, colour)",
    ),
    known("HashLookup", Kind::HashLookup, "(table, key)"),
    known("HashInsert", Kind::HashInsert, "(table, record, key)"),
    known("HashDelete", Kind::HashDelete, "(table, key)"),
    known("HashRemove", Kind::HashRemove, "(table, address)"),
    known("HashScan", Kind::HashScan, "(table, first, count)"),
    known("HashFields", Kind::HashFields, "(value, …)` or `HashFields(pointer, bytes)"),
    known("FilterLookup", Kind::FilterLookup, "(filter, key)"),
    known("TailRead", Kind::TailRead, "(packet, offset, pointer, bytes)"),
    known("TailWrite", Kind::TailWrite, "(packet, offset, pointer, bytes)"),
    known("TailCut", Kind::TailCut, "(packet, bytes)"),
    known("PacketMake", Kind::PacketMake, "()` or `PacketMake(packet)"),
    known("PacketSend", Kind::PacketSend, "(packet, port, queue, pointer, bytes)"),
    known("PacketMulticast", Kind::PacketMulticast, "(packet, group, pointer, bytes)"),
    known("PacketDrop", Kind::PacketDrop, "(packet, reason)"),
    known("DigestSend", Kind::DigestSend, "(digest, value, …)"),
    known("TimerStart", Kind::TimerStart, "(timer, nanoseconds)"),
    known("TimerStop", Kind::TimerStop, "(timer)"),
    known("TimeNow", Kind::TimeNow, "()"),
    known("XtxnWait", Kind::XtxnWait, "()"),
];

/// Returns the transaction of this name.
pub(super) fn find(name: &str) -> Option<&'static Known> {
    ALL.iter().find(|known| known.name == name)
}

impl Known {
    /// Returns whether so many arguments are possible.
    pub const fn takes(&self, count: usize) -> bool {
        match self.kind {
            Kind::XtxnWait | Kind::TimeNow => count == 0,
            Kind::PacketMake => count <= 1,
            Kind::MemRead => count == 1 || count == 3,
            Kind::TimerStop => count == 1,
            Kind::MemWrite | Kind::MemAdd32 | Kind::PolicerCheckPhys => count == 2 || count == 3,
            Kind::MemFetch(_)
            | Kind::CounterIncPhys
            | Kind::HashRemove
            | Kind::TailCut
            | Kind::PacketDrop
            | Kind::TimerStart => count == 2,
            Kind::MemWriteMasked | Kind::HashScan => count == 3,
            Kind::TailRead | Kind::TailWrite | Kind::PacketMulticast => count == 4,
            Kind::PacketSend => count == 5,
            Kind::HashLookup | Kind::HashDelete | Kind::FilterLookup | Kind::DigestSend => count >= 2,
            Kind::HashInsert => count >= 3,
            Kind::HashFields => count >= 1,
        }
    }

    /// Returns how the transaction is written.
    pub fn hint(&self) -> String {
        format!("write `{}{}`", self.name, self.usage)
    }
}
