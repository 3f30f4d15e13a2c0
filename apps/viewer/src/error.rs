//! What can go wrong when the server starts or runs.

use std::io::Error as IoError;

/// A failure of the server itself; failures of single requests are answers.
#[derive(Debug, thiserror::Error)]
pub enum ViewerError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}; choose another --port (0 for any free one) or --host")]
    Listen {
        /// Host and port asked for.
        address: String,
        /// Cause.
        source: IoError,
    },
    /// The server stopped by itself.
    #[error("the viewer stopped: {0}")]
    Serve(#[from] IoError),
}
