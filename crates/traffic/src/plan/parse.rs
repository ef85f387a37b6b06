//! The short notation of plans: a kind or a file, and options.

use std::ops::Range;

use demand::FlowSizes;
use diagnostics::{Diagnostic, Diagnostics, Findings, SourceId, Sources, Span};

use super::{Generated, Making, Pace, Published, Replay, Traffic, TrafficSource};
use crate::{FieldGenerator, Input, PacketSizes, Pattern, Share, is_stream};

/// The most flows: a flow takes four bytes of memory, so this many take 64 MiB.
const MOST_FLOWS: u64 = 1 << 24;

pub(super) fn plan(text: &str) -> Result<Traffic, Findings> {
    let mut sources = Sources::new();
    let id = sources.add("--traffic", text);
    let mut reader = Reader { text, id, found: Diagnostics::new(), scale: None };
    let traffic = reader.plan();
    match traffic {
        Some(traffic) if !reader.found.has_errors() => Ok(traffic),
        _ => Err((sources, reader.found)),
    }
}

struct Reader<'t> {
    text: &'t str,
    id: SourceId,
    found: Diagnostics,
    /// The factor for timestamps, which may be given before or after `pace`.
    scale: Option<(u32, u32)>,
}

const KINDS: &str = "write a capture (.pcap, .pcapng), a table (.csv), uniform, skewed, websearch or hadoop; \
                     `capture:FILE` and `table:FILE` take files of any name, `published:FILE` a trace of MP5's";

/// The kind of a named file.
#[derive(Clone, Copy)]
enum FileKind {
    Capture,
    Table,
    Published,
}

impl FileKind {
    /// Returns the kind that a plan names in `word:FILE`.
    fn of_word(word: &str) -> Option<Self> {
        Some(match word {
            "capture" => Self::Capture,
            "table" => Self::Table,
            "published" => Self::Published,
            _ => return None,
        })
    }

    /// Returns the kind that the extension of a file name indicates.
    fn of_ending(path: &str) -> Option<Self> {
        Some(match path.rsplit('.').next().unwrap_or("").to_ascii_lowercase().as_str() {
            "pcap" | "pcapng" | "cap" => Self::Capture,
            "csv" => Self::Table,
            _ => return None,
        })
    }
}

impl<'t> Reader<'t> {
    fn error(&mut self, range: Range<usize>, message: impl Into<String>, hint: impl Into<String>) {
        let span = Span::new(self.id, range.start, range.end);
        self.found.push(Diagnostic::error(span, message).hint(hint));
    }

    fn plan(&mut self) -> Option<Traffic> {
        let text = self.text;
        let (word, rest) = match text.split_once([':', ',']) {
            Some((word, _)) => (word, word.len() + 1),
            None => (text, text.len()),
        };
        let kind = match word {
            "uniform" => TrafficSource::Generated(Generated::of_pattern(Pattern::Uniform)),
            "skewed" => TrafficSource::Generated(Generated::of_pattern(Pattern::SKEWED)),
            _ => match FlowSizes::ALL.into_iter().find(|sizes| sizes.name() == word) {
                Some(sizes) => TrafficSource::Generated(Generated::of_flow_sizes(sizes)),
                None => {
                    if let Some(kind) = FileKind::of_word(word).filter(|_| text[word.len()..].starts_with(':')) {
                        return self.file(kind, rest);
                    }
                    let path = text.split(',').next().unwrap_or(text);
                    // A pipe has no extension; what comes through one is most often a capture.
                    let of_stream = is_stream(path.as_ref()).then_some(FileKind::Capture);
                    if let Some(kind) = FileKind::of_ending(path).or(of_stream) {
                        return self.file(kind, 0);
                    }
                    self.error(0..path.len(), format!("`{path}` is not a kind of traffic"), KINDS);
                    return None;
                }
            },
        };
        let mut traffic = Traffic::new(kind);
        self.options(&mut traffic, rest);
        Some(traffic)
    }

