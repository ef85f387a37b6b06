//! The thread that answers requests for metrics.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use diagnostics::Failure;

/// The time that a client has for its request and for taking the answer.
const LONGEST: Duration = Duration::from_secs(5);
/// The most bytes of a request's head.
const LONGEST_HEAD: usize = 8 << 10;
/// The most clients at once; further ones are refused.
const MOST_CLIENTS: usize = 8;

/// The function that makes the text of metrics.
type Text = dyn Fn() -> Option<String> + Send + Sync;

/// Metrics that are being served. Dropping it ends the service.
pub struct MetricsServer {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Listens at an address, where clients wait until they are served.
///
/// # Errors
/// Fails if the address is taken or not ours.
pub fn listen(address: SocketAddr) -> Result<TcpListener, Failure> {
    let cannot = |error: io::Error| Failure::plain(format!("metrics cannot be served at {address}: {error}"));
    TcpListener::bind(address).map_err(cannot)
}

/// Serves metrics, on a thread of its own and one for each client. `text` makes their text when somebody asks; `None` says that
/// there are none any more.
///
/// # Errors
/// Fails if the system has no threads left.
pub fn serve(
    listener: TcpListener,
    text: impl Fn() -> Option<String> + Send + Sync + 'static,
) -> Result<MetricsServer, Failure> {
    let cannot = |error: io::Error| Failure::plain(format!("metrics cannot be served: {error}"));
    let address = listener.local_addr().map_err(cannot)?;
    let is_over = Arc::new(AtomicBool::new(false));
    let over = Arc::clone(&is_over);
    let text: Arc<Text> = Arc::new(text);
    let service = move || {
        let clients = Arc::new(AtomicUsize::new(0));
        for stream in listener.incoming() {
            if over.load(Ordering::Acquire) {
                return;
            }
            let Ok(stream) = stream else {
                // Descriptors have run out, and the client still waits: asking at once would take a core.
                std::thread::sleep(crate::PAUSE);
                continue;
            };
            if clients.fetch_add(1, Ordering::AcqRel) >= MOST_CLIENTS {
                clients.fetch_sub(1, Ordering::AcqRel);
                continue;
            }
            let (text, leaving) = (Arc::clone(&text), Arc::clone(&clients));
            let answered = std::thread::Builder::new().name("metrics client".to_owned()).spawn(move || {
                // A client that breaks off concerns nobody else.
                let _ = answer(stream, &*text);
                leaving.fetch_sub(1, Ordering::AcqRel);
            });
            if answered.is_err() {
                clients.fetch_sub(1, Ordering::AcqRel);
            }
        }
    };
    let thread = std::thread::Builder::new().name("metrics".to_owned()).spawn(service).map_err(cannot)?;
    Ok(MetricsServer { address, is_over, thread: Some(thread) })
}

impl MetricsServer {
    /// Returns the address, with the port that the system chose if 0 was asked for.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for MetricsServer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        // The thread waits for a client: this one.
        if TcpStream::connect_timeout(&self.address, LONGEST).is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

fn answer(mut stream: TcpStream, text: &Text) -> io::Result<()> {
    let deadline = Instant::now() + LONGEST;
    stream.set_write_timeout(Some(LONGEST))?;
    let mut head = Vec::new();
    let (status, body) = loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || head.len() >= LONGEST_HEAD {
            break ("400 Bad Request", String::new());
        }
        stream.set_read_timeout(Some(left))?;
        let mut piece = [0; 1024];
        let count = stream.read(&mut piece)?;
        if count == 0 {
            return Ok(());
        }
        head.extend_from_slice(&piece[..count]);
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut request = httparse::Request::new(&mut headers);
        match request.parse(&head) {
            Ok(httparse::Status::Partial) => {}
            Err(_) => break ("400 Bad Request", String::new()),
            Ok(httparse::Status::Complete(_)) => {
                let path = request.path.unwrap_or_default().split('?').next().unwrap_or_default();
                break match (request.method, path) {
                    (Some("GET"), "/metrics" | "/") => match text() {
                        Some(text) => ("200 OK", text),
                        None => ("503 Service Unavailable", String::new()),
                    },
                    (Some("GET"), _) => ("404 Not Found", "metrics are at /metrics\n".to_owned()),
                    _ => ("405 Method Not Allowed", String::new()),
                };
            }
        }
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    )
}
