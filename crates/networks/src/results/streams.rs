//! Tables that can be read while the run goes on.
//!
//! Rows are added as soon as nothing about them can change. The files have another ending than those of the end, and go
//! when these come.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use basis::{Duration, Instant};

use super::flows::{self, Flow, Flows};
use super::series::Series;
use diagnostics::Failure;
use report::Columns;

/// How long each of some flows would take alone.
pub(super) type IdealTimes<'p> = dyn Fn(&[Flow]) -> Vec<Option<Duration>> + 'p;

/// The tables that grow with the run.
pub(super) struct Streams<'p> {
    flows: Stream,
    queues: Stream,
    rates: Stream,
    names: Arc<[String]>,
    ideal: &'p IdealTimes<'p>,
    /// How often lines are looked at.
    every: Option<Duration>,
}

/// One table on its way to the disk.
struct Stream {
    path: PathBuf,
    /// Opened when there is a row.
    out: Option<BufWriter<File>>,
    /// How many rows are written.
    rows: usize,
}

impl<'p> Streams<'p> {
    /// Tables in a folder, of which nothing is written yet.
    pub fn new(folder: &Path, names: Arc<[String]>, ideal: &'p IdealTimes<'p>, every: Option<Duration>) -> Self {
        let stream = |name: &str| Stream { path: folder.join(format!("{name}.csv.partial")), out: None, rows: 0 };
        Self { flows: stream("flows"), queues: stream("queues"), rates: stream("rates"), names, ideal, every }
    }

    /// Writes what is known by now and was not written.
    ///
    /// # Errors
    /// What the files say.
    pub fn extend(&mut self, flows: &Flows, series: &Series) -> Result<(), Failure> {
        let over = &flows.flows()[self.flows.rows..];
        let over = &over[..over.iter().take_while(|flow| is_over(flow)).count()];
        self.flows.extend(&flows::table(over, &self.names, &(self.ideal)(over), Instant::ZERO))?;
        self.queues.extend(&series.queue_table(self.queues.rows))?;
        let rates = self.every.and_then(|every| series.line_table(every, self.rates.rows));
        rates.map_or(Ok(()), |rates| self.rates.extend(&rates))
    }

    /// Ends the files, for the whole tables come: also those that an earlier part of the run has left, if this one was
    /// over before it had a row to add.
    pub fn remove(self) {
        for Stream { path, .. } in [self.flows, self.queues, self.rates] {
            // Most often there is none; and what cannot be removed is only in the way.
            let _ = fs::remove_file(path);
        }
    }
}

/// Nothing more will be told of it. A flow of which every byte has arrived may wait for its sender to hear of it.
fn is_over(flow: &Flow) -> bool {
    flow.completed.is_some() || flow.abandoned.is_some()
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
        // Whoever reads it meanwhile sees whole rows.
        out.flush()?;
        self.rows += table.rows();
        Ok(())
    }
}
