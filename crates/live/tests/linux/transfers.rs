//! Random bytes both ways, with and without faults: what arrives is what was sent.

use std::ops::ControlFlow;

use basis::Random;
use transports::tcp::{Algorithm, Parameters};

use crate::faults::Faults;
use crate::host::{Exchange, LINUX, Live};
use crate::linux;
use crate::namespace::{set, within};

/// Who opens the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opener {
    Linux,
    Ours,
}

const PORT: u16 = 7000;
const BYTES: usize = 3 << 20;

pub fn random_bytes(seed: u64, count: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut bytes: Vec<u8> = (0..count.div_ceil(8)).flat_map(|_| random.bits().to_le_bytes()).collect();
    bytes.truncate(count);
    bytes
}

/// Bytes that go to the kernel and bytes that come from it, and everything that was counted.
fn transfer(parameters: Parameters, faults: Faults, opener: Opener, counts: (usize, usize), seed: u64) -> Live {
    let (to_linux, from_linux) = (random_bytes(seed, counts.0), random_bytes(seed + 1, counts.1));
    let mut live = Live::new(parameters, faults, faults, seed);
    let (mut exchange, thread) = match opener {
        Opener::Linux => (None, linux::connect(PORT, from_linux.clone())),
        Opener::Ours => (None, linux::serve(PORT, from_linux.clone())),
    };
    let started = std::time::Instant::now();
    let mut has_begun = false;
    let received = live.run(|tcp, now| {
        if !has_begun {
            has_begun = true;
            match opener {
                Opener::Linux => tcp.listen(PORT),
                Opener::Ours => {
                    let socket = tcp.open(now, LINUX.to_bits(), PORT).expect("ports are free");
                    exchange = Some(Exchange::new(socket, &to_linux));
                }
            }
        }
        if exchange.is_none() {
            exchange = tcp.accept().map(|(socket, _)| Exchange::new(socket, &to_linux));
        }
        let Some(exchange) = &mut exchange else { return ControlFlow::Continue(()) };
        let status = exchange.turn(tcp, now);
        assert!(!status.is_broken, "the connection broke");
        if status.is_over { ControlFlow::Break(std::mem::take(&mut exchange.received)) } else { ControlFlow::Continue(()) }
    });
    let seen = thread.join().expect("the kernel's side is content");
    assert!(received == from_linux, "what came from the kernel is not what it has sent");
    assert!(seen == to_linux, "what the kernel has received is not what was sent");
    eprintln!("{:?}: {:?}, {:?}", started.elapsed(), live.done(), live.driver.tally());
    live
}

fn parameters(algorithm: Algorithm) -> Parameters {
    Parameters { algorithm, ..Parameters::default() }
}

#[test]
fn nothing_is_lost_on_a_clean_line_whoever_opens() {
    within("transfers::nothing_is_lost_on_a_clean_line_whoever_opens", || {
        let live = transfer(parameters(Algorithm::Cubic), Faults::default(), Opener::Linux, (BYTES, BYTES), 1);
        assert_eq!(live.counter("resets_sent"), 0);
    });
}
