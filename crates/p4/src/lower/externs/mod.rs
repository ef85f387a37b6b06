//! What architectures implement: calls of extern functions and methods (section 8.22), and their instances.
//!
//! Which names an architecture has for them, it says itself ([`arch::Architecture`]); here each becomes statements and
//! state of the IR.

mod checksums;
mod copies;
mod counters;
mod digests;
mod direct;
mod field_lists;
mod hashes;
mod messages;
mod meter_reads;
mod profiles;
mod registers;

use std::rc::Rc;

use arch::{Function, Object};
use diagnostics::Span;
use ir::Expression;

pub(super) use direct::Direct;

use super::Lowering;
use super::arguments::{Arguments, Constructed};
use super::frame::{Argument, Instance, Made};
use super::tree::{Tree, Value};
use crate::ast::{self, ExpressionKind};
use crate::check::{Called, Target};
use crate::types::{Sort, Type, Types};

impl<'a> Lowering<'a> {
    /// A call of an extern function or of a method of an extern. What it returns is `Nothing` for `void`.
    pub(super) fn extern_call(&mut self, node: &'a ast::Expression, called: &Called) -> Value {
        let ExpressionKind::Call { callee, arguments, .. } = &node.kind else { return Tree::Nothing };
        let (Target::Function(callable) | Target::Method(callable)) = &called.target else { return Tree::Nothing };
        let own = callable.type_parameters.iter().map(|parameter| {
            let found = called.type_arguments.iter().find(|(other, _)| other == parameter);
            found.map_or(Types::UNKNOWN, |(_, of)| *of)
        });
        let types: Vec<Type> = own.collect();
        let types = types.into_iter().map(|of| self.resolve(of)).collect();
        let arguments = Arguments {
            span: node.span,
            callable: Rc::clone(callable),
            types,
            given: arguments,
            places: called.arguments.clone(),
        };
        match (&called.target, &callee.kind) {
            (Target::Method(_), ExpressionKind::Member(receiver, _)) => self.extern_method(receiver, &arguments),
            _ => self.extern_function(&arguments),
        }
    }

    fn extern_method(&mut self, receiver: &'a ast::Expression, arguments: &Arguments<'a>) -> Value {
        let of = self.checked.nodes.expression(receiver).map_or(Types::UNKNOWN, |known| known.of);
        let of = self.resolve(of);
        let name = self.checked.types.named(of).map(|(own, _, _)| self.checked.types.definitions.get(own).name.clone());
        let name = name.unwrap_or_else(|| "".into());
        match &*name {
            "packet_in" => return self.packet_in_method(arguments),
            "packet_out" => return self.packet_out_method(arguments),
            // It has no state, so that nobody needs to know which one it is.
            other if self.architecture.object(other) == Some(Object::Checksum) => {
                return self.checksum16_method(arguments);
            }
            _ => {}
        }
        let Some(instance) = self.instance_named(receiver) else {
            self.no_implementation(receiver.span, &name);
            return Tree::Nothing;
        };
        match instance.made.clone() {
            Made::Registers(registers) => self.register_method(&registers, arguments),
            Made::Counter(counter) => self.counter_method(counter, arguments),
            Made::Meter(meter) => self.meter_method(meter, arguments),
            Made::Profile(_) => self.no_implementation(arguments.span, &name),
            // It was refused where it was made.
            Made::Nothing => {}
        }
        Tree::Nothing
    }

    fn extern_function(&mut self, arguments: &Arguments<'a>) -> Value {
        let name = Rc::clone(&arguments.callable.name);
        match &*name {
            "verify" => self.verify_call(arguments),
            "static_assert" => return self.static_assert(arguments),
            _ => self.architecture_function(&name, arguments),
        }
        Tree::Nothing
    }

    fn architecture_function(&mut self, name: &str, arguments: &Arguments<'a>) {
        let Some(function) = self.architecture.function(name) else {
            return self.no_implementation(arguments.span, name);
        };
        match function {
            Function::Assign(values) => self.assign_call(values, arguments),
            Function::Hash => self.hash_call(arguments),
            Function::Random => self.random_call(arguments),
            Function::Digest => self.digest_call(arguments),
            Function::Clone(kept) => self.clone_call(kept, arguments),
            Function::Resubmit(kept) => self.resubmit_call(kept, arguments),
            Function::Recirculate(kept) => self.recirculate_call(kept, arguments),
            Function::Truncate => self.truncate_call(arguments),
            Function::VerifyChecksum { with_payload } => self.verify_checksum(with_payload, arguments),
            Function::UpdateChecksum { with_payload } => self.update_checksum(with_payload, arguments),
            Function::Log => self.log_message(arguments),
            Function::Assert => self.assertion(arguments),
        }
    }

    /// A condition that only the finished program can tell: of constructor parameters, for one (core.p4).
    fn static_assert(&mut self, arguments: &Arguments<'a>) -> Value {
        if self.known_argument(arguments, 0) == Some(0) {
            let message = match self.argument_value(arguments, 1) {
                Tree::Text(text) => format!("this does not hold: {text}"),
                _ => "this does not hold".to_owned(),
            };
            self.error(arguments.span, message);
        }
        Tree::Scalar(Expression::bool(true))
    }

    /// An instance of an extern. `name` is its name for the control plane.
    pub(super) fn make_extern(
        &mut self,
        of: Type,
        name: &str,
        given: &[Option<Argument<'a>>],
        annotations: &'a [ast::Annotation],
        span: Span,
    ) -> Made {
        let of = self.resolve(of);
        let Some((definition, types, Sort::Extern(_))) = self.checked.types.named(of) else { return Made::Nothing };
        let (types, kind) = (types.to_vec(), Rc::clone(&self.checked.types.definitions.get(definition).name));
        let constructed = Constructed { name, span, types, given, annotations };
        match self.architecture.object(&kind) {
            Some(Object::Registers) => self.make_registers(&constructed),
            Some(Object::Counter) => self.make_counter(false, &constructed),
            Some(Object::DirectCounter) => self.make_counter(true, &constructed),
            Some(Object::Meter) => self.make_meter(false, &constructed),
            Some(Object::DirectMeter) => self.make_meter(true, &constructed),
            Some(Object::Profile) => self.make_profile(false, &constructed),
            Some(Object::Selector) => self.make_profile(true, &constructed),
            Some(Object::Checksum) => Made::Nothing,
            None => {
                self.no_implementation(span, &kind);
                Made::Nothing
            }
        }
    }

    /// An extern that the program declares, and that nobody has an implementation for.
    pub(super) fn no_implementation(&mut self, span: Span, name: &str) {
        self.unsupported(span, format!("the extern `{name}` has no implementation here"));
    }

    /// The instance that an expression names or makes.
    pub(super) fn instance_of(
        &mut self,
        node: &'a ast::Expression,
        name: String,
        annotations: &'a [ast::Annotation],
    ) -> Option<Rc<Instance<'a>>> {
        if let Some(instance) = self.instance_named(node) {
            return Some(instance);
        }
        let called = self.checked.nodes.call(node)?.clone();
        let (Target::Constructor(..), ExpressionKind::Call { arguments, .. }) = (&called.target, &node.kind) else {
            return None;
        };
        Some(self.make_instance(&called, arguments, name, annotations, node.span))
    }
}
