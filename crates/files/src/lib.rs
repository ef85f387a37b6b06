//! Reads and writes the files of commands, and prints their results.
//!
//! - [`PlanText`] and [`read_text`] read texts up to a size limit.
//! - [`OutputFolder`] and [`OutputFile`] write results that appear only when they are complete.
//! - A [`Manifest`] records what is needed to reproduce the same bytes.
//! - [`sealed`] files carry a checksum, so that a later run can trust them.
//! - [`console`] writes results to standard output, and everything else to standard error.
//!
//! The crate never knows what the files and results contain.
//!
//! ```
//! use files::sealed;
//!
//! let file = sealed::seal("polyplane journal", 2, b"content");
//! assert_eq!(sealed::open("polyplane journal", 2, &file), Ok(&b"content"[..]));
//! assert_eq!(sealed::open("polyplane journal", 3, &file), Err(sealed::Broken::OtherFormat));
//! assert_eq!(sealed::open("polyplane journal", 2, &file[..20]), Err(sealed::Broken::CutOff));
//! ```

pub mod console;
mod manifest;
mod output_folder;
pub mod sealed;
mod text_file;

pub use manifest::{Fingerprint, Manifest, fingerprint};
pub use output_folder::{Earlier, Finished, OutputFile, OutputFolder, PARTIAL};
pub use text_file::{PlanText, read_text};
