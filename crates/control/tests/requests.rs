//! Requests to a program and its state: their effects, and all refusals.

mod common;

use common::*;
use control::*;
use runtime::tables::{EntryHandle, FieldMatch};
use runtime::{Bits, Count};

fn prefix(value: u64, length: u32) -> Vec<FieldMatch> {
    vec![FieldMatch::Prefix { value: bits(value), length }]
}

fn exact(value: u64) -> Vec<FieldMatch> {
    vec![FieldMatch::Exact(bits(value))]
}

fn insert(key: Vec<FieldMatch>, target: Target) -> TableRequest {
    TableRequest::insert(key, None, target)
}

fn lpm(request: TableRequest) -> Request {
    Request::Table(LPM, request)
}

fn acl(port: (u64, u64), priority: Option<u32>, target: Target) -> Request {
    let key = vec![
        FieldMatch::Mask { value: bits(0x0A00), mask: bits(0xFF00) },
        FieldMatch::Range { low: bits(port.0), high: bits(port.1) },
        FieldMatch::Exact(bits(1)),
        FieldMatch::Any,
    ];
    Request::Table(ACL, TableRequest::insert(key, priority, target))
}

#[test]
fn inserts_reads_modifies_and_deletes_an_entry() {
    let mut bench = Bench::new();
    let inserted = bench.done(lpm(insert(prefix(0x0A00_0000, 8), run(FORWARD, &[1, 2]))));
    let Response::Inserted(handle) = inserted else { panic!("{inserted:?}") };
    let key = vec![FieldMatch::Prefix { value: Bits::from_u64(0x0A00_0000, 32), length: 8 }];
    let forward =
        Target::Action(ActionCall { action: FORWARD, data: vec![Bits::from_u64(1, 9), Bits::from_u64(2, 48)] });
    let entry = ReadEntry {
        handle,
        key,
        priority: 0,
        target: forward,
        is_constant: false,
        idle_timeout: 0,
        metadata: Vec::new(),
        count: None,
        meter: None,
        time_since_hit: None,
    };
    assert_eq!(bench.done(lpm(TableRequest::read_all())), Response::Entries(vec![entry.clone()]));
    let by_key = EntrySelection::Key { key: prefix(0x0A00_0000, 8), priority: None };
    assert_eq!(bench.done(lpm(TableRequest::read(by_key.clone()))), Response::Entries(vec![entry.clone()]));
    let target = run(DROP, &[]);
    assert_eq!(bench.done(lpm(TableRequest::modify(by_key, target.clone()))), Response::Done);
    let modified = ReadEntry { target, ..entry };
    assert_eq!(bench.done(lpm(TableRequest::read(handle))), Response::Entries(vec![modified]));
    assert_eq!(bench.done(lpm(TableRequest::Delete(handle.into()))), Response::Done);
    assert_eq!(bench.done(lpm(TableRequest::read_all())), Response::Entries(vec![]));
}

#[test]
fn sets_and_resets_the_default_action() {
    let mut bench = Bench::new();
    let read = |bench: &mut Bench| bench.done(Request::Table(STACK, TableRequest::ReadDefault));
    let first = read(&mut bench);
    let data = vec![Bits::from_u64(0x105, 9), Bits::from_u64(0, 48)];
    let default = |target| Response::Default { target, metadata: Vec::new() };
    assert_eq!(first, default(Target::Action(ActionCall { action: FORWARD, data })));
    bench.done(Request::Table(STACK, TableRequest::set_default(run(DROP, &[]))));
    assert_eq!(read(&mut bench), default(run(DROP, &[])));
    bench.done(Request::Table(STACK, TableRequest::ResetDefault));
    assert_eq!(read(&mut bench), first);
}

