//! A section of a plan while it is being read. It remembers every value, given or not, so that the plan can be printed
//! with all of its defaults, and no other code has to know them.

mod counts;

use std::cell::RefCell;
use std::fmt::Write;
use std::ops::{Range, RangeInclusive};
use std::rc::Rc;

use basis::{Duration, Rate};

use crate::amount::{self, Amount};
use crate::mentions::Mentions;
use crate::pattern::Pattern;
use crate::{Entries, Findings, Scalar, hint};

/// The longest time that a plan can give. Simulated time is counted in picoseconds and ends after 213 days, which the
/// sum of several times must not reach.
const LONGEST: Duration = Duration::from_microseconds(1_000_000_000_000);
/// The longest time for which a switch waits actively before it sleeps. More only costs power.
pub const LONGEST_SPIN: Duration = Duration::from_microseconds(10_000);
/// The longest propagation delay of a link, 10 s: light reaches the moon after a second and a third. Over longer links,
/// transports would retransmit for ever, because they retransmit what is not acknowledged.
const LONGEST_DELAY: Duration = Duration::from_microseconds(10_000_000);

/// One table of a plan, which the file need not contain.
pub struct Section<'t> {
    entries: Option<Entries<'t>>,
    findings: &'t Findings,
    /// The names that the whole plan mentions.
    mentions: Rc<Mentions>,
    /// The place of the section, or of the enclosing section if this one is not given.
    span: Range<usize>,
    /// The heading in TOML: `[link]`, `[[workload]]`; empty for the plan itself.
    heading: String,
    lines: RefCell<String>,
}

impl<'t> Section<'t> {
    /// Returns the section that is the plan itself.
    pub fn root(entries: Entries<'t>) -> Self {
        let (findings, span) = (entries.findings(), entries.span().clone());
        Self {
            entries: Some(entries),
            findings,
            mentions: Rc::default(),
            span,
            heading: String::new(),
            lines: RefCell::default(),
        }
    }

    /// Returns a section within this one; without entries if it is not given.
    pub fn section(&self, name: &'static str) -> Self {
        let entries = self.entries.as_ref().and_then(|entries| entries.table(name));
        self.of(entries, name, "[", "]")
    }

    /// Returns the sections of an array, `[[name]]`; empty if there are none.
    pub fn sections(&self, name: &'static str) -> Vec<Self> {
        let tables = self.entries.as_ref().map(|entries| entries.tables(name)).unwrap_or_default();
        tables.into_iter().map(|entries| self.of(Some(entries), name, "[[", "]]")).collect()
    }

    fn of(&self, entries: Option<Entries<'t>>, name: &str, open: &str, close: &str) -> Self {
        let span = entries.as_ref().map_or(self.span.clone(), |entries| entries.span().clone());
        let path = self.path_of(name);
        let heading = format!("{open}{path}{close}");
        let mentions = Rc::clone(&self.mentions);
        Self { entries, findings: self.findings, mentions, span, heading, lines: RefCell::default() }
    }

    /// Returns the path of a section within this one, such as `switch.class`, for messages.
    pub fn path_of(&self, name: &str) -> String {
        let above = self.heading.trim_matches(['[', ']']);
        if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") }
    }

    /// Returns true if the file contains this section.
    pub fn is_given(&self) -> bool {
        self.entries.is_some()
    }

    /// Returns true if the entry is a list, such as the sections of an array, `[[name]]`.
    pub fn is_list(&self, name: &'static str) -> bool {
        self.entries.as_ref().is_some_and(|entries| entries.is_list(name))
    }

    /// Returns true if there is an entry of this name, and marks it as requested.
    pub fn has(&self, name: &'static str) -> bool {
        self.entries.as_ref().is_some_and(|entries| entries.has(name))
    }

    /// Returns true if there is an entry of this name, without marking it as requested.
    pub fn holds(&self, name: &str) -> bool {
        self.entries.as_ref().is_some_and(|entries| entries.holds(name))
    }

