//! States of network runs: changed anywhere they are refused; changed behind a checksum that is right all the same, they
//! are refused or taken, without a panic, and without more memory than a state needs.

#![no_main]

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use basis::Instant;
use crc::{CRC_64_XZ, Crc};
use libfuzzer_sys::fuzz_target;
use networks::plan::read;
use networks::results::checkpoint_file;
use networks::{Next, Ran, Running, run};

static CRC_64: Crc<u64> = Crc::<u64>::new(&CRC_64_XZ);

/// Two hosts in the middle of what they have to say, with losses.
const PLAN: &str = "[topology]\nkind = \"single-switch\"\nhosts = 3\n[transport]\nkind = \"ndp\"\n[[fault]]\nkind = \"loss\"\n\
                    probability = 0.05\n[[workload]]\nshort = \"all-to-all:60kB\"\n[probes]\nevery = \"2 us\"\nqueues = [\"*\"]\nflows = [\"*\"]\n";
/// When the run is written down.
const PAUSE: Instant = Instant::from_microseconds(8);
/// Bytes of a change: where, as a share of all in 2^16, and what stands there then.
const CHANGE: usize = 3;

/// Runs the plan up to the pause in a folder of this process: from the state there, or from the start.
fn paused(folder: &Path, resumes: bool) -> bool {
    let plan = read("fuzz", "fuzz.toml", PLAN, Path::new(""), None).unwrap_or_else(|no| panic!("{}", no.render(false)));
    let one = NonZeroUsize::new(1).expect("not 0");
    // No event is left that comes before the pause: a state is restored and written again, and nothing more.
    let running = Running { pause_at: Some(PAUSE), resumes, version: "fuzz", ..Running::through(folder, one) };
    match run(plan, &running, &mut |_| Next::GoOn) {
        Ok(Ran::Paused(_)) => true,
        Ok(Ran::ToTheEnd(_)) => panic!("the run is over before it pauses"),
        Err(failure) => {
            fuzz::is_refusal(&failure);
            false
        }
    }
}

/// The folder, and a state that was written.
fn written() -> &'static (PathBuf, Vec<u8>) {
    static WRITTEN: OnceLock<(PathBuf, Vec<u8>)> = OnceLock::new();
    WRITTEN.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("polyplane-fuzz-checkpoint-{}", std::process::id()));
        assert!(paused(&folder, false));
        let bytes = fs::read(checkpoint_file(&folder)).expect("a state");
        assert!(paused(&folder, true), "a state is taken as it was written");
        // If states are sealed in another way by now, this fuzzer looks at nothing.
        assert!(sealed(bytes.clone()) == bytes, "the checksum is another one");
        (folder, bytes)
    })
}

/// A state with the checksum of what is before it.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 8;
    let sum = CRC_64.checksum(&bytes[..end]);
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

fn is_taken(folder: &Path, bytes: &[u8]) -> bool {
    fs::write(checkpoint_file(folder), bytes).expect("a file can be written");
    paused(folder, true)
}

fuzz_target!(|data: &[u8]| {
    let (folder, state) = written();
    let mut changed = state.clone();
    for change in data.chunks_exact(CHANGE) {
        let share = usize::from(u16::from_le_bytes([change[0], change[1]]));
        let place = share * state.len() >> 16;
        changed[place] ^= change[2];
    }
    let is_same = changed == *state;
    assert_eq!(is_taken(folder, &changed), is_same, "a changed state is taken");
    is_taken(folder, &sealed(changed));
});
