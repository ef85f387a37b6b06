//! The messages of the measurement: the router's program, its routes and its next hops.

use diagnostics::Failure;
use p4runtime::message::p4::config::v1::{P4Info, Preamble};
use p4runtime::message::p4::v1::action::Param;
use p4runtime::message::p4::v1::entity::Entity as Kind;
use p4runtime::message::p4::v1::field_match::{Exact, FieldMatchType, Lpm};
use p4runtime::message::p4::v1::set_forwarding_pipeline_config_request::Action as SetAction;
use p4runtime::message::p4::v1::table_action::Type as ActionType;
use p4runtime::message::p4::v1::update::Type;
use p4runtime::message::p4::v1::{
    Action, Entity, FieldMatch, ForwardingPipelineConfig, ReadRequest, SetForwardingPipelineConfigRequest, TableAction,
    TableEntry, Uint128, Update, WriteRequest,
};
use p4runtime::p4info;
use workbench::LoadedProgram;

use super::switch::DEVICE;
use crate::router::{PROGRAM, Route};

/// The messages about the router, whose tables and actions have numbers.
#[derive(Clone)]
pub struct Messages {
    p4info: P4Info,
    routes: u32,
    to_next_hop: u32,
    next_hops: u32,
    forward: u32,
}

impl Messages {
    /// Returns the messages about the router.
    ///
    /// # Errors
    /// If the program is not right, which it is.
    pub fn new() -> Result<Self, Failure> {
        let p4info = p4info::of(&LoadedProgram::of_text("router.p4", PROGRAM, None)?.info);
        let id = |mut all: Vec<&Preamble>, alias: &str| {
            all.retain(|own| own.alias == alias);
            all.first().map(|own| own.id).ok_or_else(|| Failure::plain(format!("the router has no {alias}")))
        };
        let table = |alias| id(p4info.tables.iter().filter_map(|table| table.preamble.as_ref()).collect(), alias);
        let action = |alias| id(p4info.actions.iter().filter_map(|action| action.preamble.as_ref()).collect(), alias);
        Ok(Self {
            routes: table("routes")?,
            next_hops: table("next_hops")?,
            to_next_hop: action("to_next_hop")?,
            forward: action("forward")?,
            p4info,
        })
    }

    /// Returns the request that brings the program.
    pub fn pipeline(&self, election_id: u64) -> SetForwardingPipelineConfigRequest {
        let config = ForwardingPipelineConfig {
            p4info: Some(self.p4info.clone()),
            p4_device_config: PROGRAM.into(),
            cookie: None,
        };
        SetForwardingPipelineConfigRequest {
            device_id: DEVICE,
            election_id: Some(Uint128 { high: 0, low: election_id }),
            action: SetAction::VerifyAndCommit.into(),
            config: Some(config),
            ..SetForwardingPipelineConfigRequest::default()
        }
    }

    /// Returns the entry of a route.
    pub fn route(&self, route: Route, next_hop: u16) -> Entity {
        let value = canonical(&route.network.to_be_bytes());
        let lpm = FieldMatchType::Lpm(Lpm { value, prefix_len: route.length as i32 });
        entry(self.routes, lpm, self.to_next_hop, &[&next_hop.to_be_bytes()])
    }

    /// Returns the entry of a next hop behind a port.
    pub fn next_hop(&self, next_hop: u16, port: u16) -> Entity {
        let exact = FieldMatchType::Exact(Exact { value: canonical(&next_hop.to_be_bytes()) });
        let (source, destination) = ([2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 1, 1]);
        entry(self.next_hops, exact, self.forward, &[&port.to_be_bytes(), &source, &destination])
    }

    /// Returns the request that reads all routes.
    pub fn read_routes(&self) -> ReadRequest {
        let all = TableEntry { table_id: self.routes, ..TableEntry::default() };
        let entities = vec![Entity { entity: Some(Kind::TableEntry(all)) }];
        ReadRequest { device_id: DEVICE, entities, ..ReadRequest::default() }
    }
}

/// Returns the request of a controller that does the same with all entities.
pub fn write(election_id: u64, kind: Type, entities: impl IntoIterator<Item = Entity>) -> WriteRequest {
    let update = |entity| Update { r#type: kind.into(), entity: Some(entity) };
    WriteRequest {
        device_id: DEVICE,
        election_id: Some(Uint128 { high: 0, low: election_id }),
        updates: entities.into_iter().map(update).collect(),
        ..WriteRequest::default()
    }
}

/// Returns the entry of a table with one field.
fn entry(table_id: u32, key: FieldMatchType, action_id: u32, data: &[&[u8]]) -> Entity {
    let parameters = data.iter().zip(1..).map(|(value, param_id)| Param { param_id, value: canonical(value) });
    let action = Action { action_id, params: parameters.collect() };
    Entity {
        entity: Some(Kind::TableEntry(TableEntry {
            table_id,
            r#match: vec![FieldMatch { field_id: 1, field_match_type: Some(key) }],
            action: Some(TableAction { r#type: Some(ActionType::Action(action)) }),
            ..TableEntry::default()
        })),
    }
}

/// Returns a number as a byte string without leading zeros (P4Runtime specification 1.4, section 8.4).
fn canonical(bytes: &[u8]) -> Vec<u8> {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    bytes[zeros.min(bytes.len() - 1)..].to_vec()
}
