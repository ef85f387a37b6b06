//! The connections of controllers: a limited number of them.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_stream::Stream;
use tonic::transport::server::{Connected, TcpConnectInfo};

/// The most connections at once; more are closed.
const MOST_CONNECTIONS: usize = 128;

/// The connections that arrive at a listener.
pub struct Connections {
    listener: TcpListener,
    free: Arc<Semaphore>,
}

/// A connection, one of a limited number.
pub struct Connection {
    stream: TcpStream,
    _place: OwnedSemaphorePermit,
}

impl Connections {
    /// Returns the connections that arrive at a listener.
    pub fn new(listener: TcpListener) -> Self {
        Self { listener, free: Arc::new(Semaphore::new(MOST_CONNECTIONS)) }
    }
}

impl Stream for Connections {
    type Item = io::Result<Connection>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let stream = match self.listener.poll_accept(context) {
                Poll::Ready(Ok((stream, _))) => stream,
                Poll::Ready(Err(error)) => return Poll::Ready(Some(Err(error))),
                Poll::Pending => return Poll::Pending,
            };
            // A connection too many is closed at once.
            let Ok(place) = Arc::clone(&self.free).try_acquire_owned() else { continue };
            // Answers are not to wait for acknowledgements of those before. A connection that is over already has no options.
            let _ = stream.set_nodelay(true);
            return Poll::Ready(Some(Ok(Connection { stream, _place: place })));
        }
    }
}

impl Connected for Connection {
    type ConnectInfo = TcpConnectInfo;

    fn connect_info(&self) -> TcpConnectInfo {
        self.stream.connect_info()
    }
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
