//! The delivery of digests, by the sentences of section 9.9 (P4Runtime specification 1.4).

use control::DigestNumber;
use p4runtime::digests::{DigestDelivery, DigestValues, ReadyList};
use p4runtime::message::p4::v1::digest_entry::Config;
use runtime::Bits;

const KIND: DigestNumber = DigestNumber(0);

fn delivery(max_timeout_ns: i64, max_list_size: i32, ack_timeout_ns: i64) -> DigestDelivery {
    let mut delivery = DigestDelivery::default();
    delivery.configure(KIND, Some(Config { max_timeout_ns, max_list_size, ack_timeout_ns }));
    delivery
}

fn digests(numbers: &[u64]) -> Vec<DigestValues> {
    numbers.iter().map(|number| vec![Bits::from_u64(*number, 48)]).collect()
}

fn lists(ready: &[ReadyList]) -> Vec<Vec<DigestValues>> {
    ready.iter().map(|list| list.digests.clone()).collect()
}

#[test]
fn a_list_ends_when_it_is_full_of_distinct_digests() {
    let mut delivery = delivery(1000, 2, 500);
    assert!(delivery.learn(0, KIND, digests(&[1, 1, 1])).is_empty(), "duplicates do not count");
    assert_eq!(lists(&delivery.learn(1, KIND, digests(&[2, 3]))), [digests(&[1, 2])]);
    assert!(delivery.due(1000).is_empty(), "the second list has waited for 999 ns");
    assert_eq!(lists(&delivery.due(1001)), [digests(&[3])]);
    assert_eq!(delivery.next_due(), None);
}

#[test]
fn without_a_timeout_each_digest_is_a_list() {
    let mut delivery = delivery(0, 10, 0);
    assert_eq!(lists(&delivery.learn(0, KIND, digests(&[1, 2]))), [digests(&[1]), digests(&[2])]);
    assert_eq!(
        delivery.learn(0, KIND, digests(&[1])).len(),
        1,
        "without a timeout for acknowledgements nothing is remembered"
    );
}

#[test]
fn a_digest_comes_again_after_its_acknowledgement_or_the_timeout() {
    let mut delivery = delivery(0, 1, 100);
    let sent = delivery.learn(0, KIND, digests(&[1, 2]));
    assert!(delivery.learn(99, KIND, digests(&[1, 2])).is_empty());
    delivery.acknowledge(KIND, sent[0].list_id + 100);
    delivery.acknowledge(KIND, sent[0].list_id);
    assert_eq!(lists(&delivery.learn(99, KIND, digests(&[1, 2]))), [digests(&[1])]);
    assert_eq!(lists(&delivery.learn(100, KIND, digests(&[1, 2]))), [digests(&[2])]);
    delivery.forget_sent();
    assert_eq!(delivery.learn(101, KIND, digests(&[1, 2])).len(), 2, "another primary has seen none");
}

#[test]
fn what_is_not_configured_is_not_delivered() {
    let mut delivery = delivery(1000, 10, 0);
    delivery.learn(0, KIND, digests(&[1]));
    delivery.configure(KIND, None);
    assert!(delivery.due(u64::MAX).is_empty() && delivery.learn(0, KIND, digests(&[1])).is_empty());
}
