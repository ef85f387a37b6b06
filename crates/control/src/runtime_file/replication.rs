//! Multicast groups and clone sessions.

use plans::json::ast::Object;

use super::json::{Reader, Value};
use crate::{CloneSession, Replica, ReplicationRequest, Request};

pub(super) fn group(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Request> {
    let object = reader.object(value, "a multicast group")?;
    reader.check_names(object, &["multicast_group_id", "replicas"]);
    let width = reader.resolver.info.replication.group;
    let number = reader.need(object, "multicast_group_id");
    let number = number.and_then(|number| reader.narrow_index(number, "multicast group", width));
    let replicas = replicas(reader, object);
    Some(Request::MulticastGroup(number?, ReplicationRequest::Insert(replicas?.into())))
}

pub(super) fn session(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Request> {
    let object = reader.object(value, "a clone session")?;
    reader.check_names(object, &["clone_session_id", "replicas", "packet_length_bytes"]);
    let number = reader.need(object, "clone_session_id").and_then(|number| reader.index(number, "clone session"));
    let replicas = replicas(reader, object);
    let length = match object.get("packet_length_bytes") {
        Some(length) => reader.index(&length.value, "length in bytes")?,
        None => 0,
    };
    // 0 leaves packets whole (P4Runtime specification 1.4, section 9.5.2).
    let maximum_length = (length > 0).then_some(length);
    let session = CloneSession { replicas: replicas?, maximum_length, ..CloneSession::default() };
    Some(Request::CloneSession(number?, ReplicationRequest::Insert(session)))
}

fn replicas(reader: &mut Reader<'_>, object: &Object<'_>) -> Option<Vec<Replica>> {
    let list = reader.need(object, "replicas")?;
    let read = |reader: &mut Reader<'_>, value: &Value<'_>| {
        let object = reader.object(value, "a replica")?;
        reader.check_names(object, &["egress_port", "instance"]);
        let widths = reader.resolver.info.replication;
        let port = reader.need(object, "egress_port");
        let port = port.and_then(|port| reader.narrow_index(port, "port", widths.port));
        let instance = reader.need(object, "instance");
        let instance = instance.and_then(|instance| reader.narrow_index(instance, "replica id", widths.instance));
        Some(Replica { port: port?, instance: instance? })
    };
    let all: Vec<Option<Replica>> = reader.list(list, "replicas")?.iter().map(|value| read(reader, value)).collect();
    all.into_iter().collect()
}
