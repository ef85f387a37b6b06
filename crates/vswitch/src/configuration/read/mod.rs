//! Reading a configuration from TOML, with a diagnostic at its place for everything that is wrong with it.
//! `docs/vswitch/configuration.md` describes every entry.

mod balancer;
mod check;
mod encryption;
mod flow_log;
mod limiter;
mod limits;
mod mirror;
mod names;
mod nat;
mod path;
mod reliable;
mod security_group;
mod underlay;
mod values;
mod vnic;
mod vpc;

use std::ops::Range;

use diagnostics::{Diagnostic, Diagnostics, Failure, Sources, Span};
use files::PlanText;
use node::Port;
use plans::{Entries, Findings, Section, parse};

use super::Configuration;
use names::Names;

/// A configuration that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The name of the switch.
    pub name: String,
    /// The configuration. Ports are numbered in the order of the vNICs, and those of the underlay's paths come behind.
    pub configuration: Configuration,
    /// The configuration with all defaults, as TOML.
    pub text: String,
    /// The place of each vNIC's interface, and of those of the underlay's paths, in the file.
    interfaces: Vec<Range<usize>>,
    /// The place of each name of a file with keys.
    keys: Vec<Range<usize>>,
    /// The place of `xdp` in `[path]`.
    xdp: Range<usize>,
    /// The path and the text of the file.
    source: (String, String),
}

impl Reading {
    /// Returns the names of the interfaces, in the order of their ports: of the vNICs, and of the underlay.
    pub fn interface_names(&self) -> impl Iterator<Item = &str> {
        let Configuration { vnics, underlay, .. } = &self.configuration;
        let of_underlay = underlay.iter().flat_map(|underlay| &underlay.paths).map(|path| path.interface.as_str());
        vnics.iter().map(|vnic| vnic.interface.as_str()).chain(of_underlay)
    }

    /// Returns the path and the text of the file.
    pub fn source(&self) -> (&str, &str) {
        (&self.source.0, &self.source.1)
    }

    /// Returns the diagnostics of interfaces that cannot be used, each by the number of its port with a message and a hint, at
    /// their places in the file.
    ///
    /// # Errors
    /// If there are any.
    pub fn refuse_interfaces(&self, found: Vec<(usize, String, String)>) -> Result<(), Failure> {
        self.refuse(&self.interfaces, found)
    }

    /// Returns the diagnostics of files with keys that cannot be used, each by the number of its encryption with a message and a
    /// hint, at their places in the file.
    ///
    /// # Errors
    /// If there are any.
    pub fn refuse_keys(&self, found: Vec<(usize, String, String)>) -> Result<(), Failure> {
        self.refuse(&self.keys, found)
    }

    /// Returns the diagnostic, at the place of `xdp` in `[path]`, that no interface can run a program, with a message and a hint.
    pub fn refuse_xdp(&self, message: String, hint: String) -> Failure {
        let refused = self.refuse(std::slice::from_ref(&self.xdp), vec![(0, message, hint)]);
        refused.expect_err("a diagnostic was given")
    }

    fn refuse(&self, places: &[Range<usize>], found: Vec<(usize, String, String)>) -> Result<(), Failure> {
        if found.is_empty() {
            return Ok(());
        }
        let mut sources = Sources::new();
        let id = sources.add(&self.source.0, &self.source.1);
        let mut diagnostics = Diagnostics::new();
        for (number, message, hint) in found {
            let place = places.get(number).cloned().unwrap_or_default();
            diagnostics.push(Diagnostic::error(Span::new(id, place.start, place.end), message).hint(hint));
        }
        Err(Failure::BadInput { diagnostics: diagnostics.at_characters(&sources), sources })
    }
}

/// Reads a configuration.
///
/// # Errors
/// Fails with a diagnostic for everything that is wrong: invalid TOML, unknown entries, impossible or conflicting values.
pub fn read(plan: &PlanText) -> Result<Reading, Failure> {
    let mut sources = Sources::new();
    let id = sources.add(&plan.path, &plan.text);
    let (table, mut found) = parse(&plan.text, id);
    let mut reading = None;
    if !found.has_errors() {
        let findings = Findings::new(id);
        reading = Some(reading_of(Section::root(Entries::of(&findings, "a configuration", &table, 0..0)), plan));
        found.extend(findings.end());
    }
    match (reading, found.has_errors()) {
        (Some(reading), false) => Ok(reading),
        _ => Err(Failure::BadInput { diagnostics: found.at_characters(&sources), sources }),
    }
}

