//! The sections of a plan, each checked against the axes and measures of its method.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value as Json;

use super::experiment::{
    ClaimPlan, Drawn, Each, FigurePlan, Form, Published, Selection, SweepPlan, TablePlan, Tolerance,
};
use super::read::Files;
use super::{Accepts, Axis, Method};
use crate::sweep::REPEATED_OVER;
use plans::{Entries, Findings, Placed, hint, value_of_name};
use plans::{Record, Value};

/// The word that stands for all words of an axis.
const ALL: &str = "*";

/// The axes and measures of the plan's method.
pub(super) struct MethodNames<'k> {
    /// The axes of the method and `seed`; `None` if there is no such method, in which case names are not checked.
    axes: Option<Vec<Axis>>,
    measures: Vec<String>,
    method: Option<&'k dyn Method>,
    findings: &'k Findings,
}

impl<'k> MethodNames<'k> {
    pub fn of(method: Option<&'k dyn Method>, findings: &'k Findings) -> Self {
        let axes = method.map(|method| {
            let mut axes = method.axes();
            axes.push(Axis::integers(REPEATED_OVER, 0..=u64::MAX));
            axes
        });
        let measures = method.map(|method| method.measures().iter().map(|&name| name.to_owned()).collect());
        Self { axes, measures: measures.unwrap_or_default(), method, findings }
    }

