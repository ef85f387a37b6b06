//! Journals of sweeps: whatever stands in the lines, and whatever checksum, the journal is refused, or has what it says.
//! The fuzzer would never find a checksum, so that lines also come with the right one.

#![no_main]

use std::fs;
use std::path::PathBuf;

use crc::{CRC_64_XZ, Crc};
use experiments::sweep::{Journal, Measured};
use libfuzzer_sys::fuzz_target;
use plans::Record;

static CRC_64: Crc<u64> = Crc::<u64>::new(&CRC_64_XZ);

/// What the journal belongs to.
const OF: &str = "fuzz";

/// A file for this process alone.
fn path() -> PathBuf {
    std::env::temp_dir().join(format!("polyplane-fuzz-{}", std::process::id())).join("journal")
}

/// Lines as a journal has them, each with the checksum of everything up to there.
fn sealed(lines: &[&[u8]]) -> Vec<u8> {
    let mut sum = CRC_64.digest();
    let mut file = Vec::new();
    for line in lines {
        let line = [line, &b" "[..]].concat();
        sum.update(&line);
        file.extend_from_slice(&line);
        file.extend_from_slice(format!("{:016x}\n", sum.clone().finalize()).as_bytes());
    }
    file
}

/// Opens a journal with these bytes, adds a job to it, and opens it again.
fn open(bytes: &[u8]) -> Option<usize> {
    let path = path();
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
    fs::write(&path, bytes).expect("a file can be written");
    let mut journal = match Journal::open(&path, OF, false) {
        Ok(journal) => journal,
        Err(failure) => {
            fuzz::is_refusal(&failure);
            return None;
        }
    };
    let found = journal.len();
    let key = Record::new().with("fuzz", 1u64);
    let was_there = usize::from(journal.find(&key).is_some());
    let measured = Measured::from(key.clone());
    journal.add(&key, &measured).expect("a file can be written");
    drop(journal);
    let again = Journal::open(&path, OF, false).expect("what a journal wrote is whole");
    assert_eq!(again.len(), found + 1 - was_there);
    assert_eq!(again.find(&key), Some(&measured));
    Some(found)
}

fuzz_target!(|data: &[u8]| {
    open(data);
    let heading = br#"{"is":"polyplane journal, format 1","of":"fuzz"}"#;
    let lines: Vec<&[u8]> = data.split(|&byte| byte == b'\n').collect();
    open(&sealed(&lines));
    let whole: Vec<&[u8]> = [&heading[..]].into_iter().chain(lines).collect();
    open(&sealed(&whole));
    // If a journal is written in another way by now, this fuzzer looks at nothing.
    assert_eq!(open(&sealed(&[heading, br#"{"key":{"a":1},"measures":{"b":2}}"#])), Some(1));
});
