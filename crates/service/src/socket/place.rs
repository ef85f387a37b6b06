//! The files of control sockets: where they are, and which switches run.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use diagnostics::{Diagnostic, Failure};
use live::Unusable;
use rustix::fs::{Access, FlockOperation, access, flock};
use rustix::io::Errno;

/// The folder of the sockets in each of the places below.
const FOLDER: &str = "polyplane";

/// The places of the sockets of a kind of switches, which lie in the same folders as those of other kinds.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// The end of the names of the files, without the point before it.
    pub ending: &'static str,
    /// The name of one such switch in messages.
    pub what: &'static str,
    /// The command that starts one.
    pub starts: &'static str,
}

/// A listening socket and its file, which is removed when this is dropped.
#[derive(Debug)]
pub struct SocketFile {
    /// The listening socket.
    pub listener: UnixListener,
    path: PathBuf,
    /// The device and number of the file, so that a file that has replaced it is left alone.
    identity: (u64, u64),
}

/// The right of a socket that listens under a hidden name to the place of another one.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
}

/// Returns the folders in which sockets may be, the preferred one first: `$XDG_RUNTIME_DIR/polyplane`, `/run/polyplane` for
/// the superuser, and a folder of the user among temporary files. One that somebody else has made there is left alone.
fn folders() -> Vec<PathBuf> {
    let user = rustix::process::getuid();
    let of_user = std::env::var_os("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let of_root = user.is_root().then(|| PathBuf::from(OF_ROOT));
    let temporary = std::env::temp_dir().join(format!("{FOLDER}-{}", user.as_raw()));
    let is_ours = |folder: &PathBuf| fs::metadata(folder).map_or(true, |metadata| metadata.uid() == user.as_raw());
    of_user.into_iter().chain(of_root).map(|folder| folder.join(FOLDER)).chain([temporary]).filter(is_ours).collect()
}

/// The folder of the sockets of the superuser.
const OF_ROOT: &str = "/run";

/// Returns true if the superuser has a folder of sockets that this user cannot look into.
fn is_hidden_from_us() -> bool {
    !rustix::process::getuid().is_root() && Path::new(OF_ROOT).join(FOLDER).exists()
}

/// Returns the end of a hint about switches that are not seen.
fn of_others(is_hidden: bool) -> &'static str {
    if is_hidden { "; those that the superuser has started are seen and asked as the superuser alone" } else { "" }
}

impl Places {
    /// Returns the usual path of the socket of a switch.
    pub fn usual(&self, name: &str) -> PathBuf {
        let is_usable = |folder: &&PathBuf| folder.parent().is_some_and(Path::is_dir);
        let folders = folders();
        let folder = folders.iter().find(is_usable).or(folders.last()).cloned().unwrap_or_default();
        folder.join(format!("{name}.{}", self.ending))
    }

    /// Returns the socket that a command line names: a path, or the name of a switch, or nothing for the only one that runs.
    ///
    /// # Errors
    /// Fails if no such switch runs, or several do and none is named.
    pub fn named(&self, socket: Option<&Path>) -> Result<PathBuf, Failure> {
        match socket {
            Some(path) if path.components().count() > 1 || path.exists() => Ok(path.to_owned()),
            Some(name) => self.find(name.to_str()),
            None => self.find(None),
        }
    }

    /// Returns the socket of the only switch that runs, or of the one with a name.
    ///
    /// # Errors
    /// Fails if none runs, or several do and no name is given.
    pub fn find(&self, name: Option<&str>) -> Result<PathBuf, Failure> {
        let Self { ending, what, starts } = self;
        let mut running: Vec<PathBuf> = Vec::new();
        for entry in folders().into_iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten() {
            let path = entry.path();
            let is_meant = name.is_none_or(|name| path.file_stem().is_some_and(|stem| stem == name));
            let is_of_kind = path.extension().is_some_and(|own| own == *ending);
            if is_meant && is_of_kind && UnixStream::connect(&path).is_ok() {
                running.push(path);
            }
        }
        running.sort();
        match (&running[..], name) {
            ([only], _) => Ok(only.clone()),
            ([], Some(name)) => {
                let error = Diagnostic::without_place(format!("no {what} called `{name}` runs here"));
                Err(error.hint(of_others(is_hidden_from_us()).trim_start_matches("; ")).into())
            }
            ([], None) => {
                let error = Diagnostic::without_place(format!("no {what} runs here"));
                let hint = format!("`{starts}` starts one; `--socket PATH` names one that runs elsewhere");
                Err(error.hint(format!("{hint}{}", of_others(is_hidden_from_us()))).into())
            }
            _ => {
                let names: Vec<String> = running.iter().map(|path| path.display().to_string()).collect();
                let error = Diagnostic::without_place(format!("{} {what}es run here", running.len()));
                Err(error.hint(format!("name one by `--socket`: {}", names.join(", "))).into())
            }
        }
    }
}

