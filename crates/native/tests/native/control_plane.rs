//! What the control plane gives tables and groups, on the interpreter and on machine code: weights, ports that are down,
//! action sets, idle timeouts and classes of service.

use std::sync::Arc;

use basis::Instant;
use basis::snapshot::{Loader, Saver};
use control::*;
use diagnostics::Sources;
use ir::interpret::PacketInterpreter;
use machines::Device;
use machines::blocks::Executor;
use machines::v1model::{Switch, V1modelParameters};
use native::Native;
use node::{Control, Outbox, Port};
use runtime::Bits;
use runtime::tables::FieldMatch;
use wire::Packet;

const PROGRAM: &str = r#"
#include <core.p4>
#include <v1model.p4>

header h_t { bit<8> flow; bit<8> path; }
struct headers { h_t h; }
struct metadata { }

parser P(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    state start { packet.extract(hdr.h); transition accept; }
}
control Verify(inout headers hdr, inout metadata meta) { apply { } }
control Ingress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    action set(bit<8> value) { hdr.h.path = value; }
    action learned() { standard_metadata.egress_spec = 2; }
    table paths {
        key = { hdr.h.path: exact; hdr.h.flow: selector; }
        actions = { set; }
        implementation = action_selector(HashAlgorithm.identity, 16, 8);
    }
    table flows {
        key = { hdr.h.flow: exact; }
        actions = { learned; NoAction; }
        support_timeout = true;
    }
    apply { paths.apply(); flows.apply(); }
}
control Egress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) { apply { } }
control Compute(inout headers hdr, inout metadata meta) { apply { } }
control Deparser(packet_out packet, in headers hdr) { apply { packet.emit(hdr.h); } }
V1Switch(P(), Verify(), Ingress(), Egress(), Compute(), Deparser()) main;
"#;

const PATHS: TableNumber = TableNumber(0);
const FLOWS: TableNumber = TableNumber(1);

/// The switch with each executor.
fn switches() -> [Box<dyn Device>; 2] {
    let mut sources = Sources::new();
    let main = sources.add("main.p4", PROGRAM);
    let preprocessed = p4::preprocess(&mut sources, main, &p4::Disk, &p4::Options::default());
    let (tree, _) = p4::parse(&preprocessed.tokens);
    let (checked, _) = p4::check(&tree);
    let lowered = p4::lower(&tree, checked).unwrap_or_else(|_| panic!("the program is sound"));
    let (program, info) = (Arc::new(lowered.program), Arc::new(lowered.info));
    let interpreter = PacketInterpreter::new(Arc::clone(&program));
    let native = Native::compile(program).expect("code for this computer");
    [switch(interpreter, &info), switch(native, &info)]
}

fn switch<E: Executor + 'static>(executor: E, info: &Arc<Info>) -> Box<dyn Device> {
    let parameters = V1modelParameters::default();
    Box::new(Switch::new(executor, Arc::clone(info), parameters).unwrap_or_else(|_| panic!("a v1model program")))
}

fn ask(device: &mut dyn Device, request: Request) -> Response {
    device.execute(&request).unwrap_or_else(|error| panic!("{error}"))
}

fn call(device: &dyn Device, value: u64) -> ActionCall {
    let action = device.info().action_named(PATHS, "set").unwrap();
    ActionCall { action, data: vec![Bits::from_u64(value, 8)] }
}

fn key(value: u64) -> Vec<FieldMatch> {
    vec![FieldMatch::Exact(Bits::from_u64(value, 8))]
}

fn at(milliseconds: u64) -> Instant {
    Instant::from_microseconds(milliseconds * 1_000)
}

/// The second bytes that packets with flows 0 to 5 leave with.
fn paths(device: &mut dyn Device, now: Instant) -> Vec<u8> {
    let mut out = Outbox::default();
    let mut path = |flow| {
        out.begin(now);
        device.receive(now, Port(0), &mut vec![Packet::of_bytes(&[flow, 0])], &mut out);
        out.transmissions.pop().map_or(0xFF, |sent| sent.packet.head.bytes()[1])
    };
    (0..6).map(&mut path).collect()
}

fn link(device: &mut dyn Device, port: u16, up: bool) {
    device.control(at(0), Control::Link { port: Port(port), up }, &mut Outbox::default());
}

