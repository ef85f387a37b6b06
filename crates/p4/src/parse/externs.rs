//! Extern declarations (section 7.2.10).

use diagnostics::Diagnostic;

use super::{Parsed, Reader};
use crate::ast::{DeclarationKind, ExternObject, Method, Name, Prototype, Signature};
use crate::token::Keyword;

impl Reader<'_> {
    /// `extern name { ... }`, `extern type name(parameters);` or `extern name;`
    pub(super) fn extern_declaration(&mut self) -> Parsed<DeclarationKind> {
        self.advance();
        if self.is_extern_object() {
            return self.extern_object();
        }
        if self.is_name_at(0) && self.ahead(1).is(";") {
            let name = self.name("the name of the extern")?;
            self.advance();
            return Ok(DeclarationKind::ExternName(name));
        }
        let function = self.scoped(Self::prototype)?;
        self.declare_value(&function.signature.name);
        self.expect(";", "the function")?;
        Ok(DeclarationKind::ExternFunction(function))
    }

    /// Returns true before `name {` and `name<names> {`; `name<types> name(...)` is a function.
    fn is_extern_object(&self) -> bool {
        if !self.is_name_at(0) {
            return false;
        }
        if !self.ahead(1).is("<") {
            return self.ahead(1).is("{");
        }
        let mut count = 2;
        while self.is_name_at(count) || self.ahead(count).is(",") {
            count += 1;
        }
        self.ahead(count).is(">") && self.ahead(count + 1).is("{")
    }

    fn extern_object(&mut self) -> Parsed<DeclarationKind> {
        let name = self.name("the name of the extern")?;
        self.declare_type(&name);
        self.scoped(|reader| {
            let type_parameters = reader.type_parameters()?;
            let mut methods = Vec::new();
            reader.braced("the methods of an extern", |reader| {
                methods.push(reader.method(&name)?);
                Ok(())
            })?;
            Ok(DeclarationKind::ExternObject(ExternObject { name, type_parameters, methods }))
        })
    }

    fn method(&mut self, owner: &Name) -> Parsed<Method> {
        let annotations = self.annotations()?;
        let start = self.current().span;
        let is_abstract = self.take_word(Keyword::Abstract).is_some();
        let (result, signature) = if self.is_name_at(0) && self.ahead(1).is("(") {
            let name = self.name("the name of the extern")?;
            if name.text != owner.text || is_abstract {
                let error = Diagnostic::error(name.span, format!("the method `{}` returns nothing", name.text));
                let hint = format!("write a type or `void` before it; a constructor is called `{}`", owner.text);
                self.report(error.hint(hint));
            }
            let parameters = self.scoped(Self::parameters)?;
            (None, Signature { name, type_parameters: Vec::new(), parameters })
        } else {
            let Prototype { result, signature } = self.scoped(Self::prototype)?;
            (Some(result), signature)
        };
        self.expect(";", "the method")?;
        Ok(Method { annotations, is_abstract, result, signature, span: self.since(start) })
    }

    /// `type name<types>(parameters)`
    fn prototype(&mut self) -> Parsed<Prototype> {
        let (result, waiting) = self.ahead_of_parameters(Self::type_or_void)?;
        let name = self.name("the name of the function")?;
        let signature = self.signature_after(name, &waiting)?;
        Ok(Prototype { result, signature })
    }
}
