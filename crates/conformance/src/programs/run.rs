//! Runs the programs in parallel.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use arch::V1MODEL;
use diagnostics::{Diagnostic, Severity, Sources};

use super::case::{Case, Suite, Task, Verdict};
use super::{ConformancePlan, Report, collect, exclusions, refusals};
use diagnostics::Failure;
use workbench::Entries;
use workbench::packet_test::{PacketTest, TestOutcome};
use workbench::{LoadedProgram, ParsedP4, add_file};

/// The stack size of a worker in bytes. Some programs nest more deeply than people write, and the front end is
/// recursive.
const STACK: usize = 256 << 20;

/// Runs the programs of a plan.
///
/// # Errors
/// If a folder cannot be read, or the plan selects no program.
pub fn conformance(plan: &ConformancePlan) -> Result<Report, Failure> {
    let tasks = collect::collect(plan)?;
    if tasks.is_empty() {
        return Err(nothing_to_run(plan));
    }
    let next = AtomicUsize::new(0);
    let cases: Vec<Mutex<Option<Verdict>>> = tasks.iter().map(|_| Mutex::new(None)).collect();
    let work = || loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some((task, case)) = tasks.get(at).zip(cases.get(at)) else { return };
        let verdict = verdict(task, plan);
        *case.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = verdict;
    };
    thread::scope(|scope| {
        for _ in 0..plan.threads.max(1) {
            let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            // If no thread can be created, this one does the work.
            if worker.is_err() {
                work();
            }
        }
    });
    let verdicts = cases.into_iter().map(|case| case.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()));
    let mut report = Report::default();
    for (task, verdict) in tasks.into_iter().zip(verdicts) {
        match verdict {
            Some(verdict) => report.cases.push(Case { suite: task.suite, name: task.name, verdict }),
            None => *report.for_others.entry(task.suite).or_default() += 1,
        }
    }
    Ok(report)
}

/// Returns the error for a plan that selects no program; such a run would pass without showing anything.
fn nothing_to_run(plan: &ConformancePlan) -> Failure {
    let (error, hint) = match &plan.only {
        Some(part) => {
            let error = format!("no program has `{part}` in its name");
            (error, "`--only` takes a part of a name as it appears in the report")
        }
        None => ("there is no program to run".to_owned(), "name the collections that contain the selected suites"),
    };
    Diagnostic::without_place(error).hint(hint).into()
}

/// Returns the verdict on a program, or `None` if it is for another architecture.
fn verdict(task: &Task, plan: &ConformancePlan) -> Option<Verdict> {
    let verdict = catch_unwind(AssertUnwindSafe(|| judged(task, plan)))
        .unwrap_or_else(|panic| Some(Verdict::Failed(format!("a panic: {}", words_of(panic.as_ref())))))?;
    // An excluded program that passes is reported as passed, so that it can be taken off the list.
    match (exclusions::reason(task.suite, &task.name), verdict) {
        (Some(reason), Verdict::Failed(_)) => Some(Verdict::Excluded(reason)),
        (_, verdict) => Some(verdict),
    }
}

fn words_of(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}

fn judged(task: &Task, plan: &ConformancePlan) -> Option<Verdict> {
    if task.suite == Suite::Errors {
        let headers = plan.compiler.as_deref().unwrap_or(Path::new("")).join("p4include");
        return Some(refusals::refusal(task, &headers));
    }
    let mut sources = Sources::new();
    let loaded = add_file(&mut sources, &task.program).and_then(|main| {
        let read = ParsedP4::new(&mut sources, main, &task.options)?;
        LoadedProgram::of_read(&sources, main, &read)
    });
    if task.suite.has_parts() && !(is_for_v1model(&sources) && refusals::has_switch(&sources)) {
        return None;
    }
    let program = match loaded {
        Ok(_) if task.suite.only_compiles() => return Some(Verdict::Passed),
        Ok(program) => program,
        Err(_) if !is_for_v1model(&sources) => return None,
        Err(diagnostics) => return Some(failed(Failure::BadInput { sources, diagnostics })),
    };
    Some(match tested(task, &program, plan) {
        Ok(outcome) if outcome.passed => Verdict::Passed,
        Ok(outcome) => Verdict::Failed(first_difference(&outcome)),
        Err(failure) => failed(failure),
    })
}

/// Returns true if a program includes the header of v1model. The header comes from the disk or, with its name in angle
/// brackets, from the front end.
pub(super) fn is_for_v1model(sources: &Sources) -> bool {
    sources.iter().any(|(name, _)| name.trim_end_matches('>').ends_with(V1MODEL.header.name))
}

fn tested(task: &Task, program: &LoadedProgram, plan: &ConformancePlan) -> Result<TestOutcome, Failure> {
    let mut requests = Entries::none();
    for path in &task.entries {
        requests.add(Entries::read(path, program)?);
    }
    let test = PacketTest::read(&task.beside, program)?;
    let fitted = test.fit(plan.machine, program, &plan.settings)?;
    test.run(requests, &*fitted, plan.seed)
}

/// Returns the verdict for a failure: its first error, in one line.
fn failed(failure: Failure) -> Verdict {
    Verdict::Failed(match failure {
        Failure::BadInput { sources, diagnostics } => {
            let errors = || diagnostics.iter().filter(|finding| finding.severity == Severity::Error);
            let place = errors().next().and_then(|finding| finding.span).map(|span| {
                let file = sources.name(span.source).rsplit('/').next().unwrap_or_default().to_owned();
                format!("{file}:{}: ", sources.place(span).0)
            });
            let message = errors().next().map_or("", |finding| &finding.message);
            let more = match errors().count() {
                0 | 1 => String::new(),
                count => format!(" ({count} errors)"),
            };
            format!("{}{message}{more}", place.unwrap_or_default())
        }
        Failure::DoesNotFit(report) | Failure::StandsStill(report) => report.replace('\n', " ").trim().to_owned(),
    })
}

/// Returns the first difference of a failed test, in one line.
fn first_difference(outcome: &TestOutcome) -> String {
    let expectations = outcome.expectations.iter().filter_map(|expectation| {
        let difference = expectation.difference.as_ref()?;
        let found = expectation.found.as_ref().map_or(String::new(), |found| format!(", found {}", shortened(found)));
        let expected = shortened(&expectation.expected);
        Some(format!("line {}: port {}: {difference}: expected {expected}{found}", expectation.line, expectation.port))
    });
    let unexpected = outcome
        .unexpected
        .iter()
        .map(|packet| format!("port {}: nothing expects {}", packet.port, shortened(&packet.bytes)));
    let checks = outcome
        .checks
        .iter()
        .filter_map(|check| check.difference.as_ref().map(|difference| format!("line {}: {difference}", check.line)));
    let mut all = expectations.chain(unexpected).chain(checks);
    let first = all.next().unwrap_or_else(|| "packets are not conserved".to_owned());
    match all.count() {
        0 => first,
        more => format!("{first} ({} differences)", more + 1),
    }
}

/// Returns the first 32 bytes of a packet that is given in hexadecimal digits.
fn shortened(digits: &str) -> String {
    const SHOWN: usize = 64;
    match digits.get(..SHOWN) {
        Some(first) if digits.len() > SHOWN => format!("{first}…"),
        _ => digits.to_owned(),
    }
}
