//! The placement of register indices in pipelines as users write it: `reg[2]=0,reg[4-7]=1,other=1`.

use std::fs;
use std::ops::Range;
use std::path::Path;

use diagnostics::{Diagnostic, Diagnostics, Sources, Span, did_you_mean};
use ir::pipeline::{Access, Division, Pipeline};
use machines::mp5::{Mp5Parameters, Sharding, first_maps};

use diagnostics::Failure;

/// The pipelines in which indices of registers lie, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The name of the text in diagnostics: that of a file or of the option.
    name: String,
    text: String,
    entries: Vec<PlacementEntry>,
}

/// Some indices of a register, and their pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PlacementEntry {
    register: String,
    /// The first and the last index; `None` for all indices.
    indices: Option<(u64, u64)>,
    pipeline: u64,
    /// The place of the entry in the text.
    place: Range<usize>,
}

/// The syntax of entries, for hints.
const FORM: &str = "an entry is `register[index]=pipeline`, `register[first-last]=pipeline` or `register=pipeline`";

impl Placement {
    /// Reads a placement from a text: entries separated by commas, or the name of a file of entries.
    ///
    /// # Errors
    /// If the file cannot be read, or the text contains anything but entries.
    pub fn read(text: &str) -> Result<Self, Failure> {
        if text.contains('=') {
            return Self::parse("--placement", text);
        }
        let contents = fs::read_to_string(Path::new(text)).map_err(|error| {
            Diagnostic::without_place(format!("cannot read the placement `{text}`: {error}"))
                .hint(format!("name a file of entries, or give them here: {FORM}"))
        })?;
        Self::parse(text, &contents)
    }

    fn parse(name: &str, text: &str) -> Result<Self, Failure> {
        let mut read = Self { name: name.to_owned(), text: text.to_owned(), entries: Vec::new() };
        let mut wrong = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let code = line.split('#').next().unwrap_or_default();
            let mut at = start;
            for part in code.split(',') {
                let (word, begins) = (part.trim(), at + part.len() - part.trim_start().len());
                let place = begins..begins + word.len();
                at += part.len() + 1;
                if word.is_empty() {
                    continue;
                }
                match entry(word, place.clone()) {
                    Some(entry) => read.entries.push(entry),
                    None => wrong.push((place, format!("`{word}` is not an entry of a placement"), FORM.to_owned())),
                }
            }
            start += line.len();
        }
        read.refuse(wrong).map(|()| read)
    }

    /// Returns a fixed sharding of a pipeline's registers: indices that the placement names lie where it says, and all
    /// others where `parameters` put them initially.
    ///
    /// # Errors
    /// If the placement names registers, indices or pipelines that do not exist, or a register that is not sharded.
    pub fn sharding(&self, pipeline: &Pipeline, parameters: &Mp5Parameters) -> Result<Sharding, Failure> {
        let mut maps = first_maps(pipeline, parameters);
        let mut wrong = Vec::new();
        let named = |access: &Access, name: &str| {
            access.registers.iter().any(|&register| pipeline.program.register(register).name == name)
        };
        let names: Vec<&str> = pipeline.program.registers.iter().map(|register| register.name.as_str()).collect();
        for entry in &self.entries {
            let name = &entry.register;
            let Some(number) = pipeline.accesses.iter().position(|access| named(access, name)) else {
                let hint = did_you_mean(name, names.iter().copied());
                let hint = hint.unwrap_or_else(|| format!("its registers: {}", names.join(", ")));
                wrong.push((entry.place.clone(), format!("the program accesses no register called `{name}`"), hint));
                continue;
            };
            let access = &pipeline.accesses[number];
            let (size, k) = (pipeline.indices_of(access) as u64, parameters.pipelines as u64);
            let (first, last) = entry.indices.unwrap_or((0, size.saturating_sub(1)));
            let finding = if access.division == Division::Whole {
                Some((
                    format!("`{name}` is not sharded, and lies in one pipeline as a whole"),
                    "`compile --machine mp5` says why; leave the entry out".to_owned(),
                ))
            } else if first > last || last >= size {
                Some((
                    format!("`{name}` has {size} indices, from 0 to {}", size - 1),
                    "name indices within this range".to_owned(),
                ))
            } else if entry.pipeline >= k {
                Some((
                    format!("there is no pipeline {}", entry.pipeline),
                    format!("there are {k}, from 0; see `--pipelines`"),
                ))
            } else {
                maps[number][first as usize..=last as usize].fill(entry.pipeline as u8);
                None
            };
            wrong.extend(finding.map(|(message, hint)| (entry.place.clone(), message, hint)));
        }
        self.refuse(wrong)?;
        Ok(Sharding::Fixed(maps))
    }

    fn refuse(&self, wrong: Vec<(Range<usize>, String, String)>) -> Result<(), Failure> {
        let mut sources = Sources::new();
        let source = sources.add(self.name.clone(), self.text.clone());
        let mut diagnostics = Diagnostics::new();
        for (place, message, hint) in wrong {
            diagnostics.push(Diagnostic::error(Span::new(source, place.start, place.end), message).hint(hint));
        }
        diagnostics.into_result(()).map_err(|diagnostics| Failure::BadInput { sources, diagnostics })
    }
}

