//! P4Info ids (P4Runtime specification 1.4, section 6.3). The first byte of an id is the kind of the entity; the other
//! three come from an `@id` annotation or from the name. The algorithm is that of the reference compiler, so that
//! controllers written for its ids find the same ones here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::{EntityKind, Identity, Info, MatchField, Size, aliases};

/// The first byte of an id, by kind of entity (p4info.proto, `P4Ids.Prefix`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Prefix {
    /// Actions.
    Action = 0x01,
    /// Tables.
    Table = 0x02,
    /// Value sets.
    ValueSet = 0x03,
    /// Controller packet metadata: headers of packets between controller and switch.
    ControllerHeader = 0x04,
    /// Action profiles.
    Profile = 0x11,
    /// Arrays of counters.
    Counter = 0x12,
    /// Direct counters, which belong to table entries.
    DirectCounter = 0x13,
    /// Arrays of meters.
    Meter = 0x14,
    /// Direct meters, which belong to table entries.
    DirectMeter = 0x15,
    /// Registers.
    Register = 0x16,
    /// Digests.
    Digest = 0x17,
    /// Random early detectors, an extern of TNA. The numbers of externs of architectures begin with 0x81; this one and that of
    /// filters are those of the P4Info of the compiler for Tofino (p4lang/p4c,
    /// `backends/tofino/bf-p4c/control-plane/proto/barefoot/p4info.proto`).
    Wred = 0x87,
    /// Low-pass filters, an extern of TNA.
    Filter = 0x89,
}

/// The reason why ids cannot be assigned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdentifierError {
    /// The first byte of an `@id` is that of a different kind.
    WrongKind {
        /// The kind of the entity with the id.
        kind: EntityKind,
        /// The name of the entity.
        name: String,
        /// The id.
        id: u32,
        /// The first byte that ids of this kind have.
        prefix: u8,
    },
    /// Two entities have the same `@id`.
    SameId {
        /// The id.
        id: u32,
        /// The name of the first entity with this id.
        first: String,
        /// The name of the second entity with this id.
        second: String,
    },
    /// Two entities of the same kind have the same name.
    SameName {
        /// The kind of the entities.
        kind: EntityKind,
        /// The name of the entities.
        name: String,
    },
    /// Two match fields of a table, or two parameters of an action, have the same `@id`.
    SameInnerId {
        /// The name of the table, action or value set.
        name: String,
        /// The id.
        id: u32,
    },
}

impl fmt::Display for IdentifierError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongKind { kind, name, id, prefix } => {
                write!(
                    f,
                    "the id {id:#x} of {kind} `{name}` must begin with the byte {prefix:#04x}, which marks its kind"
                )
            }
            Self::SameId { id, first, second } => write!(f, "`{first}` and `{second}` have the same id {id:#x}"),
            Self::SameName { kind, name } => write!(f, "two entities of kind {kind} are named `{name}`"),
            Self::SameInnerId { name, id } => write!(f, "two parts of `{name}` have the same id {id}"),
        }
    }
}

impl std::error::Error for IdentifierError {}

impl IdentifierError {
    /// Returns the name of the entity that has to change; if two have the same id, the second one.
    pub fn name(&self) -> &str {
        match self {
            Self::WrongKind { name, .. } | Self::SameName { name, .. } | Self::SameInnerId { name, .. } => name,
            Self::SameId { second, .. } => second,
        }
    }
}

/// Returns the hash of a name from which ids are derived: "one at a time" (Bob Jenkins, "Hash functions", Dr. Dobb's
/// Journal, September 1997).
pub fn name_hash(name: &str) -> u32 {
    let mixed = name.bytes().fold(0_u32, |hash, byte| {
        let hash = hash.wrapping_add(u32::from(byte));
        let hash = hash.wrapping_add(hash << 10);
        hash ^ (hash >> 6)
    });
    let mixed = mixed.wrapping_add(mixed << 3);
    let mixed = mixed ^ (mixed >> 11);
    mixed.wrapping_add(mixed << 15)
}

