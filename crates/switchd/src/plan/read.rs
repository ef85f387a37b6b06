//! Reading a plan from TOML, with a diagnostic at its place for everything that is wrong with it.

use std::ops::Range;
use std::path::{Path, PathBuf};

use diagnostics::{Failure, Sources};
use files::PlanText;
use plans::{Entries, Findings, Section, hint, parse};
use service::Filter;
use service::capture::CapturePoint as _;
use workbench::LoadOptions;
use workbench::kinds::{self, MachineKind};

use super::{CapturePlan, Fixed, Places, SwitchPlan, p4runtime, ports, queues};
use crate::capture::CapturePoint;

/// Reads a plan. Files that it names are relative to its folder.
///
/// # Errors
/// Fails with a diagnostic for everything that is wrong: invalid TOML, unknown entries, impossible or conflicting values.
pub fn read(plan: &PlanText) -> Result<SwitchPlan, Failure> {
    let mut sources = Sources::new();
    let id = sources.add(&plan.path, &plan.text);
    let (table, mut found) = parse(&plan.text, id);
    let mut read = None;
    if !found.has_errors() {
        let findings = Findings::new(id);
        let root = Section::root(Entries::of(&findings, "a plan", &table, 0..0));
        read = Some(plan_of(root, plan));
        found.extend(findings.end());
    }
    match (read, found.has_errors()) {
        (Some(read), false) => Ok(read),
        _ => Err(Failure::BadInput { diagnostics: found.at_characters(&sources), sources }),
    }
}

fn plan_of(root: Section<'_>, plan: &PlanText) -> SwitchPlan {
    let folder = plan.folder.as_path();
    let mut text = String::new();
    let name = name(&root, &plan.name);
    let section = root.section("p4runtime");
    let waits = section.is_given();
    let p4runtime = p4runtime::p4runtime(section, folder, &mut text);
    if !waits {
        // A controller can bring it.
        root.require("program", "the program: program = \"router.p4\"");
    }
    let program = root.text("program").map(|named| file(&root, folder, named));
    let options = language(&root, folder);
    let machine = machine(&root);
    // Those of the usual machine, which depends on the program, are checked when the program has been read.
    let given = networks::plan::machine_options(root.section("options"), machine, folder, &mut text);
    let tables: Vec<_> = root.texts("tables").into_iter().map(|named| file(&root, folder, named)).collect();
    if program.is_none() && !tables.is_empty() {
        root.error(&root.span_of("tables"), "table entries need a program", "add `program`, or leave out `tables`");
    }
    let spin = root.spin("spin");
    let core = root.optional_count("core", 0..=4095).map(|core| core as usize);
    let place_of = |section: &Section<'_>, name| section.has(name).then(|| section.span_of(name));
    let mut places = Places { core: place_of(&root, "core"), ..Places::default() };
    let seed = root.count("seed", 0..=u64::MAX, 1);
    let ports = ports::ports(&root, !waits, &mut text);
    let queues = queues::queues(root.section("queues"), &mut text);
    for port in ports.iter().filter(|port| port.rate.is_some() && queues.is_none()) {
        let hint = "add [queues], such as `queue = \"drop-tail\"` and `limit = \"100 packets\"`";
        root.error(port.place.as_ref().unwrap_or(root.span()), "a port with a `rate` needs a queue", hint);
    }
    let captures = root.sections("capture").into_iter().map(|section| capture(section, folder, &mut text)).collect();
    let section = root.section("metrics");
    let metrics = if section.is_given() { listen(&section) } else { None };
    places.metrics = place_of(&section, "listen");
    section.end(&mut text);
    let section = root.section("control");
    let socket = section.text("socket").map(|(path, _)| folder.join(path));
    places.socket = place_of(&section, "socket");
    section.end(&mut text);
    root.end(&mut text);
    let source = Some((plan.path.clone(), plan.text.clone()));
    SwitchPlan {
        name,
        program,
        options,
        machine,
        given,
        tables,
        ports,
        queues,
        p4runtime,
        captures,
        metrics,
        socket,
        spin,
        core,
        seed,
        source,
        places,
        fixed: Fixed::default(),
    }
}

