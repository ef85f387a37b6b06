//! The options of commands that capture packets of a switch that runs.

use std::fmt::Debug;
use std::path::PathBuf;

use clap::Args;
use polyplane::rooms::service::capture::CapturePoint;

/// Which packets are captured, and where they are written.
#[derive(Args, Debug)]
pub struct CaptureOptions<P: CapturePoint + Sync + Debug> {
    #[arg(long, value_name = "POINT,…", value_delimiter = ',', value_parser = point::<P>, help = help::<P>())]
    pub at: Vec<P>,
    /// The ports [default: all].
    #[arg(long = "port", value_name = "PORT,…", value_delimiter = ',', value_parser = port)]
    pub ports: Vec<u16>,
    /// The filter in words of pcap-filter [default: any packet].
    #[arg(long, default_value = "", hide_default_value = true)]
    pub filter: String,
    /// The file, or `-` for standard output.
    #[arg(long, value_name = "FILE")]
    pub write: PathBuf,
    /// The control socket of the switch, or its name [default: that of the only switch that runs].
    #[arg(long, value_name = "PATH|NAME")]
    pub socket: Option<PathBuf>,
}

fn names<P: CapturePoint>() -> String {
    P::ALL.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

fn help<P: CapturePoint>() -> String {
    format!("The points: {} [default: all]", names::<P>())
}

fn port(text: &str) -> Result<u16, String> {
    text.parse()
        .map_err(|_| "a port is a number from 0 to 65535; `show ports` says which one an interface has".to_owned())
}

fn point<P: CapturePoint>(text: &str) -> Result<P, String> {
    P::named(text).ok_or_else(|| format!("the points are {}", names::<P>()))
}