impl Info {
    /// Assigns an id to every entity that has none, and an alias to every entity. Hidden entities get neither.
    ///
    /// # Errors
    /// Returns all conflicts between `@id` annotations or names. The assigned ids must not be used in this case.
    pub fn identify(&mut self) -> Result<(), Vec<IdentifierError>> {
        let mut errors = Vec::new();
        let mut identities = self.identities_mut();
        check_names(&identities, &mut errors);
        let mut taken = take_chosen(&mut identities, &mut errors);
        // Sort by kind and then by name, because the order decides which of two colliding ids is changed.
        identities.sort_by(|a, b| (a.1, &a.2.name).cmp(&(b.1, &b.2.name)));
        let (headers, mut identities): (Vec<_>, Vec<_>) =
            identities.into_iter().partition(|(kind, ..)| *kind == EntityKind::ControllerHeader);
        for (_, prefix, identity) in identities.iter_mut().filter(|(_, _, identity)| identity.id == 0) {
            identity.id = free_id(*prefix, name_hash(&identity.name), &taken);
            taken.insert(identity.id, identity.name.clone());
        }
        // P4Runtime prescribes the names of controller headers, so a suffix is not a valid alias (section 6.4.6).
        headers.into_iter().for_each(|(_, _, identity)| identity.alias.clone_from(&identity.name));
        let names: Vec<String> = identities.iter().map(|(_, _, identity)| identity.name.clone()).collect();
        let shortest = aliases::shortest_suffixes(names.iter().map(String::as_str));
        for (_, _, identity) in &mut identities {
            identity.alias = shortest[identity.name.as_str()].to_owned();
        }
        // The reference compiler uses the hash of the type's name here.
        for header in self.controller_headers.iter_mut().filter(|own| own.identity.id == 0 && !own.identity.is_hidden) {
            header.identity.id = free_id(Prefix::ControllerHeader, name_hash(&header.type_name), &taken);
            taken.insert(header.identity.id, header.identity.name.clone());
        }
        self.number_parts(&mut errors);
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Returns all entities that need an id, with their kinds.
    fn identities_mut(&mut self) -> Vec<(EntityKind, Prefix, &mut Identity)> {
        let direct = |size: Size, array, entries| if matches!(size, Size::Entries(_)) { entries } else { array };
        let mut all = Vec::new();
        all.extend(self.tables.iter_mut().map(|it| (EntityKind::Table, Prefix::Table, &mut it.identity)));
        all.extend(self.actions.iter_mut().map(|it| (EntityKind::Action, Prefix::Action, &mut it.identity)));
        all.extend(self.profiles.iter_mut().map(|it| (EntityKind::Profile, Prefix::Profile, &mut it.identity)));
        all.extend(self.counters.iter_mut().map(|it| {
            (EntityKind::Counter, direct(it.size, Prefix::Counter, Prefix::DirectCounter), &mut it.identity)
        }));
        all.extend(
            self.meters
                .iter_mut()
                .map(|it| (EntityKind::Meter, direct(it.size, Prefix::Meter, Prefix::DirectMeter), &mut it.identity)),
        );
        all.extend(self.registers.iter_mut().map(|it| (EntityKind::Register, Prefix::Register, &mut it.identity)));
        all.extend(self.digests.iter_mut().map(|it| (EntityKind::Digest, Prefix::Digest, &mut it.identity)));
        all.extend(self.value_sets.iter_mut().map(|it| (EntityKind::ValueSet, Prefix::ValueSet, &mut it.identity)));
        all.extend(self.filters.iter_mut().map(|it| (EntityKind::Filter, Prefix::Filter, &mut it.identity)));
        all.extend(self.wreds.iter_mut().map(|it| (EntityKind::Wred, Prefix::Wred, &mut it.identity)));
        let headers = self.controller_headers.iter_mut();
        all.extend(headers.map(|it| (EntityKind::ControllerHeader, Prefix::ControllerHeader, &mut it.identity)));
        all.retain(|(_, _, identity)| !identity.is_hidden);
        all
    }

    /// Assigns ids to the match fields and parameters that have none.
    fn number_parts(&mut self, errors: &mut Vec<IdentifierError>) {
        fn ids(fields: &mut [MatchField]) -> Vec<&mut u32> {
            fields.iter_mut().map(|field| &mut field.id).collect()
        }
        for table in &mut self.tables {
            number(&table.identity.name, ids(&mut table.fields), errors);
        }
        for set in &mut self.value_sets {
            number(&set.identity.name, ids(&mut set.fields), errors);
        }
        for header in &mut self.controller_headers {
            let fields = header.fields.iter_mut().map(|field| &mut field.id).collect();
            number(&header.identity.name, fields, errors);
        }
        for action in &mut self.actions {
            let parameters = action.parameters.iter_mut().map(|parameter| &mut parameter.id).collect();
            number(&action.identity.name, parameters, errors);
        }
    }
}

/// Reports entities of the same kind with the same name. Arrays and direct resources are different kinds only for ids.
fn check_names(identities: &[(EntityKind, Prefix, &mut Identity)], errors: &mut Vec<IdentifierError>) {
    let mut seen = BTreeSet::new();
    for (kind, _, identity) in identities {
        if !seen.insert((*kind, identity.name.as_str())) {
            errors.push(IdentifierError::SameName { kind: *kind, name: identity.name.clone() });
        }
    }
}

/// Completes the ids from `@id` annotations, and returns their owners.
fn take_chosen(
    identities: &mut [(EntityKind, Prefix, &mut Identity)],
    errors: &mut Vec<IdentifierError>,
) -> BTreeMap<u32, String> {
    let mut taken = BTreeMap::new();
    for (kind, prefix, identity) in identities.iter_mut().filter(|(_, _, identity)| identity.id != 0) {
        let prefix = *prefix as u8;
        // The author may leave the first byte 0, but must not choose that of another kind (section 6.3).
        if identity.id >> 24 == 0 {
            identity.id |= u32::from(prefix) << 24;
        } else if identity.id >> 24 != u32::from(prefix) {
            let (id, name) = (identity.id, identity.name.clone());
            errors.push(IdentifierError::WrongKind { kind: *kind, name, id, prefix });
        }
        if let Some(first) = taken.insert(identity.id, identity.name.clone()) {
            let second = identity.name.clone();
            errors.push(IdentifierError::SameId { id: identity.id, first, second });
        }
    }
    taken
}

/// Returns the first unused id, starting with the one derived from the hash.
fn free_id(prefix: Prefix, hash: u32, taken: &BTreeMap<u32, String>) -> u32 {
    let ids = (0..=0x00FF_FFFF).map(|step| (prefix as u32) << 24 | (hash.wrapping_add(step) & 0x00FF_FFFF));
    let mut free = ids.filter(|id| !taken.contains_key(id));
    free.next().expect("a program has fewer than 2^24 entities of a kind")
}

/// Assigns ids inside a table or action, which count from 1 and skip those from annotations.
fn number(name: &str, mut ids: Vec<&mut u32>, errors: &mut Vec<IdentifierError>) {
    let mut taken = BTreeSet::new();
    for id in ids.iter().filter(|id| ***id != 0) {
        if !taken.insert(**id) {
            errors.push(IdentifierError::SameInnerId { name: name.to_owned(), id: **id });
        }
    }
    let mut next = 1;
    for id in &mut ids {
        if **id == 0 {
            while taken.contains(&next) {
                next += 1;
            }
            **id = next;
            taken.insert(next);
        } else {
            // As in the reference compiler, an id from an annotation also uses up a number.
            next += 1;
        }
    }
}
