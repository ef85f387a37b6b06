//! TLS from files.

use std::path::Path;

use diagnostics::{Diagnostic, Failure};
use switchd::plan::TlsFiles;
use tonic::transport::{Certificate, Identity, ServerTlsConfig};

/// Reads the files for TLS.
///
/// # Errors
/// Fails if one cannot be read.
pub fn read(files: &TlsFiles) -> Result<ServerTlsConfig, Failure> {
    let certificate = text(&files.certificate)?;
    let key = text(&files.key)?;
    let config = ServerTlsConfig::new().identity(Identity::from_pem(certificate, key));
    match &files.client_ca {
        None => Ok(config),
        Some(path) => Ok(config.client_ca_root(Certificate::from_pem(text(path)?))),
    }
}

fn text(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| {
        let error = Diagnostic::without_place(format!("cannot read {}: {error}", path.display()));
        error.hint("certificates and keys are files in PEM").into()
    })
}
