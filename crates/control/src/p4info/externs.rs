//! Externs of TNA for which P4Info has no messages of its own: low-pass filters and random early detectors. Types and
//! messages are those of the P4Info that the compiler for Tofino writes (p4lang/p4c,
//! `backends/tofino/bf-p4c/control-plane/proto/barefoot/p4info.proto`).

use super::build::{is_shown, with_preamble};
use super::message::Message;
use crate::{Identity, Info, Prefix};

/// Returns the types of externs with their instances.
pub(super) fn externs(info: &Info) -> Vec<Message> {
    let filters = info.filters.iter().map(|filter| {
        let mut own = Message::default();
        own.long(1, "size", filter.size.into());
        (&filter.identity, own)
    });
    let wreds = info.wreds.iter().map(|wred| {
        let mut own = Message::default();
        own.long(2, "size", wred.size.into());
        (&wred.identity, own)
    });
    let wreds = of_type((Prefix::Wred, "Wred", "barefoot.Wred"), wreds);
    wreds.into_iter().chain(of_type((Prefix::Filter, "Lpf", "barefoot.Lpf"), filters)).collect()
}

/// Returns a type with its instances; `None` if there are none. The type has the first byte of their ids as its id.
fn of_type<'i>(
    (prefix, name, message): (Prefix, &'static str, &'static str),
    instances: impl Iterator<Item = (&'i Identity, Message)>,
) -> Option<Message> {
    let shown = instances.filter(|(identity, _)| is_shown(identity)).map(|(identity, own)| {
        let mut instance = with_preamble(identity);
        instance.any(2, "info", message, own);
        instance
    });
    let shown: Vec<Message> = shown.collect();
    let mut of_type = Message::default();
    of_type.number(1, "extern_type_id", prefix as u32).text(2, "extern_type_name", name).messages(
        3,
        "instances",
        shown,
    );
    of_type.fields.iter().any(|field| field.name == "instances").then_some(of_type)
}
