//! Mirrors, resubmissions and digests that are objects of a deparser.

use ir::{Effect, Expression};

use super::no_implementation;
use crate::lower::ExternCall;
use crate::lower::arguments::wire_scalars;
use crate::lower::frame::Made;
use crate::lower::tree::{Tree, Value};

impl<'a> ExternCall<'_, 'a> {
    /// Writes a method of such an object.
    pub(super) fn deparser_object_method(&mut self, made: &Made) -> Value {
        match (made, &*self.arguments.callable.name) {
            (Made::Mirror, "emit") => {
                let [session] = self.argument_scalars([0]);
                let data = self.emitted(1);
                self.lowering.writer().effect(Effect::Mirror { session, data });
            }
            (Made::Resubmission, "emit") => {
                let data = self.emitted(0);
                self.lowering.writer().effect(Effect::Resubmit { keep: None, data });
            }
            (Made::Digest(of), "pack") => {
                let data = self.argument_value(0);
                self.send_digest(*of, &data);
            }
            (_, other) => no_implementation(&mut self.lowering.found, self.arguments.span, other),
        }
        Tree::Nothing
    }

    /// Returns the scalars of a header that an object puts in front of a packet.
    fn emitted(&mut self, parameter: usize) -> Vec<Expression> {
        if self.arguments.node(parameter).is_none() {
            return vec![];
        }
        let value = self.argument_value(parameter);
        let mut scalars = Vec::new();
        wire_scalars(&value, &mut scalars);
        scalars.into_iter().map(|(value, _)| value).collect()
    }
}
