//! Counters, meters, registers and value sets as requests and back (P4Runtime specification 1.4, sections 9.3, 9.4, 9.6
//! and 9.7).

use control::{
    CounterNumber, CounterRequest, DigestNumber, ElementSelection, Entity, MeterNumber, MeterRequest, RegisterNumber,
    RegisterRequest, Request, Size, ValueSetNumber, ValueSetRequest,
};
use runtime::tables::FieldMatch;
use runtime::{Bits, Count, MeterRates};

use super::{Translator, index};
use crate::failure::Failure;
use crate::message::p4::v1::update::Type;
use crate::message::p4::v1::{
    CounterData, CounterEntry, DirectCounterEntry, DirectMeterEntry, Index, MeterConfig, MeterEntry, P4Data,
    RegisterEntry, TableEntry, ValueSetEntry, ValueSetMember,
};

impl Translator {
    pub(crate) fn counter(&self, id: u32) -> Result<CounterNumber, Failure> {
        let is_array = |number: &CounterNumber| matches!(self.info.counter(*number).size, Size::Array(_));
        let of_kind = |entity| if let Entity::Counter(number) = entity { Some(number) } else { None };
        self.find("array of counters", id, |entity| of_kind(entity).filter(is_array))
    }

    pub(crate) fn meter(&self, id: u32) -> Result<MeterNumber, Failure> {
        let is_array = |number: &MeterNumber| matches!(self.info.meter(*number).size, Size::Array(_));
        let of_kind = |entity| if let Entity::Meter(number) = entity { Some(number) } else { None };
        self.find("array of meters", id, |entity| of_kind(entity).filter(is_array))
    }

    pub(crate) fn register(&self, id: u32) -> Result<RegisterNumber, Failure> {
        self.find("register", id, |entity| if let Entity::Register(number) = entity { Some(number) } else { None })
    }

    pub(crate) fn value_set(&self, id: u32) -> Result<ValueSetNumber, Failure> {
        self.find("value set", id, |entity| if let Entity::ValueSet(number) = entity { Some(number) } else { None })
    }

    pub(crate) fn digest(&self, id: u32) -> Result<DigestNumber, Failure> {
        self.find("digest", id, |entity| if let Entity::Digest(number) = entity { Some(number) } else { None })
    }

    /// Returns the request that an update of a counter asks for. Without data it changes nothing, but the counter must
    /// exist.
    ///
    /// # Errors
    /// Fails if the update is malformed; the other functions here fail in the same way.
    pub(crate) fn write_counter(&self, kind: Type, entry: &CounterEntry) -> Result<Request, Failure> {
        let counter = self.counter(entry.counter_id)?;
        only_modify(kind, "a counter")?;
        let selection = index(entry.index)?.map_or(ElementSelection::All, ElementSelection::Index);
        Ok(Request::Counter(counter, set_count(selection, entry.data.as_ref())?))
    }

    /// Returns the request that an update of the counter of a table entry asks for.
    pub(crate) fn write_direct_counter(&self, kind: Type, entry: &DirectCounterEntry) -> Result<Request, Failure> {
        let of = table_entry(entry.table_entry.as_ref())?;
        let table = self.table(of.table_id)?;
        let about = self.info.table(table);
        let counter = about
            .counter
            .ok_or_else(|| Failure::invalid(format!("table `{}` has no direct counter", about.identity.name)))?;
        only_modify(kind, "a counter")?;
        let selection = ElementSelection::Entry(self.selection(table, of)?);
        Ok(Request::Counter(counter, set_count(selection, entry.data.as_ref())?))
    }

    /// Returns the request that an update of a meter asks for.
    pub(crate) fn write_meter(&self, kind: Type, entry: &MeterEntry) -> Result<Request, Failure> {
        let meter = self.meter(entry.meter_id)?;
        only_modify(kind, "a meter")?;
        if entry.counter_data.is_some() {
            return Err(no_colours());
        }
        let selection = index(entry.index)?.map_or(ElementSelection::All, ElementSelection::Index);
        let rates = entry.config.as_ref().map(read_rates).transpose()?;
        Ok(Request::Meter(meter, MeterRequest::Set(selection, rates)))
    }

    /// Returns the request that an update of the meter of a table entry asks for.
    pub(crate) fn write_direct_meter(&self, kind: Type, entry: &DirectMeterEntry) -> Result<Request, Failure> {
        let of = table_entry(entry.table_entry.as_ref())?;
        let table = self.table(of.table_id)?;
        let about = self.info.table(table);
        let meter = about
            .meter
            .ok_or_else(|| Failure::invalid(format!("table `{}` has no direct meter", about.identity.name)))?;
        only_modify(kind, "a meter")?;
        if entry.counter_data.is_some() {
            return Err(no_colours());
        }
        let selection = ElementSelection::Entry(self.selection(table, of)?);
        let rates = entry.config.as_ref().map(read_rates).transpose()?;
        Ok(Request::Meter(meter, MeterRequest::Set(selection, rates)))
    }