    /// Reads the sweeps: `[axes]`, or for each `[[sweep]]` those axes with its own in their place.
    pub fn sweeps(&self, entries: &Entries<'_>) -> Vec<SweepPlan> {
        entries.require("axes", "[axes] with the values of every axis");
        let Some(axes) = entries.table("axes") else { return Vec::new() };
        let common = self.values(&axes, false);
        let sweeps = entries.tables("sweep");
        if sweeps.is_empty() {
            return vec![self.sweep(common, axes.span())];
        }
        let merged = |entry: Entries<'_>| {
            let mut axes = common.clone();
            for (name, values) in self.values(&entry, false) {
                match axes.iter_mut().find(|(known, _)| *known == name) {
                    Some(axis) => axis.1 = values,
                    None => axes.push((name, values)),
                }
            }
            self.sweep(axes, entry.span())
        };
        sweeps.into_iter().map(merged).collect()
    }

    /// Checks a sweep, which has every axis of the method that has no usual value, and only points that the method accepts.
    fn sweep(&self, axes: Vec<(String, Vec<Value>)>, span: &Range<usize>) -> SweepPlan {
        let mut plan = SweepPlan { axes: Vec::new() };
        let Some(known) = &self.axes else { return plan };
        let mut is_whole = true;
        // In the method's order, so that all files of a method have the same columns.
        for axis in known {
            match (axes.iter().find(|(name, _)| name == axis.name), &axis.usual) {
                (Some(found), _) => plan.axes.push(found.clone()),
                (None, Some(usual)) => plan.axes.push((axis.name.to_owned(), vec![usual.clone()])),
                (None, None) if axis.name == REPEATED_OVER => {}
                (None, None) => {
                    is_whole = false;
                    self.findings.error(span, format!("the axis `{}` has no values", axis.name), "add it to [axes]");
                }
            }
        }
        let accepted = |name: &str, value: &Value| {
            known.iter().find(|axis| axis.name == name).is_none_or(|axis| axis.refuses(value).is_none())
        };
        let is_good = plan.axes.iter().all(|(name, values)| values.iter().all(|value| accepted(name, value)));
        if let (true, true, Some(method)) = (is_whole, is_good, self.method) {
            for point in plan.points() {
                if let Err(wrong) = method.job(&point) {
                    self.findings.error(span, format!("these values do not go together: {point}"), wrong);
                    break;
                }
            }
        }
        plan
    }

    /// Reads names and values, each of which its axis must accept. Derived names are allowed where points are selected.
    fn values(&self, entries: &Entries<'_>, may_be_derived: bool) -> Vec<(String, Vec<Value>)> {
        let read = |(name, span, values): (String, Range<usize>, Vec<Placed>)| {
            let axis = self.axis(&name, &span);
            if !may_be_derived && self.derived().contains(&name.as_str()) {
                self.findings.error(&span, format!("`{name}` follows from the other axes"), "leave it out");
            }
            if values.is_empty() {
                self.findings.error(&span, format!("`{name}` has no values"), "give at least one");
            }
            if let ([Placed { value: Value::Word(word), .. }], Some(axis)) = (&values[..], axis)
                && word == ALL
                && let Accepts::Words(words) = &axis.accepts
            {
                return (name, words.iter().map(|word| word.as_str().into()).collect());
            }
            for placed in &values {
                if let Some(hint) = axis.and_then(|axis| axis.refuses(&placed.value)) {
                    self.findings.error(&placed.span, format!("`{name}` cannot be {}", placed.value), hint);
                }
            }
            (name, values.into_iter().map(|placed| placed.value).collect())
        };
        entries.all_values().into_iter().map(read).collect()
    }

    /// Returns the axis of a name, and reports an error if there is neither an axis nor a derived name.
    fn axis(&self, name: &str, span: &Range<usize>) -> Option<&Axis> {
        let axes = self.axes.as_ref()?;
        let derived = self.derived();
        let found = axes.iter().find(|axis| axis.name == name);
        if found.is_none() && !derived.contains(&name) {
            let names: Vec<&str> = axes.iter().map(|axis| axis.name).chain(derived.iter().copied()).collect();
            let hint = hint(name, names.iter().copied(), &format!("there are {}", names.join(", ")));
            self.findings.error(span, format!("there is no axis `{name}`"), hint);
        }
        found
    }

    fn derived(&self) -> &[&str] {
        self.method.map(|method| method.derived()).unwrap_or_default()
    }

    /// Returns the axes of these names.
    fn axis_names(&self, names: Vec<(String, Range<usize>)>) -> Vec<String> {
        let name = |(name, span): (String, Range<usize>)| {
            self.axis(&name, &span);
            name
        };
        names.into_iter().map(name).collect()
    }

    /// Reads the name of an axis, which is required.
    fn axis_name(&self, entries: &Entries<'_>, entry: &'static str) -> String {
        let (name, span) = entries.required_text(entry);
        if entries.has(entry) {
            self.axis(&name, &span);
        }
        name
    }

    /// Reads the name of a measure, which is required.
    fn measure(&self, entries: &Entries<'_>, entry: &'static str) -> String {
        let (name, span) = entries.required_text(entry);
        if entries.has(entry) { self.known_measure(name, &span) } else { name }
    }

    /// Returns a measure, and reports an error if there is none of this name.
    fn known_measure(&self, name: String, span: &Range<usize>) -> String {
        if self.method.is_some() && !self.measures.contains(&name) {
            let known = self.measures.iter().map(String::as_str);
            let hint = hint(&name, known, &format!("there are {}", self.measures.join(", ")));
            self.findings.error(span, format!("there is no measure `{name}`"), hint);
        }
        name
    }

    /// Reads a selection of points.
    pub fn selection(&self, entries: Entries<'_>) -> Selection {
        Selection { axes: self.values(&entries, true) }
    }

    fn where_(&self, entries: &Entries<'_>) -> Selection {
        entries.table("where").map(|table| self.selection(table)).unwrap_or_default()
    }

    pub fn published(&self, entries: Entries<'_>, files: Files<'_>) -> Published {
        let mut published = Published {
            measure: self.measure(&entries, "measure"),
            axis: self.axis_name(&entries, "axis"),
            selection: self.where_(&entries),
            points: Vec::new(),
            is_from_picture: entries.flag("from_picture"),
            is_landmark: entries.flag("landmark"),
            tolerance: entries.number("tolerance"),
        };
        if let Some(values) = entries.table("values") {
            published.points = values.all_numbers();
            if entries.has("file") || entries.has("key") {
                self.findings.error(entries.span(), "`values` and `file` exclude each other", "keep one of them");
            }
        } else if entries.has("file") {
            published.points = self.of_file(&entries, files);
        } else {
            let hint = "add `values`, or `file` and `key`";
            self.findings.error(entries.span(), "there are no published numbers here", hint);
        }
        entries.end();
        published
    }

    /// Reads numbers from a file of published ones: a table at a path of names, by value of the axis.
    fn of_file(&self, entries: &Entries<'_>, files: Files<'_>) -> Vec<(Value, f64)> {
        let (file, file_span) = entries.required_text("file");
        let (key, key_span) = entries.required_text("key");
        let names = || files.iter().map(|(name, _)| *name);
        let text = files.iter().find(|(name, _)| *name == file).map(|(_, text)| *text);
        let Some(json) = text.and_then(|text| serde_json::from_str::<Json>(text).ok()) else {
            let otherwise = format!("there are {}; or write `values`", names().collect::<Vec<_>>().join(", "));
            let hint = hint(&file, names(), &otherwise);
            self.findings.error(&file_span, format!("there is no file `{file}` of published numbers"), hint);
            return Vec::new();
        };
        let mut at = &json;
        for part in key.split('.').filter(|_| entries.has("key")) {
            let Some(next) = at.get(part) else {
                let names: Vec<&str> = at.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
                let hint = hint(part, names.iter().copied(), &format!("there are {}", names.join(", ")));
                self.findings.error(&key_span, format!("`{file}` has no entry `{part}` at this path"), hint);
                return Vec::new();
            };
            at = next;
        }
        let point = |(name, number): (&String, &Json)| Some((value_of_name(name), number.as_f64()?));
        let points: Option<Vec<_>> = at.as_object().and_then(|table| table.iter().map(point).collect());
        let mut points = points.unwrap_or_else(|| {
            self.findings.error(&key_span, "this is not a table of numbers", "name a table of numbers");
            Vec::new()
        });
        // Sorted as numbers: JSON's names are texts, of which 16 comes before 2.
        points.sort_by(|(a, _), (b, _)| a.number().partial_cmp(&b.number()).unwrap_or(std::cmp::Ordering::Equal));
        points
    }

    pub fn claim(&self, entries: Entries<'_>) -> ClaimPlan {
        let against = entries.table("against").map(|table| {
            let span = table.span().clone();
            self.values(&table, true).into_iter().fold(Record::new(), |record, (name, values)| match &values[..] {
                [value] => record.with(name, value.clone()),
                _ => {
                    self.findings.error(&span, format!("`{name}` has several values"), "give one value");
                    record
                }
            })
        });
        let form = entries.choice("form", &Form::NAMES);
        if (form == Form::Value) == against.is_some() {
            let hint = "ratio, difference and reduction need `against`, and value takes none";
            self.findings.error(entries.span(), "`form` and `against` do not go together", hint);
        }
        entries.require("range", "the published range: range = [0.2, 0.3]");
        let claim = ClaimPlan {
            says: entries.required_text("says").0,
            place: entries.required_text("place").0,
            measure: self.measure(&entries, "measure"),
            selection: self.where_(&entries),
            against,
            form,
            each: entries.choice("each", &Each::NAMES),
            range: entries.range("range").unwrap_or_default(),
            is_for_every: entries.flag("every"),
            is_invariant: entries.flag("invariant"),
            is_landmark: entries.flag("landmark"),
            note: entries.text("note").unwrap_or_default().0,
        };
        entries.end();
        claim
    }

    pub fn figure(&self, entries: Entries<'_>, sweeps: &[SweepPlan]) -> FigurePlan {
        let figure = FigurePlan {
            title: entries.required_text("title").0,
            drawn: self.drawn(&entries),
            series: self.axis_names(entries.texts("series")),
            panels: self.axis_names(entries.texts("panels")),
            x_label: entries.required_text("x_label").0,
            y_label: entries.required_text("y_label").0,
            selection: self.where_(&entries),
        };
        if figure.drawn.is_of_one_run() {
            self.of_one_run(&figure, entries.span(), sweeps);
        }
        entries.end();
        figure
    }

    /// Reports an error if a figure of what was so over time, which is of one run, has several in one panel.
    fn of_one_run(&self, figure: &FigurePlan, span: &Range<usize>, sweeps: &[SweepPlan]) {
        let mut runs: BTreeMap<String, Record> = BTreeMap::new();
        for point in sweeps.iter().flat_map(SweepPlan::points).filter(|point| figure.selection.selects(point)) {
            let panel = figure.panels.iter().map(|axis| format!("{axis} = {:?}", point.get(axis)));
            let known = runs.entry(panel.collect()).or_insert_with(|| point.clone());
            if *known != point {
                let message = "what was so over time is of one run, and here there are several in one picture";
                let hint = format!("name one in `where`, or name the axis in `panels`: {known}; {point}");
                self.findings.error(span, message, hint);
                return;
            }
        }
    }

    /// Reads what a figure draws: `x` and `y`, or one of `distribution`, `intervals`, `over_time`.
    fn drawn(&self, entries: &Entries<'_>) -> Drawn {
        let known = ["distribution", "intervals", "over_time"];
        let others: Vec<&str> = known.into_iter().filter(|name| entries.has(name)).collect();
        match others[..] {
            [] => return Drawn::Measure { x: self.axis_name(entries, "x"), y: self.measure(entries, "y") },
            [name] if entries.has("x") || entries.has("y") => {
                let message = format!("`{name}` stands in the place of `x` and `y`");
                self.findings.error(entries.span(), message, "keep it or them");
            }
            [_] => {}
            _ => {
                let message = format!("{} exclude each other", others.join(" and "));
                self.findings.error(entries.span(), message, "keep one of them");
            }
        }
        if entries.has("intervals") {
            return self.intervals(entries);
        }
        if entries.has("over_time") {
            let (name, span) = entries.required_text("over_time");
            let courses = self.method.map(|method| method.courses()).unwrap_or_default();
            self.check_told(&name, &span, "numbers over time", courses);
            return Drawn::OverTime(name);
        }
        let (name, span) = entries.required_text("distribution");
        let percentile = |measure: &String| {
            let percent = measure.strip_prefix(&name)?.strip_prefix(".p")?.parse().ok()?;
            Some((percent, measure.clone()))
        };
        let mut percentiles: Vec<(u32, String)> = self.measures.iter().filter_map(percentile).collect();
        percentiles.sort_unstable();
        if percentiles.is_empty() && self.method.is_some() {
            let hint = format!(
                "measures that are percentiles are called `{name}.p50`; there are {}",
                self.measures.join(", ")
            );
            self.findings.error(&span, format!("no measures are percentiles of `{name}`"), hint);
        }
        Drawn::Distribution(percentiles)
    }

    /// Reads the states of bars over time.
    fn intervals(&self, entries: &Entries<'_>) -> Drawn {
        let states: &[&str] = self.method.map(|method| method.states()).unwrap_or_default();
        let state = |(name, span): (String, Range<usize>)| {
            self.check_told(&name, &span, "state", states);
            name
        };
        Drawn::Intervals(entries.texts("intervals").into_iter().map(state).collect())
    }

    /// Reports an error if the method does not tell something of this name over time.
    fn check_told(&self, name: &str, span: &Range<usize>, what: &str, told: &[&str]) {
        if self.method.is_some() && !told.contains(&name) {
            let otherwise = match told {
                [] => format!("this method tells no {what}"),
                _ => format!("there are {}", told.join(", ")),
            };
            let hint = hint(name, told.iter().copied(), &otherwise);
            self.findings.error(span, format!("there is no {what} `{name}`"), hint);
        }
    }

    pub fn table(&self, entries: Entries<'_>) -> TablePlan {
        entries.require("measures", "what the columns show: measures = [\"throughput\"]");
        let measures = entries.texts("measures");
        let table = TablePlan {
            title: entries.required_text("title").0,
            rows: self.axis_names(entries.texts("rows")),
            columns: self.axis_names(entries.texts("columns")),
            measures: measures.into_iter().map(|(name, span)| self.known_measure(name, &span)).collect(),
            selection: self.where_(&entries),
        };
        entries.end();
        table
    }
}

/// Reads the tolerance within which a number counts as reproduced.
pub(super) fn tolerance(entries: &Entries<'_>) -> Tolerance {
    let needs_one = entries.has("published");
    if needs_one {
        entries.require("tolerance", "[tolerance] with `absolute` or `standard_errors`, and `why`");
    }
    let Some(table) = entries.table("tolerance") else { return Tolerance::default() };
    let tolerance = Tolerance {
        absolute: table.number("absolute").unwrap_or_default(),
        standard_errors: table.number("standard_errors").unwrap_or_default(),
        repetitions: table.number("repetitions").unwrap_or_default(),
        why: table.required_text("why").0,
    };
    table.end();
    tolerance
}
