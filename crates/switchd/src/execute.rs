//! Lines of the control plane, carried out on a running switch.

use control::stf::Step;
use control::{
    CounterRequest, ElementSelection, Info, MemoryRequest, MeterRequest, ProfileRequest, RecordRequest, RefusedRequest,
    RegisterRequest, Request, Response, SettingsRequest, TableRequest, commands, stf,
};
use diagnostics::{Diagnostic, Diagnostics, Failure, SourceId, Sources};
use workbench::packet_test::{values_in_words, what};

use crate::handle::{Ended, NotExecuted, SwitchHandle};
use crate::message::{Executed, Refusal};

/// The most lines of one message that read every element of something.
const MOST_READ_ALL: usize = 16;

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
        let mut read_all = placed.iter().filter(|placed| reads_all(&placed.item));
        if let Some(further) = read_all.nth(MOST_READ_ALL) {
            let error =
                Diagnostic::error(further.span, format!("more than {MOST_READ_ALL} lines read all of something"));
            let diagnostics = Diagnostics::from(error.hint("split the lines into several requests"));
            return Err(Failure::BadInput { sources, diagnostics }.into());
        }
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

/// Returns whether a request reads every element or entry of something, of which all answers are held at once.
fn reads_all(request: &Request) -> bool {
    match request {
        Request::Table(_, request) => matches!(request, TableRequest::Read(None, _)),
        Request::Profile(_, request) => {
            matches!(request, ProfileRequest::ReadMembers(None) | ProfileRequest::ReadGroups(None))
        }
        Request::Counter(_, request) => matches!(request, CounterRequest::Read(ElementSelection::All)),
        Request::Meter(_, request) => matches!(request, MeterRequest::Read(ElementSelection::All)),
        Request::Filter(_, request) => matches!(request, SettingsRequest::Read(None)),
        Request::Wred(_, request) => matches!(request, SettingsRequest::Read(None)),
        Request::Register(_, request) => matches!(request, RegisterRequest::Read(None)),
        Request::Memory(_, request) => matches!(request, MemoryRequest::ReadWritten),
        Request::Records(_, request) => matches!(request, RecordRequest::Read(None)),
        _ => false,
    }
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
            Step::Wait { .. } => {}
            Step::Option { .. } => {
                let error = Diagnostic::error(span, "a live switch has the options of its plan");
                findings.push(error.hint("leave out `option`"));
            }
            Step::Packet { .. } | Step::Expect { .. } | Step::NoPacket => {
                let error = Diagnostic::error(span, "packets come from the interfaces of a live switch");
                findings.push(error.hint("leave out `packet`, `expect` and `no_packet`"));
            }
            Step::CheckDigest(_) => {
                let error = Diagnostic::error(span, "the digests of a live switch go to its controllers");
                findings.push(error.hint("leave out `check_digest`"));
            }
            Step::CheckIdle(_) => {
                let error = Diagnostic::error(span, "a live switch tells its controllers of idle entries");
                findings.push(error.hint("leave out `check_idle`"));
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
