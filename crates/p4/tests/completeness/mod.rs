//! Goes through a whole tree and asks the checker's answer about every node, as a lowering pass does.

mod values;

use diagnostics::Span;
use p4::Checked;
use p4::ast::{
    self, ActionReference, Block, Declaration, DeclarationKind, KeysetElementKind, PropertyKind, Statement,
    StatementKind, SwitchLabel, TransitionKind, TypeKind,
};
use p4::types::{Type, TypeForm};

/// What the checker does not tell of a program, each with its place.
pub fn gaps<'a>(program: &'a ast::Program, checked: &'a Checked<'a>) -> Vec<(Span, String)> {
    let mut walk = Walk { checked, gaps: Vec::new() };
    walk.declarations(&program.declarations);
    walk.gaps
}

struct Walk<'a> {
    checked: &'a Checked<'a>,
    gaps: Vec<(Span, String)>,
}

impl<'a> Walk<'a> {
    fn gap(&mut self, span: Span, what: impl Into<String>) {
        self.gaps.push((span, what.into()));
    }

    fn name(&mut self, name: &'a ast::Name) {
        if self.checked.nodes.definition(name).is_none() {
            self.gap(name.span, format!("the name `{}`", name.text));
        }
    }

    /// True for a type of which something is open.
    fn is_open(&self, of: Type) -> bool {
        match self.checked.types.kind(of) {
            TypeForm::Unknown | TypeForm::Default | TypeForm::Invalid | TypeForm::Record(..) => true,
            TypeForm::Tuple(parts) | TypeForm::Named(_, parts) => parts.iter().any(|&part| self.is_open(part)),
            TypeForm::List(part) | TypeForm::Set(part) | TypeForm::Stack(part, _) => self.is_open(*part),
            _ => false,
        }
    }

    fn written(&mut self, node: &'a ast::Type) {
        // `_` leaves a type to inference, and does not say which it is.
        if node.kind == TypeKind::Any {
            return;
        }
        match self.checked.nodes.written_type(node) {
            None => self.gap(node.span, "a written type"),
            Some(of) if self.is_open(of) && !matches!(node.kind, TypeKind::Specialized(..)) => {
                self.gap(node.span, format!("the type is `{}`", self.checked.types.show(of)));
            }
            _ => {}
        }
        match &node.kind {
            TypeKind::Named(path) => self.name(&path.name),
            TypeKind::Specialized(path, arguments) => {
                self.name(&path.name);
                arguments.iter().for_each(|argument| self.written(argument));
            }
            TypeKind::Array(element, size) => {
                self.written(element);
                self.value(size);
            }
            TypeKind::Tuple(parts) => parts.iter().for_each(|part| self.written(part)),
            TypeKind::List(part) => self.written(part),
            TypeKind::Bit(Some(width)) | TypeKind::Int(width) | TypeKind::Varbit(width) => self.value(width),
            _ => {}
        }
    }

    fn parameters(&mut self, all: &'a [ast::Parameter]) {
        for own in all {
            self.written(&own.parameter_type);
            self.name(&own.name);
            if let Some(default) = &own.default {
                self.value(default);
            }
        }
    }

    fn signature(&mut self, own: &'a ast::Signature) {
        own.type_parameters.iter().for_each(|name| self.name(name));
        self.parameters(&own.parameters);
    }

    fn declarations(&mut self, all: &'a [Declaration]) {
        all.iter().for_each(|own| self.declaration(own));
    }

    fn declaration(&mut self, declaration: &'a Declaration) {
        match &declaration.kind {
            DeclarationKind::Constant(own) => {
                self.written(&own.constant_type);
                self.name(&own.name);
                self.value(&own.value);
            }
            DeclarationKind::Variable(own) => {
                self.written(&own.variable_type);
                self.name(&own.name);
                own.value.iter().for_each(|value| self.value(value));
            }
            DeclarationKind::Instantiation(own) => {
                self.written(&own.instance_type);
                self.name(&own.name);
                match self.checked.nodes.instantiation(own) {
                    None => self.gap(declaration.span, "an instantiation"),
                    Some(called) => self.called(declaration.span, called),
                }
                self.arguments(&own.arguments);
                self.declarations(own.body.as_deref().unwrap_or(&[]));
            }
            DeclarationKind::Action(own) => {
                self.name(&own.name);
                self.parameters(&own.parameters);
                self.block(&own.body);
            }
            DeclarationKind::Function(own) => {
                self.name(&own.prototype.signature.name);
                self.prototype(&own.prototype);
                self.block(&own.body);
            }
            DeclarationKind::ExternFunction(own) => {
                self.name(&own.signature.name);
                self.prototype(own);
            }
            DeclarationKind::ExternObject(own) => {
                self.name(&own.name);
                own.type_parameters.iter().for_each(|name| self.name(name));
                for method in &own.methods {
                    method.result.iter().for_each(|result| self.written(result));
                    self.signature(&method.signature);
                }
            }
            DeclarationKind::ExternName(name) => self.name(name),
            DeclarationKind::Container(own) => {
                self.name(&own.name);
                own.type_parameters.iter().for_each(|name| self.name(name));
                own.fields.iter().for_each(|field| self.written(&field.field_type));
            }
            DeclarationKind::Enumeration(own) => {
                self.name(&own.name);
                own.underlying.iter().for_each(|node| self.written(node));
                for member in &own.members {
                    self.name(&member.name);
                    member.value.iter().for_each(|value| self.value(value));
                }
            }
            // Errors and match kinds are told by their names alone.
            DeclarationKind::Errors(_) | DeclarationKind::MatchKinds(_) => {}
            DeclarationKind::Typedef(own) | DeclarationKind::NewType(own) => {
                self.written(&own.original);
                self.name(&own.name);
            }
            DeclarationKind::TypedefOfDeclaration(inner, name) => {
                self.declaration(inner);
                self.name(name);
            }
            DeclarationKind::ParserType(own) | DeclarationKind::ControlType(own) | DeclarationKind::Package(own) => {
                self.name(&own.name);
                self.signature(own);
            }
            DeclarationKind::Parser(own) => self.parser(own),
            DeclarationKind::Control(own) => {
                self.name(&own.signature.name);
                self.signature(&own.signature);
                self.parameters(&own.constructor_parameters);
                self.declarations(&own.locals);
                self.block(&own.body);
            }
            DeclarationKind::Table(own) => self.table(own),
            DeclarationKind::ValueSet(own) => {
                self.written(&own.member_type);
                self.value(&own.size);
                self.name(&own.name);
            }
        }
    }

