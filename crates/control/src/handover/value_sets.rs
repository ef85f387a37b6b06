//! Value sets of parsers.

use super::pairs::pair;
use super::transfer::Transfer;
use super::{Misfit, Part, What, fields};
use crate::{EntityKind, Error, Info, Request, Response, ValueSetNumber, ValueSetRequest};

/// Links each value set of the old program to the one of the new program that has its name and the same fields.
pub fn link(old: &Info, new: &Info) -> Vec<Result<ValueSetNumber, Misfit>> {
    let pairs = pair(old.value_sets.iter().map(|it| &it.identity), new.value_sets.iter().map(|it| &it.identity));
    let link = |(at, place): (usize, Option<usize>)| {
        let number = ValueSetNumber::from(place.ok_or(Misfit::Missing)?);
        fields::link(&old.value_sets[at].fields, &new.value_set(number).fields).map(|_| number)
    };
    pairs.into_iter().enumerate().map(link).collect()
}

impl Transfer<'_> {
    pub fn carry_value_sets(&mut self) -> Result<(), Error> {
        for number in (0..self.plan.old.value_sets.len()).map(ValueSetNumber::from) {
            let read = Request::ValueSet(number, ValueSetRequest::Read);
            self.by_pipe(&read, |transfer| transfer.carry_value_set(number))?;
        }
        Ok(())
    }

    fn carry_value_set(&mut self, number: ValueSetNumber) -> Result<(), Error> {
        let (plan, set) = (self.plan, self.plan.old.value_set(number));
        let members = match self.ask_old(Request::ValueSet(number, ValueSetRequest::Read))? {
            Response::ValueSet(members) => members,
            other => unreachable!("a value set was asked for, and not {other:?}"),
        };
        let part = Part::Entity { kind: EntityKind::ValueSet, name: set.identity.name.clone() };
        let mut carried = 0;
        for member in members {
            let told = member.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let inserted = plan.value_sets[number.index()].clone().and_then(|new| {
                let places = fields::link(&set.fields, &plan.new.value_set(new).fields)?;
                let member = fields::reorder(&member, &places);
                self.ask_new(Request::ValueSet(new, ValueSetRequest::Insert(member))).map_err(Misfit::Refused)
            });
            match inserted {
                Ok(_) => carried += 1,
                Err(misfit) => self.outcome.lose(&part, &misfit, What::Members, || told),
            }
        }
        self.outcome.carry(&part, What::Members, carried);
        Ok(())
    }
}
