//! Look-up of entities by full name, by alias, or by a unique suffix after a dot.

use std::fmt;

use diagnostics::did_you_mean;

use super::{
    ActionNumber, CounterNumber, DigestNumber, EventNumber, FilterNumber, Identity, Info, MeterNumber, ProfileNumber,
    RecordTableNumber, RegisterNumber, SegmentNumber, TableNumber, ValueSetNumber, WredNumber,
};
use crate::{Error, NameError};

/// A kind of entity with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityKind {
    /// A table.
    Table,
    /// An action.
    Action,
    /// An action profile.
    Profile,
    /// Counters.
    Counter,
    /// Meters.
    Meter,
    /// Low-pass filters.
    Filter,
    /// Random early detectors.
    Wred,
    /// A register.
    Register,
    /// A kind of digest.
    Digest,
    /// A value set.
    ValueSet,
    /// A segment of shared memory.
    Segment,
    /// A table of records.
    RecordTable,
    /// An event that begins threads.
    Event,
    /// A header of packets between controller and switch.
    ControllerHeader,
    /// A match field of a table.
    Field,
    /// A parameter of an action.
    Parameter,
}

impl fmt::Display for EntityKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Table => "table",
            Self::Action => "action",
            Self::Profile => "action profile",
            Self::Counter => "counter",
            Self::Meter => "meter",
            Self::Filter => "filter",
            Self::Wred => "early detector",
            Self::Register => "register",
            Self::Digest => "digest",
            Self::ValueSet => "value set",
            Self::Segment => "segment",
            Self::RecordTable => "table of records",
            Self::Event => "event",
            Self::ControllerHeader => "controller header",
            Self::Field => "key field",
            Self::Parameter => "parameter",
        })
    }
}

impl Info {
    /// Looks up a table by name.
    ///
    /// # Errors
    /// Returns an error if the name is unknown or ambiguous. The other look-ups behave in the same way.
    pub fn table_named(&self, name: &str) -> Result<TableNumber, Error> {
        find(EntityKind::Table, name, self.tables.iter().map(|it| &it.identity)).map(TableNumber::from)
    }

    /// Looks up an action of a table by name. An action of another table may have the same suffix.
    pub fn action_named(&self, table: TableNumber, name: &str) -> Result<ActionNumber, Error> {
        let actions: Vec<_> = self.actions_of(table).collect();
        match find(EntityKind::Action, name, actions.iter().map(|(_, action)| &action.identity)) {
            Ok(at) => Ok(actions[at].0),
            Err(Error::Name(NameError::Unknown { .. })) => Err(Error::NoSuchAction {
                table: self.table(table).identity.name.clone(),
                action: name.to_owned(),
                actions: actions
                    .iter()
                    .filter(|(_, action)| !action.identity.is_hidden)
                    .map(|(_, action)| action.identity.name.clone())
                    .collect(),
            }),
            Err(error) => Err(error),
        }
    }

    /// Looks up an action of the tables of a profile by name.
    pub fn profile_action_named(&self, profile: ProfileNumber, name: &str) -> Result<ActionNumber, Error> {
        // All tables of a profile have the same actions (P4Runtime specification 1.4, section 9.2.1).
        match self.tables_of(profile).next() {
            Some(table) => self.action_named(table, name),
            None => Err(Error::ProfileWithoutTable { profile: self.profile(profile).identity.name.clone() }),
        }
    }

    /// Looks up an action profile by name.
    pub fn profile_named(&self, name: &str) -> Result<ProfileNumber, Error> {
        find(EntityKind::Profile, name, self.profiles.iter().map(|it| &it.identity)).map(ProfileNumber::from)
    }

    /// Looks up counters by name.
    pub fn counter_named(&self, name: &str) -> Result<CounterNumber, Error> {
        find(EntityKind::Counter, name, self.counters.iter().map(|it| &it.identity)).map(CounterNumber::from)
    }

    /// Looks up meters by name.
    pub fn meter_named(&self, name: &str) -> Result<MeterNumber, Error> {
        find(EntityKind::Meter, name, self.meters.iter().map(|it| &it.identity)).map(MeterNumber::from)
    }

    /// Looks up low-pass filters by name.
    pub fn filter_named(&self, name: &str) -> Result<FilterNumber, Error> {
        find(EntityKind::Filter, name, self.filters.iter().map(|it| &it.identity)).map(FilterNumber::from)
    }

    /// Looks up random early detectors by name.
    pub fn wred_named(&self, name: &str) -> Result<WredNumber, Error> {
        find(EntityKind::Wred, name, self.wreds.iter().map(|it| &it.identity)).map(WredNumber::from)
    }

    /// Looks up a register by name.
    pub fn register_named(&self, name: &str) -> Result<RegisterNumber, Error> {
        find(EntityKind::Register, name, self.registers.iter().map(|it| &it.identity)).map(RegisterNumber::from)
    }