    fn prototype(&mut self, own: &'a ast::Prototype) {
        self.written(&own.result);
        self.signature(&own.signature);
    }

    fn parser(&mut self, own: &'a ast::Parser) {
        self.name(&own.signature.name);
        self.signature(&own.signature);
        self.parameters(&own.constructor_parameters);
        self.declarations(&own.locals);
        for state in &own.states {
            self.name(&state.name);
            state.statements.iter().for_each(|statement| self.statement(statement));
            match state.transition.as_ref().map(|transition| &transition.kind) {
                Some(TransitionKind::Direct(next)) => self.next(next),
                Some(TransitionKind::Select { values, cases }) => {
                    values.iter().for_each(|value| self.value(value));
                    for case in cases {
                        self.keyset(&case.keyset);
                        self.next(&case.next);
                    }
                }
                None => {}
            }
        }
    }

    /// `accept` and `reject` are not declared.
    fn next(&mut self, name: &'a ast::Name) {
        if !matches!(&*name.text, "accept" | "reject") {
            self.name(name);
        }
    }

    fn keyset(&mut self, keyset: &'a ast::Keyset) {
        keyset.elements.iter().for_each(|element| self.keyset_element(element));
    }

    fn keyset_element(&mut self, element: &'a ast::KeysetElement) {
        match &element.kind {
            KeysetElementKind::Value(value) => self.value(value),
            KeysetElementKind::Mask(one, other) | KeysetElementKind::Range(one, other) => {
                self.value(one);
                self.value(other);
            }
            KeysetElementKind::Default | KeysetElementKind::Any => {}
        }
    }

    fn action_reference(&mut self, own: &'a ActionReference) {
        self.name(&own.path.name);
        match self.checked.nodes.action_reference(own) {
            None => self.gap(own.span, "an action of a table"),
            Some(called) => self.called(own.span, called),
        }
        self.arguments(own.arguments.as_deref().unwrap_or(&[]));
    }

    fn table(&mut self, own: &'a ast::Table) {
        self.name(&own.name);
        for property in &own.properties {
            match &property.kind {
                PropertyKind::Key(elements) => elements.iter().for_each(|element| self.value(&element.value)),
                PropertyKind::Actions(all) => all.iter().for_each(|one| self.action_reference(one)),
                PropertyKind::Entries(entries) => {
                    for entry in entries {
                        entry.priority.iter().for_each(|priority| self.value(priority));
                        self.keyset(&entry.keyset);
                        self.action_reference(&entry.action);
                    }
                }
                PropertyKind::Value(value) if &*property.name.text == "default_action" => self.action(value),
                PropertyKind::Value(value) => self.value(value),
            }
        }
    }

    fn block(&mut self, block: &'a Block) {
        block.statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &'a Statement) {
        match &statement.kind {
            StatementKind::Declare(own) => self.declaration(own),
            StatementKind::Assign { target, value, .. } => {
                self.value(target);
                self.value(value);
            }
            StatementKind::Call(call) => self.value(call),
            StatementKind::Block(block) => self.block(block),
            StatementKind::If { condition, then, otherwise } => {
                self.value(condition);
                self.statement(then);
                otherwise.iter().for_each(|otherwise| self.statement(otherwise));
            }
            StatementKind::Switch { value, cases } => {
                self.value(value);
                let of = self.checked.nodes.expression(value).map(|known| self.checked.types.kind(known.of));
                let is_by_action = matches!(of, Some(TypeForm::ActionRun(_)));
                for case in cases {
                    match &case.label {
                        SwitchLabel::Value(label) if is_by_action => self.action(label),
                        SwitchLabel::Value(label) => self.value(label),
                        SwitchLabel::Default(_) => {}
                    }
                    case.block.iter().for_each(|block| self.block(block));
                }
            }
            StatementKind::For { first, condition, step, body, .. } => {
                first.iter().chain(step).for_each(|statement| self.statement(statement));
                self.value(condition);
                self.statement(body);
            }
            StatementKind::ForIn { variable, collection, body, .. } => {
                self.written(&variable.variable_type);
                self.name(&variable.name);
                self.keyset_element(collection);
                self.statement(body);
            }
            StatementKind::Return(Some(value)) => self.value(value),
            StatementKind::Return(None)
            | StatementKind::Empty
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Exit => {}
        }
    }
}
