//! The files of control sockets: where they are, and which switches run.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use diagnostics::{Diagnostic, Failure};

/// The folder of the sockets in each of the places below.
const FOLDER: &str = "polyplane";
/// The end of the name of a socket's file.
const ENDING: &str = "sock";

/// A listening socket and its file, which is removed when this is dropped.
#[derive(Debug)]
pub struct SocketFile {
    /// The listening socket.
    pub listener: UnixListener,
    path: PathBuf,
    /// The device and number of the file, so that a file that has replaced it is left alone.
    identity: (u64, u64),
}

/// Returns the folders in which sockets may be, the preferred one first: `$XDG_RUNTIME_DIR/polyplane`, `/run/polyplane` for
/// the superuser, and a folder of the user among temporary files. One that somebody else has made there is left alone.
fn folders() -> Vec<PathBuf> {
    let user = rustix::process::getuid();
    let of_user = std::env::var_os("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let of_root = user.is_root().then(|| PathBuf::from("/run"));
    let temporary = std::env::temp_dir().join(format!("{FOLDER}-{}", user.as_raw()));
    let is_ours = |folder: &PathBuf| fs::metadata(folder).map_or(true, |metadata| metadata.uid() == user.as_raw());
    of_user.into_iter().chain(of_root).map(|folder| folder.join(FOLDER)).chain([temporary]).filter(is_ours).collect()
}

/// Returns the usual path of the socket of a switch.
pub fn usual(name: &str) -> PathBuf {
    let is_usable = |folder: &&PathBuf| folder.parent().is_some_and(Path::is_dir);
    let folders = folders();
    let folder = folders.iter().find(is_usable).or(folders.last()).cloned().unwrap_or_default();
    folder.join(format!("{name}.{ENDING}"))
}

/// Returns the socket of the only switch that runs, or of the one with a name.
///
/// # Errors
/// Fails if none runs, or several do and no name is given.
pub fn find(name: Option<&str>) -> Result<PathBuf, Failure> {
    let mut running: Vec<PathBuf> = Vec::new();
    for entry in folders().into_iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten() {
        let path = entry.path();
        let is_meant = name.is_none_or(|name| path.file_stem().is_some_and(|stem| stem == name));
        if is_meant && path.extension().is_some_and(|ending| ending == ENDING) && UnixStream::connect(&path).is_ok() {
            running.push(path);
        }
    }
    running.sort();
    match (&running[..], name) {
        ([only], _) => Ok(only.clone()),
        ([], Some(name)) => Err(Failure::plain(format!("no switch called `{name}` runs here"))),
        ([], None) => {
            let error = Diagnostic::without_place("no switch runs here");
            Err(error
                .hint("`polyplane live switch.toml` starts one; `--socket PATH` names one that runs elsewhere")
                .into())
        }
        _ => {
            let names: Vec<String> = running.iter().map(|path| path.display().to_string()).collect();
            let error = Diagnostic::without_place(format!("{} switches run here", running.len()));
            Err(error.hint(format!("name one by `--socket`: {}", names.join(", "))).into())
        }
    }
}

fn is_socket(file: &fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_socket(&file.file_type())
}

impl SocketFile {
    /// Listens at a path, which only the user may connect to. The socket of a switch that was killed is replaced.
    ///
    /// # Errors
    /// Fails if a switch listens there, or the system refuses.
    pub fn listen(path: &Path) -> Result<Self, Failure> {
        let cannot = |error: io::Error| Failure::plain(format!("cannot listen at `{}`: {error}", path.display()));
        let connected = UnixStream::connect(path);
        if let Err(error) = &connected
            && !matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound)
            && fs::symlink_metadata(path).is_ok_and(|other| is_socket(&other))
        {
            // Only a socket at which nobody listens any more is replaced.
            return Err(cannot(io::Error::new(error.kind(), format!("it is in use: {error}"))));
        }
        if connected.is_ok() {
            let error = Diagnostic::without_place(format!("a switch listens at `{}` already", path.display()));
            return Err(error
                .hint("stop it by `polyplane live stop`, or give this one another name or `--socket`")
                .into());
        }
        if let Ok(other) = fs::symlink_metadata(path)
            && !is_socket(&other)
        {
            return Err(Failure::plain(format!("`{}` is there and is no socket", path.display())));
        }
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(cannot)?;
        }
        // Made under another name, so that nobody connects before the permissions are set.
        let mut hidden = path.as_os_str().to_owned();
        hidden.push(format!(".{}", std::process::id()));
        let hidden = PathBuf::from(hidden);
        let _ = fs::remove_file(&hidden);
        let made = UnixListener::bind(&hidden).and_then(|listener| {
            fs::set_permissions(&hidden, fs::Permissions::from_mode(0o600))?;
            listener.set_nonblocking(true)?;
            fs::rename(&hidden, path)?;
            let metadata = fs::metadata(path)?;
            Ok((listener, (metadata.dev(), metadata.ino())))
        });
        match made {
            Ok((listener, identity)) => Ok(Self { listener, path: path.to_owned(), identity }),
            Err(error) => {
                let _ = fs::remove_file(&hidden);
                Err(cannot(error))
            }
        }
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let is_ours = fs::metadata(&self.path).is_ok_and(|metadata| (metadata.dev(), metadata.ino()) == self.identity);
        if is_ours {
            // What cannot be removed is replaced by the next switch of this name.
            let _ = fs::remove_file(&self.path);
        }
    }
}
