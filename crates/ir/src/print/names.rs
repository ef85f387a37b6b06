//! Names in the text: when they stand as they are, and when they are quoted.

use std::fmt::{self, Display, Formatter};

use crate::typing::is_name;
use crate::{
    ArrayId, CounterId, DigestId, FunctionId, HeaderId, MeterId, ParserId, ProfileId, Program, RegisterId, StackId,
    TableId, ValueSetId, VariableId,
};

/// Words that begin an expression or a statement, so that a variable of that name is written in backquotes.
pub(crate) const RESERVED: [&str; 9] = ["_", "bit", "bool", "else", "false", "if", "int", "true", "undefined"];

/// The type that may have brackets behind it, so that they are no part of the word.
pub(crate) const BRACKETED: &str = "bool";

/// A register with its `@`.
pub fn register(program: &Program, id: RegisterId) -> impl Display + '_ {
    // Verification prints what is wrong, ids out of range among it.
    fmt::from_fn(move |f| match program.registers.get(id.index()) {
        Some(register) => write!(f, "@{}", name(&register.name)),
        None => write!(f, "@<register {}>", id.index()),
    })
}

/// A variable's name.
pub fn variable(program: &Program, id: VariableId) -> impl Display + '_ {
    fmt::from_fn(move |f| match program.variables.get(id.index()) {
        Some(variable) => name(&variable.name).fmt(f),
        None => write!(f, "<variable {}>", id.index()),
    })
}

/// An array's name.
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
    /// A header's name.
    header: HeaderId, headers, "header";
    /// A stack's name.
    stack: StackId, stacks, "stack";
    /// A parser's name.
    parser: ParserId, parsers, "parser";
    /// The name of a value set.
    value_set: ValueSetId, value_sets, "value set";
    /// A function's name.
    function: FunctionId, functions, "function";
    /// A table's name.
    table: TableId, tables, "table";
    /// The name of an action profile.
    profile: ProfileId, profiles, "profile";
    /// The name of counters.
    counter: CounterId, counters, "counter";
    /// The name of meters.
    meter: MeterId, meters, "meter";
    /// The name of a digest.
    digest: DigestId, digests, "digest";
}

/// The name of a variable, a register or an array, in backquotes if it would be read as something else.
pub(super) fn name(name: &str) -> impl Display + '_ {
    let quote = if RESERVED.contains(&name) || is_bracketed_type(name) { "`" } else { "" };
    fmt::from_fn(move |f| write!(f, "{quote}{name}{quote}"))
}

/// Any other name, in quotes if it would be read as something else: programs are named after files, and what the
/// control plane knows as its author likes.
pub(crate) fn title(title: &str) -> impl Display + '_ {
    fmt::from_fn(
        move |f| if is_name(title) && !is_bracketed_type(title) { f.write_str(title) } else { quoted(f, title) },
    )
}

/// A text for people.
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

/// `bool[16]` is the type of a register's values, and how many.
fn is_bracketed_type(name: &str) -> bool {
    name.strip_prefix(BRACKETED).is_some_and(|rest| rest.starts_with('['))
}

/// What is written between the parts of a list.
pub(super) fn comma(place: usize) -> &'static str {
    if place == 0 { "" } else { ", " }
}

/// The parts of a list, with commas between them.
pub(super) fn list<T>(parts: impl IntoIterator<Item = T> + Clone) -> impl Display
where
    T: Display,
{
    fmt::from_fn(move |f| {
        parts.clone().into_iter().enumerate().try_for_each(|(place, part)| write!(f, "{}{part}", comma(place)))
    })
}
