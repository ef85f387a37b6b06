//! The options of a machine in a plan.

use std::path::Path;

use plans::Section;
use workbench::kinds::{Accepts, Given, MachineKind, MachineOption, option};

/// Reads the section that sets options of a machine, and appends its text to `plan`. An option that only other machines
/// have is reported; without a machine, which then depends on the program, the options of all are accepted. Files are
/// relative to `folder`.
pub fn machine_options(
    options: Section<'_>,
    machine: Option<&'static dyn MachineKind>,
    folder: &Path,
    plan: &mut String,
) -> Given {
    let mut given = Given::default();
    let own = options_of(machine);
    let is_own = |option: &&MachineOption| own.iter().any(|own| own.name == option.name);
    // The machine's own options, and those of other machines that the plan sets.
    let foreign = option::options().into_iter().filter(|option| !is_own(option) && options.holds(option.name));
    for option in own.iter().copied().chain(foreign) {
        let span = options.span_of(option.name);
        let Some((option, text)) = checked(&options, option, machine, folder) else { continue };
        match machine.filter(|_| !is_own(&option)) {
            None => given.push(option, text).unwrap_or_else(|_| unreachable!("the section has checked it")),
            Some(machine) => {
                let (message, hint) = option::foreign(option.name, option.name, &[machine.name()]);
                options.error(&span, message, hint);
            }
        }
    }
    options.end(plan);
    given
}

/// Reads the options that are files from the section that names the program, where they may stand beside it.
pub(super) fn files_beside(
    section: &Section<'_>,
    machine: Option<&'static dyn MachineKind>,
    folder: &Path,
    given: &mut Given,
) {
    for option in options_of(machine).into_iter().filter(|option| matches!(option.accepts, Accepts::File(_))) {
        let Some((option, text)) = checked(section, option, machine, folder) else { continue };
        if given.last(option.name).is_some() {
            let message = format!("`{}` is set here and under [{}]", option.name, section.path_of("options"));
            section.error(&section.span_of(option.name), message, "set it in one place");
        } else {
            given.push(option, text).unwrap_or_else(|_| unreachable!("the section has checked it"));
        }
    }
}

/// Returns the options of a machine, or of all.
fn options_of(machine: Option<&'static dyn MachineKind>) -> Vec<&'static MachineOption> {
    machine.map_or_else(option::options, |machine| machine.options().to_vec())
}

/// Reads an option, if it is given and right for the machine, or for any machine without one; a file is relative to `folder`.
fn checked(
    section: &Section<'_>,
    option: &'static MachineOption,
    machine: Option<&'static dyn MachineKind>,
    folder: &Path,
) -> Option<(&'static MachineOption, String)> {
    let read = |text: &str| match machine {
        None => option::from_text(option.name, text, folder),
        Some(_) => {
            let text = option.from_plan(text, folder);
            option.check(&text).map(|()| (option, text))
        }
    };
    let text = section.checked(option.name, |text| read(text).map(|_| ()))?;
    read(&text).ok()
}
