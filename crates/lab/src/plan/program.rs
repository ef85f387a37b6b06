//! The files of switches: programs and table entries, and where they are.

use std::ops::Range;
use std::path::{Path, PathBuf};

use diagnostics::there_are;

use super::SwitchPlan;
use super::read::{Draft, DraftSwitch, Found};

/// The ending of programs that are looked for beside a plan.
const PROGRAM: &str = "p4";

/// Finds the files of switches.
pub(super) struct Programs<'p> {
    /// The folders in which they may be, the preferred one first.
    pub folders: Vec<PathBuf>,
    /// The programs that the command line gives.
    pub given: &'p [PathBuf],
}

impl Programs<'_> {
    /// Returns the folder to which the files of a plan are relative: the first in which any of them is.
    pub fn base(&self, draft: &Draft) -> PathBuf {
        let named: Vec<&str> =
            draft.switches.iter().flat_map(|switch| &switch.tables).map(|(file, _)| &**file).collect();
        let has = |folder: &&PathBuf| {
            named.iter().any(|file| folder.join(file).is_file()) || named.is_empty() && !programs_in(folder).is_empty()
        };
        self.folders.iter().find(has).unwrap_or(&self.folders[0]).clone()
    }

    /// Returns the switches with their programs and files, which must exist.
    pub fn complete(&self, drafts: Vec<DraftSwitch>, folder: &Path, found: &mut Found) -> Vec<SwitchPlan> {
        for given in self.given.iter().filter(|given| !given.is_file()) {
            let message = format!("there is no program `{}`", given.display());
            found.diagnostics.push(diagnostics::Diagnostic::without_place(message));
        }
        let mut switches = Vec::new();
        for DraftSwitch { mut plan, program, tables } in drafts {
            for (file, place) in &tables {
                let path = folder.join(file);
                if !path.is_file() {
                    let message = format!("there is no file `{}`", path.display());
                    found.error(place, message, "files are relative to the folder of the plan");
                }
                plan.tables.push(path);
            }
            // A file of the tutorials with entries names the program that it is for.
            let of_tables = || plan.tables.iter().find_map(|path| configuration(path).map(|name| (name, 0..0)));
            match self.program(folder, program.or_else(of_tables), &plan) {
                Ok(program) => plan.program = program,
                Err((place, message, hint)) => found.error(&place.unwrap_or(plan.place.clone()), message, hint),
            }
            switches.push(plan);
        }
        self.refuse_unused(&switches, found);
        switches
    }

    /// Returns the program of a switch: one that the command line gives, the file that is named, or the source of the
    /// configuration that is named, which a compiler would have put into `build/NAME.json`.
    fn program(
        &self,
        folder: &Path,
        named: Option<(String, Range<usize>)>,
        switch: &SwitchPlan,
    ) -> Result<PathBuf, (Option<Range<usize>>, String, String)> {
        let stem = |path: &Path| path.file_stem().unwrap_or_default().to_owned();
        let given = |wanted: &Path| self.given.iter().find(|given| stem(given) == stem(wanted)).cloned();
        let hint = "`program` in the plan or `--program FILE` names it".to_owned();
        let Some((name, place)) = named else {
            let beside = programs_in(folder);
            return match (self.given, &beside[..]) {
                ([only], _) => Ok(only.clone()),
                ([], [only]) => Ok(only.clone()),
                (_, [only]) if given(only).is_some() => Ok(given(only).unwrap_or_default()),
                _ => Err((None, format!("the switch `{}` has no program", switch.name), hint)),
            };
        };
        let place = (place != (0..0)).then_some(place);
        let path = folder.join(&name);
        if let Some(given) = given(&path) {
            return Ok(given);
        }
        let is_configuration = path.extension().is_some_and(|ending| ending == "json");
        if path.is_file() && !is_configuration {
            return Ok(path);
        }
        let source = folder.join(stem(&path)).with_extension(PROGRAM);
        if is_configuration && source.is_file() {
            return Ok(source);
        }
        let message = match is_configuration {
            true => format!("there is no `{}`, of which `{name}` would be made", source.display()),
            false => format!("there is no program `{}`", path.display()),
        };
        let beside = programs_in(folder);
        let names: Vec<_> = beside.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        Err((place, message, if names.is_empty() { hint } else { there_are(&name, names) }))
    }

    /// Refuses programs of the command line that no switch runs.
    fn refuse_unused(&self, switches: &[SwitchPlan], found: &mut Found) {
        for given in self.given.iter().filter(|given| switches.iter().all(|switch| switch.program != **given)) {
            let mut run: Vec<String> = switches.iter().map(|switch| switch.program.display().to_string()).collect();
            run.sort();
            run.dedup();
            let message = format!("no switch runs `{}`", given.display());
            let hint = format!("it replaces a program of the same name; the switches run {}", run.join(", "));
            found.diagnostics.push(diagnostics::Diagnostic::without_place(message).hint(hint));
        }
    }
}

/// Returns the programs in a folder, in order of their names.
fn programs_in(folder: &Path) -> Vec<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut programs: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|ending| ending == PROGRAM)).collect();
    programs.sort();
    programs
}

/// Returns the configuration that a file of the tutorials with entries is for.
fn configuration(path: &Path) -> Option<String> {
    let text = files::read_text(path).ok()?;
    let file: serde_json::Value = serde_json::from_str(&text).ok()?;
    Some(file.get("bmv2_json")?.as_str()?.to_owned())
}
