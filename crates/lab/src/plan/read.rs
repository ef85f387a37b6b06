//! Reading a plan of either form.

use std::ops::Range;
use std::path::{Path, PathBuf};

use diagnostics::{Diagnostic, Diagnostics, Failure, SourceId, Sources, Span};
use files::PlanText;

use super::program::Programs;
use super::{End, LabPlan, check, name, toml, tutorials};

/// The values that a command line adds to a plan.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The name of the lab instead of that of the plan.
    pub name: Option<String>,
    /// Programs that replace those of the same name; a single one replaces that of all switches, if they run only one.
    pub programs: Vec<PathBuf>,
    /// The rate of links for which the plan gives none.
    pub rate: Option<basis::Rate>,
    /// The delay of links for which the plan gives none.
    pub delay: basis::Duration,
}

/// A plan that was read, with warnings.
#[derive(Debug)]
pub struct Read {
    /// The plan.
    pub plan: LabPlan,
    /// The warnings as text; empty if there are none.
    pub warnings: String,
}

/// Whatever a file says, before names are looked up and programs are found.
#[derive(Default)]
pub(super) struct Draft {
    pub name: Option<(String, Range<usize>)>,
    pub hosts: Vec<super::HostPlan>,
    pub switches: Vec<DraftSwitch>,
    pub links: Vec<DraftLink>,
}

/// A switch as the file has it.
#[derive(Default)]
pub(super) struct DraftSwitch {
    pub plan: super::SwitchPlan,
    /// The program: a file, or the name of one that a compiler would have made of it.
    pub program: Option<(String, Range<usize>)>,
    pub tables: Vec<(String, Range<usize>)>,
}

/// A link as the file has it.
pub(super) struct DraftLink {
    pub ends: [(String, Range<usize>); 2],
    pub rate: Option<basis::Rate>,
    pub delay: basis::Duration,
    pub place: Range<usize>,
}

/// Collects findings at places of one file.
pub(super) struct Found {
    pub id: SourceId,
    pub diagnostics: Diagnostics,
}

impl Found {
    /// Adds an error, unless it is there already, as when several switches run a program that is missing.
    pub fn error(&mut self, place: &Range<usize>, message: impl Into<String>, hint: impl Into<String>) {
        let span = Span::new(self.id, place.start, place.end);
        let error = Diagnostic::error(span, message).hint(hint);
        if !self.diagnostics.iter().any(|known| *known == error) {
            self.diagnostics.push(error);
        }
    }

    pub fn warning(&mut self, place: &Range<usize>, message: impl Into<String>) {
        let span = Span::new(self.id, place.start, place.end);
        self.diagnostics.push(Diagnostic::warning(span, message));
    }
}

/// Reads a plan: a text whose file ends in `.json` is a topology of the tutorials, any other a TOML of ours.
///
/// # Errors
/// Fails with a diagnostic for everything that is wrong, each at its place.
pub fn read(text: &PlanText, options: &Options) -> Result<Read, Failure> {
    let mut sources = Sources::new();
    let id = sources.add(&text.path, &text.text);
    let (plan, diagnostics) = read_source(id, text, Some(options));
    let diagnostics = diagnostics.at_characters(&sources);
    match plan {
        Some(plan) if !diagnostics.has_errors() => Ok(Read { plan, warnings: diagnostics.render(&sources, false) }),
        _ => Err(Failure::BadInput { sources, diagnostics }),
    }
}

