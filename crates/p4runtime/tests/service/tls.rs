//! TLS by files, and what keeps a server from listening.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use p4runtime::Listening;
use p4runtime::client::{CAPABILITIES, Client};
use p4runtime::message::p4::v1::{CapabilitiesRequest, CapabilitiesResponse};
use switchd::SwitchPlan;
use switchd::plan::{P4RuntimePlan, TlsFiles};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Identity};

use crate::switch::{Running, block_on};

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Makes an authority, and a certificate of it for this computer, by openssl; `None` if that is missing.
fn certificates(name: &str) -> Option<Folder> {
    let folder = std::env::temp_dir().join(format!("p4runtime-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let folder = Folder(folder);
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    for line in [
        format!("req -x509 {key} -keyout ca.key -out ca.pem -days 2 -subj /CN=authority"),
        format!("req {key} -keyout key.pem -out request.pem -subj /CN=switch -addext subjectAltName=DNS:localhost"),
        "x509 -req -in request.pem -CA ca.pem -CAkey ca.key -out certificate.pem -days 2 -copy_extensions copy".into(),
    ] {
        let mut openssl = Command::new("openssl");
        openssl.args(line.split(' ')).current_dir(&folder.0).stdout(Stdio::null()).stderr(Stdio::null());
        if !openssl.status().is_ok_and(|status| status.success()) {
            eprintln!("skipped: openssl 3 makes no certificates here");
            return None;
        }
    }
    Some(folder)
}

fn files(folder: &Path) -> TlsFiles {
    TlsFiles { certificate: folder.join("certificate.pem"), key: folder.join("key.pem"), client_ca: None }
}

/// Asks a server for its version over TLS.
async fn ask(running: &Running, tls: ClientTlsConfig) -> Result<String, String> {
    let channel = Channel::from_shared(format!("https://{}", running.address())).expect("an address");
    let channel = channel.tls_config(tls.domain_name("localhost")).expect("the certificates are right");
    let channel = channel.connect().await.map_err(|error| error.to_string())?;
    let request = CapabilitiesRequest { device_id: 0 };
    let told = Client::over(channel).call(CAPABILITIES, request).await;
    told.map(|told: CapabilitiesResponse| told.p4runtime_api_version).map_err(|status| status.to_string())
}

fn with_tls(tls: TlsFiles) -> Running {
    Running::start_with(|plan| {
        let p4runtime = plan.p4runtime.clone().map(|own| P4RuntimePlan { tls: Some(tls), ..own });
        SwitchPlan { p4runtime, ..plan }
    })
}

#[test]
fn controllers_connect_by_tls_and_by_their_certificates() {
    let Some(folder) = certificates("tls") else { return };
    let read = |name: &str| std::fs::read(folder.0.join(name)).expect("it was made");
    let trusting = || ClientTlsConfig::new().ca_certificate(Certificate::from_pem(read("ca.pem")));
    let running = with_tls(files(&folder.0));
    let version = block_on(ask(&running, trusting()));
    assert_eq!(version.as_deref(), Ok(p4runtime::VERSION));
    assert!(block_on(ask(&running, ClientTlsConfig::new())).is_err(), "the authority is not known to the controller");
    let plain = Channel::from_shared(format!("http://{}", running.address())).expect("an address");
    let plain: Result<CapabilitiesResponse, tonic::Status> = block_on(async {
        let channel = plain.connect().await.map_err(|error| tonic::Status::unavailable(error.to_string()))?;
        Client::over(channel).call(CAPABILITIES, CapabilitiesRequest::default()).await
    });
    assert!(plain.is_err(), "without TLS nothing is answered");
    drop(running);
    let running = with_tls(TlsFiles { client_ca: Some(folder.0.join("ca.pem")), ..files(&folder.0) });
    assert!(block_on(ask(&running, trusting())).is_err(), "the controller has no certificate");
    let identity = Identity::from_pem(read("certificate.pem"), read("key.pem"));
    assert_eq!(block_on(ask(&running, trusting().identity(identity))).as_deref(), Ok(p4runtime::VERSION));
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let Some(folder) = certificates("files") else { return };
    std::fs::write(folder.0.join("wrong.pem"), "not PEM").expect("it can be written");
    let own = files(&folder.0);
    let file = |name: &str| folder.0.join(name);
    let cases = [
        (TlsFiles { certificate: file("missing.pem"), ..own.clone() }, "missing.pem"),
        (TlsFiles { key: file("missing.pem"), ..own.clone() }, "missing.pem"),
        (TlsFiles { client_ca: Some(file("missing.pem")), ..own.clone() }, "missing.pem"),
        (TlsFiles { certificate: file("wrong.pem"), ..own.clone() }, "wrong.pem"),
        (TlsFiles { key: file("wrong.pem"), ..own.clone() }, "wrong.pem"),
        (TlsFiles { key: file("certificate.pem"), ..own.clone() }, "certificate.pem"),
        (TlsFiles { client_ca: Some(file("wrong.pem")), ..own.clone() }, "wrong.pem"),
        // The key of somebody else.
        (TlsFiles { key: file("ca.key"), ..own.clone() }, "ca.key"),
    ];
    let listen = "127.0.0.1:0".parse().expect("an address");
    for (tls, name) in cases {
        let plan = P4RuntimePlan { tls: Some(tls.clone()), ..P4RuntimePlan::at(listen) };
        let refused = Listening::at(&plan).err().unwrap_or_else(|| panic!("{tls:?} cannot be used"));
        let text = refused.render(false);
        assert!(text.contains(name), "{tls:?}: {text}");
    }
}

#[test]
fn without_tls_only_this_computer_is_served() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let plan = P4RuntimePlan::at(address.parse().expect("an address"));
        let refused = Listening::at(&plan).err().expect("nothing protects it").render(false);
        assert!(refused.contains("could control the switch") && refused.contains("tls_certificate"), "{refused}");
    }
    Listening::at(&P4RuntimePlan::at("127.0.0.1:0".parse().expect("an address"))).map(drop).expect("it is protected");
}
