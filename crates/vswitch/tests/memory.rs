//! A million sessions fit in 512 MiB.
//!
//! This is a program of its own, because its allocator counts for all threads.
#![allow(unsafe_code)] // an allocator is unsafe to write; this one passes everything on to the system's

use std::alloc::{GlobalAlloc, Layout, System};
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use basis::Instant;
use vswitch::Verdict;
use vswitch::session::{FlowHasher, FlowKey, NewSession, Session, SessionLimits, SessionTable, Timeouts};

struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all calls are passed on to the system's allocator as they are.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps to the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps to the contract, which is the same.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        HELD.fetch_add(size, Ordering::Relaxed);
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps to the contract, which is the same.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const MILLION: u32 = 1_000_000;

/// What stands in the documentation. A decision has the size of the switch's own.
#[test]
fn a_million_sessions_fit_in_512_mebibytes() {
    let size = size_of::<Option<Session<Verdict>>>();
    assert!(size <= 448, "a session has {size} bytes");
    let limits = SessionLimits { sessions: MILLION, per_vnic: MILLION };
    let before = HELD.load(Ordering::Relaxed);
    let mut table = SessionTable::new(limits, Timeouts::default(), FlowHasher::new([1, 2]));
    for number in 0..MILLION {
        let source = IpAddr::from((0x0A00_0000 | number).to_be_bytes());
        let key = FlowKey::new(7, [source, IpAddr::from([192, 0, 2, 1])], 17, [1000, 53]);
        let decision = [0u128; size_of::<Verdict>() / size_of::<u128>()];
        let new = NewSession { keys: [key, key.reversed()], decision, owner: 0, epoch: 0 };
        assert!(table.insert(Instant::ZERO, new, &mut |_, _| panic!("none ends")).is_ok());
    }
    assert_eq!(table.len(), MILLION as usize);
    let held = HELD.load(Ordering::Relaxed) - before;
    assert!(held <= 512 << 20, "{} MiB", held >> 20);
    assert_eq!(size, size_of::<Option<Session<[u128; size_of::<Verdict>() / size_of::<u128>()]>>>());
    println!("{size} bytes a session, {} MiB for a million", held >> 20);
}
