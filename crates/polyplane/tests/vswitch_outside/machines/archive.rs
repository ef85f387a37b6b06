//! What a machine boots: the kernel, and an archive with busybox, iperf3, and the drivers of its network card.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// The first program of a machine: it loads the drivers, and runs each line that comes by the serial line then. Drivers need others, so
/// that they are tried in several rounds. A descriptor that never ends is there for programs that are to read nothing.
const FIRST: &str = "#!/bin/sh\n\
    /bin/busybox --install -s /bin\n\
    mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev\n\
    for round in 1 2 3; do for module in /modules/*.ko; do insmod $module 2> /dev/null; done; done\n\
    mkfifo /tmp/quiet; exec 9<>/tmp/quiet </dev/ttyS0 >/dev/ttyS0 2>&1\n\
    stty -echo\n\
    echo READY\n\
    while true; do read -r line && eval \"$line\"; done\n";

/// The files that machines boot from, in a folder that is removed.
pub struct Kit {
    pub kernel: PathBuf,
    pub archive: PathBuf,
    _folder: TempDir,
}

impl Kit {
    /// Makes the archive. Returns what is missing if something is.
    pub fn new() -> Result<Self, String> {
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("two folders deep");
        let unpacked = project.join("target/guest-kernel");
        let kernel = unpacked.join("vmlinuz");
        if !kernel.is_file() {
            return Err(
                "there is no kernel in target/guest-kernel (`make vswitch-outside` unpacks Debian's)".to_owned()
            );
        }
        let mut archive = Archive::default();
        for folder in ["bin", "dev", "modules", "proc", "sys", "tmp"] {
            archive.add(folder, 0o040755, &[]);
        }
        archive.add("bin/sh", 0o120777, b"busybox");
        for program in ["busybox", "iperf3"] {
            archive.add_program(program)?;
        }
        for module in modules(&unpacked)? {
            let name = module.file_name().unwrap_or_default().to_string_lossy();
            archive.add(&format!("modules/{name}"), 0o100644, &read(&module)?);
        }
        archive.add("init", 0o100755, FIRST.as_bytes());
        archive.add("TRAILER!!!", 0, &[]);
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let path = folder.path().join("archive");
        fs::write(&path, &archive.bytes).map_err(|error| error.to_string())?;
        Ok(Self { kernel, archive: path, _folder: folder })
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the drivers that were unpacked with the kernel.
fn modules(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    Ok(paths.filter(|path| path.extension().is_some_and(|extension| extension == "ko")).collect())
}

/// An archive in the format `newc` of cpio (Documentation/driver-api/early-userspace/buffer-format.rst of Linux).
#[derive(Default)]
struct Archive {
    bytes: Vec<u8>,
    names: BTreeSet<String>,
}

impl Archive {
    /// Adds a program of this computer, with the libraries that it is linked with, where they are here.
    fn add_program(&mut self, name: &str) -> Result<(), String> {
        let path = said(Command::new("sh").args(["-c", &format!("command -v {name}")]));
        self.add(&format!("bin/{name}"), 0o100755, &read(Path::new(path.trim()))?);
        let linked = said(Command::new("ldd").arg(path.trim()));
        for library in linked.split_whitespace().filter_map(|word| word.strip_prefix('/')) {
            let parts: Vec<&str> = library.split('/').collect();
            for folder in (1..parts.len()).map(|length| parts[..length].join("/")) {
                self.add(&folder, 0o040755, &[]);
            }
            self.add(library, 0o100755, &read(&Path::new("/").join(library))?);
        }
        Ok(())
    }

    /// Adds a file with its mode, a folder, or a symbolic link whose content is where it leads, if there is none of that name yet.
    fn add(&mut self, name: &str, mode: u32, content: &[u8]) {
        if !self.names.insert(name.to_owned()) {
            return;
        }
        let fields = [1, mode, 0, 0, 1, 0, content.len() as u32, 0, 0, 0, 0, name.len() as u32 + 1, 0];
        self.bytes.extend_from_slice(b"070701");
        fields.iter().for_each(|field| self.bytes.extend_from_slice(format!("{field:08x}").as_bytes()));
        for part in [&[name.as_bytes(), &[0]].concat(), content] {
            self.bytes.extend_from_slice(part);
            self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        }
    }
}

/// Returns what a command prints, whether it succeeds or not: `ldd` fails for a program that is linked with nothing.
fn said(command: &mut Command) -> String {
    let output = command.output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&output).into_owned()
}
