//! The public programs of the P4 compiler's repository, where they are: `P4C=<a checkout>`.
#![allow(dead_code, reason = "each test file is a crate of its own and uses some of these")]

use std::fs;
use std::path::{Path, PathBuf};

pub fn checkout() -> PathBuf {
    PathBuf::from(std::env::var("P4C").expect("P4C names a checkout of the compiler's repository"))
}

/// Where the programs find what they include.
pub fn search_paths() -> Vec<String> {
    let folders = ["", "bmv2", "dpdk", "tc"];
    folders.iter().map(|folder| checkout().join("p4include").join(folder).to_string_lossy().into_owned()).collect()
}

pub fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    // A checkout may hold links to what it does not hold.
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "p4") && path.exists());
    paths.sort();
    paths
}

/// The file system, in which the headers that we have ourselves are not found.
pub struct WithoutOurHeaders;

impl p4::Files for WithoutOurHeaders {
    fn read(&self, path: &str) -> Result<Option<String>, String> {
        let ours = path.contains("p4include") && matches!(last_part(path), "core.p4" | "v1model.p4");
        if ours { Ok(None) } else { p4::Disk.read(path) }
    }
}

pub fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