/// The longest path of a socket (unix(7)), with the NUL at its end.
const LONGEST_PATH: usize = 108;
/// The most bytes that the name under which a socket is made has beyond its path: a point and the number of the process.
const HIDDEN: usize = 11;
/// The time for which a start waits for another one to have its socket.
const LONGEST_LOCK: Duration = Duration::from_secs(2);

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Locks a folder against other starts that make a socket in it.
fn lock(folder: &Path) -> io::Result<File> {
    let file = File::open(folder)?;
    let end = Instant::now() + LONGEST_LOCK;
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(Errno::WOULDBLOCK) if Instant::now() < end => std::thread::sleep(Duration::from_millis(2)),
            Err(Errno::WOULDBLOCK) => {
                let text = format!("another program keeps the folder `{}` locked", folder.display());
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, text));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Checks that no switch listens at a path, and nothing but a socket is there.
fn free(path: &Path) -> Result<(), Unusable> {
    short_enough(path)?;
    let other = fs::symlink_metadata(path);
    if other.as_ref().is_ok_and(|other| !is_socket(other)) {
        return Err(Unusable::new(format!("`{}` is there and is no socket", path.display()), ""));
    }
    match UnixStream::connect(path) {
        Ok(_) => {
            let hint = "stop that one, or give this one another name or `--socket`";
            Err(Unusable::new(format!("a switch listens at `{}` already", path.display()), hint))
        }
        // Only a socket at which nobody listens any more is replaced.
        Err(error) if other.is_ok() && error.kind() != io::ErrorKind::ConnectionRefused => {
            Err(Unusable::new(format!("cannot listen at `{}`: it is in use: {error}", path.display()), ""))
        }
        Err(_) => Ok(()),
    }
}

/// Checks that a path of a socket is not longer than the system takes.
fn short_enough(path: &Path) -> Result<(), Unusable> {
    let (length, most) = (path.as_os_str().len(), LONGEST_PATH - HIDDEN - 1);
    if length <= most {
        return Ok(());
    }
    let message = format!(
        "cannot listen at `{}`: a path of a socket has at most {most} bytes, and this one {length}",
        path.display()
    );
    Err(Unusable::new(message, "give the switch a shorter name, or `--socket` with a shorter path"))
}

/// Returns the failure that a place cannot be used.
fn refused(Unusable { message, hint }: Unusable) -> Failure {
    Diagnostic::without_place(message).hint(hint).into()
}

fn is_socket(file: &fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_socket(&file.file_type())
}

impl SocketFile {
    /// Checks that a switch can listen at a path, without doing so.
    ///
    /// # Errors
    /// Returns the reason if a switch listens there, something else is there, or no file can be made.
    pub fn check(path: &Path) -> Result<(), Unusable> {
        let cannot = |why: &str| Unusable::new(format!("cannot listen at `{}`: {why}", path.display()), "");
        free(path)?;
        // The folders that are missing are made in the first one that is there.
        let folder = folder_of(path);
        let there = folder.ancestors().find(|folder| folder.as_os_str().is_empty() || folder.exists());
        let there = there.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !there.is_dir() {
            return Err(cannot(&format!("`{}` is no folder", there.display())));
        }
        access(there, Access::WRITE_OK).map_err(|error| cannot(&format!("`{}`: {error}", there.display())))
    }

