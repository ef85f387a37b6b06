//! Counters, meters and registers.

use std::mem::discriminant;

use runtime::Bits;

use super::pairs::pair;
use super::transfer::Transfer;
use super::{Misfit, Part, What};
use crate::{
    CounterNumber, CounterRequest, CounterUnit, DataType, ElementSelection, EntityKind, Error, Info, MeterNumber,
    MeterRequest, PipeError, RegisterNumber, RegisterRequest, Request, Response, Size,
};

/// Links each counter of the old program to the one of the new program that has its name.
pub fn link_counters(old: &Info, new: &Info) -> Vec<Result<CounterNumber, Misfit>> {
    let pairs = pair(old.counters.iter().map(|it| &it.identity), new.counters.iter().map(|it| &it.identity));
    let link = |(at, place): (usize, Option<usize>)| {
        let number = CounterNumber::from(place.ok_or(Misfit::Missing)?);
        let (own, other) = (&old.counters[at], new.counter(number));
        // Counters of both units have what those of one need.
        if own.unit != other.unit && own.unit != CounterUnit::PacketsAndBytes {
            return Err(Misfit::Unit);
        }
        check_owner((old, own.size), (new, other.size)).map(|()| number)
    };
    pairs.into_iter().enumerate().map(link).collect()
}

/// Links each meter of the old program to the one of the new program that has its name.
pub fn link_meters(old: &Info, new: &Info) -> Vec<Result<MeterNumber, Misfit>> {
    let pairs = pair(old.meters.iter().map(|it| &it.identity), new.meters.iter().map(|it| &it.identity));
    let link = |(at, place): (usize, Option<usize>)| {
        let number = MeterNumber::from(place.ok_or(Misfit::Missing)?);
        let (own, other) = (&old.meters[at], new.meter(number));
        if own.unit != other.unit {
            return Err(Misfit::Unit);
        }
        check_owner((old, own.size), (new, other.size)).map(|()| number)
    };
    pairs.into_iter().enumerate().map(link).collect()
}

/// Links each register of the old program to the one of the new program that has its name.
pub fn link_registers(old: &Info, new: &Info) -> Vec<Result<RegisterNumber, Misfit>> {
    let pairs = pair(old.registers.iter().map(|it| &it.identity), new.registers.iter().map(|it| &it.identity));
    let link = |(at, place): (usize, Option<usize>)| {
        let number = RegisterNumber::from(place.ok_or(Misfit::Missing)?);
        let is_same = is_same_type(&old.registers[at].data_type, &new.register(number).data_type);
        if is_same { Ok(number) } else { Err(Misfit::ElementType) }
    };
    pairs.into_iter().enumerate().map(link).collect()
}

/// Checks that two counters or meters are both arrays, or belong to the entries of tables of one name.
fn check_owner(old: (&Info, Size), new: (&Info, Size)) -> Result<(), Misfit> {
    let owner = |(info, size): (&Info, Size)| match size {
        Size::Array(_) => None,
        Size::Entries(table) => Some(info.table(table).identity.name.clone()),
    };
    match (owner(old), owner(new)) {
        (old, new) if old == new => Ok(()),
        (old, new) => Err(Misfit::Owner { old, new }),
    }
}

/// Returns true if values of two types mean the same. Structs, headers and new types may have other names.
fn is_same_type(old: &DataType, new: &DataType) -> bool {
    use DataType as T;
    match (old.original(), new.original()) {
        (T::Tuple(olds), T::Tuple(news)) => {
            olds.len() == news.len() && olds.iter().zip(news).all(|(old, new)| is_same_type(old, new))
        }
        (
            one @ (T::Structure { members: olds, .. } | T::Header { members: olds, .. }),
            other @ (T::Structure { members: news, .. } | T::Header { members: news, .. }),
        ) => {
            let is_same = |old: &crate::Member, new: &crate::Member| {
                old.name == new.name && is_same_type(&old.data_type, &new.data_type)
            };
            discriminant(one) == discriminant(other)
                && olds.len() == news.len()
                && olds.iter().zip(news).all(|(old, new)| is_same(old, new))
        }
        (old, new) => old == new,
    }
}

