//! Reading flow logs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use diagnostics::{Diagnostic, Diagnostics, Failure, Sources, Span};
use vswitch::flow_log::{FlowField, VERSION_2, fields_of_header};

/// A record of a flow log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The file and the line, such as `web.log:12`.
    pub place: String,
    values: BTreeMap<FlowField, String>,
    /// Whether its file has records of version 2 here, which lack most of what is asked for.
    pub is_plain: bool,
}

impl Record {
    /// Returns a value, if the record has it.
    pub fn get(&self, field: FlowField) -> Option<&str> {
        self.values.get(&field).map(String::as_str).filter(|value| *value != "-")
    }

    /// Returns a value that is a number.
    pub fn number(&self, field: FlowField) -> Option<u64> {
        self.get(field)?.parse().ok()
    }
}

/// Calls `visit` for each record of the files `*.log` in a folder, in the order of their names.
///
/// # Errors
/// Fails if the folder or a file cannot be read, or at the place of a line that is no record.
pub fn read(folder: &Path, mut visit: impl FnMut(Record)) -> Result<(), Failure> {
    let cannot = |error: std::io::Error| Failure::plain(format!("cannot read {}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        paths.push(entry.map_err(cannot)?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "log"));
    paths.sort();
    for path in paths {
        let shown = path.display().to_string();
        let text =
            std::fs::read_to_string(&path).map_err(|error| Failure::plain(format!("cannot read {shown}: {error}")))?;
        records(&shown, &text, &mut visit)?;
    }
    Ok(())
}

fn records(shown: &str, text: &str, visit: &mut impl FnMut(Record)) -> Result<(), Failure> {
    let mut fields = VERSION_2.to_vec();
    let mut start = 0;
    for (number, line) in text.split('\n').enumerate() {
        let place = start..start + line.len();
        start = place.end + 1;
        // The last line may still be written.
        if line.is_empty() || place.end == text.len() {
            continue;
        }
        if let Some(named) = fields_of_header(line) {
            fields = named;
            continue;
        }
        let values: Vec<&str> = line.split(' ').collect();
        if values.len() != fields.len() {
            let message =
                format!("this record has {} values, and the file has {} fields here", values.len(), fields.len());
            let hint = match line.split(' ').next().and_then(FlowField::named) {
                Some(_) => "it names fields that this version does not know".to_owned(),
                None => format!("the fields are {}", vswitch::flow_log::header(&fields)),
            };
            let mut sources = Sources::new();
            let id = sources.add(shown, text);
            let mut diagnostics = Diagnostics::new();
            diagnostics.push(Diagnostic::error(Span::new(id, place.start, place.end), message).hint(hint));
            return Err(Failure::BadInput { diagnostics: diagnostics.at_characters(&sources), sources });
        }
        let is_plain = fields == VERSION_2;
        let values = fields.iter().copied().zip(values.into_iter().map(str::to_owned)).collect();
        visit(Record { place: format!("{shown}:{}", number + 1), values, is_plain });
    }
    Ok(())
}