#[test]
fn groups_select_by_weight_among_members_whose_ports_are_up() {
    for mut device in switches() {
        let device = &mut *device;
        for member in 1..4 {
            let call = call(device, 10 * u64::from(member));
            ask(device, Request::Profile(ProfileNumber(0), ProfileRequest::InsertMember(member, call)));
        }
        let share = |member, weight, watch_port| GroupMember { member, weight, watch_port };
        let group = Group::new(6, [share(3, 1, None), share(1, 2, Some(4)), share(2, 3, Some(5))]);
        ask(device, Request::Profile(ProfileNumber(0), ProfileRequest::InsertGroup(group.clone())));
        ask(device, Request::Table(PATHS, TableRequest::insert(key(0), None, Target::Group(6))));
        assert_eq!(paths(device, at(0)), [10, 10, 20, 20, 20, 30]);
        link(device, 5, false);
        assert_eq!(paths(device, at(0)), [10, 10, 30, 10, 10, 30]);
        link(device, 4, false);
        assert_eq!(paths(device, at(0)), [30; 6]);
        let groups = ask(device, Request::Profile(ProfileNumber(0), ProfileRequest::ReadGroups(None)));
        let mut written = group;
        written.members.sort_unstable();
        assert_eq!(groups, Response::Groups(vec![written]));
        link(device, 5, true);
        assert_eq!(paths(device, at(0)), [20, 20, 20, 30, 20, 20]);
    }
}

#[test]
fn an_action_set_is_a_group_of_the_entry() {
    for mut device in switches() {
        let device = &mut *device;
        let actions = [(50, 1, None), (40, 2, Some(7))].map(|(value, weight, watch_port)| WeightedAction {
            call: call(device, value),
            weight,
            watch_port,
        });
        ask(device, Request::Table(PATHS, TableRequest::insert(key(0), None, Target::ActionSet(actions.into()))));
        assert_eq!(paths(device, at(0)), [50, 40, 40, 50, 40, 40]);
        link(device, 7, false);
        assert_eq!(paths(device, at(0)), [50; 6]);
        link(device, 7, true);
        let mut saver = Saver::default();
        device.save(&mut saver).unwrap();
        let entry = EntrySelection::Key { key: key(0), priority: None };
        ask(device, Request::Table(PATHS, TableRequest::Delete(entry)));
        assert_eq!(paths(device, at(0)), [0; 6]);
        device.restore(&mut Loader::new(&saver.into_bytes())).unwrap();
        assert_eq!(paths(device, at(0)), [50, 40, 40, 50, 40, 40]);
    }
}

#[test]
fn an_entry_that_is_not_hit_is_notified_once_and_stays() {
    for mut device in switches() {
        let device = &mut *device;
        let mut out = Outbox::default();
        let action = device.info().action_named(FLOWS, "learned").unwrap();
        let target = || Target::Action(ActionCall { action, data: vec![] });
        let insert = |flow, idle_timeout| {
            let attributes = EntryAttributes { idle_timeout, metadata: vec![flow as u8], ..EntryAttributes::default() };
            Request::Table(FLOWS, TableRequest::Insert { key: key(flow), priority: None, target: target(), attributes })
        };
        // The switch has not been called for a while; it is told the time before the requests and after them.
        device.control(at(100), Control::Time, &mut out);
        ask(device, insert(1, 20_000_000));
        ask(device, insert(9, 30_000_000));
        ask(device, insert(8, 0));
        device.control(at(100), Control::Time, &mut out);
        assert_eq!(out.take_deadline(), Some(at(120)));
        // Flows 0 to 5 hit the first entry, but not the second.
        paths(device, at(115));
        device.wake(at(120), &mut out);
        assert_eq!(out.take_deadline(), Some(at(130)), "hits do not ask to be woken later; it is found out");
        device.wake(at(130), &mut out);
        assert_eq!(out.take_deadline(), Some(at(135)));
        let Response::IdleEntries(idle) = ask(device, Request::TakeIdleEntries) else { panic!() };
        assert_eq!(
            idle.iter().map(|idle| (idle.table, idle.at, &idle.entry.metadata[..])).collect::<Vec<_>>(),
            [(FLOWS, at(130), &[9][..])]
        );
        let details = EntryDetails { time_since_hit: true, ..EntryDetails::NONE };
        let Response::Entries(entries) = ask(device, Request::Table(FLOWS, TableRequest::Read(None, details))) else {
            panic!()
        };
        let since = |at: usize| entries[at].time_since_hit.map(|since| since.picoseconds() / 1_000_000_000);
        assert_eq!([since(0), since(1), since(2)], [Some(15), Some(30), Some(30)], "milliseconds");

        let mut saver = Saver::default();
        device.save(&mut saver).unwrap();
        device.restore(&mut Loader::new(&saver.into_bytes())).unwrap();
        device.control(at(131), Control::Time, &mut out);
        assert_eq!(out.take_deadline(), Some(at(135)));
        device.wake(at(135), &mut out);
        assert_eq!(out.take_deadline(), Some(at(160)), "the second timeout of the entry that was taken");
    }
}