fn reading_of(root: Section<'_>, plan: &PlanText) -> Reading {
    // The entries of the root come first, and are known last.
    let mut below = String::new();
    let name = root.text("name").map_or(plan.name.clone(), |(name, span)| {
        if !is_file_name(&name) {
            let hint = "it is the name of the file of the control socket as well: letters, digits, `-`, `_` and `.`";
            root.error(&span, format!("`{name}` cannot be the name of a switch"), hint);
        }
        name
    });
    let (limits, session_rate, timeouts) = limits::read(&root, &mut below);
    let (path, place_of_xdp) = path::read(root.section("path"), &mut below);
    let underlay = underlay::read(root.section("underlay"), &mut below);
    // Names first, for anything may refer to anything.
    let (vpc_names, vpc_sections) = Names::of(&root, "VPC", "vpc");
    let (group_names, group_sections) = Names::of(&root, "security group", "security_group");
    let (nat_names, nat_sections) = Names::of(&root, "pool", "nat");
    let vpcs: Vec<_> = vpc_sections.into_iter().map(|section| vpc::read(section, &nat_names, &mut below)).collect();
    let groups =
        group_sections.into_iter().map(|section| security_group::read(section, &group_names, &mut below)).collect();
    let nats: Vec<_> = nat_sections.into_iter().map(|section| nat::read(section, &mut below)).collect();
    let (_, balancer_sections) = Names::of(&root, "load balancer", "load_balancer");
    let balancers: Vec<_> =
        balancer_sections.into_iter().filter_map(|section| balancer::read(section, &vpc_names, &mut below)).collect();
    let (vnic_names, vnic_sections) = Names::of(&root, "vNIC", "vnic");
    let mut interfaces = Vec::new();
    let mut vnics = Vec::new();
    for (number, section) in vnic_sections.into_iter().enumerate() {
        interfaces.push(section.span_of("interface"));
        vnics.push(vnic::read(section, Port(number as u16), (&vpc_names, &group_names), session_rate, &mut below));
    }
    let [(_, limiter_sections), (_, mirror_sections)] = ["limiter", "mirror"].map(|kind| Names::of(&root, kind, kind));
    let limiters: Vec<_> =
        limiter_sections.into_iter().filter_map(|section| limiter::read(section, &vnic_names, &mut below)).collect();
    let mirrors: Vec<_> =
        mirror_sections.into_iter().filter_map(|section| mirror::read(section, &vnic_names, &mut below)).collect();
    let encryption_sections = root.sections("encryption").into_iter();
    let encryptions: Vec<_> =
        encryption_sections.filter_map(|section| encryption::read(section, &vpc_names, &vpcs, &mut below)).collect();
    let reliable = reliable::read(root.section("reliable"), &mut below);
    let flow_log = flow_log::read(root.section("flow_log"), &vnic_names, &mut below);
    let sections = check::Sections {
        underlay: underlay.as_ref(),
        vpcs: &vpcs,
        vnics: &vnics,
        nats: &nats,
        balancers: &balancers,
        limiters: &limiters,
        mirrors: &mirrors,
        encryptions: &encryptions,
        reliable: reliable.as_ref(),
        flow_log: flow_log.as_ref(),
    };
    check::places(&root, &sections);
    let underlay = underlay.map(|placed| {
        let mut underlay = placed.value;
        for (path, number) in underlay.paths.iter_mut().zip(vnics.len()..) {
            path.port = Port(number as u16);
        }
        interfaces.extend(placed.paths.into_iter().map(|[interface, _]| interface));
        underlay
    });
    let keys = encryptions.iter().map(|placed| placed.file.clone()).collect();
    let (vpcs, routes): (Vec<_>, Vec<_>) = vpcs.into_iter().map(|placed| (placed.value, placed.routes)).unzip();
    let configuration = Configuration {
        underlay,
        vpcs,
        vnics: vnics.into_iter().map(|placed| placed.value).collect(),
        groups,
        nats: nats.into_iter().map(|placed| placed.value).collect(),
        balancers: balancers.into_iter().map(|placed| placed.value).collect(),
        limiters: limiters.into_iter().map(|placed| placed.value).collect(),
        mirrors: mirrors.into_iter().map(|placed| placed.value).collect(),
        encryptions: encryptions.into_iter().map(|placed| placed.value).collect(),
        reliable: reliable.map(|placed| placed.value),
        flow_log,
        path,
        limits,
        timeouts,
    };
    check::tunnels(&root, &configuration, &routes);
    let mut text = String::new();
    root.end(&mut text);
    text.push_str(&below);
    Reading {
        name,
        configuration,
        text,
        interfaces,
        keys,
        xdp: place_of_xdp,
        source: (plan.path.clone(), plan.text.clone()),
    }
}

/// Returns true if a name can be that of a file in a folder.
fn is_file_name(name: &str) -> bool {
    let is_wrong = |letter: char| letter == '/' || letter.is_control();
    !name.is_empty() && ![".", ".."].contains(&name) && !name.contains(is_wrong)
}