impl Transfer<'_> {
    pub fn carry_counters(&mut self) -> Result<(), Error> {
        for (at, counter) in self.plan.old.counters.iter().enumerate() {
            let number = CounterNumber::from(at);
            let read = self.read_by_pipe(&Request::Counter(number, CounterRequest::Read(ElementSelection::All)))?;
            let part = Part::Entity { kind: EntityKind::Counter, name: counter.identity.name.clone() };
            let link = self.plan.counters[at].as_ref();
            let place = link.map(|new| (*new, self.plan.new.counter(*new).size));
            let is_set = |count: &runtime::Count| *count != runtime::Count::default();
            for (pipe, counts) in read {
                let Response::Counters(counts) = counts else {
                    unreachable!("counters were asked for, not {counts:?}")
                };
                let write = |new, counts| Request::Counter(new, CounterRequest::WriteEach(counts)).in_pipe(pipe);
                self.carry_array((&part, What::Counters, counter.size), counts, (place, pipe), is_set, write)?;
            }
        }
        Ok(())
    }

    pub fn carry_meters(&mut self) -> Result<(), Error> {
        for (at, meter) in self.plan.old.meters.iter().enumerate() {
            let number = MeterNumber::from(at);
            let read = self.read_by_pipe(&Request::Meter(number, MeterRequest::Read(ElementSelection::All)))?;
            let part = Part::Entity { kind: EntityKind::Meter, name: meter.identity.name.clone() };
            let link = self.plan.meters[at].as_ref();
            let place = link.map(|new| (*new, self.plan.new.meter(*new).size));
            for (pipe, rates) in read {
                let Response::Meters(rates) = rates else { unreachable!("meters were asked for, not {rates:?}") };
                let set = |new, rates| Request::Meter(new, MeterRequest::SetEach(rates)).in_pipe(pipe);
                self.carry_array((&part, What::Meters, meter.size), rates, (place, pipe), Option::is_some, set)?;
            }
        }
        Ok(())
    }

    pub fn carry_registers(&mut self) -> Result<(), Error> {
        for (at, register) in self.plan.old.registers.iter().enumerate() {
            // The bits of the members of groups belong to places that the groups have now; all members are there.
            if register.arrays.iter().any(|array| self.plan.old.has_bits(*array)) {
                continue;
            }
            let number = RegisterNumber::from(at);
            let read = self.read_by_pipe(&Request::Register(number, RegisterRequest::Read(None)))?;
            let part = Part::Entity { kind: EntityKind::Register, name: register.identity.name.clone() };
            let link = self.plan.registers[at].as_ref();
            let place = link.map(|new| (*new, Size::Array(self.plan.new.register(*new).size)));
            let is_set = |element: &Vec<Bits>| element.iter().any(|value| !value.is_zero());
            for (pipe, elements) in read {
                let Response::Registers(elements) = elements else {
                    unreachable!("registers were asked for, not {elements:?}")
                };
                let write = |new, elements| Request::Register(new, RegisterRequest::WriteEach(elements)).in_pipe(pipe);
                self.carry_array(
                    (&part, What::Elements, Size::Array(register.size)),
                    elements,
                    (place, pipe),
                    is_set,
                    write,
                )?;
            }
        }
        Ok(())
    }

    /// Reads elements in all pipes, and returns them by pipe if each has its own.
    fn read_by_pipe(&mut self, read: &Request) -> Result<Vec<(Option<u32>, Response)>, Error> {
        match (self.old)(read) {
            Ok(response) => Ok(response.by_pipe()),
            Err(Error::Pipe(PipeError::ByPipe { .. })) => {
                let in_pipe = |pipe| Some((Some(pipe), (self.old)(&read.clone().in_pipe(Some(pipe))).ok()?));
                Ok((0..).map_while(in_pipe).collect())
            }
            Err(error) => Err(error),
        }
    }

    /// Carries the values of an array, or those of the entries of a table, in a pipe if there is one. `place` is where they
    /// belong in the new program, `is_set` tells whether the loss of a value is a loss, and `write` makes the request that sets all.
    fn carry_array<N, V: Clone + Default>(
        &mut self,
        (part, what, size): (&Part, What, Size),
        mut values: Vec<V>,
        (place, pipe): (Result<(N, Size), &Misfit>, Option<u32>),
        is_set: impl Fn(&V) -> bool,
        write: impl FnOnce(N, Vec<V>) -> Request,
    ) -> Result<(), Error> {
        let (number, new_size) = match place {
            Ok(place) => place,
            Err(misfit) => {
                for (index, _) in values.iter().enumerate().filter(|(_, value)| is_set(value)) {
                    self.outcome.lose(part, misfit, what, || format!("[{index}]"));
                }
                return Ok(());
            }
        };
        let values = match (size, new_size) {
            (Size::Entries(old), Size::Entries(new)) => self.values_of_entries(old, new, &values, pipe)?,
            (Size::Array(old), Size::Array(new)) => {
                let misfit = Misfit::Size { old, new };
                let beyond = values.iter().enumerate().skip(new as usize).filter(|(_, value)| is_set(value));
                for (index, _) in beyond {
                    self.outcome.lose(part, &misfit, what, || format!("[{index}]"));
                }
                values.truncate(new as usize);
                values
            }
            _ => unreachable!("a link is between arrays, or between tables"),
        };
        let count = values.iter().filter(|value| is_set(value)).count() as u64;
        // A register may begin with other values than 0.
        if count == 0 && what != What::Elements {
            return Ok(());
        }
        match (self.new)(&write(number, values)) {
            Ok(_) => self.outcome.carry(part, what, count),
            Err(error) => self.outcome.lose(part, &Misfit::Refused(error), what, || "all".to_owned()),
        }
        Ok(())
    }
}
