//! A record as a line of text.

use basis::Instant;
use wire::protocol;

use super::field::{FlowField, FlowField as F};
use super::record::{FarEnd, FlowRecord, RecordedFlow, RecordedSession};
use crate::configuration::{Configuration, Course, address};

/// What stands for a value that a record does not have.
const NOTHING: &str = "-";
/// The numbers of AWS for ways through its network: within the VPC, and through an internet gateway.
const WITHIN_VPC: &str = "1";
const OUTSIDE: &str = "8";

/// The names of what records mean by positions, and the time.
#[derive(Clone, Copy)]
pub struct RecordNames<'a> {
    /// The name of the switch.
    pub host: &'a str,
    /// The name of the vNIC of the record, which may be gone.
    pub interface: &'a str,
    /// The configuration under which the record was made.
    pub configuration: &'a Configuration,
    /// Gives the seconds since 1970 of a time.
    pub unix: &'a dyn Fn(Instant) -> u64,
}

/// Returns a name as a word of a record and as the name of a file: without spaces and separators.
pub fn word(name: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.:@".contains(letter);
    let plain: String = name.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    if plain.starts_with('.') { format!("_{plain}") } else { plain }
}

impl FlowRecord {
    /// Returns the record as a line with some fields. What it does not have is `-`; of protocols without ports, the ports are 0.
    pub fn line(&self, fields: &[FlowField], names: RecordNames<'_>) -> String {
        let version = fields.iter().map(|field| field.version()).max().unwrap_or(2);
        let value = |field: &FlowField| match field {
            F::Version => version.to_string(),
            field => self.value(*field, names).unwrap_or_else(|| NOTHING.to_owned()),
        };
        fields.iter().map(value).collect::<Vec<_>>().join(" ")
    }

    fn value(&self, field: FlowField, names: RecordNames<'_>) -> Option<String> {
        let RecordNames { host, interface, configuration, unix } = names;
        let [first, last] = match *self {
            Self::Flow(RecordedFlow { first, last, .. })
            | Self::NoData { first, last, .. }
            | Self::Skipped { first, last, .. } => [first, last].map(unix),
        };
        let vnic = configuration.vnics.get(self.vnic() as usize).filter(|vnic| !vnic.is_vacant());
        Some(match (field, self) {
            (F::AccountId, _) => configuration.flow_log.as_ref()?.account.clone(),
            (F::InterfaceId, _) => interface.to_owned(),
            (F::Start, _) => first.to_string(),
            (F::End, _) => last.to_string(),
            (F::LogStatus, Self::Flow(_)) => "OK".to_owned(),
            (F::LogStatus, Self::NoData { .. }) => "NODATA".to_owned(),
            (F::LogStatus, Self::Skipped { .. }) => "SKIPDATA".to_owned(),
            (F::VpcId, _) => word(&configuration.vpcs.get(vnic?.vpc)?.name),
            (F::Host, _) => word(host),
            (_, Self::Flow(flow)) => flow.value(field, configuration, unix)?,
            _ => return None,
        })
    }
}

impl RecordedFlow {
    fn value(&self, field: FlowField, configuration: &Configuration, unix: &dyn Fn(Instant) -> u64) -> Option<String> {
        let Self { key, count, course, is_accepted, session, .. } = *self;
        let is_query = matches!(key.protocol(), protocol::ICMP | protocol::ICMPV6);
        let ports = |[from, to]: [u16; 2]| if is_query { [0; 2] } else { [from, to] };
        let peer = session.map(|session| session.peer);
        // Both ends have their own addresses in the key that they see.
        let (sender, receiver) = match course {
            Course::Egress => (Some(key), peer),
            Course::Ingress => (peer, Some(key)),
        };
        Some(match field {
            F::SourceAddress => key.addresses()[0].to_string(),
            F::DestinationAddress => key.addresses()[1].to_string(),
            F::SourcePort => ports(key.ports())[0].to_string(),
            F::DestinationPort => ports(key.ports())[1].to_string(),
            F::Protocol => key.protocol().to_string(),
            F::Packets => count.packets.to_string(),
            F::Bytes => count.bytes.to_string(),
            F::Action => if is_accepted { "ACCEPT" } else { "REJECT" }.to_owned(),
            F::Type => if key.addresses()[0].is_ipv4() { "IPv4" } else { "IPv6" }.to_owned(),
            F::PacketSourceAddress => sender.unwrap_or(key).addresses()[0].to_string(),
            F::PacketDestinationAddress => receiver.unwrap_or(key).addresses()[1].to_string(),
            F::FlowDirection => if course == Course::Egress { "egress" } else { "ingress" }.to_owned(),
            F::PeerSourceAddress => peer?.addresses()[0].to_string(),
            F::PeerSourcePort => ports(peer?.ports())[0].to_string(),
            F::PeerDestinationAddress => peer?.addresses()[1].to_string(),
            F::PeerDestinationPort => ports(peer?.ports())[1].to_string(),
            _ => session?.value(field, course, configuration, unix)?,
        })
    }
}

impl RecordedSession {
    fn value(
        &self,
        field: FlowField,
        course: Course,
        configuration: &Configuration,
        unix: &dyn Fn(Instant) -> u64,
    ) -> Option<String> {
        let underlay = configuration.underlay.as_ref();
        let leaves = |path: usize| {
            let path = underlay?.paths.get(path)?;
            (course == Course::Egress).then(|| word(&path.interface))
        };
        match (field, self.far) {
            (F::SessionStart, _) => Some(unix(self.began).to_string()),
            (F::TrafficPath, FarEnd::Outside(_)) if course == Course::Egress => Some(OUTSIDE.to_owned()),
            (F::TrafficPath, FarEnd::Vnic(_) | FarEnd::Endpoint(..)) if course == Course::Egress => {
                Some(WITHIN_VPC.to_owned())
            }
            (F::PeerInterfaceId, FarEnd::Vnic(vnic)) => {
                let vnic = configuration.vnics.get(vnic as usize).filter(|vnic| !vnic.is_vacant())?;
                Some(word(&vnic.name))
            }
            (F::LocalEndpoint, FarEnd::Endpoint(remote, _)) => Some(underlay?.own(address(remote))?.to_string()),
            (F::RemoteEndpoint, FarEnd::Endpoint(remote, _)) => Some(address(remote).to_string()),
            (F::UnderlayInterface, FarEnd::Endpoint(_, path) | FarEnd::Outside(path)) => leaves(path),
            _ => None,
        }
    }
}
