//! `#include`: other files, by a path that counts from the folder of the file that names it.

use std::path::Path;
use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use super::{File, Frame, FrameKind, Included, Preprocessor};
use crate::lexer::lex;
use crate::limits::{MOST_FILE_BYTES, MOST_INCLUDE_DEPTH, MOST_INCLUDES};
use crate::token::{Token, TokenKind};

impl Preprocessor<'_> {
    /// Reads the file that an `#include` names before anything else of this one.
    pub(super) fn include(&mut self, directive: Span, line: &[Token]) {
        let (path, span, after) = match line.first() {
            Some(token) if token.is("<") => {
                let Some(end) = line.iter().position(|token| token.is(">")) else {
                    self.report.push(Diagnostic::error(token.span, "this `<` has no partner").hint("end it with `>`"));
                    return;
                };
                let text = self.sources.text(token.span.source);
                let path = text.get(token.span.end as usize..line[end].span.start as usize).unwrap_or_default();
                (Rc::from(path), token.span.to(line[end].span), end + 1)
            }
            Some(Token { kind: TokenKind::Text(path), span, .. }) => (path.clone(), *span, 1),
            _ => {
                let error = Diagnostic::error(directive, "`#include` without a file name");
                self.report.push(error.hint("write `#include \"name.h\"`"));
                return;
            }
        };
        if let Some(token) = line.get(after) {
            self.report.push(Diagnostic::warning(token.span, "the rest of this line is ignored"));
        }
        // The hash functions are part of the language: their header is known without a file, and a file of that
        // name (the public collection has one, in C that is not Domino) is never read.
        if Path::new(&*path).file_name().is_some_and(|name| name == "hashes.h") {
            return;
        }
        if line[0].is("<") {
            let error = Diagnostic::error(span, format!("there is no system header <{path}>"));
            self.report.push(error.hint("`int` and the hash functions need none; write your own as \"name.h\""));
            return;
        }
        let Some(including) = self.file().map(|file| file.path.clone()) else { return };
        let path = Path::new(&*including).parent().unwrap_or(Path::new("")).join(&*path);
        let path = path.to_string_lossy().into_owned();
        self.enter(&path, span);
    }

    fn enter(&mut self, path: &str, span: Span) {
        let open = self.frames.iter().filter(|frame| matches!(frame.kind, FrameKind::File(_))).count();
        self.includes += 1;
        if open > MOST_INCLUDE_DEPTH || self.includes > MOST_INCLUDES {
            let itself =
                self.frames.iter().any(|frame| matches!(&frame.kind, FrameKind::File(file) if &*file.path == path));
            let (limit, of) =
                if open > MOST_INCLUDE_DEPTH { (MOST_INCLUDE_DEPTH, "deep") } else { (MOST_INCLUDES, "in all") };
            let error = Diagnostic::error(span, format!("more than {limit} included files {of}"));
            let why = if itself { "this file includes itself: begin it with `#pragma once`" } else { "include fewer" };
            self.report.push(error.hint(why));
            return self.stop();
        }
        let Some(included) = self.read(path, span) else { return };
        if included.once {
            return;
        }
        let file = File { path: Rc::from(path), conditionals: Vec::new() };
        self.frames.push(Frame { tokens: included.tokens, at: 0, kind: FrameKind::File(file) });
    }

    fn read(&mut self, path: &str, span: Span) -> Option<Included> {
        if let Some(included) = self.files.get(path) {
            return Some(included.clone());
        }
        let text = (self.include)(path).and_then(|text| {
            let fits = text.len() <= MOST_FILE_BYTES;
            fits.then_some(text).ok_or_else(|| format!("it is longer than {MOST_FILE_BYTES} bytes"))
        });
        match text {
            Ok(text) => {
                let source = self.sources.add(path, text);
                let tokens = lex(source, self.sources.text(source), &mut self.report.errors).into();
                let included = Included { tokens, once: false };
                self.files.insert(path.to_owned(), included.clone());
                Some(included)
            }
            Err(reason) => {
                let error = Diagnostic::error(span, format!("`{path}` cannot be included: {reason}"));
                self.report.push(error.hint("the path counts from the folder of the file that includes it"));
                None
            }
        }
    }
}
