//! What came out of a machine, in files that other tools open: packets as a table and as a capture, registers.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use basis::Instant;
use ir::{Program, Type};
use measure::Event;
use node::{Discarded, Transmission};
use runtime::RegisterFile;
use wire::capture::{PcapngWriter, Timestamp};
use wire::{LinkLayer, Packet};

use crate::failure::Failure;
use crate::watched::Watcher;

/// Writes what becomes of every packet, as it happens. The files appear under their names at the end, all or none.
pub struct PacketFiles {
    folder: PathBuf,
    table: BufWriter<File>,
    /// Made with the first packet, whose link layer it has; a table of records makes none.
    capture: Option<PcapngWriter<BufWriter<File>>>,
    types: Vec<Type>,
    /// Fields of packets that completed and whose fate is not known yet.
    completed: BTreeMap<u64, Box<[u64]>>,
    trouble: Option<io::Error>,
}

const TABLE: &str = "packets.csv";
const CAPTURE: &str = "out.pcapng";
const REGISTERS: &str = "registers.csv";

impl PacketFiles {
    /// Starts the files of a program's run in a folder, which is made if need be.
    ///
    /// # Errors
    /// What the file system says.
    pub fn create(folder: &Path, program: &Program) -> Result<Self, Failure> {
        let start = || -> io::Result<Self> {
            fs::create_dir_all(folder)?;
            let mut table = BufWriter::new(File::create(partial(folder, TABLE))?);
            write!(table, "packet,arrival_ps,departure_ps,port,verdict")?;
            for (_, field) in program.fields() {
                write!(table, ",{}", field.name)?;
            }
            writeln!(table)?;
            let types = program.fields().map(|(_, field)| field.ty).collect();
            let completed = BTreeMap::new();
            Ok(Self { folder: folder.to_owned(), table, capture: None, types, completed, trouble: None })
        };
        start().map_err(|error| unwritable(folder, &error))
    }

    /// Ends the files, adds the registers, and shows them under their names. Says which there are.
    ///
    /// # Errors
    /// The first thing that went wrong while writing any of them.
    pub fn finish(mut self, program: &Program, registers: &RegisterFile) -> Result<Vec<PathBuf>, Failure> {
        let folder = self.folder.clone();
        self.end(program, registers).map_err(|error| unwritable(&folder, &error))
    }

    fn end(&mut self, program: &Program, registers: &RegisterFile) -> io::Result<Vec<PathBuf>> {
        if let Some(trouble) = self.trouble.take() {
            return Err(trouble);
        }
        self.table.flush()?;
        let mut names = vec![TABLE, REGISTERS];
        if let Some(capture) = self.capture.take() {
            capture.finish()?;
            names.push(CAPTURE);
        }
        let mut file = BufWriter::new(File::create(partial(&self.folder, REGISTERS))?);
        writeln!(file, "register,index,value")?;
        for (number, register) in program.registers.iter().enumerate() {
            for (index, &value) in registers.array(number).iter().enumerate() {
                writeln!(file, "{},{index},{}", register.name, register.ty.number(value))?;
            }
        }
        file.flush()?;
        let shown = |name: &&str| self.folder.join(name);
        // A folder of that name would stop the renaming half way.
        if let Some(name) = names.iter().find(|name| shown(name).is_dir()) {
            return Err(io::Error::other(format!("{name} is a folder")));
        }
        if !names.contains(&CAPTURE) && shown(&CAPTURE).is_file() {
            // That of an earlier run would be taken for this one's.
            fs::remove_file(shown(&CAPTURE))?;
        }
        for name in &names {
            fs::rename(partial(&self.folder, name), shown(name))?;
        }
        Ok(names.iter().map(shown).collect())
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
                let file = BufWriter::new(File::create(partial(&self.folder, CAPTURE))?);
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

impl Watcher for PacketFiles {
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
        if let Event::Completed { sequence, fields } = event {
            self.completed.insert(*sequence, fields.clone());
        }
    }
}

impl Drop for PacketFiles {
    /// What was not finished is not left behind.
    fn drop(&mut self) {
        for name in [TABLE, CAPTURE, REGISTERS] {
            // Most often it is not there, for it has its own name by now.
            let _ = fs::remove_file(partial(&self.folder, name));
        }
    }
}

fn partial(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.partial"))
}

fn unwritable(folder: &Path, error: &io::Error) -> Failure {
    Failure::plain(format!("cannot write results into {}: {error}", folder.display()))
}
