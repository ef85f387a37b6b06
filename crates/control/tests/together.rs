//! Requests that are carried out together: all of them, or none.

#[path = "common/any_request.rs"]
mod any_request;
mod common;

use any_request::any_request;
use basis::snapshot::{Saver, Snapshot};
use common::*;
use control::*;
use proptest::prelude::*;
use runtime::tables::FieldMatch;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Together, requests do what they do one after the other, up to the first that is refused; then nothing is
    /// changed, down to handles and the tokens of meters.
    #[test]
    fn all_are_carried_out_or_none(
        before in prop::collection::vec(any_request(), 0..25),
        requests in prop::collection::vec(any_request(), 0..12),
    ) {
        let [mut bench, mut one_by_one] = [Bench::new(), Bench::new()];
        for request in &before {
            prop_assert_eq!(bench.execute(request.clone()), one_by_one.execute(request.clone()));
        }
        let start = shown(&bench);
        let done = bench.execute_together(&requests);
        let expected: Result<Vec<Response>, RefusedRequest> = requests
            .iter()
            .enumerate()
            .map(|(at, request)| one_by_one.execute(request.clone()).map_err(|error| RefusedRequest { at, error }))
            .collect();
        prop_assert_eq!(&done, &expected);
        match done {
            Ok(_) => prop_assert_eq!(shown(&bench), shown(&one_by_one)),
            Err(_) => prop_assert_eq!(shown(&bench), start),
        }
    }

    /// After requests that were taken back, further ones do what they would have done without those.
    #[test]
    fn what_was_taken_back_leaves_no_trace(
        before in prop::collection::vec(any_request(), 0..25),
        requests in prop::collection::vec(any_request(), 0..12),
        after in prop::collection::vec(any_request(), 0..12),
    ) {
        let [mut bench, mut untouched] = [Bench::new(), Bench::new()];
        for request in &before {
            prop_assert_eq!(bench.execute(request.clone()), untouched.execute(request.clone()));
        }
        let refused = Request::MulticastGroup(0, ReplicationRequest::Delete);
        let together: Vec<Request> = requests.into_iter().chain([refused]).collect();
        prop_assert!(bench.execute_together(&together).is_err());
        for request in &after {
            prop_assert_eq!(bench.execute(request.clone()), untouched.execute(request.clone()));
        }
        prop_assert_eq!(shown(&bench), shown(&untouched));
    }
}

/// All that is saved of a state, and what some keys and hashes find in it.
fn shown(bench: &Bench) -> (Vec<u8>, String) {
    let mut saver = Saver::default();
    bench.state.save(&mut saver).unwrap();
    bench.replication.save(&mut saver).unwrap();
    let state = &bench.state;
    let narrow = |table: TableNumber| {
        let keys = (0..6).map(|value| state.tables[table.index()].lookup_target(&[value]));
        format!("{:?}", keys.collect::<Vec<_>>())
    };
    let prefixes = (0..6).map(|value| state.tables[LPM.index()].lookup_target(&[value << 24]));
    let masks = (0..6).map(|value| state.tables[ACL.index()].lookup_target(&[value, 5, value % 2, 0]));
    let profile = &state.profiles[0];
    let chosen = (0..2).flat_map(|group| (0..9).map(move |hash| profile.choose(group, hash, &state.registers)));
    let of_sets = (0..4).flat_map(|set| (0..9).map(move |hash| profile.choose_of_set(set, hash)));
    let found = format!(
        "{} {} {:?} {:?} {:?} {:?} {:?}",
        narrow(ECMP),
        narrow(L2_MAC),
        prefixes.collect::<Vec<_>>(),
        masks.collect::<Vec<_>>(),
        chosen.collect::<Vec<_>>(),
        of_sets.collect::<Vec<_>>(),
        profile.size(),
    );
    (saver.into_bytes(), found)
}

#[test]
fn a_wrong_entry_takes_back_those_before_it() {
    let mut bench = Bench::new();
    let insert = |port: u64, address: u64| {
        let key = vec![FieldMatch::Exact(bits(address))];
        Request::Table(L2_MAC, TableRequest::insert(key, None, run(FORWARD, &[port, 0])))
    };
    let old = bench.done(insert(1, 7));
    let requests = [Request::Table(L2_MAC, TableRequest::Clear), insert(2, 8), insert(512, 9), insert(3, 10)];
    let refused = bench.execute_together(&requests).expect_err("a port of 10 bits");
    assert_eq!(refused.at, 2);
    let text = "request 3: 0x200 does not fit in parameter `port` of action `ingress.forward`, which is 9 bits wide";
    assert_eq!(refused.to_string(), text);
    let entries = |bench: &mut Bench| match bench.done(Request::Table(L2_MAC, TableRequest::read_all())) {
        Response::Entries(entries) => entries,
        other => panic!("{other:?}"),
    };
    let kept = entries(&mut bench);
    assert_eq!((kept.len(), Response::Inserted(kept[0].handle)), (1, old));
    let done = bench.execute_together(&[requests[0].clone(), insert(2, 8), insert(3, 10)]).expect("all are right");
    assert_eq!((done.len(), entries(&mut bench).len()), (3, 2));
}

#[test]
fn digests_stay_if_a_later_request_is_refused() {
    let mut bench = Bench::new();
    bench.digests.push(DigestNumber(0), vec![bits(1), bits(1)]);
    let refused = bench.execute_together(&[
        Request::TakeDigests(DigestNumber(0)),
        Request::MulticastGroup(0, ReplicationRequest::Delete),
    ]);
    assert_eq!(refused.expect_err("there is no group 0").error, Error::GroupZero);
    let Response::Digests(waiting) = bench.done(Request::TakeDigests(DigestNumber(0))) else { panic!() };
    assert_eq!(waiting.len(), 1);
}
