//! Words as bytes.

mod bits;
mod layout;
mod operation;
mod word;

use std::fmt;

pub(crate) use layout::{Layout, MOST_WORDS};

use self::bits::{Reader, Writer};
use crate::parameters::Parameters;
use crate::word::Word;

/// The reason why bytes are not those of a word or an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage(pub String);

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Damage {}

/// Returns the bytes of a word. All words of a program have the same number.
///
/// # Errors
/// If the word has more than such words have.
pub(crate) fn encode(word: &Word, layout: &Layout, parameters: &Parameters) -> Result<Vec<u8>, Damage> {
    let mut writer = Writer::default();
    word::word(&mut writer, word, layout, parameters)?;
    Ok(writer.into_bytes())
}

/// Returns the word that some bytes are.
///
/// # Errors
/// If they are not those of a word.
pub(crate) fn decode(bytes: &[u8], layout: &Layout, parameters: &Parameters) -> Result<Word, Damage> {
    word::word(&mut Reader::new(bytes), &Word::default(), layout, parameters)
}
