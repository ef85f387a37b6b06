//! Packets to and from controllers: the headers that the program has for them become metadata of messages, and the other way
//! (P4Runtime specification 1.4, sections 6.4.6 and 16.1).

use control::{Annotation, ControllerHeader, Info};
use runtime::{Bits, read_bits, write_bits};

use crate::failure::Failure;
use crate::message::p4::v1::{PacketIn, PacketMetadata, PacketOut};
use crate::translate::{Representation, Types};

/// The longest packet that a controller may send, in bytes: as long as an IP packet behind an Ethernet header can be.
const LONGEST_PACKET: usize = 65_535 + 14;
/// The annotation of fields without meaning, which fill a header up to whole bytes.
const PADDING: &str = "@padding";

/// The headers of a program for packets to and from controllers.
#[derive(Clone, Debug)]
pub struct PacketHeaders {
    packet_in: Header,
    packet_out: Header,
}

/// A header, empty if the program has none.
#[derive(Clone, Debug, Default)]
struct Header {
    fields: Vec<Field>,
    /// The length in bytes.
    length: usize,
}

#[derive(Clone, Debug)]
struct Field {
    id: u32,
    name: String,
    /// The place of the first bit.
    start: usize,
    representation: Representation,
    is_padding: bool,
}

impl PacketHeaders {
    /// Returns the headers of a program whose types are represented as given.
    pub fn new(info: &Info, types: &Types) -> Self {
        let header = |name: &str| {
            let own = info.controller_headers.iter().find(|header| header.identity.name == name);
            own.map(|own| Header::new(own, types)).unwrap_or_default()
        };
        Self { packet_in: header("packet_in"), packet_out: header("packet_out") }
    }

    /// Returns the message of a packet that left by the port of the controller; `None` if it is shorter than the header.
    pub fn packet_in(&self, packet: &[u8]) -> Option<PacketIn> {
        let Header { fields, length } = &self.packet_in;
        let payload = packet.get(*length..)?.to_vec();
        let metadata = fields.iter().map(|field| PacketMetadata {
            metadata_id: field.id,
            value: field.representation.write(&read_bits(packet, field.start, field.representation.width)),
        });
        Some(PacketIn { payload, metadata: metadata.collect() })
    }

    /// Returns the packet of a controller's message as it enters by the port of the controller.
    ///
    /// # Errors
    /// Fails with `INVALID_ARGUMENT` if the metadata are not those of the header, or the packet is too long, and with
    /// `OUT_OF_RANGE` if a value does not fit.
    pub fn packet_out(&self, message: &PacketOut) -> Result<Vec<u8>, Failure> {
        let Header { fields, length } = &self.packet_out;
        if message.payload.len() > LONGEST_PACKET {
            let message = format!("the packet has {} bytes and may have {LONGEST_PACKET}", message.payload.len());
            return Err(Failure::invalid(message));
        }
        let is_known = |own: &&PacketMetadata| fields.iter().any(|field| field.id == own.metadata_id);
        if let Some(unknown) = message.metadata.iter().find(|own| !is_known(own)) {
            return Err(Failure::invalid(format!("`packet_out` has no metadata with id {}", unknown.metadata_id)));
        }
        let mut packet = vec![0; *length];
        for field in fields {
            let mut given = message.metadata.iter().filter(|own| own.metadata_id == field.id);
            let value: Bits = match (given.next(), given.next()) {
                (Some(own), None) => {
                    let about = |failure: Failure| failure.about(format!("metadata `{}`", field.name));
                    field.representation.read(&own.value).map_err(about)?
                }
                (None, _) if field.is_padding => continue,
                (None, _) => {
                    let message = format!("metadata `{}` with id {} is missing", field.name, field.id);
                    return Err(Failure::invalid(message));
                }
                (Some(_), Some(_)) => {
                    return Err(Failure::invalid(format!("metadata `{}` is there twice", field.name)));
                }
            };
            write_bits(&mut packet, field.start, field.representation.width, &value);
        }
        packet.extend_from_slice(&message.payload);
        Ok(packet)
    }
}

impl Header {
    /// Fields that the control plane does not see are 0 in packets that it sends.
    fn new(declared: &ControllerHeader, types: &Types) -> Self {
        let fields = declared.fields.iter().zip(&declared.places).map(|(own, place)| Field {
            id: own.id,
            name: own.name.clone(),
            start: *place as usize,
            representation: types.of(own.width, own.type_name.as_deref()),
            is_padding: own.annotations.iter().any(|own| matches!(own, Annotation::Text(text) if text == PADDING)),
        });
        Self { fields: fields.collect(), length: declared.width.div_ceil(8) as usize }
    }
}
