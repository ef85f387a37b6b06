//! Tables that can be read during the run.
//!
//! Rows are added as soon as they are final. The names of the files end in `.partial`; the files are removed when the
//! complete tables are written at the end.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use basis::{Duration, Instant};

use super::arrivals::Arrivals;
use super::flow_series::FlowSeries;
use super::flows::{self, Flow, Flows};
use super::registers::RegisterSeries;
use super::series::Series;
use diagnostics::Failure;
use report::Columns;

/// Computes the ideal completion times of flows.
pub(super) type IdealTimes<'p> = dyn Fn(&[Flow]) -> Vec<Option<Duration>> + 'p;

/// The tables that grow during the run.
pub(super) struct Streams<'p> {
    flows: Stream,
    queues: Stream,
    rates: Stream,
    flow_series: Stream,
    registers: Stream,
    arrivals: Stream,
    names: Arc<[String]>,
    ideal: &'p IdealTimes<'p>,
    /// The time between samples of links.
    every: Option<Duration>,
    /// Whether there is a folder to write into.
    has_folder: bool,
}

/// The sources of the tables that grow.
pub(super) struct Tables<'r> {
    pub flows: &'r Flows,
    pub series: &'r Series,
    pub flow_series: &'r FlowSeries,
    pub registers: &'r RegisterSeries,
    pub arrivals: &'r Arrivals,
}

/// One growing table.
struct Stream {
    path: PathBuf,
    /// The file, opened for the first row.
    out: Option<BufWriter<File>>,
    /// The number of rows written.
    rows: usize,
}

impl<'p> Streams<'p> {
    /// Makes the tables of a folder, without writing anything yet. An empty path stands for no folder: then nothing is ever
    /// written.
    pub fn new(folder: &Path, names: Arc<[String]>, ideal: &'p IdealTimes<'p>, every: Option<Duration>) -> Self {
        let stream = |name: &str| Stream { path: folder.join(format!("{name}.csv.partial")), out: None, rows: 0 };
        Self {
            flows: stream("flows"),
            queues: stream("queues"),
            rates: stream("rates"),
            flow_series: stream("flow-series"),
            registers: stream("registers"),
            arrivals: stream("arrivals"),
            names,
            ideal,
            every,
            has_folder: !folder.as_os_str().is_empty(),
        }
    }

    /// Writes the rows that have become final.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn extend(&mut self, tables: &Tables<'_>) -> Result<(), Failure> {
        if !self.has_folder {
            return Ok(());
        }
        let Tables { flows, series, flow_series, registers, arrivals } = tables;
        let over = &flows.flows()[self.flows.rows..];
        let over = &over[..over.iter().take_while(|flow| flow.is_over()).count()];
        self.flows.extend(&flows::table(over, &self.names, &(self.ideal)(over), Instant::ZERO))?;
        self.queues.extend(&series.queue_table(self.queues.rows))?;
        let rates = self.every.and_then(|every| series.link_table(every, self.rates.rows));
        rates.map_or(Ok(()), |rates| self.rates.extend(&rates))?;
        let samples = flow_series.table(flows.flows(), self.flow_series.rows);
        samples.map_or(Ok(()), |samples| self.flow_series.extend(&samples))?;
        let registers = registers.table(self.registers.rows);
        registers.map_or(Ok(()), |registers| self.registers.extend(&registers))?;
        let arrivals = arrivals.table(self.arrivals.rows);
        arrivals.map_or(Ok(()), |arrivals| self.arrivals.extend(&arrivals))
    }

    /// Removes the files, before the complete tables are written, including files that an earlier part of a resumed run
    /// has left.
    pub fn remove(self) {
        if !self.has_folder {
            return;
        }
        let Self { flows, queues, rates, flow_series, registers, arrivals, .. } = self;
        for Stream { path, .. } in [flows, queues, rates, flow_series, registers, arrivals] {
            // Often there is no such file, and one that cannot be removed does no harm.
            let _ = fs::remove_file(path);
        }
    }
}

impl Stream {
    fn extend(&mut self, table: &Columns) -> Result<(), Failure> {
        if table.rows() == 0 {
            return Ok(());
        }
        self.write(table).map_err(|error| Failure::plain(format!("cannot write {}: {error}", self.path.display())))
    }

    fn write(&mut self, table: &Columns) -> io::Result<()> {
        let text = table.to_csv();
        let out = match &mut self.out {
            Some(out) => out,
            None => {
                fs::create_dir_all(self.path.parent().unwrap_or(Path::new(".")))?;
                self.out.insert(BufWriter::new(File::create(&self.path)?))
            }
        };
        let header = if self.rows == 0 { 0 } else { text.find('\n').map_or(0, |end| end + 1) };
        out.write_all(&text.as_bytes()[header..])?;
        // Readers see only complete rows.
        out.flush()?;
        self.rows += table.rows();
        Ok(())
    }
}
