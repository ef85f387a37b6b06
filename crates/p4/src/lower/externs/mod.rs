//! Externs: calls of their functions and methods (section 8.22), and their instances.
//!
//! An [`arch::Architecture`] says which externs it has, by name; here each becomes statements and state of the IR.

use std::rc::Rc;

use arch::{Function, Object};
use diagnostics::Span;
use ir::Expression;

use super::arguments::{Arguments, Constructed};
use super::frame::{Argument, Instance, Made};
use super::tree::{Tree, Value};
use crate::ast::{self, ExpressionKind};
use crate::check::{Called, Target};
use crate::findings::Findings;
use crate::lower::Lowering;
use crate::types::{Sort, Type, Types};

pub(super) use call::ExternCall;
pub(super) use deparser_objects::DeparserObject;
pub(super) use direct::Direct;
pub(super) use field_lists::FIRST_UNNUMBERED;
pub(super) use hash_objects::HashFunction;
pub(super) use math_units::MathTable;
pub(super) use parser_counters::ParserCounter;

mod call;
mod checksum_units;
mod checksums;
mod copies;
mod counters;
mod deparser_objects;
mod digests;
mod direct;
mod field_lists;
mod filters;
mod hash_objects;
mod hashes;
mod math_units;
mod messages;
mod meter_reads;
mod numbers;
mod parser_counters;
mod port_metadata;
mod profiles;
mod register_actions;
mod register_sweeps;
mod register_turns;
mod registers;
mod selectors;

impl<'a> Lowering<'a> {
    /// Writes a call of an extern function or of a method of an extern, and returns its result, which is `Nothing` for
    /// `void`.
    pub(super) fn extern_call(&mut self, node: &'a ast::Expression, called: &Called) -> Value {
        let ExpressionKind::Call { callee, arguments, .. } = &node.kind else { return Tree::Nothing };
        let (Target::Function(callable) | Target::Method(callable)) = &called.target else { return Tree::Nothing };
        let own = callable.type_parameters.iter().map(|parameter| {
            let found = called.type_arguments.iter().find(|(other, _)| other == parameter);
            found.map_or(Types::UNKNOWN, |(_, of)| *of)
        });
        let types: Vec<Type> = own.collect();
        let types = types.into_iter().map(|of| self.shapes().resolve(of)).collect();
        let arguments = Arguments {
            span: node.span,
            callable: Rc::clone(callable),
            types,
            given: arguments,
            places: called.arguments.clone(),
            result: self.nodes.expression(node).map_or(Types::UNKNOWN, |known| known.of),
        };
        let arguments = Arguments { result: self.shapes().resolve(arguments.result), ..arguments };
        let mut call = ExternCall { lowering: self, arguments: &arguments };
        match (&called.target, &callee.kind) {
            (Target::Method(_), ExpressionKind::Member(receiver, _)) => call.extern_method(receiver),
            _ => call.extern_function(),
        }
    }

