//! No packet is lost, each flow keeps its order, and a chip goes on where it was saved.

use basis::snapshot::{Loader, Saver, Snapshot};
use basis::{Random, Rate};
use machines::trio::TrioParameters;

use crate::bench::{Bench, Seen, text};

/// Returns a program whose threads do, each by the bytes of its packet, one thing after the other: loops of any length, reads,
/// additions, packets that they make, and an end: sent, dropped, consumed, copied, sent and then worked on, or an error.
fn random_work() -> String {
    let declarations = "segment near: on_chip at 0 size 4096\nsegment far: off_chip at 65536 size 65536\n\
         reason unwanted\ntimer tick period 700\nflow (memory(64u16, 0, 8))";
    let instructions = "\
instruction start {
  a = (0u56 ++ memory(65u16, 0, 8))
  b = (0u56 ++ memory(66u16, 0, 8))
  c = (0u56 ++ memory(67u16, 0, 8))
  goto spin
}
instruction spin {
  a = a - 1u64
  goto think if a == 0u64
  goto reads if (a & 3u64) == 1u64
  goto spin
}
instruction reads {
  read 65536u64 + ((b * 64u64) & 65472u64), 8 -> _
  goto adds
}
instruction adds {
  async add (c * 8u64) & 4088u64, (1u32)
  goto meanwhile
}
instruction meanwhile {
  c = c + 0u64
  goto spin2
}
instruction spin2 waits {
  goto makes if (b & 7u64) == 3u64
  goto ends
}
instruction think {
  goto makes if (b & 7u64) == 2u64
  goto ends
}
instruction makes {
  make tail 0u8 -> a
  goto send_made
}
instruction send_made {
  async send a port (0u62 ++ c[3:2]) queue 0u8 head 64u16, 4u8
  goto ends
}
instruction ends {
  goto forward if b[7:4] < 8u4
  goto drops if b[7:4] < 10u4
  goto copies if b[7:4] < 11u4
  goto consumed if b[7:4] < 12u4
  goto early if b[7:4] < 14u4
  goto wrong
}
instruction forward {
  send 0u8 port (0u62 ++ c[1:0]) queue (0u61 ++ b[2:0]) head 64u16, head_length
  end
}
instruction drops {
  async drop 0u8 reason unwanted
  end
}
instruction copies {
  multicast 0u8 group 5u8 head 64u16, head_length
  end
}
instruction consumed {
  end
}
instruction early {
  async send 0u8 port 9u8 queue 0u8 head 64u16, head_length
  goto late
}
instruction late {
  read 0u8, 64 -> _, _
  goto late2
}
instruction late2 waits {
  goto consumed
}
instruction wrong {
  send 77u8 port 0u8 queue 0u8 head 64u16, head_length
  end
}
instruction ticks {
  make -> a
  goto ticked
}
instruction ticked {
  send a port 3u8 queue 0u8 head 64u16, 60u8
  end
}
entrance timer tick = instruction ticks";
    text(declarations, instructions)
}

fn small(random: &mut Random) -> TrioParameters {
    let mut parameters = TrioParameters {
        ppes: 1 + random.below(4) as u32,
        threads: 1 + random.below(6) as u32,
        waiting: 1 + random.below(20) as u32,
        reorder_queues: 1 + random.below(8) as u32,
        queue_bytes: 500,
        ports: vec![Rate::from_gigabits_per_second(1 + random.below(40)); 4],
        ..TrioParameters::default()
    };
    parameters.memory.queue = 1 + random.below(3) as u32;
    parameters
}

fn packets(random: &mut Random, count: u64) -> Vec<(u64, u16, Vec<u8>)> {
    let mut at = 0;
    let mut packet = || {
        at += random.below(200);
        let mut bytes: Vec<u8> = (0..60 + random.below(200)).map(|_| random.below(256) as u8).collect();
        bytes[0] = random.below(6) as u8;
        bytes[1] = 1 + random.below(40) as u8;
        (at, random.below(4) as u16, bytes)
    };
    (0..count).map(|_| packet()).collect()
}

