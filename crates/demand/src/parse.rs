//! The short texts that describe workloads: `incast:64x450kB`, `poisson:websearch:0.5:10ms:start=1ms`.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use basis::Duration;
use diagnostics::{Diagnostic, Diagnostics, Findings, SourceId, Sources, Span, did_you_mean};

use crate::{
    AllToAll, End, FlowSizes, Incast, Matrix, MessageSizes, OnOff, ParallelIncasts, Permutation, Ping, Poisson,
    Requests, Workload, WorkloadPlan,
};

/// All kinds of workload: the name, the form with an example, and the options.
const KINDS: [(&str, &str, &[&str]); 9] = [
    ("incast", "incast:SENDERSxBYTES, such as incast:64x450kB", &["spread", "receiver"]),
    (
        "parallel-incasts",
        "parallel-incasts:SENDERSxBYTES, such as parallel-incasts:64x1.5MB:receivers=16",
        &["receivers", "first_receiver", "spread"],
    ),
    ("permutation", "permutation:BYTES, such as permutation:2MB", &[]),
    ("all-to-all", "all-to-all:BYTES, such as all-to-all:10kB", &["outstanding"]),
    ("poisson", "poisson:SIZES:LOAD:END, such as poisson:websearch:0.5:10ms or poisson:100kB:50%:1000", &[]),
    ("on-off", "on-off:BYTES:ON:OFF:END, such as on-off:64kB:100us:400us:10ms", &[]),
    (
        "requests",
        "requests:REQUEST:RESPONSE, such as requests:64B:10kB:outstanding=4:count=1000",
        &["outstanding", "count", "servers"],
    ),
    ("ping", "ping:INTERVAL:END, such as ping:100us:10ms", &["bytes"]),
    ("matrix", "matrix:FILE, such as matrix:permutation.cm", &[]),
];
/// The options that every kind takes.
const COMMON: [&str; 2] = ["start", "priority"];
/// The maximum number of hosts in a network, which bounds the number of senders and servers.
const MOST_HOSTS: u64 = 1 << 24;

impl Workload {
    /// Parses a short text: a kind, its values, and options `name=value`, separated by colons. The only file that this
    /// opens is that of a connection matrix.
    ///
    /// # Errors
    /// All mistakes in the text, each with its position.
    pub fn parse(text: &str) -> Result<Self, Findings> {
        let mut sources = Sources::new();
        let id = sources.add("--workload", text);
        let mut reader = Reader { id, given: Vec::new(), options: Vec::new(), found: Diagnostics::new() };
        match reader.read(text, &mut sources) {
            Some(workload) if !reader.found.has_errors() => Ok(workload),
            _ => Err((sources, reader.found)),
        }
    }
}

type Word<'t> = (&'t str, Range<usize>);

struct Reader<'t> {
    id: SourceId,
    /// The positional values.
    given: Vec<Word<'t>>,
    /// The options, by name.
    options: Vec<(&'t str, Word<'t>)>,
    found: Diagnostics,
}

impl<'t> Reader<'t> {
    fn error(&mut self, at: Range<usize>, message: impl Into<String>, hint: impl Into<String>) {
        self.found.push(Diagnostic::error(Span::new(self.id, at.start, at.end), message).hint(hint));
    }

    fn read(&mut self, text: &'t str, sources: &mut Sources) -> Option<Workload> {
        let kind = text.split(':').next().unwrap_or(text);
        let Some(&(_, form, options)) = KINDS.iter().find(|(name, ..)| *name == kind) else {
            let names = KINDS.map(|(name, ..)| name);
            let hint = did_you_mean(kind, names).unwrap_or_else(|| format!("the workloads are {}", names.join(", ")));
            self.error(0..kind.len(), format!("unknown workload `{kind}`"), hint);
            return None;
        };
        let mut at = kind.len() + 1;
        for part in text.split(':').skip(1) {
            match part.split_once('=') {
                Some((name, value)) => self.option(name, (value, at + name.len() + 1..at + part.len()), options),
                None => self.given.push((part, at..at + part.len())),
            }
            at += part.len() + 1;
        }
        let needed = form.split(',').next().unwrap_or("").matches(':').count();
        if self.given.len() != needed {
            self.error(0..text.len(), format!("wrong number of values for `{kind}`"), form);
            return None;
        }
        let plan = self.plan(kind, form, sources);
        let start = self.named("start", Duration::ZERO, units::duration);
        let priority = self.named("priority", 0, |text| units::count(text, 0, 255));
        Some(Workload { plan: plan?, start, priority: priority as u8 })
    }

    fn option(&mut self, name: &'t str, value: Word<'t>, known: &[&str]) {
        let known: Vec<&str> = known.iter().chain(&COMMON).copied().collect();
        let at = value.1.start - 1 - name.len()..value.1.start - 1;
        if !known.contains(&name) {
            let there_are = || format!("the options are {}", known.join(", "));
            let hint = did_you_mean(name, known.iter().copied()).unwrap_or_else(there_are);
            self.error(at, format!("unknown option `{name}`"), hint);
        } else if self.options.iter().any(|&(other, _)| other == name) {
            self.error(at, format!("`{name}` is given twice"), "give it once");
        } else {
            self.options.push((name, value));
        }
    }

    /// Parses a word with `read`; if that fails, reports the hint that `read` returns.
    fn word<Q>(&mut self, (text, at): Word<'t>, read: impl Fn(&str) -> Result<Q, String>) -> Option<Q> {
        read(text).map_err(|hint| self.error(at, format!("invalid value `{text}`"), hint)).ok()
    }