    fn file(&mut self, kind: FileKind, start: usize) -> Option<Traffic> {
        let path = self.text[start..].split(',').next().unwrap_or("");
        let end = start + path.len();
        if path.is_empty() {
            self.error(start..end, "the name of a file is missing", "such as `capture:packets.pcap`");
            return None;
        }
        let input = Input::named(path.as_ref());
        let beside = Published::flows_beside(path.as_ref());
        let mut traffic = Traffic::new(match kind {
            FileKind::Capture => TrafficSource::Capture(Replay::of(input)),
            FileKind::Table => TrafficSource::Table(input),
            // Until the options are read, the file of packets stands in for a file of flows that was not named.
            FileKind::Published => TrafficSource::Published(Published {
                flows: beside.clone().unwrap_or_else(|| input.clone()),
                packets: input,
                making: Making::default(),
            }),
        });
        let names_flows = self.options(&mut traffic, (end + 1).min(self.text.len())).contains(&"flows");
        if matches!(kind, FileKind::Published) && beside.is_none() && !names_flows {
            let hint = "add `flows=FILE`; it can be left out only for names that begin with uniform_ or heavytail_";
            self.error(start..end, "the file of flows that belongs to this one is not given", hint);
        }
        Some(traffic)
    }

    /// Reads `key=value,key=value` from `start` to the end. Returns the keys.
    fn options(&mut self, traffic: &mut Traffic, start: usize) -> Vec<&'t str> {
        let mut at = start;
        let mut seen: Vec<&'t str> = Vec::new();
        if at == self.text.len() {
            return seen;
        }
        for part in self.text[start..].split(',') {
            let range = at..at + part.len();
            at += part.len() + 1;
            let Some((key, value)) = part.split_once('=') else {
                let hint = "options are written `name=value`, between commas";
                self.error(range, format!("`{part}` is not an option"), hint);
                continue;
            };
            if seen.contains(&key) {
                self.error(range.clone(), format!("`{key}` is given twice"), "give it once");
            }
            seen.push(key);
            let value_range = range.start + key.len() + 1..range.end;
            match self.option(traffic, key, value) {
                Ok(true) => {}
                Ok(false) => {
                    let hint = format!("the options are {}", known_options(&traffic.source));
                    self.error(range.start..range.start + key.len(), format!("there is no option `{key}` here"), hint);
                }
                Err(hint) => self.error(value_range, format!("`{value}` is not a valid value for `{key}`"), hint),
            }
        }
        if let (Some((numerator, denominator)), TrafficSource::Capture(replay)) = (self.scale, &mut traffic.source) {
            if matches!(replay.pace, Pace::LineRate | Pace::LineRateOf64Bytes) {
                self.error(start..self.text.len(), "`scale` has no effect at line rate", "add `pace=timestamps`");
            } else {
                replay.pace = Pace::Timestamps { numerator, denominator };
            }
        }
        seen
    }

    /// Applies an option. Returns false if there is none with this name, and an error that says what the value should
    /// be.
    fn option(&mut self, traffic: &mut Traffic, key: &'t str, value: &'t str) -> Result<bool, String> {
        match key {
            "packets" => traffic.packets = Some(number(value, 0, u64::MAX)?),
            "ports" => traffic.ports = number(value, 1, u64::from(u16::MAX))? as u16,
            "pipelines" => traffic.pipelines = Some(number(value, 1, 64)? as u16),
            "seed" => traffic.seed = number(value, 0, u64::MAX)?,
            _ => {
                return match &mut traffic.source {
                    TrafficSource::Generated(plan) => generated(plan, key, value),
                    TrafficSource::Capture(replay) => self.replay(replay, key, value),
                    TrafficSource::Table(_) => Ok(false),
                    TrafficSource::Published(published) => match key {
                        "flows" if value.is_empty() => Err("the name of the file of flows".to_owned()),
                        "flows" => {
                            published.flows = Input::named(value.as_ref());
                            Ok(true)
                        }
                        _ => published.making.option(key, value),
                    },
                };
            }
        }
        Ok(true)
    }

    fn replay(&mut self, replay: &mut Replay, key: &str, value: &str) -> Result<bool, String> {
        match (key, value) {
            ("pace", "line") => replay.pace = Pace::LineRate,
            ("pace", "line-64") => replay.pace = Pace::LineRateOf64Bytes,
            ("pace", "timestamps") => replay.pace = Pace::Timestamps { numerator: 1, denominator: 1 },
            ("pace", _) => return Err("`line`, `line-64` or `timestamps`".to_owned()),
            ("scale", _) => {
                let (numerator, denominator) = value.split_once('/').unwrap_or((value, "1"));
                let part = |text| number(text, 1, u64::from(u32::MAX)).map(|number| number as u32);
                let hint = |_| "a factor such as 2 or 1/10, of numbers of at most 32 bits".to_owned();
                self.scale = Some((part(numerator).map_err(hint)?, part(denominator).map_err(hint)?));
            }
            ("repeat", _) => replay.repeat = number(value, 1, u64::from(u32::MAX))? as u32,
            ("faults", "refuse") => replay.accepts_faults = false,
            ("faults", "accept") => replay.accepts_faults = true,
            ("faults", _) => return Err("`refuse`, or `accept` to use a capture as far as it can be read".to_owned()),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn generated(plan: &mut Generated, key: &str, value: &str) -> Result<bool, String> {
    let share = || Share::parse(value).ok_or_else(|| "a share such as 95% or 2.5%".to_owned());
    match (key, &mut plan.pattern) {
        ("flows" | "states", _) => plan.flows = number(value, 1, MOST_FLOWS)? as u32,
        ("active", _) if plan.flow_sizes.is_some() => plan.active_flows = number(value, 1, 4096)? as u32,
        ("hot", Pattern::Skewed { hot, .. }) => *hot = share()?,
        ("share", Pattern::Skewed { share: of_packets, .. }) => *of_packets = share()?,
        ("size", _) => plan.sizes = sizes(value)?,
        _ => {
            let is_right = plan.making.option(key, value)?;
            if matches!(plan.making.fields.last(), Some((_, FieldGenerator::Stage(_)))) {
                return Err("generated packets have no stages, unlike those of a published trace".to_owned());
            }
            return Ok(is_right);
        }
    }
    Ok(true)
}

fn sizes(text: &str) -> Result<PacketSizes, String> {
    let size = |text| {
        let (shortest, longest) = (PacketSizes::SHORTEST.into(), PacketSizes::LONGEST.into());
        number(text, shortest, longest).map(|size| size as u32)
    };
    let hint = |_| {
        format!("{0} to {1} bytes, a range such as {0}..1500, or bimodal", PacketSizes::SHORTEST, PacketSizes::LONGEST)
    };
    match text.split_once("..") {
        _ if text == "bimodal" => Ok(PacketSizes::Bimodal),
        None => size(text).map(PacketSizes::Fixed).map_err(hint),
        Some((first, last)) => {
            let (first, last) = (size(first).map_err(hint)?, size(last).map_err(hint)?);
            if first <= last { Ok(PacketSizes::Uniform(first, last)) } else { Err(hint(String::new())) }
        }
    }
}

/// Parses a decimal number within limits; `_` may stand between digits.
fn number(text: &str, least: u64, most: u64) -> Result<u64, String> {
    let digits: String = text.chars().filter(|&c| c != '_').collect();
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = if is_number { digits.parse().ok() } else { None };
    number.filter(|number| (least..=most).contains(number)).ok_or_else(|| format!("a number from {least} to {most}"))
}

fn known_options(kind: &TrafficSource) -> &'static str {
    match kind {
        TrafficSource::Generated(Generated { flow_sizes: Some(_), .. }) => {
            "packets, ports, pipelines, seed, size, flows, active, protocol, form and field.NAME"
        }
        TrafficSource::Generated(Generated { pattern: Pattern::Skewed { .. }, .. }) => {
            "packets, ports, pipelines, seed, size, flows, hot, share, protocol, form and field.NAME"
        }
        TrafficSource::Generated(_) => "packets, ports, pipelines, seed, size, flows, protocol, form and field.NAME",
        TrafficSource::Capture(_) => "packets, ports, pipelines, seed, pace, scale, repeat and faults",
        TrafficSource::Table(_) => "packets, ports, pipelines and seed",
        TrafficSource::Published(_) => "packets, ports, pipelines, seed, flows, protocol, form and field.NAME",
    }
}
