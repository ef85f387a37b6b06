//! The text of a graph.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::ops::Range;

use diagnostics::{Diagnostic, Diagnostics, SourceId, Sources, Span, did_you_mean};

use super::routes::unreached;
use crate::topology::{Cable, CableProperties, Role, StationPlan, SwitchPlan, Topology};

const FORMS: &str = "a line is `switch NAME`, `host NAME ADDRESS` or `link NAME NAME RATE DELAY`";

/// A word with its position in the text.
type Word<'t> = (&'t str, Range<usize>);

struct Reader<'t> {
    id: SourceId,
    found: Diagnostics,
    /// The stations in the order of the file.
    stations: Vec<Declared<'t>>,
    by_name: BTreeMap<&'t str, usize>,
    by_address: BTreeMap<u32, usize>,
    cables: Vec<Cable>,
}

struct Declared<'t> {
    name: &'t str,
    span: Span,
    /// The address of a host; `None` for a switch.
    address: Option<u32>,
    /// The number of cables so far.
    cables: u16,
}

/// Reads a graph into a topology, which has no routes yet.
pub(super) fn read(sources: &Sources, id: SourceId) -> Result<Topology, Diagnostics> {
    let mut reader = Reader {
        id,
        found: Diagnostics::new(),
        stations: Vec::new(),
        by_name: BTreeMap::new(),
        by_address: BTreeMap::new(),
        cables: Vec::new(),
    };
    let mut start = 0;
    for line in sources.text(id).split_inclusive('\n') {
        reader.line(line.split('#').next().unwrap_or(""), start);
        start += line.len();
        if reader.found.is_full() {
            break;
        }
    }
    reader.finish()
}

fn words(line: &str, start: usize) -> Vec<Word<'_>> {
    let place = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize + start;
    line.split_ascii_whitespace().map(|word| (word, place(word)..place(word) + word.len())).collect()
}

impl<'t> Reader<'t> {
    fn error(&mut self, range: &Range<usize>, message: impl Into<String>, hint: impl Into<String>) {
        let span = Span::new(self.id, range.start, range.end);
        self.found.push(Diagnostic::error(span, message).hint(hint));
    }

    fn line(&mut self, line: &'t str, start: usize) {
        let words = words(line, start);
        let Some((first, place)) = words.first() else { return };
        let whole = place.start..words.last().map_or(place.end, |(_, last)| last.end);
        match (*first, &words[1..]) {
            ("switch", [name]) => self.declare(name, None),
            ("switch", _) => self.error(&whole, "a switch has a name and nothing else", "such as `switch left`"),
            ("host", [name, (address, at)]) => match address.parse::<Ipv4Addr>() {
                Ok(parsed) => self.declare(name, Some((parsed.into(), at))),
                Err(_) => self.error(at, format!("`{address}` is not an IPv4 address"), "such as 10.0.0.1"),
            },
            ("host", _) => self.error(&whole, "a host has a name and an address", "such as `host h1 10.0.0.1`"),
            ("link", [from, to, rate, delay, options @ ..]) => self.link([from, to], [rate, delay], options),
            ("link", _) => {
                self.error(&whole, "a link has two ends, a rate and a delay", "such as `link h1 left 100G 1us`");
            }
            (word, _) => {
                let hint = did_you_mean(word, ["switch", "host", "link"]).unwrap_or_else(|| FORMS.to_owned());
                self.error(place, format!("no line begins with `{word}`"), hint);
            }
        }
    }

    fn declare(&mut self, (name, at): &Word<'t>, address: Option<(u32, &Range<usize>)>) {
        let span = Span::new(self.id, at.start, at.end);
        if let Some(&other) = self.by_name.get(name) {
            let other = self.stations[other].span;
            let finding = Diagnostic::error(span, format!("there are two stations `{name}`"));
            self.found.push(finding.related(other, "the other one").hint("give one of them another name"));
            return;
        }
        if let Some((address, at)) = address
            && let Some(other) = self.by_address.insert(address, self.stations.len())
        {
            let other = (self.stations[other].span, "the other one");
            let message = format!("two hosts have address {}", Ipv4Addr::from(address));
            let finding = Diagnostic::error(Span::new(self.id, at.start, at.end), message);
            self.found.push(finding.related(other.0, other.1).hint("give one of them another address"));
        }
        self.by_name.insert(name, self.stations.len());
        self.stations.push(Declared { name, span, address: address.map(|(address, _)| address), cables: 0 });
    }

