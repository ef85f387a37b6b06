//! Execution of requests about low-pass filters and random early detectors.

use std::ops::Range;

use runtime::ProgramState;

use super::Plane;
use crate::{EntityKind, Error, FilterNumber, Response, SettingsRequest, WredNumber};
use runtime::filter::{FilterError, FilterSettings};
use runtime::wred::WredSettings;

impl Plane {
    pub(super) fn filter(
        &self,
        number: FilterNumber,
        request: &SettingsRequest<FilterSettings>,
        state: &mut ProgramState,
    ) -> Result<Response, Error> {
        let filter = self.info.filter(number);
        let array = &mut state.filters[number.index()];
        let name = &filter.identity.name;
        match request {
            SettingsRequest::Read(index) => {
                let chosen = places(EntityKind::Filter, name, *index, filter.size)?;
                Ok(Response::Filters(chosen.map(|index| array.get(index)).collect()))
            }
            SettingsRequest::Set(index, settings) => {
                for index in places(EntityKind::Filter, name, *index, filter.size)? {
                    array.set(index, *settings).map_err(|error| wrong(EntityKind::Filter, name, error))?;
                }
                Ok(Response::Done)
            }
        }
    }

    pub(super) fn wred(
        &self,
        number: WredNumber,
        request: &SettingsRequest<WredSettings>,
        state: &mut ProgramState,
    ) -> Result<Response, Error> {
        let wred = self.info.wred(number);
        let array = &mut state.wreds[number.index()];
        let name = &wred.identity.name;
        match request {
            SettingsRequest::Read(index) => {
                let chosen = places(EntityKind::Wred, name, *index, wred.size)?;
                Ok(Response::Wreds(chosen.map(|index| array.get(index)).collect()))
            }
            SettingsRequest::Set(index, settings) => {
                for index in places(EntityKind::Wred, name, *index, wred.size)? {
                    array.set(index, *settings).map_err(|error| wrong(EntityKind::Wred, name, error))?;
                }
                Ok(Response::Done)
            }
        }
    }
}

fn wrong(kind: EntityKind, name: &str, error: FilterError) -> Error {
    Error::Settings { kind, name: name.to_owned(), error }
}

/// Returns the selected elements of an array: one, or all.
fn places(kind: EntityKind, name: &str, index: Option<u32>, size: u32) -> Result<Range<usize>, Error> {
    match index {
        None => Ok(0..size as usize),
        Some(index) if index < size => Ok(index as usize..index as usize + 1),
        Some(index) => Err(Error::OutOfRange { kind, name: name.to_owned(), index, size }),
    }
}
