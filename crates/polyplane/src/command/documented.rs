//! Tests that the command line accepts every command that the help and the manual give as an example.

#[path = "../../tests/documentation/pages.rs"]
#[allow(dead_code, reason = "the test that runs commands uses the rest")]
mod pages;

use std::path::Path;

use clap::Command;

use polyplane::rooms::workbench::kinds::option;

use crate::arguments;

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/polyplane lies two folders deep")
}

/// Checks that the command line accepts these words in the project's folder, and returns clap's message if it does not.
fn taken(line: &Command, words: &[String]) -> Result<(), String> {
    // The test itself runs in the folder of the package, and some options want files that exist.
    let in_project = |word: &String| {
        let path = project().join(word);
        if path.is_file() { path.display().to_string() } else { word.clone() }
    };
    let words = ["polyplane".to_owned()].into_iter().chain(words.iter().map(in_project));
    line.clone().try_get_matches_from(words).map(drop).map_err(|error| error.to_string())
}

/// Blocks that show a mistake on purpose are accepted here too: they are run and compared by another test.
#[test]
fn accepts_every_command_of_the_manual() {
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
fn accepts_every_example_of_the_help() {
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

/// Every command that builds a machine accepts every option of every machine, and its help says which machines have it.
#[test]
fn commands_that_build_machines_have_their_options() {
    let line = arguments::command();
    for command in ["compile", "run", "check", "trace", "stf", "conformance"] {
        let command = line.find_subcommand(command).expect("such a command");
        for option in option::options() {
            let argument = command.get_arguments().find(|argument| argument.get_long() == Some(option.name));
            let argument = argument.unwrap_or_else(|| panic!("{} lacks {}", command.get_name(), option.name));
            let help = argument.get_help().expect("help").to_string();
            let declared: Vec<_> = option::declarations(option.name).collect();
            assert!(declared.iter().all(|option| help.contains(option.help)), "{}: {help}", option.name);
            if declared.len() > 1 {
                let has_name = |machine: &&str| help.contains(&format!("Of {machine}: "));
                assert!(
                    declared.iter().flat_map(|option| option.machines()).all(|machine| has_name(&machine)),
                    "{help}"
                );
                continue;
            }
            assert_eq!(
                help.ends_with("only."),
                option.machines() == ["mp5"] || help.contains(" and recirculating only.")
            );
        }
    }
}

#[test]
fn clap_finds_no_error_in_the_command_line() {
    arguments::command().debug_assert();
}
