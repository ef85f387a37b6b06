//! What the preprocessor has to know of P4.

use preprocessor::{Complaint, Header, Language, Limits};

use super::libraries;
use crate::limits::{MOST_INCLUDES, MOST_TOKENS};
use crate::token::PUNCTUATORS;

/// The preprocessor of P4_16 is a part of C's (P4_16 1.2.5, section 6.2); here it is all of it.
pub(super) const LANGUAGE: Language = Language {
    punctuators: &PUNCTUATORS,
    // There are none, and `1..2` is a range.
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

/// The headers that Polyplane brings along. They are our own: what they declare is what the language specification and
/// the documentation of v1model say that programs may use.
fn header(name: &str) -> Option<Header> {
    match name {
        "core.p4" => Some(Header::Text(include_str!("../../include/core.p4"))),
        _ => {
            let header =
                arch::ALL.iter().map(|architecture| &architecture.header).find(|header| header.name == name)?;
            Some(Header::Text(header.text))
        }
    }
}

fn no_such_file(name: &str, is_quoted: bool) -> Complaint {
    let hint = libraries::instead_of(name).unwrap_or_else(|| match is_quoted {
        true => "the path counts from the folder of the file that includes it, or from a folder of `-I`".to_owned(),
        false => format!("known are <{}> and what the folders of `-I` hold", libraries::headers().join(">, <")),
    });
    Complaint::new(format!("`{name}` cannot be included: there is no such file"), &hint)
}
