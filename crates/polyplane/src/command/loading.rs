//! What the commands have in common that take a program: reading it, and what fills its tables.

use polyplane::Failure;
use polyplane::rooms::workbench::Entries;
use polyplane::rooms::workbench::{LoadOptions, LoadedProgram};

use crate::arguments::ProgramArguments;
use crate::output;
use crate::packet_arguments::TablesArguments;

/// How a program is read.
pub fn options(arguments: &ProgramArguments) -> LoadOptions {
    LoadOptions { binding: arguments.binding.clone(), ..arguments.preprocessor.options() }
}

/// Reads the program that the arguments name; prints its warnings.
pub fn load(arguments: &ProgramArguments) -> Result<LoadedProgram, Failure> {
    let loaded = LoadedProgram::read(&arguments.program, &options(arguments))?;
    output::tell(&loaded.warnings);
    Ok(loaded)
}

/// Reads the files that fill the tables; prints their warnings.
pub fn entries(arguments: &TablesArguments, program: &LoadedProgram) -> Result<Entries, Failure> {
    let mut entries = Entries::none();
    for path in &arguments.tables {
        entries.add(Entries::read(path, program)?);
    }
    output::tell(&entries.warnings());
    Ok(entries)
}
