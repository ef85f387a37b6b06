//! Printing of declarations with bodies: actions, externs, instances, parsers and controls.

use super::Printer;
use crate::ast::{
    Action, Control, ExternObject, Instantiation, Method, Parser, SelectCase, StateDeclaration, TransitionKind,
};

impl Printer {
    pub(super) fn action(&mut self, action: &Action) {
        self.push("action ");
        self.push(&action.name.text);
        self.parameters(&action.parameters);
        self.push(" ");
        self.block(&action.body);
    }

    pub(super) fn instance(&mut self, instance: &Instantiation) {
        self.type_reference(&instance.instance_type);
        self.arguments(&instance.arguments);
        self.push(" ");
        self.push(&instance.name.text);
        if let Some(body) = &instance.body {
            self.push(" = ");
            self.braces(body, Self::declaration);
        }
    }

    pub(super) fn extern_object(&mut self, object: &ExternObject) {
        self.push("extern ");
        self.push(&object.name.text);
        self.type_parameters(&object.type_parameters);
        self.push(" ");
        self.braces(&object.methods, Self::method);
    }

    fn method(&mut self, method: &Method) {
        self.line();
        self.annotations(&method.annotations);
        if method.is_abstract {
            self.push("abstract ");
        }
        if let Some(result) = &method.result {
            self.type_reference(result);
            self.push(" ");
        }
        self.signature(&method.signature);
        self.push(";\n");
    }

    pub(super) fn parser(&mut self, parser: &Parser) {
        self.word_and_signature("parser", &parser.signature);
        if !parser.constructor_parameters.is_empty() {
            self.parameters(&parser.constructor_parameters);
        }
        self.push(" ");
        self.open();
        parser.locals.iter().for_each(|local| self.declaration(local));
        parser.states.iter().for_each(|state| self.state(state));
        self.close();
    }

    fn state(&mut self, state: &StateDeclaration) {
        self.line();
        self.annotations(&state.annotations);
        self.push("state ");
        self.push(&state.name.text);
        self.push(" ");
        self.open();
        state.statements.iter().for_each(|statement| self.statement(statement));
        if let Some(transition) = &state.transition {
            self.line();
            self.push("transition ");
            match &transition.kind {
                TransitionKind::Direct(next) => {
                    self.push(&next.text);
                    self.push(";");
                }
                TransitionKind::Select { values, cases } => {
                    self.push("select(");
                    self.joined(values, ", ", Self::expression);
                    self.push(") ");
                    self.braces(cases, Self::select_case);
                }
            }
            self.push("\n");
        }
        self.close();
        self.push("\n");
    }

    fn select_case(&mut self, case: &SelectCase) {
        self.line();
        self.keyset(&case.keyset);
        self.push(": ");
        self.push(&case.next.text);
        self.push(";\n");
    }

    pub(super) fn control(&mut self, control: &Control) {
        self.word_and_signature("control", &control.signature);
        if !control.constructor_parameters.is_empty() {
            self.parameters(&control.constructor_parameters);
        }
        self.push(" ");
        self.open();
        control.locals.iter().for_each(|local| self.declaration(local));
        self.line();
        self.push("apply ");
        self.block(&control.body);
        self.push("\n");
        self.close();
    }
}
