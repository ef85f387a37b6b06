//! Short descriptions of requests, for golden files.

use control::*;
use runtime::tables::FieldMatch;

fn key(asked: &[FieldMatch]) -> String {
    asked.iter().map(FieldMatch::to_string).collect::<Vec<_>>().join(" ")
}

fn call(info: &Info, call: &ActionCall) -> String {
    let data: Vec<String> = call.data.iter().map(|value| format!("{value:#x}")).collect();
    format!("{}({})", info.action(call.action).identity.name, data.join(", "))
}

fn target(info: &Info, target: &Target) -> String {
    match target {
        Target::Action(action) => call(info, action),
        other => format!("{other:?}"),
    }
}

fn entry(entry: &EntrySelection) -> String {
    match entry {
        EntrySelection::Handle(handle) => format!("{handle:?}"),
        EntrySelection::Key { key: asked, priority } => format!("[{}] {priority:?}", key(asked)),
    }
}

fn table_request(info: &Info, request: &TableRequest) -> String {
    match request {
        TableRequest::Insert { key: asked, priority, target: to, .. } => {
            let priority = priority.map_or(String::new(), |priority| format!(" priority {priority}"));
            format!("insert [{}]{priority} -> {}", key(asked), target(info, to))
        }
        TableRequest::Modify { entry: which, target: Some(to), .. } => {
            format!("modify {} -> {}", entry(which), target(info, to))
        }
        TableRequest::Delete(which) => format!("delete {}", entry(which)),
        TableRequest::Read(Some(which), _) => format!("read {}", entry(which)),
        TableRequest::SetDefault { target: to, .. } => format!("default -> {}", target(info, to)),
        other => format!("{other:?}"),
    }
}

fn profile_request(info: &Info, request: &ProfileRequest) -> String {
    match request {
        ProfileRequest::InsertMember(member, action) => format!("insert member {member} {}", call(info, action)),
        ProfileRequest::ModifyMember(member, action) => format!("modify member {member} {}", call(info, action)),
        other => format!("{other:?}"),
    }
}

/// Describes a request in one line.
pub fn request(info: &Info, request: &Request) -> String {
    match request {
        Request::InPipe(pipe, inner) => format!("in pipe {pipe}: {}", self::request(info, inner)),
        Request::Table(table, request) => {
            format!("table {} {}", info.table(*table).identity.name, table_request(info, request))
        }
        Request::Profile(profile, request) => {
            format!("profile {} {}", info.profile(*profile).identity.name, profile_request(info, request))
        }
        other => format!("{other:?}"),
    }
}

/// Describes a step of a packet test in one line.
pub fn step(info: &Info, step: &stf::Step) -> String {
    match step {
        stf::Step::Request(asked) => request(info, asked),
        stf::Step::Packet { port, bytes } => format!("packet {port} {bytes:02x?}"),
        stf::Step::Option { name, value } => format!("option {} = {}", name.text, value.text),
        stf::Step::Expect { port, expectation } => format!("expect {port} {expectation}"),
        stf::Step::Check { request: asked, check, .. } => format!("check {check}: {}", request(info, asked)),
        other => format!("{other:?}"),
    }
}
