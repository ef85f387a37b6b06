//! The result files of programs that work on fields, in formats that other tools read: packets as a table and as a
//! capture, and registers.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use basis::Instant;
use equivalence::Watcher;
use ir::{Program, Type};
use machines::pipelines::events::Completed;
use measure::Event;
use node::{Discarded, Transmission};
use runtime::RegisterFile;
use wire::capture::{PcapngWriter, Timestamp};
use wire::{LinkLayer, Packet};

use super::{Compared, names};
use diagnostics::Failure;
use files::Manifest;
use files::{Earlier, Finished, OutputFolder};

/// Writes what happens to every packet while the run goes on. The files appear under their names at the end, all or
/// none.
pub(super) struct FieldFiles {
    folder: OutputFolder,
    table: BufWriter<File>,
    /// The capture, created with the link layer of the first packet. Records of a table are not captured.
    capture: Option<PcapngWriter<BufWriter<File>>>,
    types: Vec<Type>,
    /// The fields of packets that have completed but have not yet departed or been dropped.
    completed: BTreeMap<u64, Box<[u64]>>,
    trouble: Option<io::Error>,
}

impl FieldFiles {
    /// Begins the files of a run in a folder.
    ///
    /// # Errors
    /// If the file system reports an error.
    pub(super) fn create(mut folder: OutputFolder, program: &Program) -> Result<Self, Failure> {
        let mut start = || -> io::Result<BufWriter<File>> {
            let mut table = folder.begin(names::PACKETS)?;
            write!(table, "packet,arrival_ps,departure_ps,port,verdict")?;
            for (_, field) in program.fields() {
                write!(table, ",{}", field.name)?;
            }
            writeln!(table)?;
            Ok(table)
        };
        let table = start().map_err(|error| unwritable(folder.path(), &error))?;
        let types = program.fields().map(|(_, field)| field.ty).collect();
        Ok(Self { folder, table, capture: None, types, completed: BTreeMap::new(), trouble: None })
    }

    /// Completes the files, adds the registers and the result, and gives all files their names. Returns which they are.
    ///
    /// # Errors
    /// If the file system has reported an error for any of the files; returns the first.
    pub(super) fn finish(
        mut self,
        program: &Program,
        compared: &Compared,
        manifest: Manifest,
    ) -> Result<Finished, Failure> {
        let ended = self.end(program, &compared.registers);
        ended.map_err(|error| unwritable(self.folder.path(), &error))?;
        let result = serde_json::to_string_pretty(compared).expect("the keys of all maps in results are texts") + "\n";
        self.folder.write(names::RESULT, result.as_bytes())?;
        self.folder.finish(&manifest, Earlier::Goes)
    }

    fn end(&mut self, program: &Program, registers: &RegisterFile) -> io::Result<()> {
        if let Some(trouble) = self.trouble.take() {
            return Err(trouble);
        }
        self.table.flush()?;
        if let Some(capture) = self.capture.take() {
            capture.finish()?;
        }
        let mut file = self.folder.begin(names::REGISTERS)?;
        writeln!(file, "register,index,value")?;
        for (number, register) in program.registers.iter().enumerate() {
            for (index, &value) in registers.array(number).iter().enumerate() {
                writeln!(file, "{},{index},{}", register.name, register.ty.number(value))?;
            }
        }
        file.flush()
    }

    fn row(&mut self, packet: &Packet, departure: Option<Instant>, port: Option<u16>, verdict: &str) -> io::Result<()> {
        let optional = |value: Option<u64>| value.map_or_else(String::new, |value| value.to_string());
        write!(
            self.table,
            "{},{},{},{},{verdict}",
            packet.sidecar.id,
            packet.sidecar.arrival.picoseconds(),
            optional(departure.map(Instant::picoseconds)),
            optional(port.map(u64::from)),
        )?;
        let fields = self.completed.remove(&packet.sidecar.id);
        for (number, ty) in self.types.iter().enumerate() {
            match &fields {
                Some(values) => write!(self.table, ",{}", ty.number(values[number]))?,
                None => write!(self.table, ",")?,
            }
        }
        writeln!(self.table)
    }

    fn record(&mut self, transmission: &Transmission) -> io::Result<()> {
        let packet = &transmission.packet;
        if packet.sidecar.link == LinkLayer::Record {
            return Ok(());
        }
        let capture = match &mut self.capture {
            Some(capture) => capture,
            none => {
                let file = self.folder.begin(names::CAPTURE)?;
                none.insert(PcapngWriter::new(file, packet.sidecar.link)?)
            }
        };
        capture.write(Timestamp::new(0, transmission.at.picoseconds()), packet)
    }

    fn note(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.trouble.get_or_insert(error);
        }
    }
}

impl Watcher for FieldFiles {
    fn transmitted(&mut self, transmission: &Transmission) {
        let port = Some(transmission.port.0);
        let verdict = if self.completed.contains_key(&transmission.packet.sidecar.id) { "sent" } else { "passed by" };
        let row = self.row(&transmission.packet, Some(transmission.at), port, verdict);
        self.note(row);
        let recorded = self.record(transmission);
        self.note(recorded);
    }

    fn discarded(&mut self, _: Instant, discarded: &Discarded) {
        let row = self.row(&discarded.packet, None, None, &discarded.reason.to_string());
        self.note(row);
    }

    fn event(&mut self, event: &Event) {
        if let Ok(Completed { sequence, fields }) = event.clone().read() {
            self.completed.insert(sequence, fields);
        }
    }
}

fn unwritable(folder: &Path, error: &io::Error) -> Failure {
    Failure::plain(format!("cannot write results into {}: {error}", folder.display()))
}
