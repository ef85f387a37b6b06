//! `polyplane demo`: runs one program on several machines and writes a report.

use std::path::{Path, PathBuf};

use clap::Args;
use polyplane::Diagnostic;
use polyplane::Failure;
use polyplane::rooms::files::{Earlier, Manifest, OutputFolder};
use polyplane::rooms::papers::mp5::demo;
use polyplane::rooms::report::to_text;
use polyplane::rooms::traffic::Input;
use polyplane::rooms::workbench::{LoadOptions, LoadedProgram, shipped_capture, shipped_program};

use crate::output;

/// The arguments of `polyplane demo`.
#[derive(Debug, Args)]
pub struct DemoArguments {
    /// The folder for the report.
    #[arg(long, value_name = "DIR", default_value = "out/demo")]
    pub out_dir: PathBuf,
    /// The Domino program to run [default: flowlet switching].
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// The capture to replay [default: the one that comes with Polyplane].
    #[arg(long, value_name = "FILE")]
    pub capture: Option<PathBuf>,
    /// The number of pipelines of the multi-pipelined switches.
    #[arg(long, value_name = "K", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub pipelines: u32,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// The program that is run if `--program` is not given.
const PROGRAM: &str = "flowlet";

/// The file name of the report.
const PAGE: &str = "report.html";

pub fn run(arguments: &DemoArguments) -> Result<u8, Failure> {
    let capture = arguments.capture.clone().map_or_else(shipped_capture, |path| Input::named(&path));
    let loaded = match &arguments.program {
        Some(program) => LoadedProgram::read(program, &LoadOptions::default())?,
        None => shipped_program(PROGRAM)?,
    };
    if !loaded.binds_fields() {
        let has = if loaded.has_parser() { "has a parser" } else { "reads packets by itself" };
        let message = format!("`{}` {has}, and `demo` takes programs whose fields are bound", loaded.program.name);
        let error = Diagnostic::without_place(message);
        return Err(error
            .hint("use `polyplane check` to run it on every machine, `run` or `trace` to run it on one")
            .into());
    }
    let mut out = OutputFolder::take(&arguments.out_dir, is_result)?;
    let files = loaded.inputs.iter().map(|(name, _)| Path::new(name));
    out.refuse_inputs(files.chain(capture.path()))?;
    let found = demo(&loaded, &capture, arguments.pipelines as usize)?;
    let page = arguments.out_dir.join(PAGE);
    out.write(PAGE, found.page.to_html().as_bytes())?;
    for figure in found.page.figures() {
        out.write(&format!("figures/{}.svg", figure.name), figure.svg.as_bytes())?;
    }
    output::tell_kept(&out.finish(&Manifest::of_text(&found.page.manifest), Earlier::Goes)?);
    if arguments.json {
        output::print_json(&found.results)?;
        return Ok(0);
    }
    let mut text = format!("{}\n", found.summary);
    for (heading, table) in &found.tables {
        text.push_str(&format!("\n{heading}\n\n{}", to_text(table)));
    }
    output::print(&format!("{text}\nreport: {}\n", page.display()))?;
    Ok(0)
}

/// Returns whether the demo may write a file of this name.
fn is_result(name: &str) -> bool {
    name == PAGE || name.starts_with("figures/")
}
