//! Directives and macros: from the texts of a program to one list of tokens.
//!
//! Tokens, not characters, go in and come out, so that each keeps the place where its author wrote it; a token out
//! of a macro has the place where the macro is used, and [`Report`] knows where that macro is defined.

mod directive;
mod expand;
mod include;

use std::collections::BTreeMap;
use std::rc::Rc;

use diagnostics::{Diagnostic, SourceId, Sources, Span};

use crate::Include;
use crate::lexer::lex;
use crate::limits::MOST_TOKENS;
use crate::report::Report;
use crate::token::{Integer, Token, TokenKind};

/// The tokens of a program, directives carried out and macros expanded, ending with [`TokenKind::End`].
pub(crate) fn preprocess(
    sources: &mut Sources,
    source: SourceId,
    include: &Include<'_>,
    report: &mut Report,
) -> Vec<Token> {
    let path: Rc<str> = Rc::from(sources.name(source));
    let length = sources.text(source).len();
    let tokens: Rc<[Token]> = lex(source, sources.text(source), &mut report.errors).into();
    let mut preprocessor = Preprocessor {
        sources,
        include,
        report,
        macros: BTreeMap::new(),
        files: BTreeMap::new(),
        frames: vec![Frame { tokens, at: 0, kind: FrameKind::File(File { path, conditionals: Vec::new() }) }],
        output: Vec::new(),
        work: 0,
        depth: 0,
        includes: 0,
    };
    preprocessor.run();
    let mut output = preprocessor.output;
    output.push(Token::made(TokenKind::End, Span::new(source, length, length)));
    output
}

struct Preprocessor<'a> {
    sources: &'a mut Sources,
    include: &'a Include<'a>,
    report: &'a mut Report,
    macros: BTreeMap<Rc<str>, Macro>,
    /// Files read so far, by path, so that none is read or reported twice.
    files: BTreeMap<String, Included>,
    frames: Vec<Frame>,
    output: Vec<Token>,
    /// Tokens handled so far.
    work: usize,
    /// Macro calls in arguments of macro calls that are being expanded.
    depth: usize,
    includes: usize,
}

/// A place in a list of tokens that is being read. The last frame is read first.
struct Frame {
    tokens: Rc<[Token]>,
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
    path: Rc<str>,
    conditionals: Vec<Conditional>,
}

/// An `#if` whose `#endif` has not come.
struct Conditional {
    span: Span,
    /// The tokens here count.
    active: bool,
    /// No later branch counts: one did, or the whole lies in a part that does not.
    taken: bool,
    seen_else: bool,
}

struct Macro {
    /// From its name to the end of its text.
    span: Span,
    /// `None` for a macro that is used without brackets.
    parameters: Option<Vec<Rc<str>>>,
    body: Rc<[Token]>,
    /// It is being expanded.
    active: bool,
}

#[derive(Clone)]
struct Included {
    tokens: Rc<[Token]>,
    once: bool,
}

impl Preprocessor<'_> {
    /// Reads until the frames are used up, or a list in front of them is.
    fn run(&mut self) {
        while let Some(token) = self.next() {
            if self.in_file() && token.first_of_line && token.is("#") {
                self.directive(&token);
            } else if self.skipping() {
                continue;
            } else if token.identifier().is_some() {
                self.identifier(token);
            } else {
                self.emit(token);
            }
        }
    }

    fn next(&mut self) -> Option<Token> {
        loop {
            let frame = self.frames.last_mut()?;
            if let Some(token) = frame.tokens.get(frame.at) {
                frame.at += 1;
                let token = token.clone();
                return self.spend(1).then_some(token);
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
                if let Some(definition) = self.macros.get_mut(&name) {
                    definition.active = false;
                }
            }
            Some(FrameKind::File(file)) => {
                for open in &file.conditionals {
                    let message = "this condition has no `#endif`";
                    self.report.push(Diagnostic::error(open.span, message).hint("end it with a line `#endif`"));
                }
            }
            Some(FrameKind::List) | None => {}
        }
    }

    /// The next token, if it can be the `(` of a macro call: not past a file's end, a list's end or a directive.
    fn peek(&self) -> Option<&Token> {
        for frame in self.frames.iter().rev() {
            let is_macro = matches!(frame.kind, FrameKind::Macro(_));
            match frame.tokens.get(frame.at) {
                Some(token) => return Some(token).filter(|token| is_macro || !(token.first_of_line && token.is("#"))),
                None if is_macro => {}
                None => return None,
            }
        }
        None
    }

    /// Counts work. When there is too much, everything stops and it is said why.
    fn spend(&mut self, tokens: usize) -> bool {
        self.work += tokens;
        if self.work <= MOST_TOKENS {
            return true;
        }
        if let Some(span) = self.place() {
            let message = format!("the program is longer than {MOST_TOKENS} tokens once its macros are expanded");
            self.report.push(Diagnostic::error(span, message).label("reading stopped here"));
        }
        self.stop();
        false
    }

    /// The token of the innermost file that is being read now.
    fn place(&self) -> Option<Span> {
        let file = self.frames.iter().rev().find(|frame| matches!(frame.kind, FrameKind::File(_)))?;
        let at = file.at.saturating_sub(1).min(file.tokens.len().saturating_sub(1));
        file.tokens.get(at).map(|token| token.span)
    }

    fn stop(&mut self) {
        self.frames.clear();
    }

    fn in_file(&self) -> bool {
        matches!(self.frames.last(), Some(Frame { kind: FrameKind::File(_), .. }))
    }

    /// The file whose tokens are being read, if no macro is.
    fn file(&mut self) -> Option<&mut File> {
        match self.frames.last_mut() {
            Some(Frame { kind: FrameKind::File(file), .. }) => Some(file),
            _ => None,
        }
    }

    fn skipping(&self) -> bool {
        match self.frames.last() {
            Some(Frame { kind: FrameKind::File(file), .. }) => file.conditionals.iter().any(|open| !open.active),
            _ => false,
        }
    }

    /// Hands a token on; one that is none is reported here, for here it counts.
    fn emit(&mut self, token: Token) {
        let TokenKind::Invalid(complaint) = &token.kind else {
            self.output.push(token);
            return;
        };
        self.report.push(Diagnostic::error(token.span, &*complaint.message).hint(&*complaint.hint));
        if complaint.stands_for_number {
            let zero = TokenKind::Integer(Integer { bits: 0, decimal: true });
            self.output.push(Token { kind: zero, ..token });
        }
    }
}
