//! What fills the tables: a file of any of the three kinds that the control plane reads.

use std::path::Path;

use control::stf::Step;
use control::{Placed, Prepared, Request, commands, runtime_file, stf};
use diagnostics::{Diagnostic, Diagnostics, Severity, Sources};
use machines::Device;

use super::words::counted;
use crate::program::{LoadedProgram, add_file};
use diagnostics::Failure;

/// Files of requests, made ready for one program.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    files: Vec<EntryFile>,
}

#[derive(Clone, Debug)]
struct EntryFile {
    sources: Sources,
    requests: Vec<Placed<Request>>,
    /// Where packets of a packet test come in, and their bytes.
    packets: Vec<(u32, Vec<u8>)>,
    warnings: Diagnostics,
}

impl Entries {
    /// No requests.
    pub fn none() -> Self {
        Self::default()
    }

    /// Reads a file: STF (`.stf`; only its requests count), the tutorials' JSON (`.json`), or else commands of
    /// `simple_switch_CLI`.
    ///
    /// # Errors
    /// Everything that is wrong with it for this program, at its place.
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

    /// Puts others behind these.
    pub fn add(&mut self, others: Self) {
        self.files.extend(others.files);
    }

    /// What their authors may not have meant, as a person reads it without colours; empty if nothing.
    pub fn warnings(&self) -> String {
        self.files.iter().map(|file| file.warnings.render(&file.sources, false)).collect()
    }

    /// Name and contents of each file.
    pub fn inputs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().flat_map(|file| file.sources.iter())
    }

    /// All requests, in order.
    pub fn requests(&self) -> impl Iterator<Item = &Request> {
        self.files.iter().flat_map(|file| &file.requests).map(|placed| &placed.item)
    }

    /// The packets of packet tests among the files, in order: where each comes in, and its bytes.
    pub fn packets(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.files.iter().flat_map(|file| &file.packets).map(|(port, bytes)| (*port, bytes.as_slice()))
    }

    /// Asks a device for all of it, in order.
    ///
    /// # Errors
    /// Every request of the first file with such that the device refuses, at its place.
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

/// The packets of a packet test without its requests.
fn packets_of(prepared: &Prepared<Step>) -> Vec<(u32, Vec<u8>)> {
    let packet = |placed: &Placed<Step>| match &placed.item {
        Step::Packet { port, bytes } => Some((*port, bytes.clone())),
        _ => None,
    };
    prepared.steps.iter().filter_map(packet).collect()
}

/// The requests of a packet test without its packets.
fn only_requests(prepared: Prepared<Step>, path: &Path) -> Prepared<Request> {
    let request = |placed: Placed<Step>| match placed.item {
        Step::Request(item) => Some(Placed { span: placed.span, item }),
        _ => None,
    };
    let (all, mut warnings) = (prepared.steps.len(), prepared.warnings);
    let steps: Vec<Placed<Request>> = prepared.steps.into_iter().filter_map(request).collect();
    if steps.len() < all {
        let lines = counted((all - steps.len()) as u64, "line");
        let message = format!("`{}`: {lines} about packets passed over; only what fills tables counts", path.display());
        warnings.push(Diagnostic { severity: Severity::Warning, ..Diagnostic::without_place(message) });
    }
    Prepared { steps, warnings }
}
