//! Declarations outside of instructions: variables, what transactions name, and where threads begin.

use diagnostics::{Diagnostic, Span, did_you_mean};
use preprocessor::Parsed;
use runtime::tables::MatchKind;

use super::{Parser, words};
use crate::syntax::{
    Cause, Class, Entrance, Expression, Filter, Initializer, Item, Object, ObjectKind, TypeName, TypeNameKind, Unit,
    Variable,
};

impl Parser<'_> {
    /// Returns whether a declaration of a variable begins here.
    pub(super) fn begins_variable(&self) -> bool {
        class(self.word()).is_some()
    }

    /// Returns whether what a `:` follows here is a declaration, and no label.
    pub(super) fn begins_declaration(&self) -> bool {
        self.begins_variable() || self.is_object_at(0)
    }

    fn is_object_at(&self, count: usize) -> bool {
        self.ahead(count).identifier().is_some_and(|word| words::is_object(word))
    }

    pub(super) fn declaration(&mut self, unit: &mut Unit) -> Parsed<()> {
        let token = self.current();
        match self.word() {
            "struct" | "union" => {
                let ty = self.type_name()?;
                if let TypeNameKind::Defined(structure) = &ty.kind
                    && self.is(";")
                {
                    unit.items.push(Item::Structure(std::rc::Rc::clone(structure)));
                    self.advance();
                    return Ok(());
                }
                self.refuse_variable_without_class(token.span)
            }
            "flow" => {
                self.advance();
                self.expect("(", "`flow`")?;
                let mut values = vec![self.expression()?];
                while self.take(",") {
                    values.push(self.expression()?);
                }
                let close = self.expect(")", "the values")?;
                self.expect(";", "the values")?;
                unit.items.push(Item::Flow(values, token.span.to(close)));
                Ok(())
            }
            word if words::is_object(word) || self.begins_variable() && self.is_object_at(1) => {
                let object = self.object()?;
                unit.items.push(Item::Object(object));
                Ok(())
            }
            "on" => {
                let entrance = self.entrance()?;
                unit.items.push(Item::Entrance(entrance));
                Ok(())
            }
            _ if self.begins_variable() => {
                let mut variables = Vec::new();
                let result = self.variables(&mut variables, &mut unit.broken);
                unit.items.extend(variables.into_iter().map(Item::Variable));
                result
            }
            _ if self.begins_type(0) => self.refuse_variable_without_class(token.span),
            _ => {
                let error =
                    Diagnostic::error(token.span, format!("expected a declaration, found {}", token.describe()));
                let hint = token.identifier().and_then(|word| did_you_mean(word, words::of_declarations()));
                self.fail(error.hint(hint.unwrap_or_else(|| {
                    "a program consists of structs, variables, `on` lines, and instructions `label: begin … end`"
                        .to_owned()
                })))
            }
        }
    }

    fn refuse_variable_without_class(&mut self, span: Span) -> Parsed<()> {
        let error = Diagnostic::error(span, "this variable has no storage class");
        self.fail(error.hint("begin with `register`, `memory`, `virtual`, `sram` or `dram`: where the variable is"))
    }

    /// Parses a declaration of variables of one class.
    pub(super) fn variables(&mut self, into: &mut Vec<Variable>, broken: &mut Vec<crate::syntax::Name>) -> Parsed<()> {
        let begin = self.current().span;
        let class = class(self.advance().identifier().map_or("", |word| word)).expect("the caller saw a class");
        if class == Class::Virtual {
            // `const virtual` and `virtual const` say the same twice.
            while matches!(self.word(), "const" | "virtual") {
                self.advance();
            }
        }
        let ty = self.type_name()?;
        loop {
            let (name, ty) = self.declared(&ty, "the name of a variable")?;
            let initial = if self.take("=") { self.initializer().map(Some) } else { Ok(None) };
            let Ok(initial) = initial else {
                broken.push(name);
                return Err(preprocessor::Reported);
            };
            let span = begin.to(name.span);
            into.push(Variable { class, ty, name, initial, span });
            if !self.take(",") {
                break;
            }
        }
        self.expect(";", "the declaration")?;
        Ok(())
    }

    fn initializer(&mut self) -> Parsed<Initializer> {
        if !self.is("{") {
            return Ok(Initializer::Single(self.expression()?));
        }
        self.nested(|parser| {
            let open = parser.advance().span;
            let mut values = Vec::new();
            while !parser.is("}") {
                values.push(parser.initializer()?);
                if !parser.take(",") {
                    break;
                }
            }
            let close = parser.expect("}", "the values")?;
            Ok(Initializer::List(values, open.to(close)))
        })
    }

    /// Parses what transactions name.
    fn object(&mut self) -> Parsed<Object> {
        let first = self.current();
        let memory = class(self.word());
        if memory.is_some() {
            self.advance();
        }
        let word = self.advance().identifier().map_or("", |word| word);
        if memory
            .is_some_and(|class| !matches!(class, Class::Sram | Class::Dram) || !matches!(word, "hash" | "policer"))
        {
            let error = Diagnostic::error(first.span, format!("a {word} has no storage class of this kind"));
            return self
                .fail(error.hint("`sram` and `dram` say where a hash table or a policer is; leave it out elsewhere"));
        }
        let class = memory.unwrap_or(Class::Sram);
        let (name, kind) = match word {
            "hash" | "filter" => {
                let ty = self.type_name()?;
                let (name, size) = self.sized()?;
                self.expect_word("key", "the size")?;
                let kind = if word == "hash" {
                    ObjectKind::Hash { record: ty, size, key: self.type_name()?, class }
                } else {
                    let kind = match () {
                        () if self.take_word("exact") => MatchKind::Exact,
                        () if self.take_word("lpm") => MatchKind::Lpm,
                        () => MatchKind::Ternary,
                    };
                    let key = self.type_name()?;
                    let action =
                        if self.take_word("action") { Some(self.name("the name of an action")?) } else { None };
                    ObjectKind::Filter(Filter { result: ty, size, key, kind, action })
                };
                (name, kind)
            }
            "policer" => {
                let (name, size) = self.sized()?;
                (name, ObjectKind::Policer { size, class })
            }
            "timer" => {
                let name = self.name("the name of a timer")?;
                let interval = if self.take_word("every") { Some(self.expression()?) } else { None };
                (name, ObjectKind::Timer { interval })
            }
            "digest" => {
                let ty = self.type_name()?;
                (self.name("the name of a digest")?, ObjectKind::Digest { ty })
            }
            "reason" => (self.name("the name of a reason")?, ObjectKind::Reason),
            _ => (self.name("the name of an event")?, ObjectKind::Event),
        };
        self.expect(";", "the declaration")?;
        Ok(Object { name, kind })
    }

    /// Parses `name[size]`.
    fn sized(&mut self) -> Parsed<(crate::syntax::Name, Expression)> {
        let name = self.name("a name")?;
        self.expect("[", "the name")?;
        let size = self.expression()?;
        self.expect("]", "the size")?;
        Ok((name, size))
    }

    /// Parses `on cause goto label;`
    fn entrance(&mut self) -> Parsed<Entrance> {
        let begin = self.advance().span;
        let cause = match self.word() {
            "packet" => {
                self.advance();
                Cause::Packet
            }
            "timer" => {
                self.advance();
                Cause::Timer(self.name("the name of a timer")?)
            }
            "event" => {
                self.advance();
                Cause::Event(self.name("the name of an event")?)
            }
            _ => {
                let found = self.current().describe();
                let error = Diagnostic::error(self.current().span, format!("expected a cause, found {found}"));
                return self
                    .fail(error.hint("write `on packet goto …`, `on timer name goto …` or `on event name goto …`"));
            }
        };
        self.expect_word("goto", "the cause")?;
        let label = self.name("the name of a label")?;
        let span = begin.to(label.span);
        self.expect(";", "the label")?;
        Ok(Entrance { cause, label, span })
    }

    /// Parses the declaration of a name for a value inside an instruction.
    pub(super) fn local_variables(&mut self, into: &mut Vec<crate::syntax::Statement>) -> Parsed<()> {
        let mut variables = Vec::new();
        let mut broken = Vec::new();
        let result = self.variables(&mut variables, &mut broken);
        into.extend(variables.into_iter().map(crate::syntax::Statement::Declare));
        // A name whose value is malformed exists from here on, so that its uses are not reported too.
        into.extend(broken.into_iter().map(|name| {
            let span = name.span;
            let ty = TypeName { kind: TypeNameKind::Number { signed: false, width: None }, span };
            let initial = Some(Initializer::Single(Expression::invalid(span)));
            crate::syntax::Statement::Declare(Variable { class: Class::Virtual, ty, name, initial, span })
        }));
        result
    }
}

/// Returns the storage class of this name.
fn class(word: &str) -> Option<Class> {
    Some(match word {
        "memory" => Class::Memory,
        "register" => Class::Register,
        "bus" => Class::Bus,
        "virtual" | "const" => Class::Virtual,
        "sram" => Class::Sram,
        "dram" => Class::Dram,
        _ => return None,
    })
}
