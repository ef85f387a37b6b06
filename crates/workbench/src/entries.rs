//! Files of control-plane requests that fill the tables, in any of three formats.

use std::path::Path;

use control::stf::Step;
use control::{Placed, Prepared, Request, commands, runtime_file, stf};
use diagnostics::{Diagnostic, Diagnostics, Severity, Sources};
use machines::Device;

use super::words::counted;
use crate::program::{LoadedProgram, add_file};
use diagnostics::Failure;

/// Files of control-plane requests, checked against one program.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    files: Vec<EntryFile>,
}

#[derive(Clone, Debug)]
struct EntryFile {
    sources: Sources,
    requests: Vec<Placed<Request>>,
    /// The packets of a packet test: their ingress ports and their bytes.
    packets: Vec<(u32, Vec<u8>)>,
    warnings: Diagnostics,
}

impl Entries {
    /// Returns entries without requests.
    pub fn none() -> Self {
        Self::default()
    }

    /// Reads a file of requests: a packet test (`.stf`), of which [`Entries::apply`] uses only the requests; JSON as in
    /// the P4 tutorials (`.json`); or, with any other extension, commands of `simple_switch_CLI`.
    ///
    /// # Errors
    /// If the file cannot be read or does not fit the program; reports every mistake at its place.
    pub fn read(path: &Path, program: &LoadedProgram) -> Result<Self, Failure> {
        let mut sources = Sources::new();
        let prepared = add_file(&mut sources, path).and_then(|source| {
            let info = &program.info;
            let without_packets = |prepared| (prepared, Vec::new());
            match path.extension().and_then(|ending| ending.to_str()) {
                Some("stf") => stf::prepare(info, &sources, source).map(|prepared| {
                    let packets = packets_of(&prepared);
                    (only_requests(prepared, path), packets)
                }),
                Some("json") => runtime_file::prepare(info, &sources, source).map(without_packets),
                _ => commands::prepare(info, &sources, source).map(without_packets),
            }
        });
        match prepared {
            Ok((Prepared { steps, warnings }, packets)) => {
                Ok(Self { files: vec![EntryFile { sources, requests: steps, packets, warnings }] })
            }
            Err(diagnostics) => Err(Failure::BadInput { sources, diagnostics }),
        }
    }

    /// Reads commands of `simple_switch_CLI` from a text; `name` is what the text is called in diagnostics.
    ///
    /// # Errors
    /// If the text does not fit the program; reports every mistake at its place.
    pub fn commands(name: &str, text: &str, program: &LoadedProgram) -> Result<Self, Failure> {
        let mut sources = Sources::new();
        let source = sources.add(name, text);
        match commands::prepare(&program.info, &sources, source) {
            Ok(Prepared { steps, warnings }) => {
                Ok(Self { files: vec![EntryFile { sources, requests: steps, packets: Vec::new(), warnings }] })
            }
            Err(diagnostics) => Err(Failure::BadInput { sources, diagnostics }),
        }
    }

    /// Appends the files of others.
    pub fn add(&mut self, others: Self) {
        self.files.extend(others.files);
    }

    /// Returns the warnings about the files as text without colours; empty if there are none.
    pub fn warnings(&self) -> String {
        self.files.iter().map(|file| file.warnings.render(&file.sources, false)).collect()
    }

    /// Iterates over the name and contents of each file.
    pub fn inputs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().flat_map(|file| file.sources.iter())
    }

    /// Iterates over all requests, in order.
    pub fn requests(&self) -> impl Iterator<Item = &Request> {
        self.files.iter().flat_map(|file| &file.requests).map(|placed| &placed.item)
    }

    /// Iterates over the packets of packet tests among the files, in order: the ingress port and the bytes of each.
    pub fn packets(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.files.iter().flat_map(|file| &file.packets).map(|(port, bytes)| (*port, bytes.as_slice()))
    }

    /// Sends all requests to a device, in order.
    ///
    /// # Errors
    /// If the device refuses a request; reports every refused request of the first file that contains one, at its
    /// place.
    pub fn apply(self, device: &mut dyn Device) -> Result<(), Failure> {
        for file in self.files {
            let mut refused = Diagnostics::new();
            for request in &file.requests {
                if let Err(error) = device.execute(&request.item) {
                    refused.push(Diagnostic::error(request.span, error.to_string()).label("refused"));
                }
            }
            let sources = file.sources;
            refused.into_result(()).map_err(|diagnostics| Failure::BadInput { sources, diagnostics })?;
        }
        Ok(())
    }
}

/// Returns the packets of a packet test without its requests.
fn packets_of(prepared: &Prepared<Step>) -> Vec<(u32, Vec<u8>)> {
    let packet = |placed: &Placed<Step>| match &placed.item {
        Step::Packet { port, bytes } => Some((*port, bytes.clone())),
        _ => None,
    };
    prepared.steps.iter().filter_map(packet).collect()
}

/// Returns the requests of a packet test without its packets, and adds a warning if there are packets.
fn only_requests(prepared: Prepared<Step>, path: &Path) -> Prepared<Request> {
    let mut warnings = prepared.warnings;
    let mut warn = |count: usize, thing: &str, of: &str| {
        if count > 0 {
            let message = format!("`{}`: {} {of}", path.display(), counted(count as u64, thing));
            warnings.push(Diagnostic { severity: Severity::Warning, ..Diagnostic::without_place(message) });
        }
    };
    let mut steps = Vec::new();
    let (mut options, mut others) = (0, 0);
    for placed in prepared.steps {
        match placed.item {
            Step::Request(item) => steps.push(Placed { span: placed.span, item }),
            Step::Option { .. } => options += 1,
            _ => others += 1,
        }
    }
    warn(options, "option", "of the machine ignored; give them on the command line");
    warn(others, "line", "about packets ignored; only requests that fill tables are used");
    Prepared { steps, warnings }
}
