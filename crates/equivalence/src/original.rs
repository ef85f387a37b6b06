//! The packet program that a flat one was made of, on the switch that defines what it means.

use basis::Instant;
use ir::interpret::PacketInterpreter;
use ir::{CounterId, CounterUnit, Program, RegisterId, TableId};
use machines::edge::EntryCounts;
use machines::v1model::Switch;
use measure::Interest;
use node::{Burst, Node, Outbox, Port};
use runtime::{Count, RegisterFile};
use wire::Packet;

use crate::difference::{Fate, RegisterDifference};

/// The switch, and where it holds what flat registers hold.
pub(crate) struct Original {
    switch: Switch<PacketInterpreter>,
    /// By register of the flat program.
    registers: Vec<Held>,
    /// The tables whose entries count.
    counting: Vec<(TableId, CounterId)>,
    burst: Burst,
    out: Outbox,
}

/// What a register of the flat program stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Held {
    /// Bits of each value of a register.
    Register {
        original: RegisterId,
        low: u32,
        width: u32,
    },
    /// What a counter counted.
    Packets(CounterId),
    Bytes(CounterId),
    /// Nothing that the packet program has.
    Nothing,
}

impl Original {
    pub(crate) fn new(
        switch: Switch<PacketInterpreter>,
        registers: Vec<Held>,
        counting: Vec<(TableId, CounterId)>,
    ) -> Self {
        Self { switch, registers, counting, burst: Burst::new(), out: Outbox::new(Interest::default()) }
    }

    /// What becomes of the next packet.
    pub(crate) fn packet(&mut self, now: Instant, port: Port, packet: Packet) -> (Fate, Packet) {
        self.burst.push(packet);
        self.out.begin(now);
        self.switch.receive(now, port, &mut self.burst, &mut self.out);
        // A flat program makes no copies.
        match (self.out.transmissions.pop(), self.out.discarded.pop()) {
            (Some(sent), _) => (Fate::Leaves { port: sent.port.0 }, sent.packet),
            (None, Some(discarded)) => (Fate::Dropped, discarded.packet),
            (None, None) => unreachable!("nothing waits in a v1model switch"),
        }
    }

    /// What the registers of the flat program must hold.
    pub(crate) fn registers(&self, flat: &Program) -> RegisterFile {
        let state = self.switch.state();
        let program = self.switch.executor().program();
        let values = |(held, register): (&Held, &ir::Register)| match *held {
            Held::Register { original, low, width } => {
                let whole = program.register(original).ty.width();
                let value =
                    |index| state.registers.read(original.index(), index, whole).slice(low + width - 1, low).low();
                (0..register.size() as u64).map(value).collect()
            }
            Held::Packets(counter) => counts(state.counters[counter.index()].counts(), register, |count| count.packets),
            Held::Bytes(counter) => counts(state.counters[counter.index()].counts(), register, |count| count.bytes),
            Held::Nothing => register.initial_values(),
        };
        RegisterFile::new(self.registers.iter().zip(&flat.registers).map(values).collect())
    }

    /// Calls `found` for what the entries of tables have counted otherwise on the machine, in order of tables and
    /// entries; places are the handles of entries.
    pub(crate) fn counted(&self, machine: &[EntryCounts], mut found: impl FnMut(RegisterDifference)) {
        let state = self.switch.state();
        for &(table, counter) in &self.counting {
            let ir::Counter { name, unit, .. } = &self.switch.executor().program().counters[counter.index()];
            let theirs = machine.iter().find(|counts| counts.table == table);
            let table = &state.tables[table.index()];
            for (entry, _) in table.matches().entries() {
                let expected = table.counter(entry).unwrap_or_default();
                let counted = theirs.map(|counts| counts.of(entry));
                for (what, shown, of) in SHOWN {
                    if shown.contains(unit) && counted.as_ref().map(of) != Some(of(&expected)) {
                        found(RegisterDifference {
                            register: format!("{name}.{what}"),
                            index: Some(entry.0.into()),
                            expected: of(&expected).into(),
                            machine: counted.as_ref().map(|count| of(count).into()),
                        });
                    }
                }
            }
        }
    }
}

/// What a counter shows, for which kinds of counters.
type Shown = (&'static str, [CounterUnit; 2], fn(&Count) -> u64);

const SHOWN: [Shown; 2] = [
    ("packets", [CounterUnit::Packets, CounterUnit::PacketsAndBytes], |count| count.packets),
    ("bytes", [CounterUnit::Bytes, CounterUnit::PacketsAndBytes], |count| count.bytes),
];

fn counts(counts: &[Count], register: &ir::Register, shown: impl Fn(&Count) -> u64) -> Vec<u64> {
    // A counter of no size has a register of one value, which nobody changes.
    (0..register.size()).map(|index| counts.get(index).map_or(0, &shown)).collect()
}

impl std::fmt::Debug for Original {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Original({})", self.switch.executor().program().name)
    }
}