    /// Listens at a path, which only the user may connect to. The socket of a switch that was killed is replaced.
    ///
    /// # Errors
    /// Fails if a switch listens there, or the system refuses.
    pub fn listen(path: &Path) -> Result<Self, Failure> {
        short_enough(path).map_err(refused)?;
        let cannot = |error: io::Error| Failure::plain(format!("cannot listen at `{}`: {error}", path.display()));
        let folder = folder_of(path);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(cannot)?;
        // From the look at who listens there until this one does, no other start may do the same: of two at one moment, the
        // second finds the first. The lock is on the folder, so that no file of it is left behind.
        let lock = lock(folder).map_err(cannot)?;
        free(path).map_err(refused)?;
        let file = Self::hidden(path).map_err(cannot)?;
        let renamed = fs::rename(hidden_name(path), path);
        drop(lock);
        renamed.map_err(cannot)?;
        Ok(file)
    }

    /// Listens under a hidden name beside a path where another switch listens, whose place the claim takes later. Whatever can
    /// be wrong with the place is found out now, while the other one is still there.
    ///
    /// # Errors
    /// Fails if something else than a socket is there, or the system refuses.
    pub fn beside(path: &Path) -> Result<(Self, Claim), Failure> {
        short_enough(path).map_err(refused)?;
        let cannot = |error: io::Error| Failure::plain(format!("cannot listen at `{}`: {error}", path.display()));
        if fs::symlink_metadata(path).is_ok_and(|other| !is_socket(&other)) {
            return Err(Failure::plain(format!("`{}` is there and is no socket", path.display())));
        }
        let folder = folder_of(path);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(cannot)?;
        let file = Self::hidden(path).map_err(cannot)?;
        Ok((file, Claim { path: path.to_owned() }))
    }

    /// Listens under the hidden name of a path, so that nobody connects before the permissions are set.
    fn hidden(path: &Path) -> io::Result<Self> {
        let hidden = hidden_name(path);
        let _ = fs::remove_file(&hidden);
        let made = UnixListener::bind(&hidden).and_then(|listener| {
            fs::set_permissions(&hidden, fs::Permissions::from_mode(0o600))?;
            listener.set_nonblocking(true)?;
            let metadata = fs::metadata(&hidden)?;
            Ok(Self { listener, path: path.to_owned(), identity: (metadata.dev(), metadata.ino()) })
        });
        if made.is_err() {
            let _ = fs::remove_file(&hidden);
        }
        made
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Claim {
    /// Takes the place: who connects there from now on reaches this process.
    ///
    /// # Errors
    /// Fails if the system refuses. The socket goes on under its hidden name.
    pub fn take(self) -> Result<(), Failure> {
        let cannot = |error: io::Error| Failure::plain(format!("cannot listen at `{}`: {error}", self.path.display()));
        // The other process does not remove what it has not made, but it looks first and removes then.
        let _lock = lock(folder_of(&self.path)).map_err(cannot)?;
        fs::rename(hidden_name(&self.path), &self.path).map_err(cannot)
    }
}

/// Returns the name under which this process makes the socket of a path.
fn hidden_name(path: &Path) -> PathBuf {
    let mut hidden = path.as_os_str().to_owned();
    hidden.push(format!(".{}", std::process::id()));
    PathBuf::from(hidden)
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        // Without the lock, a socket could be removed that takes this one's place at this moment.
        let _lock = lock(folder_of(&self.path));
        for name in [&self.path, &hidden_name(&self.path)] {
            let is_ours = fs::metadata(name).is_ok_and(|metadata| (metadata.dev(), metadata.ino()) == self.identity);
            if is_ours {
                // What cannot be removed is replaced by the next switch of this name.
                let _ = fs::remove_file(name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_too_long_is_refused_with_its_length() {
        let path = PathBuf::from(format!("/tmp/{}", "x".repeat(92)));
        assert!(short_enough(&path.with_file_name("x".repeat(91))).is_ok());
        let listen = SocketFile::listen(&path).expect_err("it is too long").to_string();
        assert!(listen.contains("a path of a socket has at most 96 bytes, and this one 97"), "{listen}");
        assert!(!path.exists());
    }

    #[test]
    fn switches_of_the_superuser_are_mentioned_where_they_cannot_be_seen() {
        assert!(of_others(true).contains("superuser"));
        assert_eq!(of_others(false), "");
    }
}