    /// Looks up a kind of digest by name.
    pub fn digest_named(&self, name: &str) -> Result<DigestNumber, Error> {
        find(EntityKind::Digest, name, self.digests.iter().map(|it| &it.identity)).map(DigestNumber::from)
    }

    /// Looks up a value set by name.
    pub fn value_set_named(&self, name: &str) -> Result<ValueSetNumber, Error> {
        find(EntityKind::ValueSet, name, self.value_sets.iter().map(|it| &it.identity)).map(ValueSetNumber::from)
    }

    /// Looks up a segment of shared memory by name.
    pub fn segment_named(&self, name: &str) -> Result<SegmentNumber, Error> {
        find(EntityKind::Segment, name, self.segments.iter().map(|it| &it.identity)).map(SegmentNumber::from)
    }

    /// Looks up a table of records by name.
    pub fn record_table_named(&self, name: &str) -> Result<RecordTableNumber, Error> {
        find(EntityKind::RecordTable, name, self.records.iter().map(|it| &it.identity)).map(RecordTableNumber::from)
    }

    /// Looks up an event by name.
    pub fn event_named(&self, name: &str) -> Result<EventNumber, Error> {
        find(EntityKind::Event, name, self.events.iter().map(|it| &it.identity)).map(EventNumber::from)
    }

    /// Returns the position of a match field of a table, by name.
    ///
    /// The validity of a header may be written as `x.isValid()`, `x.$valid$`, `x.$valid`, `x.valid` or just `x`.
    pub fn field_named(&self, table: TableNumber, name: &str) -> Result<usize, Error> {
        let fields = &self.table(table).fields;
        let written = find_among(EntityKind::Field, name, fields.iter().map(|field| (field.name.as_str(), "")));
        let unknown = match written {
            Err(error @ Error::Name(NameError::Unknown { .. })) => error,
            found => return found,
        };
        let plain = fields.iter().enumerate().filter(|(_, field)| plain_field_name(&field.name) != field.name);
        let plain: Vec<_> = plain.map(|(at, field)| (at, plain_field_name(&field.name))).collect();
        let wanted = plain_field_name(name);
        let validities = find_among(EntityKind::Field, wanted, plain.iter().map(|(_, name)| (*name, "")));
        validities.map(|at| plain[at].0).map_err(|_| unknown)
    }

    /// Returns the position of a parameter of an action, by name.
    pub fn parameter_named(&self, action: ActionNumber, name: &str) -> Result<usize, Error> {
        find_among(EntityKind::Parameter, name, self.action(action).parameters.iter().map(|it| (it.name.as_str(), "")))
    }
}

/// Returns the name of the header if the match field is the validity of a header, otherwise the name itself.
pub fn plain_field_name(name: &str) -> &str {
    const ENDINGS: [&str; 5] = [".isValid()", ".$valid$", ".$valid", ".valid", "$valid$"];
    ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

fn find<'i>(
    kind: EntityKind,
    name: &str,
    identities: impl Iterator<Item = &'i Identity> + Clone,
) -> Result<usize, Error> {
    // A hidden entity has no name for the control plane (P4_16 specification 1.2.5, section 18.3.2).
    let shown = identities.enumerate().filter(|(_, identity)| !identity.is_hidden);
    let at = find_among(kind, name, shown.clone().map(|(_, own)| (own.name.as_str(), own.alias.as_str())))?;
    Ok(shown.map(|(at, _)| at).nth(at).expect("it was found among them"))
}

/// Returns the position of the entity with the given name, among names and aliases.
fn find_among<'n>(
    kind: EntityKind,
    name: &str,
    names: impl Iterator<Item = (&'n str, &'n str)> + Clone,
) -> Result<usize, Error> {
    // A top-level name may be written with a leading dot (P4_16 specification 1.2.5, section 6.9).
    let name = name.strip_prefix('.').unwrap_or(name);
    if let Some(at) = names.clone().position(|(whole, _)| whole == name) {
        return Ok(at);
    }
    if let Some(at) = names.clone().position(|(_, alias)| !alias.is_empty() && alias == name) {
        return Ok(at);
    }
    let is_end = |whole: &str| whole.strip_suffix(name).is_some_and(|front| front.ends_with('.')) && !name.is_empty();
    let ends: Vec<(usize, &str)> =
        names.clone().enumerate().filter(|(_, (whole, _))| is_end(whole)).map(|(at, (whole, _))| (at, whole)).collect();
    match ends[..] {
        [(at, _)] => Ok(at),
        [] => {
            let hint = did_you_mean(name, names.clone().flat_map(|(whole, alias)| [whole, alias]));
            let known = names.map(|(whole, _)| whole.to_owned()).collect();
            Err(Error::Name(NameError::Unknown { kind, name: name.to_owned(), hint, known }))
        }
        _ => {
            let candidates = ends.iter().map(|(_, whole)| (*whole).to_owned()).collect();
            Err(Error::Name(NameError::Ambiguous { kind, name: name.to_owned(), candidates }))
        }
    }
}
