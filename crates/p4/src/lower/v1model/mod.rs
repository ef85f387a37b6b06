//! What v1model implements (docs of BMv2's simple_switch, v1model.p4), as statements and state of the IR.

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
mod switch;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use control::{ActionNumber, Info};
use diagnostics::Span;
use ir::{DigestId, FunctionId, MeterId, Statement, TableId, VariableId};

pub(super) use switch::PACKAGE;

use super::Lowering;
use super::arguments::{Arguments, Constructed};
use super::frame::Made;
use super::names::Names;
use super::tree::{Leaf, Place};
use crate::types::{Definition, Type};

/// What the blocks of the switch have in common.
#[derive(Default)]
pub(super) struct Switch {
    /// What the control plane may know.
    pub info: Info,
    /// The standard metadata, which externs read and write without being given it.
    pub standard_metadata: Option<Place>,
    /// Where `direct_meter.read` finds the colour. Only looked up.
    colors: HashMap<MeterId, VariableId>,
    /// Direct counters and meters, and where they are declared.
    direct: Vec<(direct::Direct, Span)>,
    /// Tables that are applied somewhere.
    pub applied: BTreeSet<TableId>,
    /// Actions that controls call by themselves.
    pub called: BTreeMap<FunctionId, Definition>,
    /// How many actions lie around what is being written.
    pub within_actions: usize,
    /// Kinds of digest by the type that is sent. Only looked up.
    digests: HashMap<Type, DigestId>,
    /// The names of registers that are taken.
    registers: Names,
    /// The names of parsers that are taken.
    pub parsers: Names,
    /// Where tables list their actions, by the place in the list. Only looked up.
    pub action_spans: HashMap<(TableId, usize), Span>,
    /// Actions that tables may run. Only looked up.
    pub actions: HashMap<FunctionId, ActionNumber>,
    /// What is to be computed before the keys of each table can be read.
    pub before_keys: Vec<Vec<Statement>>,
}

impl<'a> Lowering<'a> {
    pub(super) fn v1model_function(&mut self, name: &Rc<str>, arguments: &Arguments<'a>) {
        match &**name {
            "mark_to_drop" => self.mark_to_drop(arguments),
            "hash" => self.hash_call(arguments),
            "random" => self.random_call(arguments),
            "digest" => self.digest_call(arguments),
            "clone" | "clone3" | "clone_preserving_field_list" => self.clone_call(arguments),
            "resubmit" | "resubmit_preserving_field_list" => self.resubmit_call(arguments),
            "recirculate" | "recirculate_preserving_field_list" => self.recirculate_call(arguments),
            "truncate" => self.truncate_call(arguments),
            "verify_checksum" | "verify_checksum_with_payload" => self.verify_checksum(arguments),
            "update_checksum" | "update_checksum_with_payload" => self.update_checksum(arguments),
            "log_msg" => self.log_message(arguments),
            "assert" | "assume" => self.assertion(arguments),
            _ => self.no_implementation(arguments.span, name),
        }
    }

    pub(super) fn make_v1model_extern(&mut self, kind: &str, constructed: &Constructed<'_, 'a>) -> Made {
        match kind {
            "register" => self.make_registers(constructed),
            "counter" | "direct_counter" => self.make_counter(kind, constructed),
            "meter" | "direct_meter" => self.make_meter(kind, constructed),
            "action_profile" | "action_selector" => self.make_profile(kind, constructed),
            "Checksum16" => Made::Nothing,
            _ => {
                self.no_implementation(constructed.span, kind);
                Made::Nothing
            }
        }
    }

    /// A field of the standard metadata.
    pub(super) fn standard_field(&mut self, name: &str) -> Option<Leaf> {
        self.switch.standard_metadata.as_ref()?.part(name)?.scalar().cloned()
    }
}