/// Reads the name, which is part of the name of a file.
fn name(root: &Section<'_>, usual: &str) -> String {
    let Some((name, span)) = root.text("name") else { return usual.to_owned() };
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    if name.is_empty() || name.len() > 64 || name.starts_with('.') || !name.chars().all(is_plain) {
        let message = format!("`{name}` cannot be the name of a switch");
        root.error(&span, message, "up to 64 letters, digits, `-`, `_` and `.`, of which the first is no `.`");
    }
    name
}

pub(super) fn file(section: &Section<'_>, folder: &Path, (text, span): (String, Range<usize>)) -> PathBuf {
    let path = folder.join(&text);
    if !path.is_file() {
        let hint = "file names are relative to the folder of the plan";
        section.error(&span, format!("there is no file `{}`", path.display()), hint);
    }
    path
}

fn language(root: &Section<'_>, folder: &Path) -> LoadOptions {
    let search_paths = root.texts("include").into_iter().map(|(text, span)| {
        let path = folder.join(&text);
        if !path.is_dir() {
            let hint = "folders are relative to that of the plan";
            root.error(&span, format!("there is no folder `{}`", path.display()), hint);
        }
        path
    });
    let search_paths = search_paths.collect();
    let definitions = root.texts("define").into_iter().map(|(text, _)| match text.split_once('=') {
        Some((name, text)) => (name.to_owned(), text.to_owned()),
        None => (text, "1".to_owned()),
    });
    let definitions = definitions.collect();
    let binding = root.text("binding").map(|named| file(root, folder, named));
    LoadOptions { search_paths, definitions, binding }
}

fn machine(root: &Section<'_>) -> Option<&'static dyn MachineKind> {
    let (name, span) = root.text("machine")?;
    let found = kinds::ALL.iter().copied().find(|kind| kind.name() == name);
    if found.is_none() {
        let names: Vec<&str> = kinds::ALL.iter().map(|kind| kind.name()).collect();
        let hint = hint(&name, names.iter().copied(), &format!("`machine` is one of {}", names.join(", ")));
        root.error(&span, format!("there is no `machine` called `{name}`"), hint);
    }
    found
}

fn capture(section: Section<'_>, folder: &Path, text: &mut String) -> CapturePlan {
    let mut at = Vec::new();
    for (word, span) in section.texts("at") {
        match CapturePoint::named(&word) {
            Some(point) => at.push(point),
            None => {
                let names = CapturePoint::ALL.iter().map(|(name, _)| *name).collect::<Vec<_>>();
                let hint = hint(&word, names.iter().copied(), &format!("points are {}", names.join(", ")));
                section.error(&span, format!("there is no capture point `{word}`"), hint);
            }
        }
    }
    if at.is_empty() {
        at = CapturePoint::ALL.iter().map(|(_, point)| *point).collect();
    }
    let ports = section.counts("ports", 0..=u64::from(u16::MAX), &[]).into_iter().map(|port| port as u16).collect();
    let filter = section.text("filter").and_then(|(filter, span)| match Filter::read(&filter) {
        Ok(filter) => Some(filter),
        Err(failure) => {
            section.error(&span, filter_error(&failure), "docs/live.md lists the words of filters");
            None
        }
    });
    section.require("write", "the file: write = \"port1.pcapng\"");
    let ports_place = section.has("ports").then(|| section.span_of_list("ports"));
    let write = section.text("write");
    let place = write.as_ref().map(|(_, span)| span.clone());
    let write = write.map(|(path, _)| folder.join(path)).unwrap_or_default();
    section.end(text);
    CapturePlan { at, ports, filter: filter.unwrap_or_else(Filter::all), write, place, ports_place }
}

/// Returns the message of the first error in a filter.
fn filter_error(failure: &Failure) -> String {
    match failure {
        Failure::BadInput { diagnostics, .. } => {
            diagnostics.iter().next().map_or(String::new(), |finding| finding.message.clone())
        }
        Failure::DoesNotFit(text) | Failure::StandsStill(text) => text.clone(),
    }
}

pub(super) fn listen(section: &Section<'_>) -> Option<std::net::SocketAddr> {
    section.require("listen", "the address: listen = \"127.0.0.1:9100\"");
    let (text, span) = section.text("listen")?;
    let address = text.parse().ok();
    if address.is_none() {
        let hint = "an address and a port, such as \"127.0.0.1:9100\" or \"[::1]:9100\"";
        section.error(&span, format!("`{text}` is not an address to listen at"), hint);
    }
    address
}
