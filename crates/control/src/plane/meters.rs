//! Execution of requests about meters.

use runtime::meter::MeterError;
use runtime::tables::EntryHandle;
use runtime::{DirectError, Meter, MeterRates, ProgramState};

use super::Plane;
use super::counters::check_number;
use crate::{EntityKind, Error, MeterNumber, MeterRequest, Response, Size};

impl Plane {
    pub(super) fn meter(
        &self,
        number: MeterNumber,
        request: &MeterRequest,
        state: &mut ProgramState,
    ) -> Result<Response, Error> {
        let meter = self.info.meter(number);
        let name = &meter.identity.name;
        let wrong = |error: MeterError| Error::Rates { meter: name.clone(), error };
        let refused = |error: DirectError| match error {
            DirectError::Rates(error) => wrong(error),
            _ => Error::WrongPlace { kind: EntityKind::Meter, name: name.clone(), table: None },
        };
        match (meter.size, request) {
            (Size::Array(size), MeterRequest::Read(elements)) => {
                let array = &state.meters[number.index()];
                let chosen = match self.index(EntityKind::Meter, name, elements, size)? {
                    Some(index) => index..index + 1,
                    None => 0..array.len(),
                };
                Ok(Response::Meters(chosen.map(|index| array.get(index)).collect()))
            }
            (Size::Array(size), MeterRequest::Set(elements, rates)) => {
                let array = &mut state.meters[number.index()];
                let chosen = match self.index(EntityKind::Meter, name, elements, size)? {
                    Some(index) => index..index + 1,
                    None => 0..array.len(),
                };
                for index in chosen {
                    array.set(index, *rates).map_err(wrong)?;
                }
                Ok(Response::Done)
            }
            (Size::Array(size), MeterRequest::SetEach(rates)) => {
                check_number(EntityKind::Meter, name, rates.len(), size as usize)?;
                check_rates(rates).map_err(wrong)?;
                let array = &mut state.meters[number.index()];
                for (index, rates) in rates.iter().enumerate() {
                    array.set(index, *rates).map_err(wrong)?;
                }
                Ok(Response::Done)
            }
            (Size::Entries(table), MeterRequest::SetEach(rates)) => {
                let stored = &mut state.tables[table.index()];
                check_number(EntityKind::Meter, name, rates.len(), stored.matches().len())?;
                check_rates(rates).map_err(wrong)?;
                let handles: Vec<EntryHandle> = stored.matches().entries().map(|(handle, _)| handle).collect();
                for (handle, rates) in handles.into_iter().zip(rates) {
                    stored.set_meter(handle, *rates).map_err(refused)?;
                }
                Ok(Response::Done)
            }
            (Size::Entries(table), MeterRequest::Read(elements)) => {
                let stored = &state.tables[table.index()];
                let handles = self.entries(EntityKind::Meter, name, table, elements, stored)?;
                Ok(Response::Meters(handles.into_iter().map(|handle| stored.meter(handle)).collect()))
            }
            (Size::Entries(table), MeterRequest::Set(elements, rates)) => {
                let stored = &mut state.tables[table.index()];
                for handle in self.entries(EntityKind::Meter, name, table, elements, stored)? {
                    stored.set_meter(handle, *rates).map_err(refused)?;
                }
                Ok(Response::Done)
            }
        }
    }
}

/// Checks the rates of all meters, so that none is set if one is refused.
fn check_rates(rates: &[Option<MeterRates>]) -> Result<(), MeterError> {
    rates.iter().flatten().try_for_each(|rates| Meter::new(*rates).map(drop))
}
