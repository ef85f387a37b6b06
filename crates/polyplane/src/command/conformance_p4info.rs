//! `polyplane conformance-p4info`: compares our P4Info with that published by others.

use polyplane::Diagnostic;
use polyplane::Failure;
use polyplane::rooms::conformance::p4info::{P4infoConformancePlan, p4info_conformance};
use polyplane::rooms::files::OutputFile;

use crate::output;
use crate::packet_arguments::P4InfoArguments;

pub fn run(arguments: &P4InfoArguments) -> Result<u8, Failure> {
    if arguments.compiler.is_none() && arguments.sai.is_none() {
        let error = Diagnostic::without_place("no collection to compare with is given");
        return Err(error.hint("name one with `--compiler` or `--sai`").into());
    }
    let plan = P4infoConformancePlan {
        compiler: arguments.compiler.clone(),
        sai: arguments.sai.clone(),
        only: arguments.only.clone(),
        with_their_headers: arguments.their_headers,
    };
    let file = arguments.report.as_deref().map(OutputFile::take).transpose()?;
    let mut report = p4info_conformance(&plan)?;
    let named = [("p4lang/p4c", &arguments.commit), ("sonic-net/sonic-pins", &arguments.sai_commit)];
    report.commits = named.iter().filter_map(|(name, commit)| Some(format!("{name} {}", commit.as_ref()?))).collect();
    output::report(file, &report.markdown(), &report, arguments.json)?;
    Ok(u8::from(report.tally(None).different > 0))
}
