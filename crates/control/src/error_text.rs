//! The texts of errors.

use std::fmt;

use runtime::tables::MatchKind;

use crate::{EntryError, Error, NameError, ProfileError, RefusedRequest};

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(error) => error.fmt(f),
            Self::NoSuchAction { table, action, actions } => {
                write!(f, "no action `{action}` in table `{table}`; it has {}", list(actions))
            }
            Self::Entry { kind, name, error } => error.describe(&format!("{kind} `{name}`"), f),
            Self::TooWide { place, width, value, written } => {
                let value = written.clone().unwrap_or_else(|| format!("{value:#x}"));
                write!(f, "{value} does not fit in {place}, which is {} wide", count(u64::from(*width), "bit"))
            }
            Self::ParameterCount { action, parameters, given } if parameters.is_empty() => {
                write!(f, "action `{action}` takes no parameters, but gets {given}")
            }
            Self::ParameterCount { action, parameters, given } => {
                let takes = count(parameters.len() as u64, "parameter");
                write!(f, "action `{action}` takes {takes} ({}), but gets {given}", list(parameters))
            }
            Self::Profile { profile, error } => error.describe(profile, f),
            Self::ProfileWithoutTable { profile } => {
                write!(f, "no table takes its actions from action profile `{profile}`")
            }
            Self::OutOfRange { kind, name, index, size } => {
                write!(f, "{kind} `{name}` has {} elements; index {index} is out of range", thousands(u64::from(*size)))
            }
            Self::WrongPlace { kind, name, table: Some(table) } => {
                write!(f, "{kind} `{name}` belongs to the entries of table `{table}` and has no indices")
            }
            Self::WrongPlace { kind, name, table: None } => {
                write!(f, "{kind} `{name}` is an array and does not belong to table entries")
            }
            Self::Rates { meter, error } => write!(f, "meter `{meter}`: {error}"),
            Self::Settings { kind, name, error } => write!(f, "{kind} `{name}`: {error}"),
            Self::LeafCount { register, leaves, given } => {
                let takes = count(leaves.len() as u64, "value");
                write!(f, "an element of register `{register}` takes {takes} ({}), but gets {given}", list(leaves))
            }
            Self::Memory { segment, error } => error.describe(segment, f),
            Self::Record { table, error } => error.describe(table, f),
            Self::ValueSetFull { value_set, size } => {
                let holds = count(u64::from(*size), "member");
                write!(f, "value set `{value_set}` is full: its size is {holds}")
            }
            Self::PacketsInside { kind, name, inside } => {
                let inside = count(*inside, "packet");
                write!(f, "{kind} `{name}` cannot be written while packets are in the machine, which holds {inside}")
            }
            Self::GroupZero => write!(f, "multicast group 0 means no group; groups begin with 1"),
            Self::ReplicationExists { what, number } => write!(f, "{what} {number} already exists"),
            Self::NoReplication { what, number } => write!(f, "there is no {what} {number}"),
            Self::Backup { group, position } => write!(
                f,
                "the backups of replica {position} of multicast group {group} need a replica at this position, which \
                 has another port than each of them"
            ),
            Self::Pipe(error) => error.fmt(f),
            Self::NoSettings => write!(f, "this machine has no settings that can change while it runs"),
            Self::SettingsTogether => {
                write!(f, "settings cannot change together with other requests; make the change a request of its own")
            }
            Self::Configuration(findings) => {
                write!(f, "the settings cannot be changed in this way")?;
                findings.iter().try_for_each(|finding| write!(f, "; {finding}"))
            }
        }
    }
}

impl fmt::Display for RefusedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "request {}: {}", self.at + 1, self.error)
    }
}

impl std::error::Error for RefusedRequest {}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { kind, name, .. } => write!(f, "there is no {kind} `{name}`"),
            Self::Ambiguous { kind, name, candidates } => {
                write!(f, "the {kind} `{name}` is ambiguous: it may be {}", alternatives(candidates))
            }
        }
    }
}

