//! The pages of the manual as a reader of commands sees them: blocks of code, and the comments that say of a block what
//! cannot be seen in it.
//!
//! - `<!-- file: NAME -->` above a block: it is the file NAME, which commands further down the page read.
//! - `<!-- file: NAME`, lines, `-->`: a file that the page does not show.
//! - `<!-- not run: WHY -->` above a block: what its commands print is not compared, and why that is so.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders whose pages are read, beside the project's own.
const FOLDERS: [&str; 4] = ["docs", "crates", "programs", "experiments"];

/// A page of the manual.
pub struct Page {
    /// Its path from the project's folder on.
    pub name: String,
    /// What is in it, in order.
    pub parts: Vec<Part>,
}

/// Something of a page.
pub enum Part {
    /// A file that commands read.
    File {
        /// Its name.
        name: String,
        /// What it holds.
        text: String,
    },
    /// A block of code.
    Block {
        /// The line of the page that the block begins after, from 1.
        line: usize,
        /// Its lines.
        lines: Vec<String>,
        /// Why its commands are not run, if they are not.
        not_run: Option<String>,
    },
}

/// A command of a block and what it prints there.
pub struct Shown {
    /// The words after `polyplane`.
    pub words: Vec<String>,
    /// The lines below it.
    pub output: Vec<String>,
}

/// Every page of the project, in order of its path.
pub fn pages(project: &Path) -> Vec<Page> {
    let mut files: Vec<PathBuf> = Vec::new();
    let top = fs::read_dir(project).expect("the project's folder can be read");
    files.extend(top.map(|entry| entry.expect("an entry can be read").path()).filter(|path| is_page(path)));
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|folder| project.join(folder)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the project can be read") {
            let path = entry.expect("an entry can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if is_page(&path) {
                files.push(path);
            }
        }
    }
    files.sort();
    let page = |path: PathBuf| {
        let name = path.strip_prefix(project).expect("it lies in the project").display().to_string();
        let text = fs::read_to_string(&path).expect("a page is text");
        Page { parts: parts(&name, &text), name }
    };
    files.into_iter().map(page).collect()
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "md") && path.is_file()
}

fn parts(page: &str, text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    // What the last comment said of the block that follows.
    let (mut file, mut not_run) = (None, None);
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let mut until = |end: &str| -> Vec<String> {
            let mut taken = Vec::new();
            for (_, line) in lines.by_ref() {
                if line.trim() == end {
                    return taken;
                }
                taken.push(line.to_owned());
            }
            panic!("{page}:{}: no `{end}` ends this", number + 1);
        };
        if let Some(name) = line.strip_prefix("<!-- file: ") {
            match name.strip_suffix(" -->") {
                Some(name) => file = Some(name.to_owned()),
                None => parts.push(Part::File { name: name.to_owned(), text: until("-->").join("\n") + "\n" }),
            }
        } else if let Some(why) = line.strip_prefix("<!-- not run: ") {
            let why = why.strip_suffix(" -->").unwrap_or_else(|| panic!("{page}:{}: one line", number + 1));
            assert!(why.split_whitespace().count() >= 3, "{page}:{}: say why", number + 1);
            not_run = Some(why.to_owned());
        } else if line.starts_with("```") {
            let lines = until("```");
            match file.take() {
                Some(name) => parts.push(Part::File { name, text: lines.join("\n") + "\n" }),
                None => parts.push(Part::Block { line: number + 1, lines, not_run: not_run.take() }),
            }
        } else if !line.trim().is_empty() {
            assert!(file.is_none() && not_run.is_none(), "{page}:{}: a comment that no block follows", number + 1);
        }
    }
    parts
}

/// The commands of a block that are shown with what they print: lines that begin with `$ polyplane`.
pub fn shown(lines: &[String]) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    for line in lines {
        match (line.strip_prefix("$ polyplane "), all.last_mut()) {
            (Some(command), _) => {
                all.push(Shown { words: command.split_whitespace().map(str::to_owned).collect(), output: Vec::new() });
            }
            (None, Some(last)) => last.output.push(line.clone()),
            (None, None) => {}
        }
    }
    all
}

/// The words of every command in a block, with `$` before it or without; what a shell reads as a comment or as its own
/// is left out, and a line that ends in `\` goes on in the next.
pub fn commands(lines: &[String]) -> Vec<Vec<String>> {
    let joined = lines.join("\n").replace("\\\n", " ");
    let command = |line: &str| {
        let line = line.trim_start().trim_start_matches("$ ").trim_start_matches("target/release/");
        let rest = line.strip_prefix("polyplane ")?;
        let words = rest.split_whitespace().take_while(|word| !matches!(*word, "#" | "|" | ">" | "&" | "&&"));
        Some(words.map(str::to_owned).collect())
    };
    joined.lines().filter_map(command).collect()
}
