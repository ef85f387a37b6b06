//! Captures into files, which begin with the node.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use diagnostics::Failure;

use super::queue::ByteQueue;
use super::{CaptureRequest, add};
use crate::run::Running;

/// Begins a capture into a file. Returns the thread that writes the file; it ends with the capture.
///
/// # Errors
/// Fails if the file cannot be made, or a port of the request is not bound.
pub fn begin_into_file<R: Running>(
    running: &mut R,
    request: CaptureRequest<R::Point>,
    file: &Path,
) -> Result<JoinHandle<()>, Failure> {
    let cannot = |error| Failure::plain(format!("cannot write {}: {error}", file.display()));
    // Opening a pipe would wait for its reader, and the node with it.
    if std::fs::metadata(file).is_ok_and(|other| !other.is_file()) {
        let error = std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is there and is no file");
        return Err(cannot(error));
    }
    let queue = Arc::new(ByteQueue::new(|| {}));
    add(running, request, Arc::clone(&queue))?;
    let path = file.to_owned();
    let written = File::create(file).and_then(|file| {
        let into = Arc::clone(&queue);
        std::thread::Builder::new().name("capture".to_owned()).spawn(move || write(&into, file, &path))
    });
    written.map_err(|error| {
        queue.abandon();
        cannot(error)
    })
}

/// Writes what is captured until the capture ends or the file cannot be written, which is said once.
fn write(queue: &ByteQueue, file: File, path: &Path) {
    let mut out = BufWriter::new(file);
    while let Some(bytes) = queue.wait() {
        if let Err(error) = out.write_all(&bytes).and_then(|()| out.flush()) {
            files::console::tell(&format!("the capture {} has ended: {error}\n", path.display()));
            return queue.abandon();
        }
    }
}
