//! Images of programs of threads: how they are read, and how they are made.

use std::path::Path;
use std::sync::Arc;

use diagnostics::{Diagnostic, Diagnostics, Failure, Sources};
use trio::{Image, Misfit, Parameters, SourceLine};

use super::{LoadOptions, LoadedProgram};

/// The greatest size of an image in bytes.
const MOST_IMAGE_BYTES: u64 = 64 << 20;

impl LoadedProgram {
    /// Reads a program from an image.
    pub(super) fn of_image(path: &Path, options: &LoadOptions) -> Result<Self, Diagnostics> {
        let refuse = |reason: String| {
            Diagnostics::from(Diagnostic::without_place(format!("`{}` cannot be read: {reason}", path.display())))
        };
        let metadata = std::fs::metadata(path).map_err(|error| refuse(error.to_string()))?;
        if !metadata.is_file() {
            return Err(refuse("it is not a file".to_owned()));
        }
        if metadata.len() > MOST_IMAGE_BYTES {
            return Err(refuse(format!("it is longer than {MOST_IMAGE_BYTES} bytes")));
        }
        let bytes = std::fs::read(path).map_err(|error| refuse(error.to_string()))?;
        let image = Image::from_bytes(&bytes).map_err(|damage| {
            let error =
                Diagnostic::without_place(format!("`{}` is not an image that can be used: {damage}", path.display()));
            error.hint("make it again: `polyplane compile program.mc --image program.img`")
        })?;
        let mut sources = Sources::new();
        sources.add(path.to_string_lossy(), image.program().to_string());
        let program = image.program().as_ref().clone();
        Ok(Self { image: Some(Arc::new(image)), ..Self::of_threads(&sources, program, String::new(), options) })
    }

    /// Compiles the program for a packet processing engine of Trio with these units, or returns the image from which it was read.
    ///
    /// # Errors
    /// [`Failure::DoesNotFit`] with every instruction that does not fit in a word, at its place; or if the program is not one of
    /// threads, or is an image for words with other units.
    pub fn image(&self, parameters: &Parameters) -> Result<Arc<Image>, Failure> {
        let name = &self.program.name;
        if !self.has_threads() {
            return Err(Failure::DoesNotFit(format!("`{name}` does not fit: it has no threads, which Trio runs\n")));
        }
        if let Some(image) = &self.image {
            if image.parameters() != parameters {
                let message = format!("`{name}` does not fit: it is an image for words that have other units\n");
                return Err(Failure::DoesNotFit(message));
            }
            return Ok(image.clone());
        }
        let sources = self.sources();
        let line = |place: &diagnostics::Span| SourceLine {
            file: sources.name(place.source).to_owned(),
            line: sources.place(*place).0 as u32,
        };
        let lines = self.places.iter().map(|place| Some(line(place))).collect();
        Image::new(&self.program, parameters, lines).map(Arc::new).map_err(|misfits| self.misfits(&misfits))
    }

    /// Returns the texts that were read.
    fn sources(&self) -> Sources {
        let mut sources = Sources::new();
        for (name, text) in &self.inputs {
            sources.add(name.clone(), text.clone());
        }
        sources
    }

    fn misfits(&self, misfits: &[Misfit]) -> Failure {
        let mut found = Diagnostics::new();
        found.extend(misfits.iter().map(|misfit| misfit.diagnostic(&self.places)));
        Failure::DoesNotFit(found.render(&self.sources(), false))
    }
}