    /// Makes an instance of an extern. `name` is its control-plane name.
    pub(super) fn make_extern(
        &mut self,
        of: Type,
        name: &str,
        given: &[Option<Argument<'a>>],
        annotations: &'a [ast::Annotation],
        span: Span,
    ) -> Made {
        let of = self.shapes().resolve(of);
        let Some((definition, types, Sort::Extern(own))) = self.types.named(of) else { return Made::Nothing };
        let has_stack = own.methods.iter().any(|method| &*method.name == "push");
        let (types, kind) = (types.to_vec(), Rc::clone(&self.types.definitions.get(definition).name));
        let constructed = Constructed { name, span, types, given, annotations };
        match self.architecture.object(&kind) {
            Some(Object::Registers) => self.objects().make_registers(&constructed),
            Some(Object::Counter) => self.objects().make_counter(false, &constructed),
            Some(Object::DirectCounter) => self.objects().make_counter(true, &constructed),
            Some(Object::Meter) => self.objects().make_meter(false, &constructed),
            Some(Object::DirectMeter) => self.objects().make_meter(true, &constructed),
            Some(Object::Profile) => self.objects().make_profile(false, &constructed),
            Some(Object::Selector) => self.objects().make_profile(true, &constructed),
            // It has no state.
            Some(Object::Checksum) => Made::Nothing,
            Some(Object::RegisterAction) => Made::RegisterAction,
            Some(Object::RegisterParameter) => self.objects().make_register_parameter(&constructed),
            Some(Object::MathUnit) => self.objects().make_math_unit(&constructed),
            Some(Object::Hash) => self.objects().make_hash(&constructed),
            Some(Object::Polynomial) => self.objects().make_polynomial(&constructed),
            Some(Object::Random) => Made::Random,
            Some(Object::ChecksumUnit) => self.objects().make_checksum_unit(name),
            Some(Object::ParserCounter) => self.objects().make_parser_counter(name, has_stack),
            Some(object @ (Object::Mirror | Object::Resubmission | Object::Digest)) => {
                self.objects().make_deparser_object(object, &constructed)
            }
            Some(Object::ParserPriority | Object::TableHint) => Made::Hint,
            Some(Object::IdleTimeout) => Made::IdleTimeout,
            Some(Object::DirectRegisters) => self.objects().make_direct_registers(&constructed),
            Some(Object::Filter) => self.objects().make_filter(false, &constructed),
            Some(Object::DirectFilter) => self.objects().make_filter(true, &constructed),
            Some(Object::EarlyDetection) => self.objects().make_early_detection(false, &constructed),
            Some(Object::DirectEarlyDetection) => self.objects().make_early_detection(true, &constructed),
            Some(Object::SelectorAction) => self.objects().make_selector_action(&constructed),
            None => {
                no_implementation(&mut self.found, span, &kind);
                Made::Nothing
            }
        }
    }

    /// Returns the instance that an expression names or constructs.
    pub(super) fn instance_of(
        &mut self,
        node: &'a ast::Expression,
        name: String,
        annotations: &'a [ast::Annotation],
    ) -> Option<Rc<Instance<'a>>> {
        if let Some(instance) = self.scopes.instance_named(&self.nodes, node) {
            return Some(instance);
        }
        let called = self.nodes.call(node)?.clone();
        let (Target::Constructor(..), ExpressionKind::Call { arguments, .. }) = (&called.target, &node.kind) else {
            return None;
        };
        Some(self.make_instance(&called, arguments, name, annotations, node.span))
    }
}

