//! Declarations outside of functions: the packet, state and functions.

use diagnostics::{Diagnostic, did_you_mean};
use preprocessor::{Parsed, Reported};

use super::{Parser, refused};
use crate::syntax::{Function, Global, Initializer, Name, Parameter, Shape, Struct, Unit};

impl Parser<'_> {
    pub(super) fn unit(&mut self) -> Unit {
        let mut unit = Unit::default();
        while !self.at_end() && !self.report.is_full() {
            if self.take(";") {
                continue;
            }
            if self.is("}") {
                let error = Diagnostic::error(self.current().span, "this `}` has no matching `{`");
                self.report.push(error);
                self.advance();
                continue;
            }
            if self.declaration(&mut unit).is_err() {
                self.recover();
                // The brace at which recovery stops was opened in the declaration, because no block is open here.
                self.take("}");
            }
        }
        unit
    }

    fn declaration(&mut self, unit: &mut Unit) -> Parsed<()> {
        let typed = self.refuse_type_words()?;
        if self.is_word("struct") && self.ahead(2).is("{") {
            let structure = self.structure()?;
            unit.structs.push(structure);
            return Ok(());
        }
        let token = self.current();
        if !typed && !self.is_word("int") && !self.is_word("void") {
            let error = Diagnostic::error(token.span, format!("expected a declaration, found {}", token.describe()));
            let words = ["int", "void", "struct"];
            let hint = token.identifier().and_then(|word| did_you_mean(word, words));
            return self.fail(error.hint(hint.unwrap_or_else(|| {
                "a program consists of `struct Packet { ... };`, `int` state and functions".to_owned()
            })));
        }
        let returns_value = typed || self.advance().identifier().is_some_and(|word| &**word == "int");
        self.refuse_pointer()?;
        let name = self.name("a name")?;
        if self.is("(") {
            let function = self.function(name.clone(), returns_value);
            return function.map(|function| unit.functions.push(function)).inspect_err(|_| unit.broken.push(name));
        }
        if !returns_value {
            let error = Diagnostic::error(token.span, "state cannot be `void`");
            return self.fail(error.hint("use `int`"));
        }
        self.globals(name, unit)
    }

    /// `struct Packet { int a; int b, c; };`
    fn structure(&mut self) -> Parsed<Struct> {
        self.advance();
        let name = self.name("the name of a struct")?;
        self.expect("{", "the name of the struct")?;
        let (mut fields, mut is_incomplete) = (Vec::new(), false);
        while !self.is("}") && !self.at_end() {
            if self.fields(&mut fields).is_err() {
                is_incomplete = true;
                self.recover();
            }
        }
        self.expect("}", "the fields")?;
        // It is clear what is missing, and nothing after it depends on it.
        let _ = self.expect(";", "the struct");
        Ok(Struct { name, fields, is_incomplete })
    }

    fn fields(&mut self, fields: &mut Vec<Name>) -> Parsed<()> {
        if !self.refuse_type_words()? && !self.take_word("int") {
            let token = self.current();
            let error = Diagnostic::error(token.span, format!("expected `int`, found {}", token.describe()));
            return self.fail(error.hint("every field of a packet is an `int`, as in `int length;`"));
        }
        loop {
            self.refuse_pointer()?;
            fields.push(self.name("the name of a field")?);
            if self.is("[") {
                let error = Diagnostic::error(self.current().span, "a packet has no arrays");
                return self.fail(error.hint("give each value a field of its own; state may be an array"));
            }
            if !self.take(",") {
                break;
            }
        }
        self.expect(";", "the field")?;
        Ok(())
    }

    /// Parses what follows `int name` outside of functions.
    fn globals(&mut self, first: Name, unit: &mut Unit) -> Parsed<()> {
        let mut name = first;
        loop {
            let global = self.global(name.clone());
            global.map(|global| unit.globals.push(global)).inspect_err(|_| unit.broken.push(name))?;
            if !self.take(",") {
                break;
            }
            self.refuse_pointer()?;
            name = self.name("the name of state")?;
        }
        self.expect(";", "the declaration")?;
        Ok(())
    }

    fn global(&mut self, name: Name) -> Parsed<Global> {
        let mut shape = Shape::Scalar;
        if self.take("[") {
            let length = if self.is("]") { None } else { Some(self.expression()?) };
            self.expect("]", "the length of the array")?;
            shape = Shape::Array(length);
            if self.is("[") {
                let error = Diagnostic::error(self.current().span, "arrays have one dimension only");
                return self.fail(error.hint("use one array of rows * columns, indexed by row * columns + column"));
            }
        }
        let initial = if !self.take("=") {
            Initializer::None
        } else if self.is("{") {
            let open = self.advance().span;
            let mut values = Vec::new();
            while !self.is("}") {
                values.push(self.expression()?);
                if !self.take(",") {
                    break;
                }
            }
            let close = self.expect("}", "the values")?;
            Initializer::List(values, open.to(close))
        } else {
            Initializer::Single(self.expression()?)
        };
        Ok(Global { name, shape, initial })
    }

    fn function(&mut self, name: Name, returns_value: bool) -> Parsed<Function> {
        self.advance(); // the opening parenthesis
        let mut parameters = Vec::new();
        if self.is_word("void") && self.ahead(1).is(")") {
            self.advance();
        }
        while !self.is(")") {
            parameters.push(self.parameter()?);
            if !self.take(",") {
                break;
            }
        }
        self.expect(")", "the parameters")?;
        if self.take(";") {
            return Ok(Function { name, returns_value, parameters, body: None });
        }
        self.expect("{", "the head of the function")?;
        let body = Some(self.statements_until_brace());
        Ok(Function { name, returns_value, parameters, body })
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let typed = self.refuse_type_words()?;
        let structure = if self.take_word("struct") {
            Some(self.name("the name of a struct")?)
        } else if typed || self.take_word("int") {
            None
        } else {
            let token = self.current();
            let error = Diagnostic::error(token.span, format!("expected a parameter, found {}", token.describe()));
            return self.fail(error.hint("a parameter is `int name`, or `struct Packet name` of the packet function"));
        };
        self.refuse_pointer()?;
        let name = self.name("the name of a parameter")?;
        if self.is("[") {
            let error = Diagnostic::error(self.current().span, "an array cannot be passed to a function");
            return self.fail(error.hint("functions can use the arrays of the program by name"));
        }
        Ok(Parameter { name, structure })
    }

    /// Reports a type other than `int`, once for all the words it consists of. Returns true if these words were the
    /// whole type: the caller then continues as if it had been `int`, because the rest is worth checking.
    pub(super) fn refuse_type_words(&mut self) -> Parsed<bool> {
        let first = self.current();
        let Some((message, hint)) = first.identifier().and_then(|word| refused::type_word(word)) else {
            return Ok(false);
        };
        self.report.push(Diagnostic::error(first.span, message).hint(hint));
        while let Some(word) = self.current().identifier().filter(|word| refused::type_word(word).is_some()) {
            if matches!(&**word, "typedef" | "enum" | "union" | "asm") {
                return Err(Reported);
            }
            self.advance();
        }
        Ok(!self.is_word("int") && !self.is_word("void") && !self.is_word("struct"))
    }

    pub(super) fn refuse_pointer(&mut self) -> Parsed<()> {
        if !self.is("*") {
            return Ok(());
        }
        let error = Diagnostic::error(self.current().span, "pointers are not part of Domino");
        self.fail(error.hint("refer to the packet and to state by name"))
    }
}
