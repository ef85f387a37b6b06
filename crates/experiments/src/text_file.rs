//! Texts that people write, read up to a limit: a file of gigabytes, or a device without an end, is none.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The longest plan, graph or matrix that is read, in bytes: the connections of some hundred thousand hosts.
const LONGEST: u64 = 64 << 20;

/// The text of a file.
///
/// # Errors
/// What the file system says; a text that is too long, or none.
pub fn read_text(path: &Path) -> io::Result<String> {
    read_up_to(File::open(path)?, LONGEST)
}

fn read_up_to(file: impl Read, longest: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.take(longest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > longest {
        return Err(io::Error::other(format!("it is longer than {} MiB", longest >> 20)));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        io::Error::other(format!("it is no text: the byte at {at} is not UTF-8"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_an_end_is_refused_and_not_kept() {
        let refused = read_up_to(io::repeat(b'#'), 1 << 20).expect_err("too long");
        assert_eq!(refused.to_string(), "it is longer than 1 MiB");
        assert_eq!(read_up_to(&b"[topology]"[..], 10).expect("short enough"), "[topology]");
        let refused = read_up_to(&b"seed\xff"[..], 10).expect_err("no text");
        assert_eq!(refused.to_string(), "it is no text: the byte at 4 is not UTF-8");
    }
}
