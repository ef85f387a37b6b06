//! States of network runs, with and without a program in the switch: changed anywhere they are refused; changed behind
//! checksums that are right all the same, they are refused or taken, without a panic, and without more memory than a state
//! needs. The state of a machine has a checksum of its own in that of the run, and both are computed anew.

#![no_main]

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use basis::Instant;
use basis::snapshot::{Loader, Saver};
use crc::{CRC_64_XZ, Crc};
use libfuzzer_sys::fuzz_target;
use networks::plan::read;
use networks::results::checkpoint_file;
use networks::{Next, Ran, Running, run};
use runtime::hash::of_bytes;

static CRC_64: Crc<u64> = Crc::<u64>::new(&CRC_64_XZ);

/// Hosts in the middle of what they have to say, with losses.
const PLAN: &str = "[topology]\nkind = \"single-switch\"\nhosts = 3\n[transport]\nkind = \"ndp\"\n[[fault]]\nkind = \"loss\"\n\
                    probability = 0.05\n[[workload]]\nshort = \"all-to-all:60kB\"\n[probes]\nevery = \"2 us\"\nqueues = [\"*\"]\nflows = [\"*\"]\n";
/// The machines of the switch, each with its program: none, or one of the tests of networks.
const MACHINES: [Option<(&str, &str)>; 4] = [
    None,
    Some(("v1model", concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/networks/tests/network/counting.p4"))),
    Some(("tofino", concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/networks/tests/network/counting_tna.p4"))),
    Some(("trio", concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/networks/tests/network/counting.mc"))),
];
/// The routes of the P4 programs; the program of threads knows its own.
const ROUTES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/networks/tests/network/routes.txt");
/// When the run is written down.
const PAUSE: Instant = Instant::from_microseconds(8);
/// Bytes of a change: where, as a share of all in 2^16, and what stands there then.
const CHANGE: usize = 3;

/// A run that was written down.
struct Written {
    text: String,
    folder: PathBuf,
    state: Vec<u8>,
    /// Where the state of a machine begins.
    machine: Option<usize>,
}

/// What a machine was built from, the checksum of its state, and its state.
type Mark = (u64, u64, Vec<u8>);

fn text(machine: Option<(&str, &str)>) -> String {
    let Some((name, program)) = machine else { return PLAN.to_owned() };
    let entries = if name == "trio" { String::new() } else { format!("entries = [\"{ROUTES}\"]\n") };
    // A program in the switch does not trim: a transport that expects it would only retransmit.
    let plan = PLAN.replace("\"ndp\"", "\"cubic\"\npacket = \"1500 B\"");
    format!("{plan}[switch]\nmachine = \"{name}\"\nprogram = \"{program}\"\n{entries}")
}

/// Runs a plan up to the pause in a folder of this process: from the state there, or from the start.
fn paused(text: &str, folder: &Path, resumes: bool) -> bool {
    let plan = read("fuzz", "fuzz.toml", text, Path::new(""), None).unwrap_or_else(|no| panic!("{}", no.render(false)));
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

/// The runs that were written down, in the order of [`MACHINES`].
fn written() -> &'static [Written] {
    static WRITTEN: OnceLock<Vec<Written>> = OnceLock::new();
    WRITTEN.get_or_init(|| {
        let runs = MACHINES.iter().enumerate().map(|(number, &machine)| {
            let folder = format!("polyplane-fuzz-checkpoint-{}-{number}", std::process::id());
            let (folder, text) = (std::env::temp_dir().join(folder), text(machine));
            assert!(paused(&text, &folder, false));
            let state = fs::read(checkpoint_file(&folder)).expect("a state");
            assert!(paused(&text, &folder, true), "a state is taken as it was written");
            let inner = (0..state.len()).find(|&start| {
                mark(&state[start..]).is_some_and(|(built_from, sum, inner)| sum == of_bytes(&inner, built_from))
            });
            // If states are sealed in another way by now, this fuzzer looks at nothing.
            assert_eq!(inner.is_some(), machine.is_some(), "the state of the machine has another mark");
            let run = Written { text, folder, machine: inner, state };
            assert!(sealed(&run, run.state.clone()) == run.state, "the checksum is another one");
            run
        });
        runs.collect()
    })
}

fn mark(bytes: &[u8]) -> Option<Mark> {
    Loader::new(bytes).take().ok()
}

fn saved(mark: &Mark) -> Vec<u8> {
    let mut saver = Saver::default();
    saver.put(mark).expect("numbers and bytes can be saved");
    saver.into_bytes()
}

/// A state with the checksums of what is in it: that of the machine, if its state still has a length, and that of the whole.
fn sealed(run: &Written, mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some(start) = run.machine
        && let Some(mark) = mark(&bytes[start..])
    {
        let length = saved(&mark).len().min(bytes.len() - start);
        let (built_from, _, inner) = mark;
        let sum = of_bytes(&inner, built_from);
        let resealed = saved(&(built_from, sum, inner));
        // Numbers take as many bytes as they need, and the length of everything stands behind the first line.
        let longer = (resealed.len() as u64).wrapping_sub(length as u64);
        bytes.splice(start..start + length, resealed);
        if let Some(line) = run.state.iter().position(|&byte| byte == b'\n')
            && let Some(whole) = bytes[line + 1..].first_chunk_mut::<8>()
        {
            *whole = u64::from_le_bytes(*whole).wrapping_add(longer).to_le_bytes();
        }
    }
    let end = bytes.len() - 8;
    let sum = CRC_64.checksum(&bytes[..end]);
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

fn is_taken(run: &Written, bytes: &[u8]) -> bool {
    fs::write(checkpoint_file(&run.folder), bytes).expect("a file can be written");
    paused(&run.text, &run.folder, true)
}

fuzz_target!(|data: &[u8]| {
    let Some((&first, changes)) = data.split_first() else { return };
    let runs = written();
    let run = &runs[usize::from(first) % runs.len()];
    let mut changed = run.state.clone();
    for change in changes.chunks_exact(CHANGE) {
        let share = usize::from(u16::from_le_bytes([change[0], change[1]]));
        let place = share * run.state.len() >> 16;
        changed[place] ^= change[2];
    }
    let is_same = changed == run.state;
    assert_eq!(is_taken(run, &changed), is_same, "a changed state is taken");
    is_taken(run, &sealed(run, changed));
});
