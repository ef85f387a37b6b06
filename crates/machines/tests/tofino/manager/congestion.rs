//! What egress is told of the queue and of the buffer: depths and congestion.

use super::support::{Order, Seen, bench, bench_of_tofino_2, drain, hold_queues, seen};

#[test]
fn congestion_is_told_in_quarters_of_what_a_queue_may_hold() {
    for mut bench in [bench(""), bench_of_tofino_2("")] {
        // A queue may hold 8 of 16 cells, and a packet takes one.
        hold_queues(&mut bench, 16, 8);
        let order = Order { port: 4, queue: 1, ..Order::default() };
        let mut all = seen(&bench.packet(0, &order.packet(1)));
        for _ in 0..8 {
            assert!(bench.packet(0, &order.packet(1)).is_empty());
        }
        assert_eq!(bench.packet(0, &order.packet(1)).len(), 1, "the queue is full");
        all.extend(seen(&drain(&mut bench)));
        let all: Vec<Seen> = all.into_iter().map(Result::unwrap).collect();
        let of = |of: fn(&Seen) -> u32| all.iter().map(of).collect::<Vec<_>>();
        // The first went on the line at once; the others found 0 to 7 cells.
        assert_eq!(of(|seen| seen.depth), [0, 0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(of(|seen| seen.congestion[0].into()), [0, 0, 0, 1, 1, 2, 2, 3, 3]);
        // And left 7 to 0 behind.
        assert_eq!(of(|seen| seen.congestion[1].into()), [0, 3, 3, 2, 2, 1, 1, 0, 0]);
        // The pool has twice as many cells.
        assert_eq!(of(|seen| seen.pools.into()), [0, 1, 1, 1, 1, 0, 0, 0, 0]);
    }
}
