//! The parser of connection matrices.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use basis::Duration;
use diagnostics::{Diagnostic, Diagnostics, SourceId, Sources, Span, did_you_mean};

use super::{Connection, Matrix, Start, Trigger, TriggerKind};

/// A word with its position in the text.
type Word<'t> = (&'t str, Range<usize>);

/// The default of `prio` in htsim, where lower values are more urgent.
const DEFAULT_PRIORITY: u64 = 2_000_000;
const KEYS: [&str; 7] = ["start", "size", "id", "trigger", "send_done_trigger", "recv_done_trigger", "prio"];

#[derive(Default)]
struct Reader<'t> {
    id: Option<SourceId>,
    found: Diagnostics,
    /// The numbers of the header, with their positions.
    header: BTreeMap<&'t str, (u64, Range<usize>)>,
    connections: Vec<(Connection, Range<usize>)>,
    priorities: Vec<Option<u64>>,
    flows: BTreeSet<u64>,
    triggers: BTreeMap<u64, Declared>,
}

/// Everything that the file says about one trigger.
#[derive(Default)]
struct Declared {
    kind: Option<TriggerKind>,
    /// The position of its first mention.
    at: Range<usize>,
    targets: Vec<u32>,
    /// The connections that fire it, each with the node on which it fires.
    fired: Vec<(u32, u32)>,
}

pub(super) fn read(sources: &Sources, id: SourceId) -> Result<Matrix, Diagnostics> {
    let mut reader = Reader { id: Some(id), ..Reader::default() };
    let mut start = 0;
    for line in sources.text(id).split_inclusive('\n') {
        if !line.starts_with('#') {
            let place = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize + start;
            let words = line.split_ascii_whitespace().map(|word| (word, place(word)..place(word) + word.len()));
            reader.line(&words.collect::<Vec<_>>());
        }
        start += line.len();
        if reader.found.is_full() {
            return Err(reader.found);
        }
    }
    reader.finish()
}

impl<'t> Reader<'t> {
    fn error(&mut self, at: &Range<usize>, message: impl Into<String>, hint: impl Into<String>) {
        let id = self.id.expect("set at the start");
        self.found.push(Diagnostic::error(Span::new(id, at.start, at.end), message).hint(hint));
    }

    fn number(&mut self, (text, at): &Word<'t>, least: u64, most: u64) -> Option<u64> {
        let number = units::count(text, least, most);
        number.map_err(|hint| self.error(at, format!("invalid number `{text}`"), hint)).ok()
    }

