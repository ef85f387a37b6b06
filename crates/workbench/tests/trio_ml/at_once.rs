//! Many packets at once: threads of one block interleave, and the sums are right.

use std::collections::BTreeMap;

use wire::TrioMl;

use super::driven::{Driven, Fields, HEADERS, SWITCH, Seen, chip, job, worker};

/// All packets of some blocks, one source after the other or block after block, arrive at the same time; some come twice.
fn sums_at_once(gradients: usize, blocks: u32, by_source: bool) {
    let mut switch = Driven::new(chip(&[]));
    let sources: Vec<u8> = (0..16).map(|number| number * 17).collect();
    switch.add_job(&job(1, &sources));
    let value = |source: u8, block: u32, at: usize| {
        (u32::from(source) + 1).wrapping_mul(0x0123_4567).wrapping_add(block * 977 + at as u32 * 65_537) as i32
    };
    let packet = |source: u8, block: u32| {
        let values = (0..gradients).map(|at| value(source, block, at)).collect();
        let port = u16::from(source % 3);
        let from = worker(port);
        (port, Fields { from, to: SWITCH, job: 1, block, flags: 0, source, count: 1, generation: 1, values }.bytes())
    };
    let mut packets: Vec<(u8, u32)> =
        sources.iter().flat_map(|source| (0..blocks).map(|block| (*source, block))).collect();
    if !by_source {
        packets.sort_by_key(|(source, block)| (*block, *source));
    }
    for (place, (source, block)) in packets.iter().enumerate() {
        let (port, bytes) = packet(*source, *block);
        switch.offer(port, &bytes);
        if place % 5 == 0 {
            switch.offer(port, &bytes);
        }
    }
    switch.run_for(2_000);
    let mut results: BTreeMap<u32, usize> = BTreeMap::new();
    for (_, seen) in &switch.seen {
        let Seen::Sent(_, bytes) = seen else { continue };
        let header = TrioMl::new(&bytes[42..]).expect("a header");
        assert_eq!((header.flags(), header.contributors(), usize::from(header.gradients())), (0, 16, gradients));
        let block = header.block();
        for (at, chunk) in bytes[HEADERS..].as_chunks::<4>().0.iter().enumerate() {
            let sum = sources.iter().fold(0_i32, |sum, source| sum.wrapping_add(value(*source, block, at)));
            assert_eq!(i32::from_be_bytes(*chunk), sum, "block {block}, gradient {at}");
        }
        *results.entry(block).or_default() += 1;
    }
    // A copy that comes behind the result is answered with the result.
    for block in 0..blocks {
        assert!(
            results.get(&block).is_some_and(|count| *count >= 3 && count % 3 == 0),
            "block {block}: {results:?}, {:?}",
            discarded(&switch)
        );
    }
}

/// Returns how many packets were discarded for which reason.
fn discarded(switch: &Driven) -> BTreeMap<&str, usize> {
    let mut count = BTreeMap::new();
    for (_, seen) in &switch.seen {
        if let Seen::Discarded(reason) = seen {
            *count.entry(&**reason).or_default() += 1;
        }
    }
    count
}

#[test]
fn packets_of_one_block_at_once() {
    for gradients in [1, 34, 48, 64, 200] {
        sums_at_once(gradients, 1, true);
    }
}

#[test]
fn packets_of_four_blocks_at_once() {
    sums_at_once(100, 4, true);
    sums_at_once(100, 4, false);
}