impl<'a> ExternCall<'_, 'a> {
    fn extern_method(&mut self, receiver: &'a ast::Expression) -> Value {
        let of = self.lowering.nodes.expression(receiver).map_or(Types::UNKNOWN, |known| known.of);
        let of = self.lowering.shapes().resolve(of);
        let name =
            self.lowering.types.named(of).map(|(own, _, _)| self.lowering.types.definitions.get(own).name.clone());
        let name = name.unwrap_or_else(|| "".into());
        if receiver.kind == ExpressionKind::This {
            return self.predicate();
        }
        match &*name {
            "packet_in" => return self.packet_in_method(),
            "packet_out" => return self.packet_out_method(),
            // It has no state, so the instance does not matter.
            other if self.lowering.architecture.object(other) == Some(Object::Checksum) => {
                return self.checksum16_method();
            }
            _ => {}
        }
        let Some(instance) = self.lowering.scopes.instance_named(&self.lowering.nodes, receiver) else {
            no_implementation(&mut self.lowering.found, receiver.span, &name);
            return Tree::Nothing;
        };
        match instance.made.clone() {
            Made::Registers(registers) if self.arguments.callable.result == Types::VOID => {
                self.register_method(&registers);
            }
            Made::Registers(registers) => return self.returning_register_method(&registers),
            Made::Filter { filter, is_direct } => return self.filter_method(filter, is_direct),
            Made::EarlyDetection { wred, is_direct, values } => {
                return self.early_detection_method(wred, is_direct, values);
            }
            Made::DirectRegisters(registers) => return self.direct_register_method(&registers),
            Made::RegisterAction => return self.register_action_method(&instance),
            Made::RegisterParameter(registers) => {
                let first = Expression::number(super::layout::LENGTH, 0);
                return registers.map(&mut |&register| registers::read_at(register, &first, None));
            }
            Made::MathUnit(table) => return self.math_unit_method(&table),
            Made::Hash(algorithm) => return self.hash_object_method(&algorithm),
            Made::Random => return self.random_object_method(),
            Made::ChecksumUnit(sum) => return self.checksum_unit_method(sum),
            Made::ParserCounter(counter) => return self.parser_counter_method(&counter),
            Made::DeparserObject(object) => return self.deparser_object_method(object),
            // They change no meaning.
            Made::Hint | Made::IdleTimeout | Made::Polynomial { .. } => {}
            Made::Counter(counter) => self.counter_method(counter),
            Made::Meter(meter) if self.arguments.callable.result != Types::VOID => {
                return self.returning_meter_method(meter);
            }
            Made::Meter(meter) => self.meter_method(meter),
            Made::Profile(_) => no_implementation(&mut self.lowering.found, self.arguments.span, &name),
            // It was reported where it was constructed.
            Made::Nothing => {}
        }
        Tree::Nothing
    }

    fn extern_function(&mut self) -> Value {
        let name = Rc::clone(&self.arguments.callable.name);
        match &*name {
            "verify" => self.verify_call(),
            "static_assert" => return self.static_assert(),
            _ => return self.architecture_function(&name),
        }
        Tree::Nothing
    }

    fn architecture_function(&mut self, name: &str) -> Value {
        let Some(function) = self.lowering.architecture.function(name) else {
            no_implementation(&mut self.lowering.found, self.arguments.span, name);
            return Tree::Nothing;
        };
        match function {
            Function::Assign(values) => self.assign_call(values),
            Function::Hash => self.hash_call(),
            Function::Random => self.random_call(),
            Function::Digest => self.digest_call(),
            Function::Clone(kept) => self.clone_call(kept),
            Function::Resubmit(kept) => self.resubmit_call(kept),
            Function::Recirculate(kept) => self.recirculate_call(kept),
            Function::Truncate => self.truncate_call(),
            Function::VerifyChecksum { with_payload } => self.verify_checksum(with_payload),
            Function::UpdateChecksum { with_payload } => self.update_checksum(with_payload),
            Function::Log => self.log_message(),
            Function::Assert => self.assertion(),
            Function::Minimum => return self.extreme(ir::BinaryOperator::LessEqual),
            Function::Maximum => return self.extreme(ir::BinaryOperator::GreaterEqual),
            Function::FunnelShiftRight => self.funnel_shift_right(),
            Function::SizeInBytes => return self.size_of_argument(8),
            Function::SizeInBits => return self.size_of_argument(1),
            Function::Invalidate => self.invalidate(),
            Function::IsValidated => return self.is_validated(),
            Function::UnpackPortMetadata { bits } => return self.unpack_port_metadata(bits),
        }
        Tree::Nothing
    }

    /// Checks a static assertion that may depend on arguments of constructors (core.p4).
    fn static_assert(&mut self) -> Value {
        if self.known_argument(0) == Some(0) {
            let message = match self.argument_value(1) {
                Tree::Text(text) => format!("this does not hold: {text}"),
                _ => "this does not hold".to_owned(),
            };
            self.lowering.found.error(self.arguments.span, message);
        }
        Tree::Scalar(Expression::bool(true))
    }
}

/// Reports an extern that the architecture does not implement.
pub(super) fn no_implementation(found: &mut Findings, span: Span, name: &str) {
    found.unsupported(span, format!("the extern `{name}` has no implementation here"));
}