    /// Returns the request that an update of a register asks for.
    pub(crate) fn write_register(&self, kind: Type, entry: &RegisterEntry) -> Result<Request, Failure> {
        let register = self.register(entry.register_id)?;
        only_modify(kind, "a register")?;
        let about = self.info.register(register);
        let place = index(entry.index)?;
        let data = entry.data.as_ref().ok_or_else(|| Failure::invalid("a register needs a value"))?;
        let values = self.read_data(&about.data_type, data);
        let values = values.map_err(|failure| failure.about(format!("register `{}`", about.identity.name)))?;
        Ok(Request::Register(register, RegisterRequest::Write(place, values)))
    }

    /// Writes a cell of a register.
    pub(crate) fn read_register(&self, register: RegisterNumber, place: u32, values: &[Bits]) -> RegisterEntry {
        let about = self.info.register(register);
        RegisterEntry {
            register_id: about.identity.id,
            index: Some(Index { index: i64::from(place) }),
            data: Some(self.write_data(&about.data_type, values)),
        }
    }

    /// Returns the request that an update of a value set asks for.
    pub(crate) fn write_value_set(&self, kind: Type, entry: &ValueSetEntry) -> Result<Request, Failure> {
        let set = self.value_set(entry.value_set_id)?;
        only_modify(kind, "a value set")?;
        let members = self.value_sets[set.index()].read_members(&entry.members)?;
        Ok(Request::ValueSet(set, ValueSetRequest::Set(members)))
    }

    /// Writes a value set.
    pub(crate) fn read_value_set(&self, set: ValueSetNumber, members: &[Vec<FieldMatch>]) -> ValueSetEntry {
        let form = &self.value_sets[set.index()];
        let members = members.iter().map(|member| ValueSetMember { r#match: form.write(member) });
        ValueSetEntry { value_set_id: self.info.value_set(set).identity.id, members: members.collect() }
    }

    /// Writes digests.
    pub fn digests(&self, digest: DigestNumber, values: &[Vec<Bits>]) -> Vec<P4Data> {
        let data_type = &self.info.digest(digest).data_type;
        values.iter().map(|values| self.write_data(data_type, values)).collect()
    }
}

fn set_count(selection: ElementSelection, data: Option<&CounterData>) -> Result<CounterRequest, Failure> {
    Ok(match data {
        Some(data) => CounterRequest::Write(selection, read_count(data)?),
        None => CounterRequest::Read(selection),
    })
}

pub(crate) fn table_entry(entry: Option<&TableEntry>) -> Result<&TableEntry, Failure> {
    entry.ok_or_else(|| Failure::invalid("the table entry is missing"))
}

fn only_modify(kind: Type, what: &str) -> Result<(), Failure> {
    if kind == Type::Modify { Ok(()) } else { Err(Failure::invalid(format!("{what} can only be modified"))) }
}

/// No meter here counts by colour (section 9.4.3).
pub(crate) fn no_colours() -> Failure {
    Failure::unimplemented("meters do not count packets by colour")
}

pub(crate) fn read_count(data: &CounterData) -> Result<Count, Failure> {
    match (u64::try_from(data.packet_count), u64::try_from(data.byte_count)) {
        (Ok(packets), Ok(bytes)) => Ok(Count { packets, bytes }),
        _ => Err(Failure::invalid("a counter is negative")),
    }
}

/// Writes a counter, whose values wrap at 2^63.
pub(crate) fn write_count(count: Count) -> CounterData {
    let [packet_count, byte_count] = [count.packets, count.bytes].map(|value| (value & i64::MAX as u64) as i64);
    CounterData { byte_count, packet_count }
}

/// Reads the rates of a meter with two rates and three colours, which is the only type in P4Info here (section 9.4).
pub(crate) fn read_rates(config: &MeterConfig) -> Result<MeterRates, Failure> {
    if config.eburst != 0 {
        return Err(Failure::invalid("meters of two rates have no excess burst size"));
    }
    let number =
        |value: i64, what| u64::try_from(value).map_err(|_| Failure::invalid(format!("the {what} is negative")));
    Ok(MeterRates {
        committed_rate: number(config.cir, "committed information rate")?,
        committed_burst: number(config.cburst, "committed burst size")?,
        peak_rate: number(config.pir, "peak information rate")?,
        peak_burst: number(config.pburst, "peak burst size")?,
    })
}

pub(crate) fn write_rates(rates: &MeterRates) -> MeterConfig {
    let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    MeterConfig {
        cir: number(rates.committed_rate),
        cburst: number(rates.committed_burst),
        pir: number(rates.peak_rate),
        pburst: number(rates.peak_burst),
        eburst: 0,
    }
}