    fn line(&mut self, words: &[Word<'t>]) {
        let Some((first, at)) = words.first() else { return };
        match *first {
            "Nodes" | "Connections" | "Triggers" | "Failures" => {
                let Some(word) = words.get(1) else {
                    return self.error(at, format!("`{first}` needs a number"), "for example `Nodes 16`");
                };
                let Some(number) = self.number(word, 0, 1 << 20) else { return };
                if *first == "Failures" && number > 0 {
                    self.error(
                        &word.1,
                        "link failures are not supported here",
                        "describe faults in the simulation's plan",
                    );
                }
                if self.header.insert(first, (number, word.1.clone())).is_some() {
                    self.error(at, format!("`{first}` is given twice"), "give it once");
                }
            }
            "trigger" => self.trigger(at, &words[1..]),
            "failure" => {
                self.error(at, "link failures are not supported here", "describe faults in the simulation's plan")
            }
            _ if first.contains("->") => self.connection((first, at.clone()), &words[1..]),
            _ => {
                let known = ["Nodes", "Connections", "Triggers", "trigger"];
                let hint = did_you_mean(first, known)
                    .unwrap_or_else(|| "a connection reads `0->13 start 0 size 2000000`".into());
                self.error(at, format!("no line begins with `{first}`"), hint);
            }
        }
    }

    fn connection(&mut self, (ends, at): Word<'t>, words: &[Word<'t>]) {
        let (from, to) = ends.split_once("->").expect("it has an arrow");
        let middle = at.start + from.len();
        let Some(&(nodes, _)) = self.header.get("Nodes") else {
            return self.error(&at, "a connection comes before `Nodes`", "write `Nodes 16` in the first line");
        };
        let last = nodes.saturating_sub(1);
        let source = self.number(&(from, at.start..middle), 0, last);
        let destination = self.number(&(to, middle + 2..at.end), 0, last);
        let (mut start, mut size, mut started_by, mut priority) = (None, None, None, None);
        let (mut sent, mut received) = (None, None);
        for pair in words.chunks(2) {
            let (key, at) = &pair[0];
            if !KEYS.contains(key) {
                let hint = did_you_mean(key, KEYS).unwrap_or_else(|| format!("the keys are {}", KEYS.join(", ")));
                self.error(at, format!("unknown key `{key}` in a connection"), hint);
                break;
            }
            let Some(value) = pair.get(1) else {
                self.error(at, format!("`{key}` needs a number"), format!("for example `{key} 1`"));
                break;
            };
            match *key {
                "start" => start = self.start(value),
                "size" if value.0 == "0" => {
                    self.error(&value.1, "a connection of 0 bytes, which htsim never ends", "give the number of bytes");
                }
                "size" => size = self.number(value, 1, u64::MAX),
                "prio" => priority = self.number(value, 0, u64::MAX),
                "id" => {
                    if let Some(flow) = self.number(value, 1, u32::MAX.into())
                        && !self.flows.insert(flow)
                    {
                        self.error(&value.1, format!("two connections have the id {flow}"), "give each its own id");
                    }
                }
                "trigger" => started_by = self.number(value, 1, u32::MAX.into()).map(|id| (id, value.1.clone())),
                "send_done_trigger" => sent = self.number(value, 1, u32::MAX.into()).map(|id| (id, value.1.clone())),
                _ => received = self.number(value, 1, u32::MAX.into()).map(|id| (id, value.1.clone())),
            }
        }
        let says = |name: &str| words.iter().any(|(word, _)| *word == name);
        if says("start") == says("trigger") {
            self.error(&at, "a connection needs a start time or a trigger", "write `start 0` or `trigger 1`, not both");
        }
        if !says("size") {
            self.error(&at, "a connection needs a size", "give the number of bytes: `size 2000000`");
        }
        let number = self.connections.len() as u32;
        let (source, destination) = (source.unwrap_or(0) as u32, destination.unwrap_or(0) as u32);
        if let Some((id, at)) = started_by {
            self.mention(id, at).targets.push(number);
        }
        for (done, node) in [(&sent, source), (&received, destination)] {
            if let Some((id, at)) = done {
                self.mention(*id, at.clone()).fired.push((number, node));
            }
        }
        let start = start.map_or(Start::Triggered, Start::At);
        let connection = Connection {
            source,
            destination,
            start,
            bytes: size.unwrap_or(1),
            priority: None,
            sent: None,
            received: None,
        };
        // Until all triggers are known, `sent` and `received` hold the ids of the file; `finish` replaces them by
        // indices.
        let with = |done: Option<(u64, _)>| done.map(|(id, _)| id as u32);
        self.connections.push((Connection { sent: with(sent), received: with(received), ..connection }, at));
        self.priorities.push(priority);
    }

    /// Parses a time in picoseconds and ignores its fraction, if any.
    fn start(&mut self, (text, at): &Word<'t>) -> Option<Duration> {
        let whole = text.split_once('.').map_or(*text, |(whole, fraction)| {
            if fraction.bytes().all(|digit| digit.is_ascii_digit()) { whole } else { text }
        });
        let time = units::count(whole, 0, u64::MAX).map(Duration::from_picoseconds);
        time.map_err(|_| self.error(at, format!("invalid start time `{text}`"), "give a number of picoseconds")).ok()
    }

    fn mention(&mut self, id: u64, at: Range<usize>) -> &mut Declared {
        self.triggers.entry(id).or_insert_with(|| Declared { at, ..Declared::default() })
    }

