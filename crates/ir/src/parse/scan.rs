//! A first pass over the tokens that finds the names of parsers, functions, tables and instructions, which may refer to each
//! other in any order.

use diagnostics::{Diagnostic, Span};
use runtime::tables::Target;

use super::lexer::{LexemeKind, Token};
use super::scope::Named;
use super::{Parsed, Parser};
use crate::parser;
use crate::threads::{Branch, Instruction, Next};
use crate::{Function, FunctionKind, Table};

/// The first line of a parser, a function, a table or an instruction.
struct Heading {
    word: &'static str,
    name: String,
    span: Span,
    parameters: Option<Vec<String>>,
}

/// The keywords that begin a parser, a function, a table or an instruction.
pub(super) const WORDS: [&str; 6] = ["parser", "control", "action", "function", "table", "instruction"];

impl Parser<'_> {
    /// Declares everything that can be referred to before it is read, and adds a placeholder for it to the program.
    pub(super) fn scan(&mut self) {
        for Heading { word, name, span, parameters } in headings(self.cursor.tokens()) {
            let kind = match word {
                "parser" => Named::Parser,
                "table" => Named::Table,
                "instruction" => Named::Instruction,
                _ => Named::Function,
            };
            if self.declare(kind, &name, span).is_err() {
                continue;
            }
            let program = &mut self.scope.program;
            match kind {
                Named::Parser => program.parsers.push(parser::Parser { name, states: Vec::new() }),
                Named::Table => program.tables.push(unread_table(name)),
                Named::Instruction => self.threads().instructions.push(unread_instruction(name)),
                _ => {
                    let kind = function_kind(word);
                    program.functions.push(Function { name, kind, parameters: Vec::new(), body: Vec::new() });
                    self.scope.parameters.push(parameters);
                }
            }
        }
    }

    /// Declares an entity and returns its index. Reports an error if another one of its kind has the same name.
    pub(super) fn declare(&mut self, kind: Named, name: &str, span: Span) -> Parsed<usize> {
        if let Some((_, first)) = self.scope.find(kind, name) {
            let message = format!("the {} `{name}` is declared twice", kind.word());
            let error = Diagnostic::error(span, message).related(first, "first here");
            return Err(self.cursor.report(error));
        }
        Ok(self.scope.declare(kind, name, span))
    }

    /// Reads the name of an entity that must be declared, and returns its index and the location of the name.
    pub(super) fn named(&mut self, kind: Named) -> Parsed<(usize, Span)> {
        let (name, span) = self.cursor.expect_title(&format!("the name of a {}", kind.word()))?;
        if let Some((number, _)) = self.scope.find(kind, &name) {
            return Ok((number, span));
        }
        let mut error =
            Diagnostic::error(span, format!("the {} `{name}` is not declared", kind.word())).label("unknown name");
        if let Some(similar) = self.scope.similar(kind, &name) {
            error = error.hint(format!("did you mean `{similar}`?"));
        }
        Err(self.cursor.report(error))
    }

    /// Reads the name of an entity at its declaration, and returns the index that it was given by [`Parser::scan`].
    pub(super) fn scanned(&mut self, kind: Named) -> Parsed<(usize, Span)> {
        let (name, span) = self.cursor.expect_title(&format!("the name of a {}", kind.word()))?;
        match self.scope.find(kind, &name) {
            Some((number, first)) if first == span => Ok((number, span)),
            // A second declaration of the same name has been reported.
            _ => Err(super::Reported),
        }
    }
}

pub(super) fn function_kind(word: &str) -> FunctionKind {
    match word {
        "control" => FunctionKind::Control,
        "action" => FunctionKind::Action,
        _ => FunctionKind::Function,
    }
}

fn unread_table(name: String) -> Table {
    Table {
        name,
        keys: Vec::new(),
        actions: Vec::new(),
        default: Target::Action { action: 0, data: Vec::new() },
        is_default_constant: false,
        entries: Vec::new(),
        is_constant: false,
        size: None,
        profile: None,
        selector: Vec::new(),
        counter: None,
        meter: None,
        has_idle_timeout: false,
        has_slots: false,
        registers: Vec::new(),
        counts_when_called: false,
    }
}

fn unread_instruction(name: String) -> Instruction {
    Instruction { name, waits: false, moves: Vec::new(), transaction: None, branch: Branch::to(Next::End) }
}

fn headings(tokens: &[Token<'_>]) -> Vec<Heading> {
    let mut headings = Vec::new();
    let mut depth = 0usize;
    let mut begins_line = true;
    for (place, token) in tokens.iter().enumerate() {
        if begins_line
            && depth == 0
            && let LexemeKind::Word(word) = token.kind
            && let Some(word) = WORDS.into_iter().find(|known| *known == word)
            && let Some(named) = tokens.get(place + 1)
            && let Some(name) = title(&named.kind)
        {
            headings.push(Heading { word, name, span: named.span, parameters: parameters(&tokens[place + 2..]) });
        }
        match token.kind {
            LexemeKind::Sign("{") => depth += 1,
            LexemeKind::Sign("}") => depth = depth.saturating_sub(1),
            _ => (),
        }
        begins_line = token.kind == LexemeKind::LineEnd;
    }
    headings
}

/// Returns the names of states and their locations. The tokens begin inside a parser.
pub(super) fn states(tokens: &[Token<'_>]) -> Vec<(String, Span)> {
    let mut states = Vec::new();
    let mut depth = 1usize;
    for pair in tokens.windows(2) {
        match (&pair[0].kind, title(&pair[1].kind)) {
            (LexemeKind::Sign("{"), _) => depth += 1,
            (LexemeKind::Sign("}"), _) if depth == 1 => break,
            (LexemeKind::Sign("}"), _) => depth -= 1,
            (LexemeKind::Word("state"), Some(name)) if depth == 1 => states.push((name, pair[1].span)),
            _ => (),
        }
    }
    states
}

fn title(kind: &LexemeKind<'_>) -> Option<String> {
    match kind {
        LexemeKind::Word(name) | LexemeKind::Quoted(name) => Some((*name).to_owned()),
        LexemeKind::Title(title) => Some(title.clone()),
        _ => None,
    }
}

/// The names in `(a, b)`; empty if a brace follows immediately.
fn parameters(tokens: &[Token<'_>]) -> Option<Vec<String>> {
    let mut tokens = tokens.iter().map(|token| &token.kind);
    match tokens.next()? {
        LexemeKind::Sign("{") => return Some(Vec::new()),
        LexemeKind::Sign("(") => (),
        _ => return None,
    }
    let mut names = Vec::new();
    loop {
        match tokens.next()? {
            LexemeKind::Sign(")") if names.is_empty() => return Some(names),
            LexemeKind::Word(name) | LexemeKind::Quoted(name) => names.push((*name).to_owned()),
            _ => return None,
        }
        match tokens.next()? {
            LexemeKind::Sign(",") => (),
            LexemeKind::Sign(")") => return Some(names),
            _ => return None,
        }
    }
}
