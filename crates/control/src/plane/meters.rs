//! Execution of requests about meters.

use runtime::meter::MeterError;
use runtime::{DirectError, ProgramState};

use super::Plane;
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
            (Size::Entries(table), MeterRequest::Read(elements)) => {
                let stored = &state.tables[table.index()];
                let handles = self.entries(EntityKind::Meter, name, table, elements, stored)?;
                Ok(Response::Meters(handles.into_iter().map(|handle| stored.meter(handle)).collect()))
            }
            (Size::Entries(table), MeterRequest::Set(elements, rates)) => {
                let stored = &mut state.tables[table.index()];
                for handle in self.entries(EntityKind::Meter, name, table, elements, stored)? {
                    stored.set_meter(handle, *rates).map_err(|error| match error {
                        DirectError::Rates(error) => wrong(error),
                        _ => Error::WrongPlace { kind: EntityKind::Meter, name: name.clone(), table: None },
                    })?;
                }
                Ok(Response::Done)
            }
        }
    }
}
