//! Directives and macros: from the texts of a program to one list of pieces. This is all of C11 6.10 but `_Pragma`,
//! the names of dates and versions that it brings along (6.10.8), and `#line`, which is passed over.

mod condition;
mod define;
mod directive;
mod expand;
mod include;
mod lines;
mod macros;
mod paste;
mod strings;

use std::collections::BTreeMap;
use std::rc::Rc;

use diagnostics::{Diagnostic, Diagnostics, SourceId, Sources, Span};

use crate::files::Files;
use crate::language::Language;
use crate::lexer::lex;
use crate::limits::MOST_FILE_BYTES;
use crate::piece::Piece;
use include::Included;
use lines::Lines;
use macros::Macro;
pub use macros::MacroUses;

/// What the caller says about a run of the preprocessor.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Folders in which `#include <name>` looks, in order, and `#include "name"` after the folder of the file that
    /// has it. The headers that the language brings along come last.
    pub search_paths: Vec<String>,
    /// Macros that are defined from the start, each with its text, as `-D name=text` gives them. The name may have
    /// parameters: `F(x)`.
    pub definitions: Vec<(String, String)>,
}

/// A program without directives and macros.
#[derive(Debug)]
pub struct Preprocessed {
    /// The program.
    pub pieces: Vec<Piece>,
    /// Where the program ends: behind the last byte of the main file.
    pub end: Span,
    /// What was found, in the order of reading. With errors among it the pieces are still good to look for more.
    pub diagnostics: Diagnostics,
    /// For findings of later steps, see [`MacroUses::explain`].
    pub macro_uses: MacroUses,
    /// False if reading stopped before the end, or a file could not be included: errors in what was read may only follow
    /// from what was not.
    pub complete: bool,
}

/// Carries out the directives of a program and expands its macros. The name of `main` in `sources` is its path, from
/// which the paths of included files count. Every text that is read goes into `sources`.
pub fn preprocess(
    language: &Language,
    sources: &mut Sources,
    main: SourceId,
    files: &dyn Files,
    options: &Options,
) -> Preprocessed {
    let length = sources.text(main).len();
    let mut preprocessor = Preprocessor {
        language,
        sources,
        files,
        options,
        diagnostics: Diagnostics::new(),
        macro_uses: MacroUses::default(),
        macros: BTreeMap::new(),
        included: BTreeMap::new(),
        lines: Lines::default(),
        frames: Vec::new(),
        output: Vec::new(),
        separate: false,
        starts_line: false,
        work: 0,
        bytes: 0,
        depth: 0,
        includes: 0,
        complete: true,
        whole: true,
    };
    preprocessor.read_main(main);
    preprocessor.read_definitions();
    preprocessor.run();
    let Preprocessor { output, mut diagnostics, macro_uses, complete, whole, .. } = preprocessor;
    let pieces = strings::joined(output, sources, &mut diagnostics);
    let complete = complete && whole;
    Preprocessed { pieces, end: Span::new(main, length, length), diagnostics, macro_uses, complete }
}

struct Preprocessor<'a> {
    language: &'a Language,
    sources: &'a mut Sources,
    files: &'a dyn Files,
    options: &'a Options,
    diagnostics: Diagnostics,
    macro_uses: MacroUses,
    macros: BTreeMap<Rc<str>, Macro>,
    /// Files read so far, by path, so that none is read or reported twice.
    included: BTreeMap<include::Path, Included>,
    lines: Lines,
    frames: Vec<Frame>,
    output: Vec<Piece>,
    /// A macro began or ended after the last piece of the output: the next one does not touch it.
    separate: bool,
    /// A macro that began a line has not given a piece yet: the next one begins that line.
    starts_line: bool,
    /// Pieces handled so far.
    work: usize,
    /// Bytes read so far.
    bytes: usize,
    /// Macro calls in arguments of macro calls that are being expanded.
    depth: usize,
    includes: usize,
    /// Reading has not been stopped.
    complete: bool,
    /// No part of what was read is missing.
    whole: bool,
}

/// A place in a list of pieces that is being read. The last frame is read first.
struct Frame {
    pieces: Rc<[Piece]>,
    at: usize,
    kind: FrameKind,
}

enum FrameKind {
    /// A file.
    File(File),
    /// The expansion of this macro, which is not expanded in it again.
    Macro(Rc<str>),
    /// A list that is expanded on its own: an argument, or an `#if`. Reading stops at its end.
    List,
}

struct File {
    path: include::Path,
    conditionals: Vec<Conditional>,
}

/// An `#if` whose `#endif` has not come.
struct Conditional {
    span: Span,
    /// The pieces here count.
    active: bool,
    /// No later branch counts: one did, or the whole lies in a part that does not.
    taken: bool,
    seen_else: bool,
}