#[test]
fn entry_errors_name_table_key_and_limit() {
    let mut bench = Bench::new();
    let drop = || run(DROP, &[]);
    let mut refused = |request| bench.refused(request);
    let lpm_of = |value, length| lpm(insert(prefix(value, length), drop()));
    assert_eq!(
        refused(lpm_of(0x1_FFFF_FFFF, 32)),
        "0x1ffffffff does not fit in key field `hdr.ipv4.dstAddr` of table `ingress.ipv4_lpm`, which is 32 bits wide"
    );
    assert_eq!(
        refused(lpm_of(0, 33)),
        "key field `hdr.ipv4.dstAddr` of table `ingress.ipv4_lpm` is 32 bits wide; a prefix of 33 bits is too long"
    );
    assert_eq!(
        refused(lpm_of(0x0A01_0000, 8)),
        "`0xa010000/8` for key field `hdr.ipv4.dstAddr` of table `ingress.ipv4_lpm` has bits set outside its mask"
    );
    assert_eq!(
        refused(lpm(insert(exact(1), drop()))),
        "key field `hdr.ipv4.dstAddr` of table `ingress.ipv4_lpm` is of kind lpm, which takes a prefix"
    );
    assert_eq!(
        refused(lpm(insert(vec![], drop()))),
        "table `ingress.ipv4_lpm` has 1 key field (`hdr.ipv4.dstAddr`), but 0 are given"
    );
    assert_eq!(
        refused(acl((5, 4), Some(1), run(MARK, &[1]))),
        "the range `0x5->0x4` for key field `meta.port` of table `ingress.acl` ends before it begins"
    );
    assert_eq!(
        refused(acl((1, 4), None, run(MARK, &[1]))),
        "an entry of table `ingress.acl` needs a priority, because several may match key field `hdr.ipv4.srcAddr`"
    );
    assert_eq!(
        refused(lpm(TableRequest::insert(prefix(0, 0), Some(7), drop()))),
        "an entry of table `ingress.ipv4_lpm` has no priority, because only one can match; 7 is given"
    );
    let keyless = Request::Table(TableNumber(7), insert(vec![], drop()));
    assert_eq!(refused(keyless), "table `ingress.keyless` has no key, so it has no entries");
    let missing = EntrySelection::Key { key: prefix(0x0A00_0000, 8), priority: None };
    assert_eq!(
        refused(lpm(TableRequest::Delete(missing))),
        "table `ingress.ipv4_lpm` has no entry `hdr.ipv4.dstAddr: 0xa000000/8`"
    );
    assert_eq!(
        refused(lpm(TableRequest::modify(EntryHandle(9), drop()))),
        "table `ingress.ipv4_lpm` has no entry `number 9`"
    );
}

#[test]
fn refuses_entries_beyond_the_size_and_duplicates() {
    let mut bench = Bench::new();
    for value in 1..=3 {
        bench.done(lpm(insert(prefix(value << 24, 8), run(DROP, &[]))));
    }
    let full = bench.refused(lpm(insert(prefix(4 << 24, 8), run(DROP, &[]))));
    assert_eq!(full, "table `ingress.ipv4_lpm` is full: its size is 3 entries");
    let twice = bench.refused(lpm(insert(prefix(3 << 24, 8), run(DROP, &[]))));
    let expected = "table `ingress.ipv4_lpm` already has an entry with the key `hdr.ipv4.dstAddr: 0x3000000/8`";
    assert_eq!(twice, expected);
    bench.done(lpm(TableRequest::Clear));
    bench.done(lpm(insert(prefix(4 << 24, 8), run(DROP, &[]))));
    bench.done(acl((1, 4), Some(5), run(MARK, &[1])));
    bench.done(acl((1, 4), Some(6), run(MARK, &[1])));
    assert_eq!(
        bench.refused(acl((1, 4), Some(5), run(MARK, &[1]))),
        "table `ingress.acl` already has an entry with the key `hdr.ipv4.srcAddr: 0xa00&&&0xff00, meta.port: 0x1->0x4, \
         hdr.tcp.isValid(): 0x1, meta.tag: *` and this priority"
    );
}

#[test]
fn refuses_changes_of_constant_entries_and_defaults() {
    let mut bench = Bench::new();
    let fixed = |request| Request::Table(FIXED, request);
    let entries = "the entries of table `ingress.fixed` are constant in the program";
    assert_eq!(bench.refused(fixed(insert(exact(9), run(DROP, &[])))), entries);
    assert_eq!(bench.refused(fixed(TableRequest::Delete(EntryHandle(0).into()))), entries);
    assert_eq!(bench.refused(fixed(TableRequest::Clear)), entries);
    let default = "the default action of table `ingress.fixed` is constant in the program";
    assert_eq!(bench.refused(fixed(TableRequest::set_default(run(DROP, &[])))), default);
    assert_eq!(bench.refused(fixed(TableRequest::ResetDefault)), default);
    let Response::Entries(read) = bench.done(fixed(TableRequest::read_all())) else { panic!() };
    assert!(read.len() == 1 && read[0].is_constant);
}

