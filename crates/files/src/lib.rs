//! Files that commands read and write: plans up to a limit, folders that appear whole, manifests that say what it takes to
//! make the same bytes again, and files that a later run trusts.

mod manifest;
mod output_folder;
pub mod sealed;
mod text_file;

pub use manifest::{Fingerprint, Manifest, fingerprint};
pub use output_folder::{Earlier, Finished, OutputFile, OutputFolder, PARTIAL};
pub use text_file::{PlanText, read_text};
