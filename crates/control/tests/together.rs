//! Requests that are carried out together: all of them, or none.

#[path = "common/any_request.rs"]
mod any_request;
mod common;

use any_request::any_request;
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
        let shown = |bench: &Bench| format!("{:?} {:?}", bench.state, bench.replication);
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
}

#[test]
fn a_wrong_entry_takes_back_those_before_it() {
    let mut bench = Bench::new();
    let insert = |port: u64, address: u64| {
        let key = vec![FieldMatch::Exact(bits(address))];
        Request::Table(L2_MAC, TableRequest::Insert { key, priority: None, target: run(FORWARD, &[port, 0]) })
    };
    let old = bench.done(insert(1, 7));
    let requests = [Request::Table(L2_MAC, TableRequest::Clear), insert(2, 8), insert(512, 9), insert(3, 10)];
    let refused = bench.execute_together(&requests).expect_err("a port of 10 bits");
    assert_eq!(refused.at, 2);
    let text = "request 3: 0x200 does not fit in parameter `port` of action `ingress.forward`, which is 9 bits wide";
    assert_eq!(refused.to_string(), text);
    let entries = |bench: &mut Bench| match bench.done(Request::Table(L2_MAC, TableRequest::Read(None))) {
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
