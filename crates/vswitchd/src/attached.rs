//! vNICs that no file has: whoever starts guests adds them while the switch runs.

use std::collections::BTreeMap;

use std::ops::Range;

use diagnostics::{Diagnostic, Diagnostics, Failure, Sources, Span};
use files::PlanText;

use crate::message::Refusal;

/// The sections of vNICs that no file has, by their names, behind the text of the file that was applied last.
pub(crate) struct Attached {
    /// The file that was applied last.
    pub file: PlanText,
    sections: BTreeMap<String, String>,
}

impl Attached {
    /// No vNICs behind a file.
    pub fn new(file: PlanText) -> Self {
        Self { file, sections: BTreeMap::new() }
    }

    /// Returns the text of the file with the sections of these vNICs behind it.
    pub fn text(&self) -> PlanText {
        PlanText { text: self.joined().0, ..self.file.clone() }
    }

    /// Returns the text of the file with the sections behind it, and the place of each section in it, by its name.
    fn joined(&self) -> (String, Vec<(&str, Range<usize>)>) {
        let (mut text, mut places) = (self.file.text.clone(), Vec::new());
        for (name, section) in &self.sections {
            if !text.ends_with('\n') {
                text.push('\n');
            }
            places.push((name.as_str(), text.len()..text.len() + section.len()));
            text.push_str(section);
        }
        (text, places)
    }

    /// Returns a failure about [`Self::text`] with each diagnostic in the file or in the section that it is about: nobody has seen
    /// the sections behind the file.
    pub fn at_own_places(&self, failure: Failure) -> Failure {
        let Failure::BadInput { sources, diagnostics } = failure else { return failure };
        let (joined, places) = self.joined();
        let is_joined = |span: &Span| sources.text(span.source) == joined;
        let mut own = Sources::new();
        let file = own.add(&self.file.path, &self.file.text);
        let sections: Vec<_> = places
            .iter()
            .map(|(name, place)| {
                (own.add(format!("the vNIC `{name}` that is attached"), &joined[place.clone()]), place)
            })
            .collect();
        let mut others = BTreeMap::new();
        let mut moved = |span: Span| {
            if !is_joined(&span) {
                let text = || (sources.name(span.source).to_owned(), sources.text(span.source).to_owned());
                let source = *others.entry(span.source).or_insert_with(|| {
                    let (name, text) = text();
                    own.add(name, text)
                });
                return Span { source, ..span };
            }
            let (start, end) = (span.start as usize, span.end as usize);
            match sections.iter().find(|(_, place)| (place.start..place.end).contains(&start)) {
                Some((source, place)) => Span::new(*source, start - place.start, end.min(place.end) - place.start),
                None => Span { source: file, ..span },
            }
        };
        let mut all = Diagnostics::new();
        for diagnostic in diagnostics {
            let span = diagnostic.span.map(&mut moved);
            let related = diagnostic.related.into_iter().map(|(span, words)| (moved(span), words)).collect();
            all.push(Diagnostic { span, related, ..diagnostic });
        }
        Failure::BadInput { sources: own, diagnostics: all }
    }

    /// Returns the sections.
    pub fn sections(&self) -> Vec<String> {
        self.sections.values().cloned().collect()
    }

    /// Returns the names.
    pub fn names(&self) -> Vec<String> {
        self.sections.keys().cloned().collect()
    }

    /// Returns these vNICs behind another file.
    pub fn behind(&self, file: PlanText) -> Self {
        Self { file, sections: self.sections.clone() }
    }

    /// Returns these vNICs and another one, whose section is one `[[vnic]]` of a configuration.
    pub fn with(&self, section: &str) -> Result<Self, Refusal> {
        let name = name_of(section)?;
        let mut sections = self.sections.clone();
        sections.insert(name, format!("{}\n", section.trim_end()));
        Ok(Self { file: self.file.clone(), sections })
    }

    /// Returns these vNICs without one.
    ///
    /// # Errors
    /// Fails if it is not among them.
    pub fn without(&self, name: &str) -> Result<Self, Refusal> {
        let mut sections = self.sections.clone();
        if sections.remove(name).is_none() {
            let why = "those of the file go when a file without them is applied";
            return Err(Refusal::new(format!("no vNIC `{name}` was attached: {why}\n")));
        }
        Ok(Self { file: self.file.clone(), sections })
    }
}

/// Returns the name of the vNIC of a section, which must have nothing else. What it says of the vNIC is read where it stands
/// behind the file.
fn name_of(section: &str) -> Result<String, Refusal> {
    let refused = |why: &str| Refusal::new(format!("this is not one [[vnic]] with a name{why}\n"));
    let table: toml::Table = section.parse().map_err(|error| refused(&format!(": {error}")))?;
    let only = table.get("vnic").and_then(toml::Value::as_array).filter(|vnics| vnics.len() == 1 && table.len() == 1);
    let name = only.and_then(|vnics| vnics[0].get("name")?.as_str()).filter(|name| !name.is_empty());
    name.map(str::to_owned).ok_or_else(|| refused(""))
}
