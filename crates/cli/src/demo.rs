//! `polyplane demo`: the main job.

use experiments::packet_programs::is_packet_program;
use experiments::{Failure, LoadedProgram, demo, shipped_capture, shipped_program};
use traffic::Input;

use crate::arguments::DemoArguments;
use crate::{files, output, packet_program, plan};

/// The program that is shown unless somebody names another.
const PROGRAM: &str = "flowlet";

pub fn run(arguments: &DemoArguments) -> Result<u8, Failure> {
    let capture = arguments.capture.clone().map_or_else(shipped_capture, Input::Path);
    let loaded = match &arguments.program {
        Some(program) if is_packet_program(program) => {
            let what = "`demo` shows one whose fields are bound to packets";
            return Err(packet_program::not_for_packets(program, what));
        }
        Some(program) => {
            plan::check_name(program)?;
            LoadedProgram::read(program, None)?
        }
        None => shipped_program(PROGRAM)?,
    };
    let found = demo(&loaded, &capture, arguments.pipelines as usize)?;
    let page = arguments.out_dir.join("report.html");
    files::write(&page, found.page.to_html().as_bytes())?;
    for figure in &found.page.figures {
        let path = arguments.out_dir.join("figures").join(format!("{}.svg", figure.name));
        files::write(&path, figure.svg.as_bytes())?;
    }
    if arguments.json {
        output::print_json(&found.results)?;
        return Ok(0);
    }
    let mut text = format!("{}\n", found.summary);
    for (heading, table) in &found.tables {
        text.push_str(&format!("\n{heading}\n\n{}", output::aligned(table)));
    }
    output::print(&format!("{text}\nreport: {}\n", page.display()))?;
    Ok(0)
}
