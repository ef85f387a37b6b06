//! The metadata of ports, and fields that are invalid until they are assigned.

use arch::IntrinsicValue;
use ir::{BinaryOperator as Operator, Expression, PacketStatement};
use num_bigint::BigInt;

use crate::lower::ExternCall;
use crate::lower::arguments::wire_scalars;
use crate::lower::constants::number;
use crate::lower::layout::LENGTH;
use crate::lower::tree::{Leaf, Tree, Value};

impl<'a> ExternCall<'_, 'a> {
    /// Writes `port_metadata_unpack<T>(packet)`: the fields of T stand at the beginning of the metadata, which is skipped
    /// as a whole.
    pub(super) fn unpack_port_metadata(&mut self, bits: u32) -> Value {
        let Some(&of) = self.arguments.types.first() else { return Tree::Nothing };
        let shape = self.lowering.shapes().default_value(of);
        let mut scalars = Vec::new();
        wire_scalars(&shape, &mut scalars);
        let width: u32 = scalars.iter().map(|(value, _)| self.lowering.output.program.type_of(value).width()).sum();
        if width > bits {
            let message = format!("metadata of {width} bits; a port has {bits}");
            self.lowering.found.error(self.arguments.span, message);
            return Tree::Nothing;
        }
        let value = self.lookahead();
        let bits = Expression::number(LENGTH, bits.into());
        self.lowering.writer().packet(PacketStatement::Advance { bits });
        value
    }

    /// Writes `invalidate(field)`, after which the field has the value with which the switch begins.
    pub(super) fn invalidate(&mut self) {
        let Some(node) = self.arguments.node(0) else { return };
        let Some(target) = self.lowering.target(node) else { return };
        self.lowering.writer().set_validity(&target, false);
        match &target.l_value {
            Tree::Header(header) => self.lowering.writer().set_valid(&header.name, false),
            _ => {
                for leaf in target.l_value.leaves().into_iter().cloned().collect::<Vec<_>>() {
                    let value = self.beginning_of(&leaf);
                    self.lowering.writer().assign_leaf(&leaf, value);
                }
            }
        }
    }

    /// Writes `is_validated(header or field)`. A field without a flag is valid if it has another value than it begins with.
    pub(super) fn is_validated(&mut self) -> Value {
        let target = self.arguments.node(0).and_then(|node| self.lowering.target(node));
        if let Some(flag) = target.as_ref().and_then(|target| target.validity.as_ref()) {
            return Tree::Scalar(flag.read());
        }
        match target.map(|target| target.l_value) {
            Some(Tree::Header(header)) => Tree::Scalar(header.valid.read()),
            Some(Tree::Scalar(leaf)) => {
                let begins = self.beginning_of(&leaf);
                Tree::Scalar(Expression::binary(Operator::NotEqual, leaf.read(), begins))
            }
            _ => Tree::Scalar(Expression::bool(false)),
        }
    }

    /// Returns the value that a field has before the program assigns it.
    fn beginning_of(&mut self, leaf: &Leaf) -> Expression {
        let ty = self.lowering.output.leaf_type(leaf);
        let begins = self.lowering.architecture.metadata.before_parser.iter();
        let mut constant = begins.filter_map(|own| match own.value {
            IntrinsicValue::Constant(value) if self.lowering.switch.intrinsic(own.field).as_ref() == Some(leaf) => {
                Some(value)
            }
            _ => None,
        });
        let constant = constant.next_back().unwrap_or(0);
        number(ty, &BigInt::from(constant))
    }
}
