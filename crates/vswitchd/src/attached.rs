//! vNICs that no file has: whoever starts guests adds them while the switch runs.

use std::collections::BTreeMap;

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
        let mut text = self.file.text.clone();
        for section in self.sections.values() {
            if !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(section);
        }
        PlanText { text, ..self.file.clone() }
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

    /// Returns these vNICs without one; `None` if it is not among them.
    pub fn without(&self, name: &str) -> Option<Self> {
        let mut sections = self.sections.clone();
        sections.remove(name)?;
        Some(Self { file: self.file.clone(), sections })
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