/// Reads a plan whose text is a source already, and returns it with everything that is wrong with it. Without options, only
/// the network is read: the switches have no programs, and no file is looked for.
pub fn read_source(id: SourceId, text: &PlanText, options: Option<&Options>) -> (Option<LabPlan>, Diagnostics) {
    let mut found = Found { id, diagnostics: Diagnostics::new() };
    let is_json = text.path.ends_with(".json");
    let draft = if is_json { tutorials::read(&text.text, &mut found) } else { toml::read(&text.text, &mut found) };
    let plan = draft.and_then(|draft| {
        let found = &mut found;
        // The tutorials name files as seen from the folder of the exercise, in which or under which the topology lies.
        let folders = if is_json { vec![text.folder.clone(), above(&text.folder)] } else { vec![text.folder.clone()] };
        let programs = options.map(|options| Programs { folders: folders.clone(), given: &options.programs });
        let links = options.map_or((None, basis::Duration::ZERO), |options| (options.rate, options.delay));
        let draft = with_usual_links(draft, links);
        plan_of(draft, text, options.and_then(|options| options.name.clone()), (programs, &folders[0]), found)
    });
    (plan, found.diagnostics)
}

/// Returns the draft with a rate and a delay for links that have none.
fn with_usual_links(mut draft: Draft, (rate, delay): (Option<basis::Rate>, basis::Duration)) -> Draft {
    for link in &mut draft.links {
        link.rate = link.rate.or(rate);
        if link.delay == basis::Duration::ZERO {
            link.delay = delay;
        }
    }
    draft
}

fn above(folder: &Path) -> PathBuf {
    if folder.as_os_str().is_empty() { PathBuf::from("..") } else { folder.join("..") }
}

fn absolute(folder: PathBuf) -> PathBuf {
    let here = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
    std::fs::canonicalize(&here).unwrap_or(here)
}

fn plan_of(
    draft: Draft,
    text: &PlanText,
    name: Option<String>,
    (programs, beside): (Option<Programs<'_>>, &Path),
    found: &mut Found,
) -> Option<LabPlan> {
    // Switches read their files from another folder.
    let folder = absolute(programs.as_ref().map_or_else(|| beside.to_owned(), |programs| programs.base(&draft)));
    let of_folder = || {
        let folder = folder.file_name()?.to_str()?;
        (text.name == "topology").then(|| name::of_text(folder))
    };
    let given = draft.name.as_ref().map(|(given, _)| given.clone());
    let lab = name.or(given).or_else(of_folder).unwrap_or_else(|| name::of_text(&text.name));
    if let Some(wanted) = name::problem(&lab) {
        let nowhere = 0..0;
        let place = draft.name.as_ref().map_or(&nowhere, |(_, place)| place);
        found.error(place, format!("`{lab}` cannot be the name of a lab"), wanted);
    }
    check::names(&draft, found);
    let links = check::links(&draft, found);
    let has_all_links = links.len() == draft.links.len();
    let switches = match programs {
        Some(programs) => programs.complete(draft.switches, &folder, found),
        None => draft.switches.into_iter().map(|switch| switch.plan).collect(),
    };
    let plan = LabPlan { name: lab, folder, hosts: draft.hosts, switches, links };
    check::ends(&plan, has_all_links, found);
    Some(plan)
}

/// Returns the end of a link that a text names, if there is such a node.
pub(super) fn end(text: &str, draft: &Draft) -> Result<End, String> {
    if let Some(host) = draft.hosts.iter().position(|host| host.name == text) {
        return Ok(End::Host(host));
    }
    let names = || {
        let hosts = draft.hosts.iter().map(|host| host.name.clone());
        let switches = draft.switches.iter().map(|switch| format!("{}-p1", switch.plan.name));
        hosts.chain(switches).collect::<Vec<_>>()
    };
    let known = |switch: &str| draft.switches.iter().position(|known| known.plan.name == switch);
    match name::port(text) {
        Some((switch, port)) => match known(switch) {
            Some(at) => Ok(End::Switch(at, port)),
            None => Err(format!("no switch is called `{switch}`; ends are such as {}", names().join(", "))),
        },
        None if known(text).is_some() => Err(format!("name the port of the switch: {text}-p1")),
        None => Err(format!("no host is called `{text}`; ends are such as {}", names().join(", "))),
    }
}
