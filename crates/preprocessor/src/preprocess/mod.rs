//! Directives and macro expansion, which turn the texts of a program into one list of pieces. All of C11 6.10 is
//! implemented except `_Pragma`, the predefined names for dates and versions (6.10.8), and `#line`, which is ignored.

mod condition;
mod define;
mod directive;
mod expand;
mod include;
mod lines;
mod macros;
mod paste;
mod string_macros;
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

/// The options of a run of the preprocessor.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folders that `#include <name>` searches, in order; `#include "name"` searches them after the folder of the
    /// including file. The headers of the language come last.
    pub search_paths: Vec<String>,
    /// Macros that are defined from the start, each with its replacement text, as in `-D name=text`. The name may
    /// include parameters: `F(x)`.
    pub definitions: Vec<(String, String)>,
}

/// A preprocessed program, without directives and macros.
#[derive(Debug)]
pub struct Preprocessed {
    /// The pieces of the program, in order.
    pub pieces: Vec<Piece>,
    /// The end of the program: the location after the last byte of the main file.
    pub end: Span,
    /// The diagnostics, in the order of reading. Even if there are errors, the pieces can be checked for further
    /// errors.
    pub diagnostics: Diagnostics,
    /// The macro uses, with which later steps explain their diagnostics; see [`MacroUses::explain`].
    pub macro_uses: MacroUses,
    /// Whether the whole program was read. If not (reading stopped early or a file could not be included), errors found
    /// in the pieces may be consequences of the missing text.
    pub complete: bool,
}

/// Carries out the directives of a program and expands its macros. The name of `main` in `sources` is its path, to
/// which the paths of included files are relative. Every text that is read is added to `sources`.
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
    /// The files read so far, by path, so that none is read or reported twice.
    included: BTreeMap<include::Path, Included>,
    lines: Lines,
    frames: Vec<Frame>,
    output: Vec<Piece>,
    /// Whether a macro expansion began or ended after the last output piece, so that the next piece does not touch it.
    separate: bool,
    /// Whether a macro at the beginning of a line has not produced a piece yet, so that the next piece begins the line.
    starts_line: bool,
    /// The number of pieces processed so far.
    work: usize,
    /// The number of bytes read so far.
    bytes: usize,
    /// The current nesting depth of macro calls in the arguments of macro calls.
    depth: usize,
    includes: usize,
    /// Whether reading has not been stopped.
    complete: bool,
    /// Whether no text is missing: every included file was found, and none was cut off.
    whole: bool,
}

/// A position in a list of pieces that is being read. The last frame is read first.
struct Frame {
    pieces: Rc<[Piece]>,
    at: usize,
    kind: FrameKind,
}

enum FrameKind {
    /// A file.
    File(File),
    /// The expansion of this macro, which is not expanded again inside it.
    Macro(Rc<str>),
    /// A list that is expanded separately: a macro argument, or the condition of an `#if`. Reading stops at its end.
    List,
}

struct File {
    path: include::Path,
    conditionals: Vec<Conditional>,
}

/// An `#if` whose `#endif` has not been read yet.
struct Conditional {
    span: Span,
    /// Whether the pieces of the current group are included.
    active: bool,
    /// Whether no later group can be included, because an earlier one was or because the whole conditional is skipped.
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

    /// Reads the macros that the caller defines. They form the lines of a text of their own, so that errors can quote
    /// them.
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

    /// Reads until all frames are exhausted, or until the innermost list is.
    fn run(&mut self) {
        while let Some(piece) = self.next() {
            if piece.first_of_line && piece.is("#") && self.in_file() {
                self.directive(&piece);
            } else if self.skipping() {
                continue;
            } else if piece.word().is_some() {
                self.word(piece);
            } else if self.in_file() {
                let piece = self.with_expanded_lines(piece);
                self.emit(piece);
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

    /// Returns the next piece if it can be the `(` of a macro call. The search does not go beyond the end of a file,
    /// the end of a list, or a directive.
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

    /// Adds to the amount of work done. If the limit is exceeded, reports an error, stops reading and returns false.
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

    /// Returns the location of the piece of the innermost file that is being read.
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

    /// Returns the file whose pieces are being read, unless they are pieces of a macro or a list.
    fn file(&mut self) -> Option<&mut File> {
        match self.frames.last_mut() {
            Some(Frame { kind: FrameKind::File(file), .. }) => Some(file),
            _ => None,
        }
    }

    fn skipping(&self) -> bool {
        match self.frames.last() {
            // A conditional inside a skipped group is not active either, so the innermost one decides.
            Some(Frame { kind: FrameKind::File(file), .. }) => {
                file.conditionals.last().is_some_and(|open| !open.active)
            }
            _ => false,
        }
    }

    /// Adds a diagnostic, with a note about the macro that it results from.
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
