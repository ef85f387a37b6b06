//! Captures into files, which begin with the switch.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::JoinHandle;

use diagnostics::Failure;

use super::CaptureRequest;
use super::queue::ByteQueue;
use super::tap::{Tap, Taps};
use crate::plan::CapturePlan;
use crate::switch::Running;

/// Begins the captures of the switch's plan. Returns the threads that write the files; they end with the captures.
///
/// # Errors
/// Fails if a file cannot be made, or a capture is of a port that is not bound.
pub(crate) fn begin_all(running: &mut Running) -> Result<Vec<JoinHandle<()>>, Failure> {
    let plan = Arc::clone(&running.plan);
    let mut threads = Vec::new();
    for capture in &plan.captures {
        threads.push(begin(running, capture)?);
    }
    Ok(threads)
}

fn begin(running: &mut Running, capture: &CapturePlan) -> Result<JoinHandle<()>, Failure> {
    let ports: Vec<(u16, String)> = running.driver.ports().map(|view| (view.port.0, view.name.to_owned())).collect();
    if let Some(unknown) = capture.ports.iter().find(|port| !ports.iter().any(|(own, _)| own == *port)) {
        return Err(Failure::plain(format!("a capture is of port {unknown}, to which no interface is bound")));
    }
    let cannot = |error| Failure::plain(format!("cannot write {}: {error}", capture.write.display()));
    // Opening a pipe would wait for its reader, and the switch with it.
    if std::fs::metadata(&capture.write).is_ok_and(|other| !other.is_file()) {
        let error = std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is there and is no file");
        return Err(cannot(error));
    }
    let file = File::create(&capture.write).map_err(cannot)?;
    let queue = Arc::new(ByteQueue::new(|| {}));
    let (path, into) = (capture.write.clone(), Arc::clone(&queue));
    let thread = std::thread::Builder::new().name("capture".to_owned()).spawn(move || write(&into, file, &path));
    let CapturePlan { at, ports: of, filter, .. } = capture;
    let request = CaptureRequest { at: at.clone(), ports: of.clone(), filter: filter.clone() };
    let taps = Rc::clone(&running.captures.taps);
    let now = running.driver.now();
    taps.borrow_mut().push(Tap::new(request, &ports, now, queue));
    running.driver.observe(Some(Box::new(Taps::new(taps))));
    thread.map_err(cannot)
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
