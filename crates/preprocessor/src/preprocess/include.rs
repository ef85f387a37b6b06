//! `#include`: other files.

use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use super::{FrameKind, Preprocessor};
use crate::language::Header;
use crate::lexer::lex;
use crate::limits::{MOST_BYTES, MOST_FILE_BYTES, MOST_INCLUDE_DEPTH};
use crate::piece::{Piece, PieceKind};

/// The origin of a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Path {
    /// Whether the text is a header that comes with the language.
    brought_along: bool,
    path: Rc<str>,
}

impl Path {
    /// Creates the path of a file of the caller's [`crate::Files`].
    pub fn of(path: &str) -> Self {
        Self { brought_along: false, path: Rc::from(path) }
    }

    /// Resolves a file name relative to the folder of this file.
    fn beside(&self, name: &str) -> String {
        let folder = std::path::Path::new(&*self.path).parent().unwrap_or(std::path::Path::new(""));
        folder.join(name).to_string_lossy().into_owned()
    }
}

/// A file that has been read.
#[derive(Clone)]
pub(super) struct Included {
    pub pieces: Rc<[Piece]>,
    /// Whether the file contains `#pragma once`.
    pub once: bool,
}

impl Preprocessor<'_> {
    /// Carries out an `#include`: pushes the included file as the next frame to read.
    pub(super) fn include(&mut self, directive: Span, line: &[Piece]) {
        let expanded;
        let mut line = line;
        if line.first().is_some_and(|piece| piece.word().is_some()) {
            // The name may result from a macro (C11 6.10.2, paragraph 4).
            expanded = self.expand_list(line.to_vec());
            line = &expanded;
        }
        let (name, is_quoted, span, after) = match line.first() {
            Some(piece) if piece.is("<") => {
                let Some(end) = line.iter().position(|piece| piece.is(">")) else {
                    let error = Diagnostic::error(piece.span, "this `<` is never closed");
                    self.diagnostics.push(error.hint("end it with `>`"));
                    return;
                };
                let mut name = String::new();
                for (number, piece) in line[1..end].iter().enumerate() {
                    if number > 0 && !piece.touches_previous {
                        name.push(' ');
                    }
                    piece.spell(&mut name);
                }
                (name, false, piece.span.to(line[end].span), end + 1)
            }
            Some(Piece { kind: PieceKind::Text(name), span, .. }) => (name.to_string(), true, *span, 1),
            _ => {
                let error = Diagnostic::error(directive, "`#include` without a file name");
                self.diagnostics.push(error.hint(self.language.how_to_include));
                return;
            }
        };
        if let Some(piece) = line.get(after) {
            self.diagnostics.push(Diagnostic::warning(piece.span, "the rest of this line is ignored"));
        }
        let header = (self.language.header)(&name);
        if header == Some(Header::PartOfLanguage) {
            return;
        }
        if self.may_include(&name, span)
            && let Some((path, included)) = self.find(&name, is_quoted, header, span)
            && !included.once
        {
            self.open(included.pieces, path);
        }
    }

    /// Returns whether another file may be included. If not, reports the exceeded limit and stops reading.
    fn may_include(&mut self, name: &str, span: Span) -> bool {
        let mut open = 0;
        let mut itself = false;
        for frame in &self.frames {
            if let FrameKind::File(file) = &frame.kind {
                open += 1;
                itself |= file.path.path.ends_with(name);
            }
        }
        self.includes += 1;
        let (limit, what) = match () {
            () if open > MOST_INCLUDE_DEPTH => (MOST_INCLUDE_DEPTH, "nested included files"),
            () if self.includes > self.language.limits.includes => {
                (self.language.limits.includes, "included files in all")
            }
            () => return true,
        };
        let error = Diagnostic::error(span, format!("more than {limit} {what}"));
        let why = if itself { "this file includes itself: begin it with `#pragma once`" } else { "include fewer" };
        self.diagnostics.push(error.hint(why));
        self.stop();
        false
    }

    /// Finds the file that an `#include` names: relative to the including file if the name is quoted, then in the
    /// caller's search paths, then among the headers of the language.
    fn find(&mut self, name: &str, is_quoted: bool, header: Option<Header>, span: Span) -> Option<(Path, Included)> {
        let including = self.file().map(|file| file.path.clone()).filter(|path| is_quoted && !path.brought_along);
        let mut candidates: Vec<String> = including.map(|path| path.beside(name)).into_iter().collect();
        for folder in &self.options.search_paths {
            candidates.push(std::path::Path::new(folder).join(name).to_string_lossy().into_owned());
        }
        for candidate in candidates {
            let path = Path::of(&candidate);
            if let Some(included) = self.included.get(&path) {
                return Some((path, included.clone()));
            }
            match self.files.read(&candidate) {
                Ok(None) => {}
                Ok(Some(text)) => return self.keep(path, &candidate, text, span),
                Err(reason) => {
                    self.cannot(&candidate, &reason, "fix the file or its permissions", span);
                    return None;
                }
            }
        }
        if let Some(Header::Text(text)) = header {
            let path = Path { brought_along: true, path: Rc::from(name) };
            if let Some(included) = self.included.get(&path) {
                return Some((path, included.clone()));
            }
            // The angle brackets distinguish it from the user's files.
            return self.keep(path, &format!("<{name}>"), text.to_owned(), span);
        }
        let complaint = (self.language.no_such_file)(name, is_quoted);
        self.diagnostics.push(complaint.at(span));
        self.whole = false;
        None
    }

    /// Adds a text to the sources, unless it is too long.
    fn keep(&mut self, path: Path, name: &str, text: String, span: Span) -> Option<(Path, Included)> {
        self.bytes += text.len();
        if text.len() > MOST_FILE_BYTES || self.bytes > MOST_BYTES {
            let reason = match text.len() > MOST_FILE_BYTES {
                true => format!("it is longer than {MOST_FILE_BYTES} bytes"),
                false => format!("the program would be longer than {MOST_BYTES} bytes"),
            };
            self.cannot(name, &reason, "no switch holds a program of this size", span);
            self.stop();
            return None;
        }
        let source = self.sources.add(name, text);
        let pieces =
            lex(self.language, source, self.sources.text(source), &mut self.diagnostics, &mut self.whole).into();
        let included = Included { pieces, once: false };
        self.included.insert(path.clone(), included.clone());
        Some((path, included))
    }

    fn cannot(&mut self, name: &str, reason: &str, hint: &str, span: Span) {
        let error = Diagnostic::error(span, format!("`{name}` cannot be included: {reason}"));
        self.diagnostics.push(error.hint(hint));
        self.whole = false;
    }

    /// Carries out `#pragma once`: the current file is not read again.
    pub(super) fn include_once(&mut self) {
        let Some(path) = self.file().map(|file| file.path.clone()) else { return };
        if let Some(included) = self.included.get_mut(&path) {
            included.once = true;
        }
    }
}