    fn link(&mut self, ends: [&Word<'t>; 2], [rate, delay]: [&Word<'t>; 2], options: &[Word<'t>]) {
        let stations = ends.map(|end| self.station(end));
        let rate = self.quantity(rate, "rate", units::rate);
        let delay = self.quantity(delay, "delay", units::duration);
        let mut link = match (rate, delay) {
            (Some(rate), Some(delay)) => Some(CableProperties::ethernet(rate, delay)),
            _ => None,
        };
        for (option, at) in options {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            let value = units::count(value, u64::from(key == "mtu") * 64, 65_535);
            match (key, value, &mut link) {
                ("mtu" | "framing", Err(hint), _) => self.error(at, format!("`{key}` is written `{key}=BYTES`"), hint),
                ("mtu", Ok(bytes), Some(link)) => link.mtu = bytes as u32,
                ("framing", Ok(bytes), Some(link)) => link.framing = bytes as u32,
                ("mtu" | "framing", ..) => {}
                _ => {
                    let hint = "the options are `mtu=BYTES` and `framing=BYTES`";
                    self.error(at, format!("a link has no option `{option}`"), hint);
                }
            }
        }
        let ([Some(from), Some(to)], Some(link)) = (stations, link) else { return };
        if from == to {
            self.error(&ends[1].1, format!("a link from `{}` to itself", ends[1].0), "name another station");
            return;
        }
        let ports = [(from, ends[0]), (to, ends[1])].map(|(station, end)| self.port(station, end));
        if let [Some(from_port), Some(to_port)] = ports {
            self.cables.push(Cable { ends: [(from, from_port), (to, to_port)], link });
        }
    }

    /// Assigns the next port of a station.
    fn port(&mut self, station: usize, (name, at): &Word<'t>) -> Option<u16> {
        let declared = &mut self.stations[station];
        let (port, is_host) = (declared.cables, declared.address.is_some());
        declared.cables = port.saturating_add(1);
        if is_host && port > 0 {
            self.error(at, format!("host `{name}` has a second link"), "a host has one port; put a switch between");
            return None;
        }
        if port == u16::MAX {
            self.error(at, format!("switch `{name}` has too many links"), format!("at most {}", u16::MAX));
            return None;
        }
        Some(port)
    }

    fn station(&mut self, (name, at): &Word<'t>) -> Option<usize> {
        let station = self.by_name.get(name).copied();
        if station.is_none() {
            let near = did_you_mean(name, self.by_name.keys().copied());
            let hint = near.unwrap_or_else(|| format!("say `switch {name}` or `host {name} ADDRESS` before"));
            self.error(at, format!("there is no station `{name}` before this line"), hint);
        }
        station
    }

    fn quantity<Q>(&mut self, word: &Word<'t>, name: &str, read: fn(&str) -> Result<Q, String>) -> Option<Q> {
        let (text, at) = word;
        read(text).map_err(|hint| self.error(at, format!("`{text}` is not a {name}"), hint)).ok()
    }

    fn finish(mut self) -> Result<Topology, Diagnostics> {
        if self.found.is_empty() && self.by_address.is_empty() {
            self.found.push(Diagnostic::without_place("a network needs at least one host").hint(FORMS));
        }
        for station in &self.stations {
            if station.address.is_some() && station.cables == 0 {
                let message = format!("host `{}` has no link", station.name);
                let hint = format!("add `link {} SWITCH RATE DELAY`", station.name);
                self.found.push(Diagnostic::error(station.span, message).hint(hint));
            }
        }
        if self.found.has_errors() {
            return Err(self.found);
        }
        // Hosts come first; within each kind, stations keep the order of the file.
        let mut order: Vec<usize> = (0..self.stations.len()).collect();
        order.sort_by_key(|&station| self.stations[station].address.is_none());
        let mut place = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = new;
        }
        for (station, _) in self.cables.iter_mut().flat_map(|cable| &mut cable.ends) {
            *station = place[*station];
        }
        let plan = |&old: &usize| {
            let Declared { name, address, .. } = self.stations[old];
            let role = match address {
                Some(address) => Role::Host { address, paths: 1 },
                None => Role::Switch(SwitchPlan::default()),
            };
            StationPlan { name: name.to_owned(), role }
        };
        let topology = Topology { stations: order.iter().map(plan).collect(), cables: self.cables };
        if let Some((first, other)) = unreached(&topology) {
            let [first, other] = [first, other].map(|host| &self.stations[order[host]]);
            let message = format!("there is no path from `{}` to `{}`", first.name, other.name);
            let finding = Diagnostic::error(other.span, message).related(first.span, "from here");
            return Err(finding.hint("hosts do not forward packets: connect them by switches").into());
        }
        Ok(topology)
    }
}
