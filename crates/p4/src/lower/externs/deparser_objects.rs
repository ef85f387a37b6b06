//! Mirrors, resubmissions and digests that are objects of a deparser.

use arch::Object;
use ir::{DigestId, Effect, Expression, Statement};

use super::no_implementation;
use crate::lower::arguments::{Constructed, wire_scalars};
use crate::lower::frame::Made;
use crate::lower::tree::{Tree, Value};
use crate::lower::{ExternCall, Objects};

/// An object by which a deparser sends something beside the packet.
#[derive(Clone, Copy, Debug)]
pub(in crate::lower) struct DeparserObject {
    sent: Sent,
    /// The value of the selector of its kind for which the object acts. Without one, the program asks for itself.
    selected_by: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
enum Sent {
    Mirror,
    Resubmission,
    Digest(DigestId),
}

impl<'a> Objects<'_, 'a> {
    /// Makes an object of a kind.
    pub(super) fn make_deparser_object(&mut self, object: Object, constructed: &Constructed<'_, 'a>) -> Made {
        let sent = match object {
            Object::Mirror => Sent::Mirror,
            Object::Resubmission => Sent::Resubmission,
            _ => match self.make_digest(constructed) {
                Some(digest) => Sent::Digest(digest),
                None => return Made::Nothing,
            },
        };
        let selected_by = match constructed.given.first() {
            Some(Some(_)) => self.constructed_number(constructed, 0),
            _ => None,
        };
        Made::DeparserObject(DeparserObject { sent, selected_by })
    }
}

impl<'a> ExternCall<'_, 'a> {
    /// Writes a method of such an object.
    pub(super) fn deparser_object_method(&mut self, object: DeparserObject) -> Value {
        let mut is_known = true;
        let sends = self.lowering.block_of(|lowering| {
            is_known = ExternCall { lowering, arguments: self.arguments }.send(object.sent);
        });
        if !is_known {
            no_implementation(&mut self.lowering.found, self.arguments.span, &self.arguments.callable.name);
        }
        let kind = match object.sent {
            Sent::Mirror => Object::Mirror,
            Sent::Resubmission => Object::Resubmission,
            Sent::Digest(_) => Object::Digest,
        };
        let condition = object.selected_by.and_then(|value| self.lowering.is_selected(kind, value));
        match condition {
            Some(condition) => {
                self.lowering.writer().emit(Statement::If { condition, then: sends, otherwise: vec![] });
            }
            None => self.lowering.writer().emit_all(sends),
        }
        Tree::Nothing
    }

    /// Writes the sending, and returns whether the method is known.
    fn send(&mut self, sent: Sent) -> bool {
        match (sent, &*self.arguments.callable.name) {
            (Sent::Mirror, "emit") => {
                let [session] = self.argument_scalars([0]);
                let data = self.emitted(1);
                self.lowering.writer().effect(Effect::Mirror { session, data });
            }
            (Sent::Resubmission, "emit") => {
                let data = self.emitted(0);
                self.lowering.writer().effect(Effect::Resubmit { keep: None, data });
            }
            (Sent::Digest(of), "pack") => {
                let data = self.argument_value(0);
                self.send_digest(of, &data);
            }
            _ => return false,
        }
        true
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
