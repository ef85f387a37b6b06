//! The command line takes every command that help and manual give as an example.

#[path = "../tests/documentation/pages.rs"]
#[allow(dead_code, reason = "the test that runs commands uses the rest")]
mod pages;

use std::path::Path;

use clap::Command;

use crate::{arguments, scope};

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/cli lies two folders deep")
}

/// Whether the command line takes these words; why not, if it does not.
fn taken(line: &Command, words: &[String]) -> Result<(), String> {
    let words = ["polyplane"].into_iter().chain(words.iter().map(String::as_str));
    let given = line.clone().try_get_matches_from(words).map_err(|error| error.to_string())?;
    scope::refuse(line, &given).map_err(|failure| failure.render(false))
}

/// Blocks that show a mistake on purpose are run, and compared.
#[test]
fn every_command_of_the_manual_is_taken() {
    let line = arguments::command();
    let mut count = 0;
    for page in pages::pages(project()) {
        for part in page.parts {
            let pages::Part::Block { line: at, lines, .. } = part else { continue };
            for words in pages::commands(&lines) {
                count += 1;
                let taken = taken(&line, &words);
                assert_eq!(taken, Ok(()), "{}:{at}: polyplane {}", page.name, words.join(" "));
            }
        }
    }
    assert!(count >= 60, "only {count} commands");
}

#[test]
fn every_example_of_the_help_is_taken() {
    let line = arguments::command();
    let mut count = 0;
    for command in line.get_subcommands() {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let lines: Vec<String> = help.lines().map(str::to_owned).collect();
        for words in pages::commands(&lines) {
            count += 1;
            assert_eq!(taken(&line, &words), Ok(()), "polyplane {}", words.join(" "));
        }
    }
    assert!(count >= 30, "only {count} examples");
}

/// An option that is for some programs or machines only says so in the help: what [`scope::of`] knows is a name, and a
/// name that no option has any more would be of no use.
#[test]
fn options_say_what_they_are_for() {
    let line = arguments::command();
    let help_of = |command: &str, option: &str| {
        let command = line.find_subcommand(command).expect("such a command");
        let argument = command.get_arguments().find(|argument| argument.get_id() == option);
        argument.unwrap_or_else(|| panic!("no {option}")).get_help().expect("help").to_string()
    };
    for (command, option, start) in [
        ("compile", "binding", "Domino: how"),
        ("run", "repeat", "Domino: play"),
        ("check", "traffic", "Domino: a capture"),
        ("run", "executor", "v1model: who"),
        ("run", "rate", "P4: packets"),
        ("compile", "p4info", "P4: print"),
        ("check", "include", "P4: look"),
        ("run", "fifo_depth", "MP5: places"),
        ("check", "flow_order", "MP5, Domino: keep"),
        ("run", "sharding", "MP5, recirculating: where"),
        ("compile", "sram_blocks", "match-action stages: how"),
    ] {
        let help = help_of(command, option);
        assert!(help.starts_with(start), "{command} {option}: {help}");
    }
    for (command, option) in [("run", "traffic"), ("compile", "pipelines"), ("stf", "executor"), ("run", "seed")] {
        assert!(!help_of(command, option).contains("P4: "), "{command} {option}");
    }
}

#[test]
fn the_command_line_is_one_that_clap_can_hold() {
    arguments::command().debug_assert();
}
