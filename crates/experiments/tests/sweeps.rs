//! Tests of sweeps: results do not depend on the number of threads, and finished jobs are never lost.

use std::fs;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use diagnostics::Failure;
use experiments::results::rows_to_csv;
use experiments::sweep::{Job, Journal, Row, sweep};
use plans::Record;

const JOBS: u64 = 40;

fn threads(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).expect("more than none")
}

/// Jobs whose results have long fractions and which take longer the later they are, so that with several threads they
/// never finish in their order. `runs` counts them; the one numbered `fails` fails.
fn jobs(runs: &AtomicUsize, fails: Option<u64>) -> Vec<Job<'_>> {
    let job = |number: u64| {
        let key =
            Record::new().with("number", number).with("kind", if number.is_multiple_of(2) { "even" } else { "odd" });
        Job::new(key, number, move || {
            runs.fetch_add(1, Ordering::Relaxed);
            if fails == Some(number) {
                return Err(Failure::plain("this one fails"));
            }
            let steps = 1000 * (number + 1);
            let sum = (1..=steps).fold(0.0, |sum, step| black_box(sum + 1.0 / step as f64));
            Ok(Record::new().with("sum", sum).with("steps", steps).with("none", f64::NAN).with("word", "a, b"))
        })
    };
    (0..JOBS).map(job).collect()
}

fn all(count: usize) -> String {
    let runs = AtomicUsize::new(0);
    let rows = sweep(&jobs(&runs, None), threads(count), None, &mut |_| {}).expect("no job fails");
    assert_eq!(runs.into_inner(), JOBS as usize);
    rows_to_csv(&rows)
}

/// A journal of its own for each test.
struct JournalFile(PathBuf);

impl JournalFile {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}.journal", std::process::id()));
        let _ = fs::remove_file(&path);
        Self(path)
    }

    fn open(&self, of: &str) -> Journal {
        Journal::open(&self.0, of, false).expect("the folder can be written")
    }
}

impl Drop for JournalFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Resumes with what is in the journal; returns the number of jobs that were run, and the rows.
fn go_on(file: &JournalFile, of: &str) -> (usize, Vec<Row>) {
    let runs = AtomicUsize::new(0);
    let mut resumed = 0;
    let mut finished = |job: experiments::sweep::Finished<'_>| resumed += usize::from(job.is_resumed);
    let rows = sweep(&jobs(&runs, None), threads(2), Some(&mut file.open(of)), &mut finished).expect("no job fails");
    let runs = runs.into_inner();
    assert_eq!(runs + resumed, JOBS as usize, "every job is run or found");
    (runs, rows)
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let one = all(1);
    assert!(one.starts_with("number,kind,sum,steps,none,word\n0,even,"), "{one}");
    for count in [2, 3, 8, 64] {
        assert_eq!(one, all(count), "{count} threads");
    }
}

#[test]
fn an_interrupted_sweep_resumes_with_the_same_bytes() {
    let file = JournalFile::new("cut");
    let runs = AtomicUsize::new(0);
    let cut = sweep(&jobs(&runs, Some(20)), threads(1), Some(&mut file.open("plan")), &mut |_| {});
    assert!(matches!(cut, Err(Failure::BadInput { .. })), "job 20 fails");
    // On one thread the longest, which are the last, were done before.
    assert_eq!(runs.into_inner(), 20);
    let (runs, rows) = go_on(&file, "plan");
    assert_eq!(runs, 21, "the failed one and those that were not begun");
    assert_eq!(rows_to_csv(&rows), all(1));
    assert_eq!(go_on(&file, "plan").0, 0, "all are in the journal now");
}

#[test]
fn a_truncated_journal_loses_only_its_last_line() {
    let file = JournalFile::new("torn");
    let whole = rows_to_csv(&go_on(&file, "plan").1);
    let bytes = fs::read(&file.0).expect("the journal is there");
    let lines = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'\n').count();
    assert_eq!(lines(&bytes), 1 + JOBS as usize);
    for length in (0..bytes.len()).step_by(97) {
        fs::write(&file.0, &bytes[..length]).expect("the journal can be written");
        let (runs, rows) = go_on(&file, "plan");
        let whole_lines = lines(&bytes[..length]).saturating_sub(1);
        assert_eq!(runs, JOBS as usize - whole_lines, "cut after {length} bytes");
        assert_eq!(rows_to_csv(&rows), whole);
        // What was torn off has not damaged what was written after it.
        assert_eq!(go_on(&file, "plan").0, 0, "cut after {length} bytes");
    }
}

#[test]
fn another_plan_or_version_starts_over() {
    let file = JournalFile::new("changed");
    assert_eq!(go_on(&file, "plan, version 1").0, JOBS as usize);
    assert_eq!(go_on(&file, "plan, version 2").0, JOBS as usize);
    assert_eq!(go_on(&file, "plan, version 2").0, 0);
    let again = Journal::open(&file.0, "plan, version 2", true).expect("the folder can be written");
    assert!(again.is_empty(), "asked to begin again");
}

#[test]
fn a_damaged_journal_is_refused_and_kept() {
    let file = JournalFile::new("damaged");
    let mut journal = file.open("plan");
    for number in 0..3 {
        let key = Record::new().with("number", number as u64);
        journal.add(&key, &Record::new().with("sum", 0.1 * number as f64).into()).expect("the journal can be written");
    }
    drop(journal);
    let bytes = fs::read(&file.0).expect("the journal is there");
    let refused = |damaged: &[u8], what: &str| {
        fs::write(&file.0, damaged).expect("the journal can be written");
        let Err(failure) = Journal::open(&file.0, "plan", false) else { panic!("{what}: it went on") };
        let text = failure.render(false);
        assert!(text.contains("is damaged: line ") && text.contains("--fresh"), "{what}: {text}");
        assert_eq!(fs::read(&file.0).expect("the journal is there"), damaged, "{what}: nothing of it was lost");
    };
    for bit in 0..8 * bytes.len() {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        refused(&damaged, &format!("bit {bit} flipped"));
    }
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let [heading, first, second, third] = lines[..] else { panic!("a heading and three jobs") };
    refused(&[heading, first, third].concat(), "a line lost");
    refused(&[heading, first, third, second].concat(), "lines exchanged");
    refused(&[heading, first, first, second].concat(), "a line doubled");
    refused(&[&bytes[..], &bytes[..]].concat(), "one journal behind another");
    fs::write(&file.0, &bytes).expect("the journal can be written");
    assert_eq!(file.open("plan").len(), 3, "and as it was written it is read");
    assert!(Journal::open(&file.0, "plan", true).expect("asked to begin again").is_empty());
}
