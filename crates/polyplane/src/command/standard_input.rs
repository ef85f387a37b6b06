//! The check that at most one argument names standard input.

use clap::{ArgMatches, Command};
use polyplane::Diagnostic;
use polyplane::Failure;

/// Refuses a command line on which several arguments name standard input (`-`): it can be read only once, and the
/// second reader would find it empty.
///
/// # Errors
/// Fails if more than one argument names standard input.
pub fn refuse_twice(line: &Command, given: &ArgMatches) -> Result<(), Failure> {
    let Some((name, given)) = given.subcommand() else { return Ok(()) };
    let Some(subcommand) = line.find_subcommand(name) else { return Ok(()) };
    let values = subcommand.get_arguments().filter_map(|argument| given.get_raw(argument.get_id().as_str())).flatten();
    let count = values.filter(|value| names_standard_input(&value.to_string_lossy())).count();
    if count < 2 {
        return Ok(());
    }
    let error = Diagnostic::without_place(format!("`-` is given {count} times, but can be read only once"));
    Err(error.hint("name files for all but one").into())
}

/// Returns whether a value names standard input: `-`, possibly after a port (`1=-`) or a kind (`table:-`), and possibly
/// before options (`-,…`).
fn names_standard_input(value: &str) -> bool {
    let file = value.split(',').next().unwrap_or_default();
    file == "-" || file.ends_with("=-") || file.ends_with(":-")
}
