//! `polyplane compile --controller-files`: what P4Runtime controllers load, under the names that they expect.

use std::path::Path;

use p4runtime::pipeline::DeviceConfig;
use polyplane::Failure;
use polyplane::rooms::control::p4info;
use polyplane::rooms::workbench::{Language, LoadedProgram, stage};

use crate::arguments::CompileArguments;
use crate::{loading, output};

/// Writes the P4Info and the device's configuration of a program into a folder.
pub fn write(arguments: &CompileArguments, program: &LoadedProgram, folder: &Path) -> Result<u8, Failure> {
    let path = &arguments.program.program;
    // The text has to stand alone: without the files that it includes and the macros that were defined.
    let (ending, text) = match Language::of(path)? {
        Language::P4 => ("p4", stage(path, &loading::options(&arguments.program), "preprocessed")?),
        _ => ("ir", program.program.to_string()),
    };
    let name = &program.program.name;
    let config = DeviceConfig::new(format!("{name}.{ending}"), text);
    // Whoever loads the file must get the same program.
    let again = config.load().map_err(|failure| Failure::plain(failure.message))?;
    if again.info != program.info {
        return Err(Failure::plain(format!("`{name}` means something else without its files; please report it")));
    }
    let p4info = p4info::to_text(&program.info);
    let cannot = |error: std::io::Error| Failure::plain(format!("cannot write into {}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(cannot)?;
    // p4c is told the first name by the tutorials' Makefile; the second was its example for years.
    let files = [
        (format!("{name}.{ending}.p4info.txtpb"), p4info.clone()),
        (format!("{name}.p4info.txt"), p4info),
        (format!("{name}.json"), config.to_json()),
    ];
    for (file, text) in files {
        std::fs::write(folder.join(&file), text).map_err(cannot)?;
        output::print(&format!("{}\n", folder.join(&file).display()))?;
    }
    Ok(0)
}