/// [`Bench`] checks the account after each packet.
#[test]
fn no_packet_is_lost_and_flows_keep_their_order() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut bench = Bench::new(&random_work(), small(&mut random));
        let replicas = [1, 2, 9].map(|port| control::Replica { port, instance: 0 }).to_vec();
        let request = control::Request::MulticastGroup(5, control::ReplicationRequest::Insert(replicas.into()));
        machines::Device::execute(&mut bench.chip, &request).expect("there is no such group");
        let all = packets(&mut random, 400);
        for (at, port, bytes) in &all {
            bench.offer(*at, *port, bytes);
        }
        bench.finish();
        // A packet that is sent leaves once, and by one port, so its order among others shows at this port alone.
        let flow = |bytes: &[u8]| bytes[0];
        for port in 0..4 {
            for of in 0..6 {
                for queue in 0..8 {
                    let is_there = |(number, sent): &(&u64, &(u64, u16, Vec<u8>))| {
                        let original = all.get(**number as usize);
                        let is_own = original.is_some_and(|own| own.2 == sent.2 && own.2[2] >> 4 < 8);
                        is_own && sent.1 == port && flow(&sent.2) == of && sent.2[2] & 7 == queue
                    };
                    let sent = bench.seen.numbers.iter().zip(&bench.seen.sent).filter(is_there);
                    let numbers: Vec<u64> = sent.map(|(number, _)| *number).collect();
                    assert!(numbers.is_sorted(), "seed {seed}, port {port}, flow {of}: {numbers:?}");
                }
            }
        }
        // What is still inside comes of timers, if anything is.
        assert!(node::Node::rests_after(&bench.chip).is_some(), "seed {seed}");
        assert!(node::Station::account(&bench.chip).held < 4, "seed {seed}");
    }
}

fn run(seed: u64) -> Seen {
    let mut random = Random::new(seed);
    let mut bench = Bench::new(&random_work(), small(&mut random));
    for (at, port, bytes) in packets(&mut random, 300) {
        bench.offer(at, port, &bytes);
    }
    bench.finish();
    bench.seen
}

#[test]
fn the_same_seed_gives_the_same() {
    assert_eq!(run(3), run(3));
    assert_ne!(run(3), run(4));
}

/// A chip that is saved in the middle and restored into a new one does the same as one that goes on.
#[test]
fn a_chip_goes_on_where_it_was_saved() {
    for seed in 0..10 {
        let mut random = Random::new(seed);
        let parameters = small(&mut random);
        let all = packets(&mut random, 300);
        let mut bench = Bench::new(&random_work(), parameters.clone());
        for (number, (at, port, bytes)) in all.iter().enumerate() {
            if number == 150 {
                let mut saver = Saver::default();
                bench.chip.save(&mut saver).expect("a chip can be saved");
                let bytes = saver.into_bytes();
                let mut other = Bench::new(&random_work(), parameters.clone());
                let mut loader = Loader::new(&bytes);
                other.chip.restore(&mut loader).expect("what was saved");
                loader.finish().expect("all of it");
                std::mem::swap(&mut bench.chip, &mut other.chip);
            }
            bench.offer(*at, *port, bytes);
        }
        bench.finish();
        assert_eq!(bench.seen, run(seed), "seed {seed}");
    }
}

/// A state that was damaged, or that is of a chip with another program or with other parameters, once made the chip stop with a
/// panic when it went on.
#[test]
fn a_state_that_is_damaged_or_of_another_chip_is_refused() {
    let mut random = Random::new(7);
    let parameters = small(&mut random);
    let mut bench = Bench::new(&random_work(), parameters.clone());
    for (at, port, bytes) in packets(&mut random, 100) {
        bench.offer(at, port, &bytes);
    }
    let mut saver = Saver::default();
    bench.chip.save(&mut saver).expect("a chip can be saved");
    let state = saver.into_bytes();
    let restore = |text: &str, parameters: TrioParameters, state: &[u8]| {
        Bench::new(text, parameters).chip.restore(&mut Loader::new(state))
    };
    assert_eq!(restore(&random_work(), parameters.clone(), &state), Ok(()));
    for _ in 0..200 {
        let mut damaged = state.clone();
        let place = random.below(state.len() as u64) as usize;
        damaged[place] ^= 1 << random.below(8);
        assert!(restore(&random_work(), parameters.clone(), &damaged).is_err(), "byte {place} of {}", state.len());
        assert!(restore(&random_work(), parameters.clone(), &state[..place]).is_err(), "{place} of {}", state.len());
    }
    let other = "another program or with other parameters";
    let fewer = TrioParameters { threads: parameters.threads + 1, ..parameters.clone() };
    assert!(restore(&random_work(), fewer, &state).is_err_and(|error| error.0.contains(other)));
    let text = random_work().replacen("0u8", "1u8", 1);
    assert!(restore(&text, parameters, &state).is_err_and(|error| error.0.contains(other)));
}