impl Preprocessor<'_> {
    fn read_main(&mut self, main: SourceId) {
        let text = self.sources.text(main);
        if text.len() > MOST_FILE_BYTES {
            let message = format!("`{}` is longer than {MOST_FILE_BYTES} bytes", self.sources.name(main));
            self.diagnostics.push(Diagnostic::without_place(message));
            self.complete = false;
            return;
        }
        self.bytes += text.len();
        let pieces: Rc<[Piece]> = lex(self.language, main, text, &mut self.diagnostics, &mut self.whole).into();
        let path = include::Path::of(self.sources.name(main));
        self.included.insert(path.clone(), Included { pieces: pieces.clone(), once: false });
        self.open(pieces, path);
    }

    /// Macros of the caller are lines of a text of their own, so that errors can show them.
    fn read_definitions(&mut self) {
        let definitions = self.options.definitions.iter();
        let one_line = |text: &str| text.replace(['\n', '\r', '\\'], " ");
        let text: String =
            definitions.map(|(name, text)| format!("#define {} {}\n", one_line(name), one_line(text))).collect();
        if text.is_empty() {
            return;
        }
        let source = self.sources.add("<command line>", text);
        let pieces =
            lex(self.language, source, self.sources.text(source), &mut self.diagnostics, &mut self.whole).into();
        self.open(pieces, include::Path::of("<command line>"));
    }

    fn open(&mut self, pieces: Rc<[Piece]>, path: include::Path) {
        let file = File { path, conditionals: Vec::new() };
        self.frames.push(Frame { pieces, at: 0, kind: FrameKind::File(file) });
    }

    /// Reads until the frames are used up, or a list in front of them is.
    fn run(&mut self) {
        while let Some(piece) = self.next() {
            if piece.first_of_line && piece.is("#") && self.in_file() {
                self.directive(&piece);
            } else if self.skipping() {
                continue;
            } else if piece.word().is_some() {
                self.word(piece);
            } else {
                self.emit(piece);
            }
        }
    }

    fn next(&mut self) -> Option<Piece> {
        loop {
            let frame = self.frames.last_mut()?;
            if let Some(piece) = frame.pieces.get(frame.at) {
                frame.at += 1;
                let piece = piece.clone();
                return self.spend(1).then_some(piece);
            }
            if matches!(frame.kind, FrameKind::List) {
                return None;
            }
            self.leave_frame();
        }
    }

    fn leave_frame(&mut self) {
        match self.frames.pop().map(|frame| frame.kind) {
            Some(FrameKind::Macro(name)) => {
                self.separate = true;
                if let Some(definition) = self.macros.get_mut(&name) {
                    definition.active = false;
                }
            }
            Some(FrameKind::File(file)) => {
                for open in file.conditionals {
                    let error = Diagnostic::error(open.span, "this condition has no `#endif`");
                    self.diagnostics.push(error.hint("end it with `#endif` in the same file"));
                }
            }
            Some(FrameKind::List) | None => {}
        }
    }

    /// The next piece, if it can be the `(` of a macro call: not past a file's end, a list's end or a directive.
    fn peek(&self) -> Option<&Piece> {
        for frame in self.frames.iter().rev() {
            let is_file = matches!(frame.kind, FrameKind::File(_));
            match frame.pieces.get(frame.at) {
                Some(piece) => return Some(piece).filter(|piece| !(is_file && piece.first_of_line && piece.is("#"))),
                None if matches!(frame.kind, FrameKind::Macro(_)) => {}
                None => return None,
            }
        }
        None
    }

    /// Counts work. When there is too much, everything stops and it is said why.
    fn spend(&mut self, pieces: usize) -> bool {
        self.work = self.work.saturating_add(pieces);
        let most = self.language.limits.tokens;
        if self.work <= most {
            return true;
        }
        if let Some(span) = self.place().filter(|_| self.complete) {
            let message = format!("the program is longer than {most} tokens once its macros are expanded");
            self.diagnostics.push(Diagnostic::error(span, message).label("reading stopped here"));
        }
        self.stop();
        false
    }

    /// The piece of the innermost file that is being read now.
    fn place(&self) -> Option<Span> {
        let file = self.frames.iter().rev().find(|frame| matches!(frame.kind, FrameKind::File(_)))?;
        let at = file.at.saturating_sub(1).min(file.pieces.len().saturating_sub(1));
        file.pieces.get(at).map(|piece| piece.span)
    }

    fn stop(&mut self) {
        self.complete = false;
        self.frames.clear();
    }

    fn in_file(&self) -> bool {
        matches!(self.frames.last(), Some(Frame { kind: FrameKind::File(_), .. }))
    }

    /// The file whose pieces are being read, if no macro is.
    fn file(&mut self) -> Option<&mut File> {
        match self.frames.last_mut() {
            Some(Frame { kind: FrameKind::File(file), .. }) => Some(file),
            _ => None,
        }
    }

    fn skipping(&self) -> bool {
        match self.frames.last() {
            // What lies in a part that does not count is not active either, so the innermost one tells.
            Some(Frame { kind: FrameKind::File(file), .. }) => {
                file.conditionals.last().is_some_and(|open| !open.active)
            }
            _ => false,
        }
    }

    /// Adds a finding, with the macro that it came out of.
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(self.macro_uses.explain(diagnostic));
    }

    fn emit(&mut self, mut piece: Piece) {
        if std::mem::take(&mut self.separate) {
            piece.touches_previous = false;
        }
        if std::mem::take(&mut self.starts_line) {
            piece.first_of_line = true;
        }
        self.output.push(piece);
    }
}
