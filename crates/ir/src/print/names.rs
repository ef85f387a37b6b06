//! The printer of names: which are written as they are, and which are quoted.

use std::fmt::{self, Display, Formatter};

use crate::typing::is_name;
use crate::{
    ArrayId, CounterId, DigestId, FilterId, FunctionId, HeaderId, MeterId, ParserId, ProfileId, Program, RegisterId,
    StackId, TableId, ValueSetId, VariableId, WredId,
};

/// Keywords that begin an expression or a statement. A variable with such a name is written in backquotes.
pub(crate) const RESERVED: [&str; 9] = ["_", "bit", "bool", "else", "false", "if", "int", "true", "undefined"];

/// The type that brackets may follow; they are not part of the word.
pub(crate) const BRACKETED: &str = "bool";

/// Formats a register with its `@`.
pub fn register(program: &Program, id: RegisterId) -> impl Display + '_ {
    // Verification prints wrong programs, including ones with ids out of range.
    fmt::from_fn(move |f| match program.registers.get(id.index()) {
        Some(register) => write!(f, "@{}", name(&register.name)),
        None => write!(f, "@<register {}>", id.index()),
    })
}

/// Formats the name of a variable.
pub fn variable(program: &Program, id: VariableId) -> impl Display + '_ {
    fmt::from_fn(move |f| match program.variables.get(id.index()) {
        Some(variable) => name(&variable.name).fmt(f),
        None => write!(f, "<variable {}>", id.index()),
    })
}

/// Formats the name of an array.
pub fn array(program: &Program, id: ArrayId) -> impl Display + '_ {
    fmt::from_fn(move |f| match program.arrays.get(id.index()) {
        Some(array) => name(&array.name).fmt(f),
        None => write!(f, "<array {}>", id.index()),
    })
}

macro_rules! titles {
    ($($(#[$meta:meta])* $function:ident: $id:ty, $list:ident, $what:literal;)*) => {
        $($(#[$meta])*
        pub fn $function(program: &Program, id: $id) -> impl Display + '_ {
            fmt::from_fn(move |f| match program.$list.get(id.index()) {
                Some(found) => title(&found.name).fmt(f),
                None => write!(f, "<{} {}>", $what, id.index()),
            })
        })*
    };
}

titles! {
    /// Formats the name of a header.
    header: HeaderId, headers, "header";
    /// Formats the name of a header stack.
    stack: StackId, stacks, "stack";
    /// Formats the name of a parser.
    parser: ParserId, parsers, "parser";
    /// Formats the name of a value set.
    value_set: ValueSetId, value_sets, "value set";
    /// Formats the name of a function.
    function: FunctionId, functions, "function";
    /// Formats the name of a table.
    table: TableId, tables, "table";
    /// Formats the name of an action profile.
    profile: ProfileId, profiles, "profile";
    /// Formats the name of an array of counters.
    counter: CounterId, counters, "counter";
    /// Formats the name of an array of meters.
    meter: MeterId, meters, "meter";
    /// Formats the name of an array of low-pass filters.
    filter: FilterId, filters, "filter";
    /// Formats the name of an array of random early detectors.
    wred: WredId, wreds, "wred";
    /// Formats the name of a digest.
    digest: DigestId, digests, "digest";
}

/// Formats the name of a variable, a register or an array, in backquotes if it would be read as something else.
pub(super) fn name(name: &str) -> impl Display + '_ {
    let quote = if RESERVED.contains(&name) || is_bracketed_type(name) { "`" } else { "" };
    fmt::from_fn(move |f| write!(f, "{quote}{name}{quote}"))
}

/// Formats any other name, in quotes if it would be read as something else: programs are named after files, and authors
/// choose freely what the control plane calls things.
pub(crate) fn title(title: &str) -> impl Display + '_ {
    fmt::from_fn(
        move |f| if is_name(title) && !is_bracketed_type(title) { f.write_str(title) } else { quoted(f, title) },
    )
}

/// Formats a text in quotes.
pub(super) fn text(text: &str) -> impl Display + '_ {
    fmt::from_fn(move |f| quoted(f, text))
}

fn quoted(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for character in text.chars() {
        match character {
            '"' | '\\' => write!(f, "\\{character}")?,
            '\n' => f.write_str("\\n")?,
            _ => write!(f, "{character}")?,
        }
    }
    f.write_str("\"")
}

/// Returns true for names such as `bool[16]`, which would be read as the type and length of a register.
fn is_bracketed_type(name: &str) -> bool {
    name.strip_prefix(BRACKETED).is_some_and(|rest| rest.starts_with('['))
}

/// The separator before the part of a list at an index.
pub(super) fn comma(place: usize) -> &'static str {
    if place == 0 { "" } else { ", " }
}

/// Formats the parts of a list, separated by commas.
pub(super) fn list<T>(parts: impl IntoIterator<Item = T> + Clone) -> impl Display
where
    T: Display,
{
    fmt::from_fn(move |f| {
        parts.clone().into_iter().enumerate().try_for_each(|(place, part)| write!(f, "{}{part}", comma(place)))
    })
}
