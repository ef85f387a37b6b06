//! `polyplane completions` and `polyplane man`: completion scripts and manual pages, generated from the command line.

use std::path::PathBuf;

use clap::{Args, Command};
use polyplane::Diagnostic;
use polyplane::Failure;
use polyplane::rooms::files::OutputFile;

use crate::arguments;
use crate::output;

/// The arguments of `polyplane completions`.
#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell.
    pub shell: clap_complete::Shell,
}

/// The arguments of `polyplane man`.
#[derive(Debug, Args)]
pub struct ManArguments {
    /// The command whose page is printed [default: the page of `polyplane` itself].
    pub command: Option<String>,
    /// Write every page into this folder instead of printing one.
    #[arg(long, value_name = "DIR", help_heading = "Output", conflicts_with = "command")]
    pub out_dir: Option<PathBuf>,
}

pub fn completions(arguments: &CompletionsArguments) -> Result<u8, Failure> {
    let mut line = arguments::command();
    let name = line.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut line, name, &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(0)
}

pub fn man(arguments: &ManArguments) -> Result<u8, Failure> {
    let pages = pages()?;
    if let Some(folder) = &arguments.out_dir {
        for (name, text) in &pages {
            let path = folder.join(format!("{name}.1"));
            OutputFile::take(&path)?.finish(text.as_bytes())?;
            output::tell(&format!("wrote {}\n", path.display()));
        }
        return Ok(0);
    }
    let wanted = arguments.command.as_deref().map_or("polyplane".to_owned(), |command| format!("polyplane-{command}"));
    let Some((_, text)) = pages.iter().find(|(name, _)| *name == wanted) else {
        let commands: Vec<&str> = pages.iter().filter_map(|(name, _)| name.strip_prefix("polyplane-")).collect();
        let command = arguments.command.as_deref().unwrap_or_default();
        let error = Diagnostic::without_place(format!("there is no command `{command}`"));
        return Err(error.hint(format!("one of: {}", commands.join(", "))).into());
    };
    output::print(text)?;
    Ok(0)
}

/// Returns the name and text of every page: that of `polyplane` first, then one for each command.
fn pages() -> Result<Vec<(String, String)>, Failure> {
    let mut line = arguments::command().disable_help_subcommand(true);
    line.build();
    let mut all = vec![page("polyplane", line.clone())?];
    for command in line.get_subcommands().filter(|command| !command.is_hide_set()) {
        let name = format!("polyplane-{}", command.get_name());
        all.push(page(&name, command.clone())?);
    }
    Ok(all)
}

fn page(name: &str, command: Command) -> Result<(String, String), Failure> {
    let mut text = Vec::new();
    let written = clap_mangen::Man::new(command).render(&mut text);
    written.map_err(|error| Failure::plain(format!("cannot write the page {name}: {error}")))?;
    Ok((name.to_owned(), String::from_utf8_lossy(&text).into_owned()))
}