    /// Returns the place of the section in the file.
    pub fn span(&self) -> &Range<usize> {
        &self.span
    }

    /// Returns the place of a value, or of the section if the value is not given.
    pub fn span_of(&self, name: &'static str) -> Range<usize> {
        let span = self.entries.as_ref().and_then(|entries| entries.span_of(name));
        span.unwrap_or_else(|| self.span.clone())
    }

    /// Returns the place of a value or of the first value of a list, or of the section if neither is given.
    pub fn span_of_list(&self, name: &'static str) -> Range<usize> {
        let span = self.entries.as_ref().and_then(|entries| entries.span_of_first(name));
        span.unwrap_or_else(|| self.span.clone())
    }

    /// Returns the number of errors found so far anywhere in the plan.
    pub fn errors(&self) -> usize {
        self.findings.count()
    }

    /// Adds an error at a place of the file.
    pub fn error(&self, span: &Range<usize>, message: impl Into<String>, hint: impl Into<String>) {
        self.findings.error(span, message, hint);
    }

    /// Ends the section: reports every entry that was never requested as unknown, and appends the section with all its
    /// values to `plan`.
    pub fn end(self, plan: &mut String) {
        if let Some(entries) = self.entries {
            entries.end();
        }
        let lines = self.lines.into_inner();
        if !self.heading.is_empty() && !lines.is_empty() {
            let _ = writeln!(plan, "\n{}", self.heading);
        }
        plan.push_str(&lines);
    }

