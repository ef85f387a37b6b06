//! TLS from files.

use std::path::Path;

use diagnostics::{Diagnostic, Failure};
use switchd::plan::TlsFiles;
use tonic::transport::{Certificate, Identity, Server, ServerTlsConfig};

/// Reads the files for TLS.
///
/// # Errors
/// Fails if one cannot be read, or they cannot be used together.
pub fn read(files: &TlsFiles) -> Result<ServerTlsConfig, Failure> {
    let certificate = text(&files.certificate)?;
    let key = text(&files.key)?;
    let config = ServerTlsConfig::new().identity(Identity::from_pem(certificate, key));
    let config = match &files.client_ca {
        None => config,
        Some(path) => config.client_ca_root(Certificate::from_pem(text(path)?)),
    };
    match Server::builder().tls_config(config.clone()) {
        Ok(_) => Ok(config),
        Err(error) => Err(unusable(files, &error)),
    }
}

fn unusable(files: &TlsFiles, error: &dyn std::error::Error) -> Failure {
    let mut message = format!("TLS cannot be used: {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        message.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    let named = [Some(&files.certificate), Some(&files.key), files.client_ca.as_ref()];
    let named: Vec<String> = named.into_iter().flatten().map(|path| path.display().to_string()).collect();
    let hint = format!("certificates and a key that belong together are expected, in PEM, in {}", named.join(", "));
    Diagnostic::without_place(message).hint(hint).into()
}

fn text(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| {
        let error = Diagnostic::without_place(format!("cannot read {}: {error}", path.display()));
        error.hint("certificates and keys are files in PEM").into()
    })
}
