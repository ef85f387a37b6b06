//! Fields, locals, registers, exports, and the frame of a program around them.

use diagnostics::{Diagnostic, Span};

use super::lexer::Kind;
use super::scope::similar;
use super::{Parsed, Parser};
use crate::verify::MAX_REGISTER_LENGTH;
use crate::{Export, Expression, Initial, Program, Register, Type, Variable, VariableKind, typing};

/// What a line of both kinds of text may begin with.
const DECLARATIONS: [&str; 4] = ["field", "local", "register", "export"];

impl Parser<'_> {
    pub(super) fn program(&mut self) -> Program {
        self.heading("program");
        let mut statements = Vec::new();
        let mut packet: Option<Span> = None;
        self.lines(&["packet"], |parser, word, span| {
            debug_assert_eq!(word, "packet");
            if let Some(first) = packet.replace(span) {
                let error = Diagnostic::error(span, "a program has one `packet` block").related(first, "the first one");
                parser.cursor.report(error);
            }
            statements = parser.block()?;
            Ok(())
        });
        if packet.is_none() {
            let hint = "add `packet {` and `}`, with what happens to a packet between them";
            let error = Diagnostic::error(self.cursor.span(), "the program has no `packet` block").hint(hint);
            self.cursor.report(error);
        }
        let mut program = std::mem::take(&mut self.scope.program);
        program.packet = statements;
        program
    }

    /// `program NAME` or `pipeline NAME`, on the first line that is not empty.
    pub(super) fn heading(&mut self, word: &str) {
        self.cursor.skip_line_ends();
        if self.cursor.take_word(word).is_none() {
            let error =
                Diagnostic::error(self.cursor.span(), format!("the text does not begin with `{word}` and a name"));
            self.cursor.report(error.hint(format!("put `{word} some_name` into the first line")));
            return;
        }
        match self.title("a name") {
            Ok(title) => self.scope.program.name = title,
            Err(_) => self.cursor.skip_line(),
        }
    }

    /// A bare name, or any text in quotes.
    pub(super) fn title(&mut self, what: &str) -> Parsed<String> {
        if let Kind::Title(title) = self.cursor.peek() {
            let title = title.clone();
            self.cursor.advance();
            return Ok(title);
        }
        match *self.cursor.peek() {
            Kind::Word(name) | Kind::Quoted(name) => {
                self.cursor.advance();
                Ok(name.to_owned())
            }
            _ => Err(self.cursor.unexpected(what)),
        }
    }

    /// Reads lines to the end of the text: the declarations here, lines that begin with one of `words` by `other`.
    pub(super) fn lines(&mut self, words: &[&str], mut other: impl FnMut(&mut Self, &str, Span) -> Parsed<()>) {
        loop {
            self.cursor.skip_line_ends();
            if self.cursor.at_end() {
                return;
            }
            let depth = self.depth;
            let outcome = match *self.cursor.peek() {
                Kind::Word(word) if DECLARATIONS.contains(&word) => {
                    self.cursor.advance();
                    self.declaration(word)
                }
                Kind::Word(word) if words.contains(&word) => {
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
                let error = Diagnostic::error(self.cursor.span(), "`}` closes nothing");
                self.cursor.report(error);
                self.cursor.advance();
            }
        }
    }

    fn unknown_line(&mut self, words: &[&str]) -> super::Reported {
        let known: Vec<&str> = DECLARATIONS.iter().chain(words).copied().collect();
        let message = "this line is not a declaration";
        let hint = match self.cursor.peek() {
            Kind::Word(word) if similar(word, known.iter().copied()).is_some() => {
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
        Ok(())
    }

    fn register_declaration(&mut self) -> Parsed<()> {
        let (name, span) = self.cursor.expect_name("a register's name")?;
        self.cursor.expect_sign(":")?;
        let ty = self.ty()?;
        let length = self.length()?;
        let initial = if self.cursor.take_sign("=").is_some() { self.initial(ty, length)? } else { Initial::Fill(0) };
        if let Some((_, first)) = self.scope.register(name) {
            let error = Diagnostic::error(span, format!("`@{name}` is declared twice")).related(first, "first here");
            return Err(self.cursor.report(error));
        }
        self.scope.declare_register(name, span);
        self.scope.program.registers.push(Register { name: name.to_owned(), ty, length, initial });
        Ok(())
    }

    fn length(&mut self) -> Parsed<Option<u32>> {
        if self.cursor.take_sign("[").is_none() {
            return Ok(None);
        }
        let (mut length, span) = self.cursor.expect_count("the length of an array")?;
        if !(1..=MAX_REGISTER_LENGTH).contains(&length) {
            let error = Diagnostic::error(span, format!("an array cannot have {length} values"));
            self.cursor.report(error.hint(format!("1 to {MAX_REGISTER_LENGTH} values")));
            length = 1;
        }
        self.cursor.expect_sign("]")?;
        Ok(Some(length))
    }

    fn initial(&mut self, ty: Type, length: Option<u32>) -> Parsed<Initial> {
        if self.cursor.at_sign("[") {
            let first = self.cursor.advance();
            let mut values = Vec::new();
            while !self.cursor.at_sign("]") {
                values.push(self.value_of(ty)?);
                if self.cursor.take_sign(",").is_none() {
                    break;
                }
            }
            let span = first.to(self.cursor.expect_sign("]")?);
            let places = length.unwrap_or(1) as usize;
            if values.len() > places {
                let error = Diagnostic::error(span, format!("{} values for {places} places", values.len()));
                self.cursor.report(error);
            }
            return Ok(Initial::List(values));
        }
        match (self.cursor.take_word("fill"), length) {
            (None, Some(_)) => Err(self.cursor.unexpected("`fill` and a number, or a list such as `[1, 2]`")),
            _ => Ok(Initial::Fill(self.value_of(ty)?)),
        }
    }

    fn export(&mut self) -> Parsed<()> {
        let (name, span) = self.cursor.expect_name("a field's name")?;
        let field = self.variable(name, span)?;
        self.cursor.expect_sign("=")?;
        let value = self.operand()?;
        let declared = &self.scope.program.variable(field);
        let (kind, ty) = (declared.kind, declared.ty);
        if kind != VariableKind::Field {
            let error = Diagnostic::error(span, format!("`{name}` is a local: only fields leave with the packet"));
            self.cursor.report(error);
        }
        if !self.scope.export(field) {
            let error = Diagnostic::error(span, format!("`{name}` is exported twice"));
            self.cursor.report(error);
        }
        if !matches!(value.expression, Expression::Constant(_) | Expression::Variable(_)) {
            let error = Diagnostic::error(value.span, "an export is a constant or a variable");
            self.cursor.report(error.hint("assign the value to a local first"));
        }
        if let Some(found) = value.ty {
            self.check(value.span, typing::assigned(&format!("`{name}`"), ty, found));
        }
        self.scope.program.exports.push(Export { field, value: value.expression });
        Ok(())
    }

    /// `bool`, `int<N>` or `bit<N>`.
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
        self.cursor.expect_sign(">")?;
        match u8::try_from(width) {
            Ok(width @ 1..=64) => Ok(if signed { Type::Int(width) } else { Type::Bits(width) }),
            _ => {
                let error = Diagnostic::error(span, format!("a value cannot be {width} bits wide"));
                Err(self.cursor.report(error.hint("1 to 64 bits")))
            }
        }
    }
}
