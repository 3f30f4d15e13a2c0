//! A connection that ends when the client does not take what is sent to it.
//!
//! Without this, a client that asks and never reads keeps its answer in memory for good. The kernel
//! only tells whether it can take more bytes, so that is what is timed: from the first refused
//! write on, `LEAST_TAKEN` bytes or all that is left must be taken within the send time.

use crate::limits::LEAST_TAKEN;
use std::future::Future;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream with a lowest pace of writing.
pub struct PacedStream<S> {
    inner: S,
    send_time: Duration,
    /// Runs from the first refused write until enough has been taken.
    deadline: Option<Pin<Box<Sleep>>>,
    /// Bytes taken since then.
    taken: usize,
    on_taken: Box<dyn Fn() + Send>,
}

impl<S> PacedStream<S> {
    /// `on_taken` is called whenever the client has taken something.
    pub fn new(inner: S, send_time: Duration, on_taken: impl Fn() + Send + 'static) -> Self {
        Self { inner, send_time, deadline: None, taken: 0, on_taken: Box::new(on_taken) }
    }

    /// Passes the outcome of a write on, unless the client has been too slow.
    fn judged(&mut self, outcome: Poll<Result<usize>>, cx: &mut Context<'_>) -> Poll<Result<usize>> {
        match outcome {
            Poll::Ready(Ok(bytes)) => {
                (self.on_taken)();
                self.taken += bytes;
                if self.taken >= LEAST_TAKEN {
                    self.deadline = None;
                }
            }
            Poll::Ready(Err(_)) => {}
            Poll::Pending => {
                let deadline = match &mut self.deadline {
                    Some(deadline) => deadline,
                    None => {
                        self.taken = 0;
                        self.deadline.insert(Box::pin(sleep(self.send_time)))
                    }
                };
                ready!(deadline.as_mut().poll(cx));
                return Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "the client does not read")));
            }
        }
        outcome
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PacedStream<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PacedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let outcome = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.judged(outcome, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let outcome = Pin::new(&mut self.inner).poll_write_vectored(cx, parts);
        self.judged(outcome, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    /// Called when all that was to be sent has been taken: the next answer has its own time.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        self.deadline = None;
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    const SEND_TIME: Duration = Duration::from_secs(10);

    /// A pipe of 1,000 bytes to a client that reads so many bytes at a time after so many seconds.
    async fn send_to(reader: impl AsyncFn(tokio::io::DuplexStream), bytes: usize) -> Result<()> {
        let (near, far) = duplex(1000);
        let mut stream = PacedStream::new(near, SEND_TIME, || {});
        let sent = async {
            stream.write_all(&vec![7; bytes]).await?;
            stream.flush().await
        };
        tokio::select! {
            outcome = sent => outcome,
            () = reader(far) => unreachable!("readers never end"),
        }
    }

    async fn read_every(mut far: tokio::io::DuplexStream, bytes: usize, pause: Duration) {
        let mut buffer = vec![0; bytes];
        loop {
            tokio::time::sleep(pause).await;
            far.read_exact(&mut buffer).await.unwrap();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_never_reads_is_let_go() {
        let started = tokio::time::Instant::now();
        let error = send_to(async |_far| std::future::pending().await, 5000).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        assert!(started.elapsed() < 2 * SEND_TIME, "{:?}", started.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_drips_is_let_go_and_a_slow_one_is_served() {
        let drip = async |far| read_every(far, 10, Duration::from_secs(1)).await;
        assert_eq!(send_to(drip, 100_000).await.unwrap_err().kind(), ErrorKind::TimedOut);
        // 100 kB/s, for longer than the send time.
        let slow = async |far| read_every(far, 1000, Duration::from_millis(10)).await;
        send_to(slow, 3 * LEAST_TAKEN).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn each_answer_has_its_own_time() {
        let (near, mut far) = duplex(1000);
        let mut stream = PacedStream::new(near, SEND_TIME, || {});
        let client = tokio::spawn(async move {
            let mut buffer = vec![0; 1500];
            for _ in 0..5 {
                tokio::time::sleep(Duration::from_secs(6)).await;
                far.read_exact(&mut buffer).await.unwrap();
            }
        });
        for _ in 0..5 {
            stream.write_all(&[7; 1500]).await.unwrap();
            stream.flush().await.unwrap();
        }
        client.await.unwrap();
    }
}
