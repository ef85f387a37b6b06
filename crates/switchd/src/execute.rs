//! Lines of the control plane, carried out on a running switch.

use control::stf::Step;
use control::{Info, RefusedRequest, Request, Response, commands, stf};
use diagnostics::{Diagnostic, Diagnostics, Failure, SourceId, Sources};
use workbench::packet_test::{values_in_words, what};

use crate::handle::{Ended, NotExecuted, SwitchHandle};
use crate::message::{Executed, Refusal};

/// A request with its place in the text.
type Placed = control::Placed<Request>;

/// Carries out lines of an STF file or of `simple_switch_CLI`, all or none.
pub(crate) fn execute(handle: &SwitchHandle, lines: &str, is_stf: bool) -> Result<Vec<Executed>, Refusal> {
    // The program may be replaced between reading the lines and carrying them out; then they are read again.
    for _ in 0..3 {
        let info = handle.info()?;
        let mut sources = Sources::new();
        let source = sources.add("lines", lines);
        let placed = match read(&info, &sources, source, is_stf) {
            Ok(placed) => placed,
            Err(diagnostics) => return Err(Failure::BadInput { sources, diagnostics }.into()),
        };
        let requests = placed.iter().map(|placed| placed.item.clone()).collect();
        match handle.execute_together(&info, requests) {
            Ok(responses) => return Ok(executed(&info, &placed, responses)),
            Err(NotExecuted::Replaced) => {}
            Err(NotExecuted::Ended) => return Err(Ended.into()),
            Err(NotExecuted::Refused(RefusedRequest { at, error })) => {
                let refused = Diagnostic::error(placed[at].span, error.to_string()).label("refused");
                let diagnostics = Diagnostics::from(refused.hint("none of the lines was carried out"));
                return Err(Failure::BadInput { sources, diagnostics }.into());
            }
        }
    }
    Err(Refusal::new("the program is being replaced; try again\n"))
}

fn read(info: &Info, sources: &Sources, source: SourceId, is_stf: bool) -> Result<Vec<Placed>, Diagnostics> {
    if !is_stf {
        return commands::prepare_in(commands::Session::of_running(info), sources, source)
            .map(|prepared| prepared.steps);
    }
    let steps = stf::prepare_in(stf::Session::of_running(info), sources, source)?.steps;
    let mut findings = Diagnostics::new();
    let mut requests = Vec::new();
    for control::Placed { span, item } in steps {
        match item {
            Step::Request(item) => requests.push(Placed { span, item }),
            Step::Check { request: item, .. } => requests.push(Placed { span, item }),
            Step::Wait => {}
            Step::Packet { .. } | Step::Expect { .. } | Step::NoPacket => {
                let error = Diagnostic::error(span, "packets come from the interfaces of a live switch");
                findings.push(error.hint("leave out `packet`, `expect` and `no_packet`"));
            }
        }
    }
    findings.into_result(requests)
}

fn executed(info: &Info, requests: &[Placed], responses: Vec<Response>) -> Vec<Executed> {
    let words = |(placed, response): (&Placed, Response)| {
        let found = values_in_words(info, &placed.item, response)?;
        Some(Executed { object: what(info, &placed.item), found })
    };
    requests.iter().zip(responses).filter_map(words).collect()
}
