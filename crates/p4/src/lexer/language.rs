//! The parts of P4 that the preprocessor has to know.

use preprocessor::{Complaint, Header, Language, Limits};

use super::libraries;
use crate::limits::{MOST_INCLUDES, MOST_TOKENS};
use crate::token::PUNCTUATORS;

/// P4_16 requires only a part of C's preprocessor (P4_16 1.2.5, section 6.2); Polyplane supports all of it.
pub(super) const LANGUAGE: Language = Language {
    punctuators: &PUNCTUATORS,
    // P4 has no fractions, and `1..2` is a range.
    fractions: false,
    // P4_16 1.2.5, section 6.4.3.3.
    strings_of_lines: true,
    characters: None,
    plain_macros: false,
    header,
    no_such_file,
    how_to_include: "write `#include <core.p4>` or `#include \"name.p4\"`",
    limits: Limits { tokens: MOST_TOKENS, includes: MOST_INCLUDES },
};

/// Returns a header that comes with Polyplane. These headers are our own: they declare what the language specification
/// and the documentation of the architectures allow programs to use.
fn header(name: &str) -> Option<Header> {
    match name {
        "core.p4" => Some(Header::Text(include_str!("../../include/core.p4"))),
        _ => arch::ALL.iter().find_map(|own| own.header.file(name)).map(Header::Text),
    }
}

fn no_such_file(name: &str, is_quoted: bool) -> Complaint {
    let hint = libraries::instead_of(name).unwrap_or_else(|| match is_quoted {
        true => "the path counts from the folder of the file that includes it, or from a folder of `-I`".to_owned(),
        false => format!("known are <{}> and what the folders of `-I` hold", libraries::headers().join(">, <")),
    });
    Complaint::new(format!("`{name}` cannot be included: there is no such file"), &hint)
}
