//! Calls that decide what happens to a packet at the end of ingress or egress: drop, clone, resubmit, recirculate,
//! truncate.

use arch::Kept;
use ir::{CloneKind, Effect};
use num_bigint::BigInt;

use crate::lower::ExternCall;
use crate::lower::constants::number;
use crate::lower::tree::{LValue, Leaf};

impl<'a> ExternCall<'_, 'a> {
    /// Writes a call that assigns values to fields of the intrinsic metadata, such as one that drops the packet.
    /// Without an argument it applies to the metadata of the packet.
    pub(super) fn assign_call(&mut self, values: &[(&str, i64)]) {
        let given = self.argument_target(0).map(|target| target.l_value);
        // -1 in any width is all ones.
        for (name, value) in values {
            let leaf = match &given {
                Some(l_value) => l_value.part(name).and_then(LValue::scalar).cloned(),
                None => self.lowering.switch.intrinsic(name),
            };
            if let Some(leaf) = leaf {
                let value = number(self.lowering.output.leaf_type(&leaf), &BigInt::from(*value));
                self.lowering.writer().assign_leaf(&leaf, value);
            }
        }
    }

    /// Writes `clone(type, session)`, `clone_preserving_field_list(type, session, index)` or `clone3(type, session,
    /// data)`.
    pub(super) fn clone_call(&mut self, kept: Kept) {
        let Some(place) = self.known_argument(0) else { return };
        let kind = if self.lowering.declarations.member_named(&self.lowering.types, "CloneType", place).as_deref()
            == Some("I2E")
        {
            CloneKind::IngressToEgress
        } else {
            CloneKind::EgressToEgress
        };
        let [session] = self.argument_scalars([1]);
        let keep = self.kept_fields(kept, 2);
        self.lowering.writer().effect(Effect::Clone { kind, session, keep });
    }

    pub(super) fn resubmit_call(&mut self, kept: Kept) {
        let keep = self.kept_fields(kept, 0);
        self.lowering.writer().effect(Effect::Resubmit { keep, data: vec![] });
    }

    pub(super) fn recirculate_call(&mut self, kept: Kept) {
        let keep = self.kept_fields(kept, 0);
        self.lowering.writer().effect(Effect::Recirculate { keep });
    }

    /// Writes `truncate(length)`.
    pub(super) fn truncate_call(&mut self) {
        let [length] = self.argument_scalars([0]);
        self.lowering.writer().effect(Effect::Truncate { length });
    }

    /// Returns the field list that an argument names, by its number or, in the older forms, by the fields themselves.
    fn kept_fields(&mut self, kept: Kept, parameter: usize) -> Option<usize> {
        let node = self.arguments.node(parameter)?;
        if kept == Kept::List {
            let number = self.known_argument(parameter)?;
            return self.lowering.output.program.field_lists.iter().position(|list| u64::from(list.number) == number);
        }
        let mut variables = Vec::new();
        for l_value in self.l_values_in(node) {
            match l_value.leaves().into_iter().map(variable).collect::<Option<Vec<_>>>() {
                Some(own) => variables.extend(own),
                None => self.lowering.found.unsupported(node.span, "to keep what is chosen at run time"),
            }
        }
        if variables.is_empty() {
            return None;
        }
        Some(self.lowering.output.unnumbered_field_list(variables))
    }
}

fn variable(leaf: &Leaf) -> Option<ir::VariableId> {
    match leaf {
        Leaf::Variable(variable) => Some(*variable),
        Leaf::Element(..) => None,
    }
}
