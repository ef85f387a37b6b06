//! After a while, packets go through a driver and a node without anything being allocated.
//!
//! This is a program of its own, because its allocator counts for all threads.
#![cfg(unix)]
#![allow(unsafe_code)] // an allocator is unsafe to write; this one passes everything on to the system's

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixDatagram;
use std::sync::atomic::{AtomicU64, Ordering};

use basis::{Duration, Instant};
use live::{Driver, Interface, Offload};
use node::{Burst, Control, Discarded, Node, Outbox, Port, Reason};
use wire::Packet;

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: all calls are passed on to the system's allocator as they are.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps to the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps to the contract, which is the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// An interface in memory, which always has frames, and takes all of most bursts.
struct Memory {
    /// A socket with a datagram that nobody receives, so that it is readable.
    readable: UnixDatagram,
    _peer: UnixDatagram,
    calls: u64,
}

impl Memory {
    fn new() -> Self {
        let (readable, peer) = UnixDatagram::pair().expect("a pair of sockets");
        peer.send(b"!").expect("the socket has room");
        Self { readable, _peer: peer, calls: 0 }
    }
}

impl Interface for Memory {
    fn name(&self) -> &str {
        "memory"
    }

    fn offload(&self) -> Offload {
        Offload::default()
    }

    fn receive(&mut self, limit: usize, into: &mut Burst, _: &mut Vec<Discarded>) -> io::Result<()> {
        into.extend((0..limit).map(|_| Packet::of_bytes(&[7; 60])));
        Ok(())
    }

    fn send(&mut self, packets: &mut VecDeque<Packet>, sent: &mut Burst, _: &mut Vec<Discarded>) -> io::Result<()> {
        self.calls += 1;
        // Now and then some of them find no room.
        let taken = if self.calls.is_multiple_of(8) { packets.len() / 2 } else { packets.len() };
        sent.extend(packets.drain(..taken));
        Ok(())
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.readable.as_fd()
    }
}

/// Sends packets to the other port, now, later or never, and asks for calls.
#[derive(Default)]
struct Patch {
    received: u64,
    calls: u64,
}

impl Node for Patch {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        let other = Port(1 - port.0);
        for packet in burst.drain(..) {
            self.received += 1;
            // In the beginning more packets wait than ever later, however fast this computer is.
            match if self.received < 2000 { 1 } else { self.received % 16 } {
                0 => out.discard(packet, Reason::PROGRAM),
                1 => out.transmit_at(other, packet, now + Duration::from_microseconds(20)),
                _ => out.transmit(other, packet),
            }
        }
        out.ready_at(other, now);
        out.wake_at(now + Duration::from_microseconds(5));
    }

    fn wake(&mut self, _: Instant, _: &mut Outbox) {
        self.calls += 1;
    }

    fn control(&mut self, _: Instant, _: Control, _: &mut Outbox) {
        self.calls += 1;
    }
}

#[test]
fn a_million_packets_allocate_nothing() {
    let ports = [(Port(0), Memory::new()), (Port(1), Memory::new())];
    let mut driver = Driver::new(Patch::default(), ports).expect("a descriptor is left");
    let mut run_until = |received| {
        let turn = |node: &mut Patch, _, _: &mut Outbox| match node.received >= received {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        driver.run(turn).expect("nothing fails");
        ALLOCATIONS.load(Ordering::Relaxed)
    };
    // As many packets as there are ever at once.
    drop((0..10_000).map(|_| Packet::of_bytes(&[7; 60])).collect::<Vec<_>>());
    let before = run_until(300_000);
    let after = run_until(1_300_000);
    assert_eq!(after - before, 0, "allocations for a million packets");
    assert!(driver.node().calls > 10_000);
    assert!(driver.tally().discarded[&Reason::PROGRAM] > 70_000);
}