    fn trigger(&mut self, at: &Range<usize>, words: &[Word<'t>]) {
        let form = "a trigger reads `trigger id 1 oneshot`, or `multishot` or `barrier count 3` in its place";
        let (mut id, mut kind, mut count) = (None, None, None);
        let mut words = words.iter();
        while let Some((word, place)) = words.next() {
            match *word {
                "oneshot" => kind = Some(TriggerKind::OneShot),
                "multishot" => kind = Some(TriggerKind::MultiShot),
                "barrier" => kind = Some(TriggerKind::Barrier(0)),
                "id" | "count" => match words.next() {
                    Some(value) => {
                        let number = self.number(value, 1, u32::MAX.into());
                        *(if *word == "id" { &mut id } else { &mut count }) = number;
                    }
                    None => return self.error(place, format!("`{word}` needs a number"), form),
                },
                _ => return self.error(place, format!("unknown word `{word}` in a trigger"), form),
            }
        }
        if let (Some(TriggerKind::Barrier(needed)), Some(count)) = (&mut kind, count) {
            *needed = count as u32;
        }
        match (id, kind) {
            (Some(_), Some(TriggerKind::Barrier(0))) => self.error(at, "a barrier needs a count", form),
            (Some(id), Some(kind)) => {
                let declared = self.mention(id, at.clone());
                if declared.kind.replace(kind).is_some() {
                    self.error(at, format!("trigger {id} is declared twice"), "declare it once");
                }
            }
            _ => self.error(at, "a trigger needs an id and a kind", form),
        }
    }

    fn finish(mut self) -> Result<Matrix, Diagnostics> {
        let declared = self.triggers.values().filter(|trigger| trigger.kind.is_some()).count();
        for (name, actual) in [("Connections", self.connections.len()), ("Triggers", declared)] {
            let (said, at) = self.header.get(name).cloned().unwrap_or((0, 0..0));
            if said != actual as u64 {
                let lower = name.to_lowercase();
                self.error(
                    &at,
                    format!("the header announces {said} {lower}, but there are {actual}"),
                    format!("write `{name} {actual}`"),
                );
            }
        }
        if !self.header.contains_key("Nodes") && self.connections.is_empty() {
            self.error(&(0..0), "`Nodes` is missing", "write `Nodes 16` in the first line");
        }
        let triggers = std::mem::take(&mut self.triggers);
        for (id, trigger) in &triggers {
            self.check_trigger(*id, trigger);
        }
        if self.found.has_errors() {
            return Err(self.found);
        }
        let nodes = self.header["Nodes"].0 as u32;
        // In htsim lower priorities are more urgent, here higher ones are. Only their order is kept, and the 255th and
        // all higher ranks become 255.
        let ranks: BTreeSet<u64> = self.priorities.iter().map(|prio| prio.unwrap_or(DEFAULT_PRIORITY)).collect();
        let priority = |prio: Option<u64>| {
            let above = ranks.range(prio.unwrap_or(DEFAULT_PRIORITY) + 1..).count();
            (ranks.len() > 1).then(|| above.min(255) as u8)
        };
        let place = |id: Option<u32>| id.map(|id| triggers.range(..u64::from(id)).count() as u32);
        let finished = |((connection, _), prio): ((Connection, _), Option<u64>)| {
            let (sent, received) = (place(connection.sent), place(connection.received));
            Connection { priority: priority(prio), sent, received, ..connection }
        };
        let connections: Vec<Connection> = self.connections.into_iter().zip(self.priorities).map(finished).collect();
        let (mut by_source, mut awaited) = (vec![Vec::new(); nodes as usize], vec![Vec::new(); nodes as usize]);
        for (number, connection) in (0..).zip(&connections) {
            by_source[connection.source as usize].push(number);
            if connection.received.is_some() {
                awaited[connection.destination as usize].push(number);
            }
        }
        let trigger = |(id, declared): (u64, Declared)| Trigger {
            id,
            kind: declared.kind.unwrap_or_default(),
            targets: declared.targets,
        };
        let triggers = triggers.into_iter().map(trigger).collect();
        Ok(Matrix { nodes, connections, triggers, by_source, awaited })
    }

    fn check_trigger(&mut self, id: u64, trigger: &Declared) {
        if trigger.kind.is_none() {
            self.error(&trigger.at, format!("trigger {id} is not declared"), format!("add `trigger id {id} oneshot`"));
        }
        if trigger.fired.is_empty() && !trigger.targets.is_empty() {
            let hint = format!("add `send_done_trigger {id}` to a connection");
            self.error(&trigger.at, format!("nothing fires trigger {id}"), hint);
        }
        let starts = trigger.targets.iter().map(|&target| self.connections[target as usize].0.source);
        let mut nodes: BTreeSet<u32> = starts.collect();
        if nodes.is_empty() {
            return;
        }
        nodes.extend(trigger.fired.iter().map(|&(_, node)| node));
        let mut nodes = nodes.into_iter();
        if let (Some(one), Some(other)) = (nodes.next(), nodes.next()) {
            let message = format!("trigger {id} acts at nodes {one} and {other}");
            let hint = "a trigger works within one node: fire it and start its connections at the same node";
            self.error(&trigger.at, message, hint);
        }
    }
}
