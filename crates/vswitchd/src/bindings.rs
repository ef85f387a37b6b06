//! The bindings of pools in a file, with which a switch goes on that is started after another one was killed.
//!
//! Each binding has a place of its own, which is written when it begins and cleared when it ends, before a packet leaves by which somebody
//! could come to know it. What a process has written stays there however it ends. `docs/vswitch/upgrade.md` describes the bytes.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use diagnostics::{Diagnostic, Failure};
use vswitch::bindings::{Binding, BindingChange, LENGTH};
use vswitch::session::FlowKey;

/// The first bytes of the file, behind which the version follows; zeros fill the place of a binding.
const MAGIC: [u8; 8] = *b"VSWBIND\0";
const VERSION: u16 = 1;

/// A file of bindings that is written.
pub(crate) struct BindingsFile {
    path: PathBuf,
    /// The name that the file has until it takes the place of an earlier one.
    hidden: PathBuf,
    file: File,
    /// The place of each binding, by the key of its replies.
    places: BTreeMap<FlowKey, u64>,
    /// The places of bindings that have ended, and the number of those that were ever used.
    free: Vec<u64>,
    used: u64,
}

/// Reads the bindings in a file; none if there is no file. Those that were not written to their end are left out.
///
/// # Errors
/// Fails if the system refuses to read it, or if it is another file or one of a newer version.
pub(crate) fn read(path: &Path) -> Result<Vec<Binding>, Failure> {
    let name = path.display();
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Failure::plain(format!("the bindings in `{name}` cannot be read: {error}"))),
    };
    let places = bytes.chunks_exact(LENGTH);
    if !bytes.starts_with(&MAGIC) || places.len() == 0 {
        let error = Diagnostic::without_place(format!("`{name}` is no file of bindings"));
        return Err(error.hint("name another file, or remove this one").into());
    }
    let version = u16::from_be_bytes([bytes[MAGIC.len()], bytes[MAGIC.len() + 1]]);
    if version != VERSION {
        let message =
            format!("the bindings in `{name}` are of version {version}, and this switch reads version {VERSION}");
        return Err(Diagnostic::without_place(message).hint("remove the file: what it has is lost then").into());
    }
    Ok(places.skip(1).filter_map(|place| Binding::read(place.try_into().ok()?)).collect())
}

impl BindingsFile {
    /// Begins a file that is to take the place of the one at a path, which stays as it is until [`Self::take_place`].
    ///
    /// # Errors
    /// Fails if the system refuses.
    pub fn beside(path: &Path) -> Result<Self, Failure> {
        let mut hidden = path.as_os_str().to_owned();
        hidden.push(".new");
        let hidden = PathBuf::from(hidden);
        let cannot =
            |error| Failure::plain(format!("the bindings cannot be written to `{}`: {error}", hidden.display()));
        let open = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&hidden);
        let file = open.map_err(cannot)?;
        let mut header = [0; LENGTH];
        header[..MAGIC.len()].copy_from_slice(&MAGIC);
        header[MAGIC.len()..MAGIC.len() + 2].copy_from_slice(&VERSION.to_be_bytes());
        file.write_all_at(&header, 0).map_err(cannot)?;
        Ok(Self { path: path.to_owned(), hidden, file, places: BTreeMap::new(), free: Vec::new(), used: 0 })
    }

    /// Writes changes.
    ///
    /// # Errors
    /// Returns the error of the system. The file is not to be believed any more then.
    pub fn record(&mut self, changes: impl Iterator<Item = BindingChange>) -> io::Result<()> {
        for BindingChange { binding, has_begun } in changes {
            let Binding([_, reply]) = binding;
            if has_begun {
                let Self { places, free, used, .. } = self;
                let place = *places.entry(reply).or_insert_with(|| {
                    free.pop().unwrap_or_else(|| {
                        *used += 1;
                        *used
                    })
                });
                self.file.write_all_at(&binding.bytes(), place * LENGTH as u64)?;
            } else if let Some(place) = self.places.remove(&reply) {
                self.file.write_all_at(&[0; LENGTH], place * LENGTH as u64)?;
                self.free.push(place);
            }
        }
        Ok(())
    }

    /// Takes the place of the file that was there before.
    ///
    /// # Errors
    /// Returns the error of the system.
    pub fn take_place(&self) -> io::Result<()> {
        fs::rename(&self.hidden, &self.path)
    }

    /// Removes the file, which is not to be believed any more.
    pub fn remove(self) {
        // If that fails as well, nothing better can be done: the message about the first error names the file.
        let _ = fs::remove_file(&self.path);
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(port: u16, has_begun: bool) -> BindingChange {
        let addresses = ["10.0.0.1", "203.0.113.9"].map(|text| text.parse().expect("an address"));
        let key = FlowKey::new(7001, addresses, 6, [port, 80]);
        let seen = key.with_vni(0).with_source(0xFFFF_C633_6401, port);
        BindingChange { binding: Binding([key, seen.reversed()]), has_begun }
    }

    fn ports(path: &Path) -> Vec<u16> {
        let bindings = read(path).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        bindings.iter().map(|Binding([key, _])| key.ports()[0]).collect()
    }

    #[test]
    fn places_are_used_again_and_what_was_not_written_to_its_end_is_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("host.bindings");
        assert!(ports(&path).is_empty());
        let mut file = BindingsFile::beside(&path).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        assert!(ports(&path).is_empty(), "it has not taken its place");
        file.take_place().expect("a folder of ours");
        let begin = [1, 2, 3].map(|port| change(port, true));
        file.record(begin.into_iter()).expect("there is room");
        assert_eq!(ports(&path), [1, 2, 3]);
        file.record([change(2, false), change(9, false), change(4, true), change(3, true)].into_iter())
            .expect("there is room");
        assert_eq!((ports(&path), fs::metadata(&path).expect("it is there").len()), (vec![1, 4, 3], 4 * LENGTH as u64));
        // The process ended while it wrote the last one.
        let whole = fs::read(&path).expect("it can be read");
        fs::write(&path, &whole[..whole.len() - 1]).expect("it can be written");
        assert_eq!(ports(&path), [1, 4]);
        let mut damaged = whole;
        damaged[LENGTH + 20] ^= 1;
        fs::write(&path, &damaged).expect("it can be written");
        assert_eq!(ports(&path), [4, 3]);
    }

    #[test]
    fn other_files_and_newer_versions_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("host.bindings");
        let refused = |bytes: &[u8]| {
            fs::write(&path, bytes).expect("it can be written");
            read(&path).expect_err("it is refused").render(false)
        };
        assert!(refused(b"name = \"host\"").contains("is no file of bindings"));
        assert!(refused(b"").contains("is no file of bindings"));
        let mut newer = [0; LENGTH];
        newer[..9].copy_from_slice(b"VSWBIND\0\x01");
        assert!(refused(&newer).contains("are of version 256, and this switch reads version 1"));
    }
}