#[test]
fn refuses_foreign_actions_and_wrong_parameters() {
    let mut bench = Bench::new();
    let mut refused = |request| bench.refused(request);
    assert_eq!(
        refused(lpm(insert(prefix(0, 0), run(MARK, &[1])))),
        "no action `ingress.mark` in table `ingress.ipv4_lpm`; it has `ingress.forward`, `ingress.drop`, `NoAction`"
    );
    assert_eq!(
        refused(lpm(insert(prefix(0, 0), run(FORWARD, &[1])))),
        "action `ingress.forward` takes 2 parameters (`port`, `dstAddr`), but gets 1"
    );
    assert_eq!(
        refused(lpm(insert(prefix(0, 0), run(DROP, &[1])))),
        "action `ingress.drop` takes no parameters, but gets 1"
    );
    assert_eq!(
        refused(lpm(insert(prefix(0, 0), run(FORWARD, &[512, 1])))),
        "0x200 does not fit in parameter `port` of action `ingress.forward`, which is 9 bits wide"
    );
    assert_eq!(
        refused(lpm(insert(prefix(0, 0), run(ActionNumber(0), &[])))),
        "action `NoAction` can only be the default action of table `ingress.ipv4_lpm`, not the action of an entry"
    );
    assert_eq!(
        refused(Request::Table(ACL, TableRequest::set_default(run(MARK, &[1])))),
        "action `ingress.mark` can only be used in entries of table `ingress.acl`, not as its default action"
    );
    assert_eq!(
        refused(lpm(insert(prefix(0, 0), Target::Member(0)))),
        "table `ingress.ipv4_lpm` has no members: its entries name actions"
    );
}

#[test]
fn direct_counters_live_as_long_as_their_entries() {
    let mut bench = Bench::new();
    let hits = |request| Request::Counter(CounterNumber(0), request);
    let Response::Inserted(handle) = bench.done(lpm(insert(prefix(0, 0), run(DROP, &[])))) else { panic!() };
    bench.state.tables[0].count(handle, 1, 100);
    let read = hits(CounterRequest::Read(ElementSelection::Entry(handle.into())));
    assert_eq!(bench.done(read.clone()), Response::Counters(vec![Count { packets: 1, bytes: 100 }]));
    bench.done(hits(CounterRequest::Write(ElementSelection::All, Count::default())));
    assert_eq!(bench.done(read.clone()), Response::Counters(vec![Count::default()]));
    bench.done(lpm(TableRequest::Delete(handle.into())));
    assert_eq!(bench.refused(read), "table `ingress.ipv4_lpm` has no entry `number 0`");
    assert_eq!(
        bench.refused(hits(CounterRequest::Read(ElementSelection::Index(0)))),
        "counter `ingress.hits` belongs to the entries of table `ingress.ipv4_lpm` and has no indices"
    );
}

#[test]
fn a_table_is_read_in_parts_while_it_changes() {
    let l2 = |request| Request::Table(L2_MAC, request);
    let add = |bench: &mut Bench, key| bench.done(l2(insert(exact(key), run(FORWARD, &[key % 8, 1]))));
    let delete = |key| l2(TableRequest::Delete(EntrySelection::Key { key: exact(key), priority: None }));
    for most in [1, 7, 32, 1000] {
        let mut bench = Bench::new();
        (0..100).for_each(|key| _ = add(&mut bench, key));
        // Whole pages of handles are empty.
        (30..70).for_each(|key| _ = bench.done(delete(key)));
        let Response::Entries(all) = bench.done(l2(TableRequest::read_all())) else { panic!("entries") };
        let (mut read, mut after, mut parts) = (Vec::new(), None, 0);
        loop {
            let part = TableRequest::ReadPart { after, most, details: EntryDetails::NONE };
            assert!(l2(part.clone()).is_read());
            let Response::Entries(part) = bench.done(l2(part)) else { panic!("entries") };
            assert!(part.len() <= most);
            let is_last = part.len() < most;
            read.extend(part);
            after = read.last().map(|entry: &ReadEntry| entry.handle);
            // The last entry of a part may be gone when the next is read, and others may come.
            if parts == 0 {
                let last = after.expect("the first part has entries");
                bench.done(l2(TableRequest::Delete(last.into())));
                add(&mut bench, 1000);
            }
            parts += 1;
            if is_last {
                break;
            }
        }
        if most < 100 {
            let new = read.pop().expect("there are entries");
            assert_eq!(new.key, [FieldMatch::Exact(Bits::from_u64(1000, 48))], "what is inserted meanwhile is last");
        }
        assert_eq!(read, all, "{most} at once");
    }
}