/// Parses an entry; returns `None` if the text is not one.
fn entry(text: &str, place: Range<usize>) -> Option<PlacementEntry> {
    let (left, pipeline) = text.split_once('=')?;
    let pipeline = pipeline.trim().parse().ok()?;
    let left = left.trim();
    let (register, indices) = match left.split_once('[') {
        None => (left, None),
        Some((register, indices)) => {
            let indices = indices.trim_end().strip_suffix(']')?;
            let (first, last) = indices.split_once('-').unwrap_or((indices, indices));
            (register.trim_end(), Some((first.trim().parse().ok()?, last.trim().parse().ok()?)))
        }
    };
    (!register.is_empty()).then(|| PlacementEntry { register: register.to_owned(), indices, pipeline, place })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIPELINE: &str = "\
pipeline two

field index: int<32>
local old: int<32>
local count: int<32>
register each: int<32>[4] = fill 0
register all: int<32> = 0

resolution 1
stage {
}
stage {
  atom rw { old = @each[index] }
}
stage {
  atom rw { count = @all }
}
access @each stage 1 index index always sharded
access @all stage 2 always pinned
";

    fn sharding(text: &str) -> Result<Sharding, String> {
        let pipeline = ir::parse::pipeline("two.ir", PIPELINE).expect("it is a pipeline");
        let parameters = Mp5Parameters { pipelines: 2, sharding: Sharding::StaticModulo, ..Mp5Parameters::default() };
        let placement = Placement::read(text).map_err(|failure| failure.render(false))?;
        placement.sharding(&pipeline, &parameters).map_err(|failure| failure.render(false))
    }

    #[test]
    fn unnamed_indices_keep_their_initial_pipelines() {
        let Ok(Sharding::Fixed(maps)) = sharding("each[1-2] = 0, each[0]=1") else { panic!("it is a placement") };
        assert_eq!(maps[0], [1, 0, 0, 1]);
        let Ok(Sharding::Fixed(maps)) = sharding("each=1") else { panic!("it is a placement") };
        assert_eq!(maps[0], [1; 4]);
    }

    #[test]
    fn all_mistakes_are_reported_at_their_places() {
        let told = sharding("each[4]=0, eahc[0]=1, each[0]=2, all=1").expect_err("every entry is wrong");
        for words in
            ["4 indices, from 0 to 3", "no register called `eahc`", "`each`", "no pipeline 2", "`all` is not sharded"]
        {
            assert!(told.contains(words), "{words}: {told}");
        }
        let told = sharding("each[0]=0, each[=1").expect_err("the second is not an entry");
        assert!(told.contains("`each[=1` is not an entry") && told.contains("1:12"), "{told}");
    }
}
