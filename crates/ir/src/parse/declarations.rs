//! The parser of fields, locals, registers and exports, and of the outer structure of a program.

use diagnostics::{Diagnostic, Span};

use super::lexer::LexemeKind;
use super::scope::similar;
use super::{Parsed, Parser, scan, threads};
use crate::placement::Context;
use crate::verify::{self, Finding, Item};
use crate::{Export, Expression, Program, Type, Variable, VariableId, VariableKind, typing};

/// The keywords that begin a declaration in programs and pipelines.
const DECLARATIONS: [&str; 4] = ["field", "local", "register", "export"];

/// The keywords that begin other declarations in programs.
const PARTS: [&str; 14] = [
    "header",
    "array",
    "stack",
    "errors",
    "value_set",
    "counter",
    "meter",
    "filter",
    "wred",
    "profile",
    "digest",
    "field_list",
    "entrance",
    "intrinsic",
];

impl Parser<'_> {
    pub(super) fn program(&mut self) -> Program {
        self.scan();
        self.cursor.skip_line_ends();
        let start = self.cursor.span();
        self.heading("program");
        let mut packet: Option<Span> = None;
        self.lines(&[&["packet"], &scan::WORDS[..], &PARTS[..], &threads::WORDS[..]].concat(), |parser, word, span| {
            match word {
                "packet" => {
                    if let Some(first) = packet.replace(span) {
                        let error = Diagnostic::error(span, "a program can have only one `packet` block");
                        parser.cursor.report(error.related(first, "the first one"));
                    }
                    parser.context = Context::PACKET;
                    parser.scope.program.packet = parser.block()?;
                    Ok(())
                }
                "parser" => parser.parser(),
                "table" => parser.table(),
                "control" | "action" | "function" => parser.function(),
                "instruction" => parser.instruction(),
                part if threads::WORDS.contains(&part) => parser.thread_part(part, span),
                part => parser.part(part, span),
            }
        });
        let program = &self.scope.program;
        if packet.is_none() && program.entrances.is_empty() && program.threads.is_none() {
            let hint = "add `packet {` and `}`, with the code that runs for each packet between them";
            let error = Diagnostic::error(self.cursor.span(), "the program has no `packet` block").hint(hint);
            self.cursor.report(error);
        }
        self.structure(start);
        std::mem::take(&mut self.scope.program)
    }

    /// Reports inconsistencies between the parts of the program. Parts in which an error was reported already are left
    /// out.
    pub(super) fn structure(&mut self, start: Span) {
        for Finding { item, message } in verify::structure(&self.scope.program) {
            let place = self.scope.items.get(&item).copied();
            // A finding without a location is reported only if it is the first.
            let unplaced = (self.cursor.count_findings() == 0).then_some(start);
            if let Some(span) = place.or(unplaced) {
                self.cursor.report(Diagnostic::error(span, message));
            }
        }
        for (lookup, span) in std::mem::take(&mut self.scope.lookups) {
            // An error in the table itself has been reported already.
            if !self.scope.items.contains_key(&Item::Table(lookup.table)) {
                continue;
            }
            for message in verify::lookup(&self.scope.program, &lookup) {
                self.cursor.report(Diagnostic::error(span, message));
            }
        }
    }

    /// Records the location of a part of the program if no error was found in it.
    pub(super) fn remember(&mut self, item: Item, span: Span, findings_before: usize) {
        if self.cursor.count_findings() == findings_before {
            self.scope.items.insert(item, span);
        }
    }

    /// Reads `program NAME` or `pipeline NAME`, which must be the first non-empty line.
    pub(super) fn heading(&mut self, word: &str) {
        self.cursor.skip_line_ends();
        if self.cursor.take_word(word).is_none() {
            let error =
                Diagnostic::error(self.cursor.span(), format!("the text does not begin with `{word}` and a name"));
            self.cursor.report(error.hint(format!("write `{word} some_name` on the first line")));
            return;
        }
        match self.title("a name") {
            Ok(title) => self.scope.program.name = title,
            Err(_) => self.cursor.skip_line(),
        }
    }

    /// Reads a bare name, or any text in quotes.
    pub(super) fn title(&mut self, what: &str) -> Parsed<String> {
        Ok(self.cursor.expect_title(what)?.0.into_owned())
    }

    /// Reads lines to the end of the text: declarations that begin with one of [`DECLARATIONS`] here, lines that begin
    /// with one of `words` by calling `other`.
    pub(super) fn lines(&mut self, words: &[&str], mut other: impl FnMut(&mut Self, &str, Span) -> Parsed<()>) {
        loop {
            self.cursor.skip_line_ends();
            if self.cursor.at_end() {
                return;
            }
            let depth = self.depth;
            let outcome = match *self.cursor.peek() {
                LexemeKind::Word(word) if DECLARATIONS.contains(&word) => {
                    self.cursor.advance();
                    self.declaration(word)
                }
                LexemeKind::Word(word) if words.contains(&word) => {
                    let span = self.cursor.advance();
                    other(self, word, span)
                }
                _ => Err(self.unknown_line(words)),
            };
            self.depth = depth;
            if outcome.and_then(|()| self.cursor.expect_line_end()).is_err() {
                self.cursor.skip_line();
            }
            if self.cursor.at_sign("}") {
                let error = Diagnostic::error(self.cursor.span(), "`}` has no matching `{`");
                self.cursor.report(error);
                self.cursor.advance();
            }
        }
    }

    fn unknown_line(&mut self, words: &[&str]) -> super::Reported {
        let known: Vec<&str> = DECLARATIONS.iter().chain(words).copied().collect();
        let message = "this line is not a declaration";
        let hint = match self.cursor.peek() {
            LexemeKind::Word(word) if similar(word, known.iter().copied()).is_some() => {
                format!("did you mean `{}`?", similar(word, known.iter().copied()).unwrap_or_default())
            }
            _ => format!("a line begins with one of: {}", known.join(", ")),
        };
        let error = Diagnostic::error(self.cursor.span(), message).hint(hint);
        self.cursor.report(error)
    }

    fn declaration(&mut self, word: &str) -> Parsed<()> {
        match word {
            "field" => self.variable_declaration(VariableKind::Field),
            "local" => self.variable_declaration(VariableKind::Local),
            "register" => self.register_declaration(),
            _ => self.export(),
        }
    }

    fn variable_declaration(&mut self, kind: VariableKind) -> Parsed<()> {
        let (name, span) = self.cursor.expect_name("a variable's name")?;
        self.cursor.expect_sign(":")?;
        self.declared_variable(name, span, kind).map(drop)
    }

    /// Reads the type of a variable whose name and colon have been read, and declares the variable.
    pub(super) fn declared_variable(&mut self, name: &str, span: Span, kind: VariableKind) -> Parsed<VariableId> {
        let ty = self.ty()?;
        if let Some((_, first)) = self.scope.variable(name) {
            let error = Diagnostic::error(span, format!("`{name}` is declared twice")).related(first, "first here");
            return Err(self.cursor.report(error));
        }
        let last = self.scope.program.variables.last().map(|variable| variable.kind);
        if kind == VariableKind::Field && last == Some(VariableKind::Local) {
            let error = Diagnostic::error(span, format!("the field `{name}` is declared after a local"));
            self.cursor.report(error.hint("declare all fields before the first local"));
        }
        self.scope.declare_variable(name, span);
        self.scope.program.variables.push(Variable { name: name.to_owned(), ty, kind });
        let id = VariableId::from(self.scope.program.variables.len() - 1);
        self.scope.items.insert(Item::Variable(id), span);
        Ok(id)
    }

    fn export(&mut self) -> Parsed<()> {
        let (name, span) = self.cursor.expect_name("a field's name")?;
        let field = self.variable(name, span)?;
        self.cursor.expect_sign("=")?;
        let value = self.operand()?;
        let declared = &self.scope.program.variable(field);
        let (kind, ty) = (declared.kind, declared.ty);
        if kind != VariableKind::Field {
            let error = Diagnostic::error(span, format!("`{name}` is a local, but only fields can be exported"));
            self.cursor.report(error);
        }
        if !self.scope.export(field) {
            let error = Diagnostic::error(span, format!("`{name}` is exported twice"));
            self.cursor.report(error);
        }
        if !matches!(value.expression, Expression::Constant(_) | Expression::Variable(_)) {
            let error = Diagnostic::error(value.span, "an export must be a constant or a variable");
            self.cursor.report(error.hint("assign the value to a local first"));
        }
        if let Some(found) = value.ty {
            self.check(value.span, typing::assigned(&format!("`{name}`"), ty, found));
        }
        self.scope.program.exports.push(Export { field, value: value.expression });
        Ok(())
    }

    /// Reads `bool`, `int<N>` or `bit<N>`.
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        if self.cursor.take_word("bool").is_some() {
            return Ok(Type::Bool);
        }
        let signed = self.cursor.at_word("int");
        if !signed && !self.cursor.at_word("bit") {
            return Err(self.cursor.unexpected("a type: `int<N>`, `bit<N>` or `bool`"));
        }
        self.cursor.advance();
        self.cursor.expect_sign("<")?;
        let (width, span) = self.cursor.expect_count("a width in bits")?;
        self.cursor.expect_closing_angle()?;
        match u16::try_from(width) {
            Ok(width @ 1..) => Ok(if signed { Type::Int(width) } else { Type::Bits(width) }),
            _ => {
                let error = Diagnostic::error(span, format!("a value cannot be {width} bits wide"));
                Err(self.cursor.report(error.hint("choose 1 to 65535 bits")))
            }
        }
    }
}