impl EntryError {
    fn describe(&self, owner: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { size } => {
                write!(f, "{owner} is full: its size is {}", entries(u64::from(*size)))
            }
            Self::Duplicate { key, priority: Some(_) } => {
                write!(f, "{owner} already has an entry with the key `{key}` and this priority")
            }
            Self::Duplicate { key, priority: None } => write!(f, "{owner} already has an entry with the key `{key}`"),
            Self::Missing { key } => write!(f, "{owner} has no entry `{key}`"),
            Self::ConstantEntry { key } => write!(f, "the entry `{key}` of {owner} is constant in the program"),
            Self::ConstantTable => write!(f, "the entries of {owner} are constant in the program"),
            Self::ConstantDefault => write!(f, "the default action of {owner} is constant in the program"),
            Self::NoKey => write!(f, "{owner} has no key, so it has no entries"),
            Self::FieldCount { fields, given } => {
                let takes = count(fields.len() as u64, "key field");
                let are = if *given == 1 { "is" } else { "are" };
                write!(f, "{owner} has {takes} ({}), but {given} {are} given", list(fields))
            }
            Self::Mismatch { field, kind } => {
                let takes = match kind {
                    MatchKind::Exact => "one value",
                    MatchKind::Lpm => "a prefix",
                    MatchKind::Ternary => "a value with a mask",
                    MatchKind::Range => "a range",
                    MatchKind::Optional => "one value or any",
                };
                write!(f, "key field `{field}` of {owner} is of kind {kind}, which takes {takes}")
            }
            Self::PrefixTooLong { field, length, width } => {
                let wide = count(u64::from(*width), "bit");
                write!(f, "key field `{field}` of {owner} is {wide} wide; a prefix of {length} bits is too long")
            }
            Self::BitsOutsideMask { field, value } => {
                write!(f, "`{value}` for key field `{field}` of {owner} has bits set outside its mask")
            }
            Self::EmptyRange { field, value } => {
                write!(f, "the range `{value}` for key field `{field}` of {owner} ends before it begins")
            }
            Self::NoPriority { field } => {
                write!(f, "an entry of {owner} needs a priority, because several may match key field `{field}`")
            }
            Self::Priority { priority } => {
                write!(f, "an entry of {owner} has no priority, because only one can match; {priority} is given")
            }
            Self::OnlyDefault { action } => {
                write!(f, "action `{action}` can only be the default action of {owner}, not the action of an entry")
            }
            Self::OnlyEntries { action } => {
                write!(f, "action `{action}` can only be used in entries of {owner}, not as its default action")
            }
            Self::Indirect { profile } => {
                write!(
                    f,
                    "{owner} takes its actions from action profile `{profile}`: its entries name members or groups"
                )
            }
            Self::NotIndirect { what } => write!(f, "{owner} has no {what}: its entries name actions"),
            Self::Exhausted => write!(f, "{owner} has had 2^32 entries, so no handles are left"),
            Self::NoIdleTimeout => write!(
                f,
                "{owner} records no hits, so its entries have no idle timeouts: the program does not declare \
                 `support_timeout = true`"
            ),
            Self::HitsNotRecorded => {
                write!(f, "this machine does not record when entries are hit, so {owner} has no idle timeouts")
            }
            Self::DefaultActionSet => {
                write!(f, "the default of {owner} cannot be an action set, which only entries have")
            }
            Self::NoCounter => write!(f, "{owner} has no direct counter"),
            Self::NoMeter => write!(f, "{owner} has no direct meter"),
        }
    }
}

impl ProfileError {
    fn describe(self, profile: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let owner = format!("action profile `{profile}`");
        match self {
            Self::Full { size } => {
                write!(f, "{owner} is full: its size is {}", count(u64::from(size), "member"))
            }
            Self::MemberExists(member) => write!(f, "{owner} already has a member {member}"),
            Self::NoMember(member) => write!(f, "{owner} has no member {member}"),
            Self::MemberInUse(member) => write!(f, "member {member} of {owner} is still used by a group or an entry"),
            Self::GroupExists(group) => write!(f, "{owner} already has a group {group}"),
            Self::NoGroup(group) => write!(f, "{owner} has no group {group}"),
            Self::GroupInUse(group) => write!(f, "group {group} of {owner} is still used by an entry"),
            Self::TooManyGroups { size } => {
                write!(f, "{owner} is full: its size is {}", count(u64::from(size), "group"))
            }
            Self::GroupFull { group, size } => {
                write!(f, "group {group} of {owner} is too large: its maximum size is {size}")
            }
            Self::SameMember { group, member } => write!(f, "group {group} of {owner} names member {member} twice"),
            Self::NoGroups => write!(f, "{owner} has no groups, because it has no selector"),
            Self::NoWeight => write!(f, "weights of {owner} are at least 1, and 0 is given"),
            Self::WeightTooLarge { weight, maximum } => {
                write!(f, "weights of {owner} are at most {maximum}, and {weight} is given")
            }
            Self::MaximumSizeTooLarge { group, given, size } => write!(
                f,
                "the maximum size {given} of group {group} is too large: groups of {owner} have at most size {size}"
            ),
            Self::MaximumSizeChanged { group, size } => {
                write!(f, "group {group} of {owner} was inserted with the maximum size {size}, which cannot be changed")
            }
            Self::ActionSetTooLarge { size } => {
                write!(f, "an action set of {owner} is too large: its maximum size is {size}")
            }
            Self::SelectorFull { size } => {
                write!(f, "{owner} is full: its groups and action sets together have at most size {size}")
            }
            Self::HasMembers => {
                write!(f, "{owner} has members or groups, so entries cannot have action sets; delete these first")
            }
            Self::HasActionSets => {
                write!(
                    f,
                    "entries have action sets of {owner}, so it cannot have members and groups; delete these first"
                )
            }
        }
    }
}

/// Formats a number with commas between groups of three digits.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number with a noun, in the plural where necessary.
pub(crate) fn count(number: u64, of: &str) -> String {
    format!("{} {of}{}", thousands(number), if number == 1 { "" } else { "s" })
}

fn entries(number: u64) -> String {
    format!("{} {}", thousands(number), if number == 1 { "entry" } else { "entries" })
}

/// Formats names as a list, of which at most ten are shown.
pub(crate) fn list(names: &[String]) -> String {
    const MOST: usize = 10;
    if names.is_empty() {
        return "none".to_owned();
    }
    let shown: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > MOST { format!(" and {} more", names.len() - MOST) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

fn alternatives(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, front)) if !front.is_empty() => format!("{} or {last}", front.join(", ")),
        _ => quoted.join(""),
    }
}
