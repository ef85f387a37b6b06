//! Determines the language of a program from the extension of its file or, if the name has none (`-`, a pipe), from its
//! text.

use std::path::Path;

use diagnostics::Diagnostic;
use p4::Disk;

use diagnostics::Failure;

/// A language in which programs are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// P4_16.
    P4,
    /// Domino.
    Domino,
    /// Microcode.
    Microcode,
    /// The text form of the IR, of a program or of a pipeline.
    Ir,
    /// An image: a program of threads that has been compiled for Trio.
    Image,
}

/// The extensions of the files of programs.
const ENDINGS: [(&str, Language); 5] = [
    ("p4", Language::P4),
    ("c", Language::Domino),
    ("mc", Language::Microcode),
    ("ir", Language::Ir),
    ("img", Language::Image),
];

/// Keywords which, followed by a name, begin a line of P4 and of no other language here.
const DECLARATIONS_OF_P4: [&str; 5] = ["control", "parser", "header", "package", "extern"];

impl Language {
    /// Returns the language of the program in a file, by the extension of its name or, if there is none, by its text.
    ///
    /// # Errors
    /// If neither shows the language, or the file cannot be read. Guessing would lead to errors that do not help.
    pub fn of(path: &Path) -> Result<Self, Failure> {
        if path.extension().is_some() || path.is_dir() {
            return Self::of_name(path);
        }
        let text = Disk.text(path);
        let text = text.map_err(|reason| Failure::plain(format!("`{}` cannot be read: {reason}", path.display())))?;
        Self::of_text(path, &text)
    }

    /// Returns the language of a program with a name and a text, by the extension of the name or, if there is none, by
    /// the text.
    ///
    /// # Errors
    /// If neither shows the language.
    pub fn of_named(name: &Path, text: &str) -> Result<Self, Failure> {
        if name.extension().is_some() { Self::of_name(name) } else { Self::of_text(name, text) }
    }

    fn of_name(path: &Path) -> Result<Self, Failure> {
        let found = ENDINGS.iter().find(|(ending, _)| path.extension().is_some_and(|own| own == *ending));
        let hint = "names of programs end in .p4 (P4_16), .c (Domino), .mc (Microcode), .ir (the IR's text) or .img (an image)";
        found.map(|(_, language)| *language).ok_or_else(|| unclear(path, hint))
    }

    fn of_text(path: &Path, text: &str) -> Result<Self, Failure> {
        let hint = "a P4 program includes core.p4 or v1model.p4 or declares a parser or control, a Domino program has a \
            function (`void`), a Microcode program has instructions (`begin`), the IR's text begins with `program`; or name a \
            file that ends in .p4, .c, .mc or .ir";
        Self::found_in(text).ok_or_else(|| unclear(path, hint))
    }

    fn found_in(text: &str) -> Option<Self> {
        let code = without_comments(text);
        let lines = || code.lines().map(str::trim).filter(|line| !line.is_empty());
        let first = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
        match lines().next().map(first).as_deref() {
            Some("program" | "pipeline") => Some(Self::Ir),
            _ if lines().any(is_of_p4) => Some(Self::P4),
            // Subroutines of Microcode are `void`, too.
            _ if code.split_whitespace().any(|word| word == "begin") => Some(Self::Microcode),
            _ if lines().any(|line| first(line) == "void") => Some(Self::Domino),
            _ => None,
        }
    }
}

fn unclear(path: &Path, hint: &str) -> Failure {
    Diagnostic::without_place(format!("cannot tell the language of `{}`", path.display())).hint(hint).into()
}

fn is_of_p4(line: &str) -> bool {
    if let Some(directive) = line.strip_prefix('#') {
        return directive.trim_start().starts_with("include") && directive.contains(".p4");
    }
    let declares = |word: &&str| {
        let behind = line.strip_prefix(*word).filter(|rest| rest.starts_with(char::is_whitespace));
        behind.is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_alphabetic() || c == '_'))
    };
    let package = |own: &arch::Package| line.strip_prefix(own.name).is_some_and(|rest| rest.starts_with('('));
    DECLARATIONS_OF_P4.iter().any(declares) || arch::ALL.iter().flat_map(|known| known.packages).any(package)
}

/// Returns the text without comments, which may contain anything.
fn without_comments(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['/', '"']) {
        code.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            code.push(' ');
            rest.get(2..).and_then(|inner| inner.find("*/")).map_or(rest.len(), |end| end + 4)
        } else if let Some(inner) = rest.strip_prefix('"') {
            // A string ends at the end of its line at the latest.
            let length = inner.find(['"', '\n']).map_or(rest.len(), |end| end + 2);
            code.push_str(&rest[..length]);
            length
        } else {
            code.push('/');
            1
        };
        rest = &rest[length..];
    }
    code + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_found_in_the_text() {
        for (text, language) in [
            ("#include <core.p4>\n", Some(Language::P4)),
            ("# include \"v1model.p4\"\n", Some(Language::P4)),
            ("/* void f() */ control c(inout bit<8> x) { apply { } }", Some(Language::P4)),
            ("header ethernet_t { bit<48> dst; }\nvoid", Some(Language::P4)),
            ("struct Packet { int control; };\nvoid f(struct Packet p) { }", Some(Language::Domino)),
            ("// control c\n#include \"x.h\"\nvoid f(struct Packet p) { control = 1; }", Some(Language::Domino)),
            ("// parser p\nprogram counter\n", Some(Language::Ir)),
            ("#define URL \"http://x /*\"\nvoid f(struct Packet p) { }", Some(Language::Domino)),
            ("// count\nreason r;\non packet goto f;\nvoid f() { l: begin exit; end }", Some(Language::Microcode)),
            ("/* begin */\nvoid f(struct Packet p) { p.beginning = 1; }", Some(Language::Domino)),
            ("/* void f() { }", None),
            ("/", None),
            ("\"", None),
            ("/*/\nvoid", None),
            ("// void é", None),
            ("", None),
        ] {
            assert_eq!(Language::found_in(text), language, "{text}");
        }
    }
}
