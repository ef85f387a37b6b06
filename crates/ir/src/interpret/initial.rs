//! The initial state of a program, before the control plane has changed anything.

use runtime::profile::{MemberBits, ProfileLimits};
use runtime::tables::KeyField;
use runtime::{
    Bits, Count, CounterArray, EntryRegister, FilterArray, Meter, MeterArray, Profile, ProgramState, RegisterFile,
    TableState, WredArray,
};

use crate::{Initial, Program, Register, SelectionBits, Table, Threads};

impl Program {
    /// Creates the registers with their initial values.
    pub fn initial_registers(&self) -> RegisterFile {
        let mut file = RegisterFile::default();
        for register in &self.registers {
            let width = register.ty.width();
            match width {
                ..=64 => file.push_narrow(register.initial_values()),
                _ => file.push(width, register.initial_values().into_iter().map(|value| Bits::from_u64(value, width))),
            }
        }
        file
    }

    /// Returns the maximum memory that the registers take, in bytes: each value takes 8 bytes for every 64 bits of its
    /// width.
    pub fn register_bytes(&self) -> u64 {
        let limbs = |register: &Register| u64::from(register.ty.width().div_ceil(64).max(1));
        self.registers.iter().map(|register| 8 * register.size() as u64 * limbs(register)).sum()
    }

    /// Returns the maximum memory in bytes that registers, counters, meters and filters take in [`Program::initial_state`].
    /// Tables and profiles take memory as they are filled.
    pub fn state_bytes(&self) -> u64 {
        let array = |size: Option<u32>, each: usize| u64::from(size.unwrap_or(0)) * each as u64;
        let counters = self.counters.iter().map(|counter| array(counter.size, size_of::<Count>()));
        let meters = self.meters.iter().map(|meter| array(meter.size, size_of::<Option<Meter>>()));
        // A filter or a detector takes as much as a meter at most.
        let filters = self.filters.iter().map(|filter| array(Some(filter.size), size_of::<Option<Meter>>()));
        let wreds = self.wreds.iter().map(|wred| array(Some(wred.size), size_of::<Option<Meter>>()));
        let arrays = counters.chain(meters).chain(filters).chain(wreds);
        self.register_bytes() + arrays.sum::<u64>()
    }

    /// Creates the state before the first packet: registers with their initial values, counters at zero, meters and
    /// filters that are not configured, tables with the entries and the default action that the program gives them, and empty
    /// profiles and value sets. Direct counters and meters are held with their table; their own arrays are empty.
    ///
    /// # Panics
    /// If a table refuses an entry, which [`crate::verify::program`] refuses too.
    pub fn initial_state(&self) -> ProgramState {
        ProgramState { registers: self.initial_registers(), ..self.initial_state_without_registers() }
    }

    /// Creates the same state as [`Program::initial_state`] but without registers, for callers that keep them
    /// elsewhere.
    pub fn initial_state_without_registers(&self) -> ProgramState {
        let size = |size: Option<u32>| size.unwrap_or(0) as usize;
        ProgramState {
            registers: RegisterFile::default(),
            counters: self
                .counters
                .iter()
                .map(|counter| CounterArray::with_width(size(counter.size), counter.width))
                .collect(),
            meters: self.meters.iter().map(|meter| MeterArray::new(size(meter.size), meter.unit)).collect(),
            filters: self.filters.iter().map(|filter| FilterArray::new(filter.size as usize)).collect(),
            wreds: self.wreds.iter().map(|wred| WredArray::new(wred.size as usize)).collect(),
            tables: self.tables.iter().map(|table| self.initial_table(table)).collect(),
            profiles: self.profiles.iter().map(|made| self.initial_profile(made)).collect(),
            value_sets: vec![Vec::new(); self.value_sets.len()],
            memory: self.threads.as_ref().map(Threads::initial_memory).unwrap_or_default(),
            records: self.threads.as_ref().map(Threads::initial_records).unwrap_or_default(),
        }
    }

    fn initial_profile(&self, made: &crate::Profile) -> Profile {
        let profile = Profile::new(ProfileLimits { members: Some(made.size), groups: None, group_size: None });
        let Some(selection) = &made.selection else { return profile };
        let profile = profile.with_mode(selection.mode);
        let Some(SelectionBits { register, places }) = selection.bits else { return profile };
        let groups = self.register(register).size() as u32 / places;
        profile.with_bits(MemberBits { register: register.index(), places, groups })
    }

    fn initial_table(&self, table: &Table) -> TableState {
        let field = |key: &crate::Key| KeyField { kind: key.kind, width: self.type_of(&key.value).width() };
        let fields = table.keys.iter().map(field).collect();
        let mut state = TableState::new(fields, table.size, table.default.clone());
        if let Some(counter) = table.counter {
            state = state.with_counters_of(self.counters[counter.index()].width);
        }
        if let Some((meter, _)) = table.meter {
            state = state.with_meters(self.meters[meter.index()].unit);
        }
        if table.has_idle_timeout {
            state = state.with_ages();
        }
        if table.has_slots {
            let own = |id: &crate::RegisterId| {
                let register = self.register(*id);
                let width = register.ty.width();
                let Initial::Fill(initial) = register.initial else {
                    unreachable!("`verify` demands one initial value for all entries")
                };
                EntryRegister { register: id.index(), width, initial: Bits::from_u64(initial, width) }
            };
            state = state.with_slots().with_registers(table.registers.iter().map(own).collect());
        }
        for entry in &table.entries {
            state.insert(entry.clone()).expect("`verify` refuses entries that a table refuses");
        }
        state
    }
}