    fn remember(&self, name: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.lines.borrow_mut(), "{name} = {value}");
    }

    fn scalar(&self, name: &'static str, what: &str) -> Option<(Scalar, Range<usize>)> {
        self.entries.as_ref()?.scalar(name, what)
    }

    /// Reads a value with `parse`; `what` describes the expected value, such as "a rate". `show` formats the value for
    /// the printed plan.
    fn parsed<T: Copy>(
        &self,
        name: &'static str,
        what: &str,
        parse: fn(&str) -> Result<T, String>,
        show: fn(T) -> String,
    ) -> Option<T> {
        let (scalar, span) = self.scalar(name, what)?;
        let text = scalar.to_string();
        match parse(&text) {
            Ok(value) => {
                self.remember(name, quoted(&show(value)));
                Some(value)
            }
            Err(hint) => {
                self.findings.error(&span, format!("`{name}` must be {what}"), hint);
                None
            }
        }
    }

    /// Reads a value with `parse`, with a default; `what` describes the expected value, such as "a rate", and `show`
    /// formats the value for the printed plan.
    pub fn parsed_or<T: Copy>(
        &self,
        name: &'static str,
        what: &str,
        parse: fn(&str) -> Result<T, String>,
        show: fn(T) -> String,
        default: T,
    ) -> T {
        if !self.has(name) {
            self.remember(name, quoted(&show(default)));
            return default;
        }
        self.parsed(name, what, parse, show).unwrap_or(default)
    }

    /// Reads a rate.
    pub fn rate(&self, name: &'static str, default: Rate) -> Rate {
        self.parsed_or(name, "a rate", units::rate, |rate| rate.to_string(), default)
    }

    /// Reads a duration of at most 1,000,000 s.
    pub fn duration(&self, name: &'static str, default: Duration) -> Duration {
        let duration = self.parsed_or(name, "a time", units::duration, units::duration_text, default);
        self.at_most(name, duration, LONGEST).unwrap_or(default)
    }

    /// Reads a duration of at most 1,000,000 s, if it is given.
    pub fn optional_duration(&self, name: &'static str) -> Option<Duration> {
        let duration = self.parsed(name, "a time", units::duration, units::duration_text)?;
        self.at_most(name, duration, LONGEST)
    }

    /// Reads a delay of packets: at most 10 s.
    pub fn delay(&self, name: &'static str, default: Duration) -> Duration {
        self.at_most(name, self.duration(name, default), LONGEST_DELAY).unwrap_or(default)
    }

    /// Reads a time to wait actively before sleeping: at most [`LONGEST_SPIN`], and none if it is not given.
    pub fn spin(&self, name: &'static str) -> Duration {
        // In the unit in which people give such times, and not in the smallest one.
        let show = |time| if time == Duration::ZERO { "0 us".to_owned() } else { units::duration_text(time) };
        let time = self.parsed_or(name, "a time", units::duration, show, Duration::ZERO);
        self.at_most(name, time, LONGEST_SPIN).unwrap_or(Duration::ZERO)
    }

    fn at_most(&self, name: &'static str, duration: Duration, most: Duration) -> Option<Duration> {
        if duration <= most {
            return Some(duration);
        }
        let hint = format!("at most {}", units::duration_text(most));
        let message = format!("`{name}` cannot be {}", units::duration_text(duration));
        self.findings.error(&self.span_of(name), message, hint);
        None
    }

    /// Reads a duration that is not zero.
    pub fn positive(&self, name: &'static str, default: Duration) -> Duration {
        let duration = self.duration(name, default);
        if duration == Duration::ZERO {
            self.findings.error(&self.span_of(name), format!("`{name}` is zero"), "give a time above zero");
        }
        duration
    }

    /// Reads a duration that is not zero, if it is given.
    pub fn positive_duration(&self, name: &'static str) -> Option<Duration> {
        let duration = self.optional_duration(name)?;
        if duration == Duration::ZERO {
            self.findings.error(&self.span_of(name), format!("`{name}` is zero"), "give a time above zero");
            return None;
        }
        Some(duration)
    }

    /// Reads a number of bytes within a range.
    pub fn bytes(&self, name: &'static str, range: RangeInclusive<u64>, default: u64) -> u64 {
        let bytes = self.parsed_or(name, "a size", amount::size, units::bytes_text, default);
        if range.contains(&bytes) {
            return bytes;
        }
        let [from, to] = [*range.start(), *range.end()].map(units::bytes_text);
        let hint = if *range.end() == u64::MAX { format!("at least {from}") } else { format!("from {from} to {to}") };
        self.findings.error(&self.span_of(name), format!("`{name}` cannot be {}", units::bytes_text(bytes)), hint);
        default
    }

    /// Reads the capacity of a queue.
    pub fn amount(&self, name: &'static str, default: Amount) -> Amount {
        self.parsed_or(name, "an amount", amount::amount, amount::amount_text, default)
    }

    /// Reads the capacity of a queue, if it is given.
    pub fn optional_amount(&self, name: &'static str) -> Option<Amount> {
        self.parsed(name, "an amount", amount::amount, amount::amount_text)
    }

    /// Reads a number within a range.
    pub fn number(&self, name: &'static str, range: RangeInclusive<f64>, default: f64) -> f64 {
        let Some((scalar, span)) = self.scalar(name, "a number") else {
            self.remember(name, default);
            return default;
        };
        let number = match scalar {
            Scalar::Count(count) => Some(count as f64),
            Scalar::Number(number) => Some(number),
            _ => None,
        };
        match number.filter(|number| range.contains(number)) {
            Some(number) => {
                self.remember(name, number);
                number
            }
            None => {
                let hint = format!("a number from {} to {}", range.start(), range.end());
                self.findings.error(&span, format!("invalid value for `{name}`"), hint);
                default
            }
        }
    }

    /// Reads a Boolean.
    pub fn flag(&self, name: &'static str, default: bool) -> bool {
        let flag = match self.scalar(name, "true or false") {
            None => default,
            Some((Scalar::Flag(flag), _)) => flag,
            Some((_, span)) => {
                let message = format!("`{name}` must be true or false");
                self.findings.error(&span, message, "write true or false, without quotes");
                default
            }
        };
        self.remember(name, flag);
        flag
    }

    /// Reads a text, number or Boolean as a text that `check` accepts, if it is given. `check` returns a hint for texts
    /// that it rejects.
    pub fn checked(&self, name: &'static str, check: impl FnOnce(&str) -> Result<(), String>) -> Option<String> {
        let (scalar, span) = self.scalar(name, "a value")?;
        let text = scalar.to_string();
        if let Err(wrong) = check(&text) {
            self.findings.error(&span, format!("invalid value for `{name}`"), wrong);
            return None;
        }
        self.remember(name, if matches!(scalar, Scalar::Text(_)) { quoted(&text) } else { text.clone() });
        Some(text)
    }

    /// Reads a text, if it is given, and returns it with its place.
    pub fn text(&self, name: &'static str) -> Option<(String, Range<usize>)> {
        let (text, span) = self.entries.as_ref()?.text(name)?;
        self.remember(name, quoted(&text));
        Some((text, span))
    }

    /// Reads a text that the printed plan leaves out, because the plan prints what the text stands for.
    pub fn hidden_text(&self, name: &'static str) -> Option<(String, Range<usize>)> {
        self.entries.as_ref()?.text(name)
    }

    /// Keeps [`Section::end`] from reporting unknown entries, because the code that would have requested them has
    /// failed.
    pub fn pass_over(&self) {
        if let Some(entries) = &self.entries {
            entries.pass_over();
        }
    }

    /// Reads a list of texts; empty if there is none.
    pub fn texts(&self, name: &'static str) -> Vec<(String, Range<usize>)> {
        let texts = self.entries.as_ref().map(|entries| entries.texts(name)).unwrap_or_default();
        if !texts.is_empty() {
            let all: Vec<String> = texts.iter().map(|(text, _)| quoted(text)).collect();
            self.remember(name, format!("[{}]", all.join(", ")));
        }
        texts
    }

    /// Reads a list of names or patterns, each of which must match at least one `what` of the thing that the plan
    /// describes, such as a host of a network; empty if there is none. Each is recorded in the [`Mentions`].
    pub fn patterns(&self, name: &'static str, what: &'static str) -> Vec<Pattern> {
        let texts = self.texts(name);
        texts.iter().for_each(|(text, span)| self.mentions.note(what, text, span));
        texts.iter().map(|(text, _)| Pattern::new(text)).collect()
    }

    /// Returns the names that were mentioned anywhere in the plan.
    pub fn mentions(&self) -> &Mentions {
        &self.mentions
    }

    /// Reads one of several words.
    ///
    /// # Panics
    /// If `default` is not one of the choices.
    pub fn choice<T: Copy>(&self, name: &'static str, choices: &[(&str, T)], default: &str) -> T {
        let of = |word: &str| choices.iter().find(|(known, _)| *known == word).map(|(_, choice)| *choice);
        let given = self.entries.as_ref().and_then(|entries| entries.text(name));
        let (word, span) = given.unwrap_or((default.to_owned(), self.span.clone()));
        if let Some(choice) = of(&word) {
            self.remember(name, quoted(&word));
            return choice;
        }
        let names: Vec<&str> = choices.iter().map(|(known, _)| *known).collect();
        let hint = hint(&word, names.iter().copied(), &format!("`{name}` is one of {}", names.join(", ")));
        self.findings.error(&span, format!("there is no `{name}` called `{word}`"), hint);
        of(default).expect("the default is one of the choices")
    }

    /// Adds an error if an entry is missing; `what` describes what to add. Returns true if the entry is given.
    pub fn require(&self, name: &'static str, what: &str) -> bool {
        let has = self.has(name);
        if !has {
            let root = self.entries.as_ref().map_or("the plan", Entries::name);
            let place = if self.heading.is_empty() { root } else { &self.heading };
            self.findings.error(&self.span, format!("{place} has no `{name}`"), format!("add {what}"));
        }
        has
    }
}

/// Returns a text as a quoted TOML string.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
