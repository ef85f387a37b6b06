//! The slots of a table's entries, and the registers that belong to them.

use basis::snapshot::{Loader, Saver, Snapshot};
use runtime::tables::{EntryHandle, FieldMatch, KeyField, MatchKind, TableEntry, Target};
use runtime::{Bits, EntryRegister, ProgramState, RegisterFile, TableState};

fn entry(key: u64) -> TableEntry {
    let target = Target::Action { action: 0, data: vec![] };
    TableEntry { key: vec![FieldMatch::Exact(Bits::Narrow(key))], priority: 0, target, is_constant: false }
}

/// Makes a table of three entries, with a register of 8 bits and one of 100 bits for each of them.
fn state() -> ProgramState {
    let target = Target::Action { action: 0, data: vec![] };
    let fields = vec![KeyField { kind: MatchKind::Exact, width: 8 }];
    let of = |register, width, initial| EntryRegister { register, width, initial: Bits::from_u64(initial, width) };
    let table = TableState::new(fields, Some(3), target).with_slots();
    let table = table.with_registers(vec![of(0, 8, 7), of(1, 100, 9)]);
    let mut registers = RegisterFile::default();
    registers.push(8, vec![Bits::Narrow(0); 3]);
    registers.push(100, vec![Bits::zero(100); 3]);
    ProgramState { registers, tables: vec![table], ..ProgramState::default() }
}

fn slots(state: &ProgramState) -> Vec<(EntryHandle, u32)> {
    let table = &state.tables[0];
    table.matches().entries().map(|(handle, _)| (handle, table.slot(handle).expect("each entry has one"))).collect()
}

#[test]
fn an_entry_takes_the_lowest_free_slot() {
    let mut state = state();
    let [first, second, third] = [1, 2, 3].map(|key| state.insert(0, entry(key)).unwrap());
    assert_eq!(slots(&state), [(first, 0), (second, 1), (third, 2)]);
    assert!(state.insert(0, entry(4)).is_err(), "the table is full, and a refused entry takes no slot");
    state.tables[0].delete(third).unwrap();
    state.tables[0].delete(first).unwrap();
    assert_eq!((state.tables[0].slot(first), state.tables[0].entry_at(0)), (None, None));
    let [fourth, fifth] = [4, 5].map(|key| state.insert(0, entry(key)).unwrap());
    assert_eq!(slots(&state), [(second, 1), (fourth, 0), (fifth, 2)]);
    assert_eq!(
        [0, 1, 2, 3, u64::MAX].map(|slot| state.tables[0].entry_at(slot)),
        [Some(fourth), Some(second), Some(fifth), None, None]
    );
    state.tables[0].clear();
    let again = state.insert(0, entry(6)).unwrap();
    assert_eq!(slots(&state), [(again, 0)], "all slots are free after all entries are gone");
}

#[test]
fn registers_begin_anew_with_each_entry() {
    let mut state = state();
    let first = state.insert(0, entry(1)).unwrap();
    assert_eq!(state.registers.read(0, 0, 8), Bits::Narrow(7));
    assert_eq!(state.registers.read(1, 0, 100), Bits::from_u64(9, 100));
    state.registers.write(0, 0, &Bits::Narrow(100));
    state.registers.write(0, 1, &Bits::Narrow(50));
    state.tables[0].delete(first).unwrap();
    state.insert(0, entry(2)).unwrap();
    assert_eq!(state.registers.read(0, 0, 8), Bits::Narrow(7), "the value of the deleted entry is forgotten");
    assert_eq!(state.registers.read(0, 1, 8), Bits::Narrow(50), "other slots are not touched");
}

#[test]
fn what_is_undone_leaves_slots_and_registers_as_they_were() {
    let mut state = state();
    let [first, second] = [1, 2].map(|key| state.insert(0, entry(key)).unwrap());
    state.registers.write(0, 0, &Bits::Narrow(100));
    let before = slots(&state);
    // An entry is deleted, and another one takes its slot.
    let deleted = state.tables[0].keep(first);
    state.tables[0].delete(first).unwrap();
    let inserted = state.keep_next(0).unwrap();
    let third = state.insert(0, entry(3)).unwrap();
    assert_eq!(slots(&state), [(second, 1), (third, 0)]);
    state.restore_entry(0, inserted);
    state.restore_entry(0, deleted);
    assert_eq!(slots(&state), before);
    assert_eq!(state.registers.read(0, 0, 8), Bits::Narrow(100), "the entry has its value again");
}

#[test]
fn a_snapshot_has_the_slots() {
    let mut saved = state();
    let [first, ..] = [1, 2, 3].map(|key| saved.insert(0, entry(key)).unwrap());
    saved.tables[0].delete(first).unwrap();
    let mut into = Saver::default();
    saved.save(&mut into).unwrap();
    let bytes = into.into_bytes();
    let mut restored = state();
    restored.restore(&mut Loader::new(&bytes)).unwrap();
    assert_eq!(slots(&restored), slots(&saved));
    let next = |state: &mut ProgramState| {
        let handle = state.insert(0, entry(9)).unwrap();
        (handle, state.tables[0].slot(handle))
    };
    assert_eq!(next(&mut restored), next(&mut saved));
}
