//! `polyplane conformance`: runs the public programs of the P4 compiler, the P4 tutorials and some users of P4.

use polyplane::Diagnostic;
use polyplane::Failure;
use polyplane::rooms::conformance::programs::{ConformancePlan, Suite, conformance};
use polyplane::rooms::files::OutputFile;
use polyplane::rooms::workbench::kinds;

use crate::output;
use crate::packet_arguments::ConformanceArguments;
use crate::threads::threads;

pub fn run(arguments: &ConformanceArguments) -> Result<u8, Failure> {
    let collections =
        [&arguments.compiler, &arguments.tutorials, &arguments.sonic_pins, &arguments.dash, &arguments.guide];
    if collections.iter().all(|collection| collection.is_none()) {
        let error = Diagnostic::without_place("no collection to run is given");
        return Err(error
            .hint("name one with `--compiler`, `--tutorials`, `--sonic-pins`, `--dash` or `--p4-guide`")
            .into());
    }
    let machine = arguments.on.name.as_deref().map_or(Ok(kinds::MEANING), kinds::named)?;
    arguments.on.options.given.refuse_foreign(&[machine])?;
    let suites = arguments.suites.iter().map(|name| suite(name)).collect::<Result<_, _>>()?;
    let plan = ConformancePlan {
        compiler: arguments.compiler.clone(),
        tutorials: arguments.tutorials.clone(),
        sonic_pins: arguments.sonic_pins.clone(),
        dash: arguments.dash.clone(),
        guide: arguments.guide.clone(),
        tutorial_tests: arguments.tutorial_tests.clone(),
        suites,
        only: arguments.only.clone(),
        machine,
        settings: arguments.on.options.settings(),
        seed: 1,
        threads: threads(arguments.threads).get(),
    };
    let file = arguments.report.as_deref().map(OutputFile::take).transpose()?;
    let mut report = conformance(&plan)?;
    let commits = [
        ("p4lang/p4c", &arguments.commit),
        ("p4lang/tutorials", &arguments.tutorials_commit),
        ("sonic-net/sonic-pins", &arguments.sonic_pins_commit),
        ("sonic-net/DASH", &arguments.dash_commit),
        ("jafingerhut/p4-guide", &arguments.guide_commit),
    ];
    report.commits = commits.into_iter().filter_map(|(name, commit)| Some((name, commit.clone()?))).collect();
    output::report(file, &report.markdown(), &report, arguments.json)?;
    Ok(u8::from(report.tally(None).failed > 0))
}

fn suite(name: &str) -> Result<Suite, Failure> {
    Suite::from_name(name).ok_or_else(|| {
        let known = Suite::ALL.map(Suite::name).join(", ");
        Diagnostic::without_place(format!("there is no suite called `{name}`")).hint(format!("one of: {known}")).into()
    })
}
