//! Changes of settings while the chip runs, by fragments of the file of a chip.

use std::collections::{BTreeMap, BTreeSet};

use control::{Error, SettingsFinding};
use diagnostics::Sources;
use plans::{Entries, Findings, Section, parse};
use queues::SchedulerPlan;

use super::ports::{self, PortChange};
use super::{ChipSettings, DeflectionSettings, GeneratorSettings, MirrorSettings, MulticastSettings};

/// The entries that cannot change while the chip runs.
const FIXED: [&str; 4] = ["pipes", "cpu_port", "clock", "ingress_buffer"];
/// The sections that cannot change while the chip runs.
const FIXED_SECTIONS: [&str; 3] = ["latency", "memory", "ghost"];

/// What a fragment of settings changes.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingsChange {
    /// The settings as they are then.
    pub settings: ChipSettings,
    /// The ports that go up or down, by device port.
    pub links: BTreeMap<u16, bool>,
    /// The queues of ports, by device port.
    pub queues: BTreeMap<u16, SchedulerPlan>,
    /// The applications of packet generators that begin anew, by pipe and number.
    pub generators: Vec<(u16, u8)>,
}

impl ChipSettings {
    /// Reads a fragment of the file of a chip that runs, and returns what it changes. All of it is checked, also that an
    /// architecture can have it, for which `problems` are told as [`ChipSettings::problems`] does.
    ///
    /// # Errors
    /// Fails with everything that is wrong, or that cannot change while the chip runs.
    pub fn change(&self, text: &str, problems: impl FnOnce(&Self) -> Vec<String>) -> Result<SettingsChange, Error> {
        let mut sources = Sources::new();
        let id = sources.add("settings", text);
        let (table, mut found) = parse(text, id);
        let findings = Findings::new(id);
        let root = Section::root(Entries::of(&findings, "the settings", &table, 0..text.len()));
        let change = (!found.has_errors()).then(|| self.read_change(root));
        found.extend(findings.end());
        match change {
            Some(change) if !found.has_errors() => {
                let problems = problems(&change.settings);
                let finding = |message| SettingsFinding { line: None, message, hint: None };
                match problems.is_empty() {
                    true => Ok(change),
                    false => Err(Error::Configuration(problems.into_iter().map(finding).collect())),
                }
            }
            _ => Err(Error::configuration(&sources, &found.at_characters(&sources))),
        }
    }

    fn read_change(&self, section: Section<'_>) -> SettingsChange {
        let mut text = String::new();
        let values = FIXED.into_iter().filter(|name| section.has(name)).map(|name| (name, section.span_of(name)));
        let sections = FIXED_SECTIONS.into_iter().map(|name| (name, section.section(name)));
        let sections = sections.filter(|(_, own)| own.is_given()).map(|(name, own)| (name, own.span().clone()));
        for (name, span) in values.chain(sections) {
            section.error(&span, format!("`{name}` cannot change while the chip runs"), ports::FIXED_HINT);
        }
        let mut settings = self.clone();
        let mut links = BTreeMap::new();
        let mut queues = BTreeMap::new();
        let usual = section.section("queue");
        if let Some(usual) = ports::changed_queues(usual) {
            let own = self.timed.iter().flat_map(|timed| timed.queues.own.keys()).copied().collect::<BTreeSet<u16>>();
            let others = self.ports.iter().map(|port| port.number).filter(|number| !own.contains(number));
            queues.extend(others.map(|number| (number, usual.clone())));
        }
        for (number, PortChange { is_up, metadata, queues: own }) in ports::changes(&section, &self.ports) {
            let Some(port) = settings.ports.iter_mut().find(|port| port.number == number) else { continue };
            if let Some(is_up) = is_up.filter(|is_up| *is_up != port.is_up) {
                port.is_up = is_up;
                links.insert(number, is_up);
            }
            port.metadata = metadata.unwrap_or_else(|| port.metadata.clone());
            queues.extend(own.map(|own| (number, own)));
        }
        settings.deflection.merge(DeflectionSettings::read(&section, &mut text));
        settings.multicast.merge(MulticastSettings::read(&section, &mut text));
        settings.mirrors.merge(MirrorSettings::read(&section, &mut text));
        let generators = GeneratorSettings::read(&section, self.pipes, &mut text);
        let restarted = generators.applications().map(|(place, _)| place).collect();
        settings.generators.merge(generators);
        section.end(&mut text);
        SettingsChange { settings, links, queues, generators: restarted }
    }
}