    fn placed<Q>(&mut self, place: usize, read: impl Fn(&str) -> Result<Q, String>) -> Option<Q> {
        let word = self.given[place].clone();
        self.word(word, read)
    }

    fn named<Q>(&mut self, name: &str, default: Q, read: impl Fn(&str) -> Result<Q, String>) -> Q {
        let value = self.options.iter().find(|(option, _)| *option == name).map(|(_, value)| value.clone());
        value.and_then(|value| self.word(value, read)).unwrap_or(default)
    }

    fn plan(&mut self, kind: &str, form: &str, sources: &mut Sources) -> Option<Arc<dyn WorkloadPlan>> {
        Some(match kind {
            "incast" => {
                let pair = self.placed(0, |text| senders_and_bytes(text, form));
                let spread = self.named("spread", Duration::ZERO, units::duration);
                let number = |text: &str| units::count(text, 0, MOST_HOSTS).map(|number| Some(number as u32));
                let receiver = self.named("receiver", None, number);
                let (senders, bytes) = pair?;
                Arc::new(Incast { senders, bytes, spread, receiver })
            }
            "parallel-incasts" => {
                let pair = self.placed(0, |text| senders_and_bytes(text, form));
                let spread = self.named("spread", Duration::ZERO, units::duration);
                let receivers = self.named("receivers", 4, hosts);
                let first = self.named("first_receiver", 0, |text| units::count(text, 0, MOST_HOSTS));
                let (senders, bytes) = pair?;
                Arc::new(ParallelIncasts { senders, receivers, first_receiver: first as u32, bytes, spread })
            }
            "permutation" => Arc::new(Permutation { bytes: self.placed(0, units::bytes)? }),
            "all-to-all" => {
                let (bytes, outstanding) = (self.placed(0, units::bytes), self.named("outstanding", 0, hosts));
                Arc::new(AllToAll { bytes: bytes?, outstanding })
            }
            "poisson" => {
                let (sizes, load, end) = (self.placed(0, sizes), self.placed(1, load), self.placed(2, end));
                Arc::new(Poisson { sizes: sizes?, load: load?, end: end? })
            }
            "on-off" => {
                let bytes = self.placed(0, units::bytes);
                let [on, off, until] = [1, 2, 3].map(|place| self.placed(place, positive));
                Arc::new(OnOff { bytes: bytes?, on: on?, off: off?, until: until? })
            }
            "requests" => {
                let [request, response] = [0, 1].map(|place| self.placed(place, units::bytes));
                let outstanding = self.named("outstanding", 1, hosts);
                let count = self.named("count", None, |text| units::count(text, 0, u64::MAX).map(Some));
                let servers = self.named("servers", None, |text| hosts(text).map(Some));
                let (request, response) = (request?, response?);
                Arc::new(Requests { request, response, outstanding, count, servers })
            }
            "ping" => {
                let [interval, until] = [0, 1].map(|place| self.placed(place, positive));
                let bytes = self.named("bytes", 64, units::bytes);
                Arc::new(Ping { interval: interval?, until: until?, bytes })
            }
            _ => Arc::new(self.matrix(sources)?),
        })
    }

    fn matrix(&mut self, sources: &mut Sources) -> Option<Arc<Matrix>> {
        let (path, at) = self.given[0].clone();
        let text = match std::fs::read_to_string(Path::new(path)) {
            Ok(text) => text,
            Err(error) => {
                self.error(at, format!("cannot read {path}: {error}"), "give the path of an htsim connection matrix");
                return None;
            }
        };
        let id = sources.add(path, text);
        Matrix::read(sources, id).map_err(|found| self.found.extend(found)).ok()
    }
}

/// Parses a number of hosts.
fn hosts(text: &str) -> Result<u32, String> {
    units::count(text, 1, MOST_HOSTS).map(|count| count as u32)
}

/// Parses `64x450kB`; `form` is the hint if there is no `x`.
fn senders_and_bytes(text: &str, form: &str) -> Result<(u32, u64), String> {
    let (senders, bytes) = text.split_once('x').ok_or_else(|| form.to_owned())?;
    Ok((hosts(senders)?, units::bytes(bytes)?))
}

fn positive(text: &str) -> Result<Duration, String> {
    let time = units::duration(text)?;
    if time == Duration::ZERO { Err("a time above zero, such as 100us".to_owned()) } else { Ok(time) }
}

fn sizes(text: &str) -> Result<MessageSizes, String> {
    if let Some(sizes) = FlowSizes::ALL.into_iter().find(|sizes| sizes.name() == text) {
        return Ok(MessageSizes::Flows(sizes));
    }
    let near = did_you_mean(text, FlowSizes::ALL.map(FlowSizes::name));
    units::bytes(text)
        .map(MessageSizes::Fixed)
        .map_err(|hint| near.unwrap_or_else(|| format!("websearch, hadoop, or {hint}")))
}

fn load(text: &str) -> Result<f64, String> {
    let load = units::share(text).ok().filter(|&load| load > 0.0);
    load.ok_or_else(|| "a share of each host's link rate, above 0 and at most 1, such as 0.5 or 50%".to_owned())
}

fn end(text: &str) -> Result<End, String> {
    let count = units::count(text, 1, u64::MAX).map(End::Messages);
    let time = || positive(text).map(End::After);
    count.or_else(|_| time()).map_err(|_| "a time such as 10ms, or a number of messages such as 1000".to_owned())
}
