//! Asking the switches of a lab.

use std::path::{Path, PathBuf};

use polyplane::Failure;
use polyplane::rooms::files::read_text;
use polyplane::rooms::lab::Lab;
use polyplane::rooms::switchd::Request;
use polyplane::rooms::switchd::capture::CapturePoint;
use polyplane::rooms::switchd::socket::Messages;

use crate::asking;
use crate::output;

/// Captures what crosses a link, at a port of a switch: the second end of each link is one.
pub fn capture(lab: &Lab, link: &str, filter: &str, write: Option<&Path>) -> Result<u8, Failure> {
    let link = lab.link(link)?;
    let [_, end] = &link.ends;
    let at = vec![CapturePoint::In, CapturePoint::Out];
    let request = Request::Capture { at, ports: end.port.into_iter().collect(), filter: filter.to_owned() };
    let file = || PathBuf::from(format!("{}.pcapng", link.name));
    let write = write.map_or_else(file, Path::to_owned);
    asking::write_stream::<Messages>(&lab.socket(&end.node), &request, &write)
}

/// Prints the entries of tables of a switch.
pub fn tables(lab: &Lab, switch: &str, names: &[String], as_json: bool) -> Result<u8, Failure> {
    let socket = lab.socket(&lab.switch(switch)?.name);
    let answer = asking::ask::<Messages>(&socket, &Request::Tables { names: names.to_vec() })?;
    if as_json {
        output::print_json(&answer)?
    } else {
        output::print(&answer.to_string())?
    }
    Ok(0)
}

/// Prints what a switch has said.
pub fn log(lab: &Lab, switch: &str) -> Result<(), Failure> {
    let file = lab.log(&lab.switch(switch)?.name);
    let text = read_text(&file).map_err(|error| Failure::plain(format!("cannot read {}: {error}", file.display())))?;
    output::print(&text)
}
