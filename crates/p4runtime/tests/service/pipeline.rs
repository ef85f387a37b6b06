//! Setting and getting the pipeline, and what writes refer to meanwhile (sections 14 and 15).

use std::net::SocketAddr;

use p4runtime::message::p4::config::v1::P4Info;
use p4runtime::message::p4::v1::entity::Entity as Kind;
use p4runtime::message::p4::v1::field_match::{Exact, FieldMatchType};
use p4runtime::message::p4::v1::forwarding_pipeline_config::Cookie;
use p4runtime::message::p4::v1::set_forwarding_pipeline_config_request::Action as SetAction;
use p4runtime::message::p4::v1::table_action::Type;
use p4runtime::message::p4::v1::{
    Action, Entity, FieldMatch, ForwardingPipelineConfig, GetForwardingPipelineConfigRequest,
    GetForwardingPipelineConfigResponse, ReadRequest, ReadResponse, SetForwardingPipelineConfigRequest,
    SetForwardingPipelineConfigResponse, TableAction, TableEntry, Uint128, Update, WriteRequest, WriteResponse, update,
};
use p4runtime::p4info;
use tonic::{Code, Status};
use workbench::LoadedProgram;

use crate::switch::{DEVICE, PROGRAM, with_switch};
use p4runtime::client::{Client, GET_PIPELINE, READ, SET_PIPELINE, Stream, WRITE, claim};

/// Returns the P4Info of a program's text.
pub fn p4info_of(text: &str) -> P4Info {
    p4info::of(&LoadedProgram::of_text("program.p4", text, None).expect("the program is right").info)
}

pub fn config(text: &str, cookie: u64) -> ForwardingPipelineConfig {
    let p4info = Some(p4info_of(text));
    ForwardingPipelineConfig { p4info, p4_device_config: text.into(), cookie: Some(Cookie { cookie }) }
}

/// A primary controller of the default role, with election id 1.
pub struct Controller {
    pub client: Client,
    pub stream: Stream,
}

impl Controller {
    pub async fn connect(address: SocketAddr) -> Self {
        let client = Client::connect(address).await.expect("the server listens");
        let mut stream = client.stream().await.expect("the stream opens");
        stream.send(claim(DEVICE, "", 1)).await;
        assert_eq!(stream.standing().await.expect("a notice"), 0);
        Self { client, stream }
    }

    pub async fn set(&self, action: SetAction, config: Option<ForwardingPipelineConfig>) -> Result<(), Status> {
        let (election_id, action) = (Some(Uint128 { high: 0, low: 1 }), action.into());
        let request =
            SetForwardingPipelineConfigRequest { device_id: DEVICE, election_id, action, config, ..Default::default() };
        self.client.call::<_, SetForwardingPipelineConfigResponse>(SET_PIPELINE, request).await.map(|_| ())
    }

    pub async fn get(&self, response_type: i32) -> Option<ForwardingPipelineConfig> {
        let request = GetForwardingPipelineConfigRequest { device_id: DEVICE, response_type };
        let got: Result<GetForwardingPipelineConfigResponse, Status> = self.client.call(GET_PIPELINE, request).await;
        got.expect("it can be read").config
    }

    /// Inserts an entry for `kind` into the only table, as a controller of a role.
    pub async fn insert(&self, kind: u8, role: &str) -> Result<(), Status> {
        self.write(vec![Self::drop_of(update::Type::Insert, kind)], role).await
    }

    /// Returns an update of the entry that drops packets of a kind.
    pub fn drop_of(of: update::Type, kind: u8) -> Update {
        let info = p4info_of(PROGRAM);
        let id = |name: &str| info.actions.iter().find_map(|own| own.preamble.clone().filter(|own| own.alias == name));
        let table_id = info.tables[0].preamble.clone().expect("it has one").id;
        let action = Action { action_id: id("drop").expect("it is there").id, params: Vec::new() };
        let exact = FieldMatchType::Exact(Exact { value: vec![kind] });
        let entry = TableEntry {
            table_id,
            r#match: vec![FieldMatch { field_id: 1, field_match_type: Some(exact) }],
            action: Some(TableAction { r#type: Some(Type::Action(action)) }),
            ..TableEntry::default()
        };
        Update { r#type: of.into(), entity: Some(Entity { entity: Some(Kind::TableEntry(entry)) }) }
    }

    /// Writes a batch, as a controller of a role with election id 1.
    pub async fn write(&self, updates: Vec<Update>, role: &str) -> Result<(), Status> {
        let request = WriteRequest {
            device_id: DEVICE,
            role: role.to_owned(),
            election_id: Some(Uint128 { high: 0, low: 1 }),
            updates,
            ..WriteRequest::default()
        };
        self.client.call::<_, WriteResponse>(WRITE, request).await.map(|_| ())
    }

    /// Returns the number of entries of all tables.
    pub async fn entries(&self) -> Result<usize, Status> {
        let entity = Entity { entity: Some(Kind::TableEntry(TableEntry::default())) };
        let request = ReadRequest { device_id: DEVICE, entities: vec![entity], ..ReadRequest::default() };
        let answers: Vec<ReadResponse> = self.client.call_for_all(READ, request).await?;
        Ok(answers.iter().map(|answer| answer.entities.len()).sum())
    }
}

fn code<T>(result: Result<T, Status>) -> Code {
    result.err().map_or(Code::Ok, |status| status.code())
}

#[test]
fn without_a_pipeline_there_is_nothing_to_read_and_write() {
    with_switch(async |address| {
        let controller = Controller::connect(address).await;
        assert_eq!(controller.get(0).await, None);
        assert_eq!(code(controller.insert(1, "").await), Code::FailedPrecondition);
        assert_eq!(code(controller.entries().await), Code::FailedPrecondition);
        assert_eq!(code(controller.set(SetAction::Commit, None).await), Code::NotFound);
        assert_eq!(code(controller.set(SetAction::Unspecified, None).await), Code::InvalidArgument);
        assert_eq!(code(controller.set(SetAction::VerifyAndCommit, None).await), Code::InvalidArgument);
    });
}

#[test]
fn verify_changes_nothing_and_commit_follows_save() {
    with_switch(async |address| {
        let controller = Controller::connect(address).await;
        let whole = config(PROGRAM, 9);
        controller.set(SetAction::Verify, Some(whole.clone())).await.expect("it can be realized");
        assert_eq!(controller.get(0).await, None);
        assert_eq!(code(controller.set(SetAction::Commit, None).await), Code::NotFound);
        controller.set(SetAction::VerifyAndCommit, Some(whole.clone())).await.expect("it can be realized");
        assert_eq!(controller.get(0).await, Some(whole.clone()));
        let cookie = ForwardingPipelineConfig { cookie: whole.cookie.clone(), ..Default::default() };
        assert_eq!(controller.get(1).await, Some(cookie.clone()));
        let p4info = whole.p4info.clone();
        assert_eq!(controller.get(2).await, Some(ForwardingPipelineConfig { p4info, ..cookie.clone() }));
        let p4_device_config = whole.p4_device_config.clone();
        assert_eq!(controller.get(3).await, Some(ForwardingPipelineConfig { p4_device_config, ..cookie }));
        controller.insert(1, "").await.expect("there is room");
        // Writes after VERIFY_AND_SAVE are for the saved program, and its state is that of the commit.
        controller.set(SetAction::VerifyAndSave, Some(whole.clone())).await.expect("it can be realized");
        assert_eq!(controller.entries().await.expect("it is read"), 0);
        controller.insert(2, "").await.expect("there is room");
        controller.insert(3, "").await.expect("there is room");
        assert_eq!(code(controller.set(SetAction::Commit, Some(whole.clone())).await), Code::InvalidArgument);
        controller.set(SetAction::Commit, None).await.expect("it was saved");
        assert_eq!(controller.entries().await.expect("it is read"), 2);
        assert_eq!(code(controller.set(SetAction::Commit, None).await), Code::NotFound, "it is committed once");
        // RECONCILE_AND_COMMIT keeps the entries, VERIFY_AND_COMMIT does not.
        controller.set(SetAction::ReconcileAndCommit, Some(config(PROGRAM, 10))).await.expect("all is kept");
        assert_eq!(controller.entries().await.expect("it is read"), 2);
        controller.set(SetAction::VerifyAndCommit, Some(whole)).await.expect("it can be realized");
        assert_eq!(controller.entries().await.expect("it is read"), 0);
    });
}

#[test]
fn what_cannot_be_realized_or_kept_changes_nothing() {
    with_switch(async |address| {
        let controller = Controller::connect(address).await;
        let whole = config(PROGRAM, 1);
        controller.set(SetAction::VerifyAndCommit, Some(whole.clone())).await.expect("it can be realized");
        controller.insert(1, "").await.expect("there is room");
        let wrong = ForwardingPipelineConfig { p4_device_config: b"#include <core.p4>\nwrong".into(), ..whole.clone() };
        let bmv2 = br#"{"header_types": [], "parsers": [], "pipelines": []}"#;
        let bmv2 = ForwardingPipelineConfig { p4_device_config: bmv2.into(), ..whole.clone() };
        let other = PROGRAM.replace("drops", "others");
        let p4info = ForwardingPipelineConfig { p4_device_config: other.clone().into(), ..whole.clone() };
        for (config, reason) in [(wrong, "the program is not right"), (bmv2, "--controller-files"), (p4info, "drops")] {
            let refused = controller.set(SetAction::VerifyAndCommit, Some(config)).await.expect_err("it is wrong");
            assert_eq!(refused.code(), Code::InvalidArgument);
            assert!(refused.message().contains(reason), "{}", refused.message());
        }
        let lost =
            controller.set(SetAction::ReconcileAndCommit, Some(config(&other, 2))).await.expect_err("it is lost");
        assert!(lost.code() == Code::InvalidArgument && lost.message().contains("drops"), "{}", lost.message());
        assert_eq!(controller.get(0).await, Some(whole));
        assert_eq!(controller.entries().await.expect("it is read"), 1);
    });
}

#[test]
fn a_controller_that_knows_only_the_p4info_keeps_the_program() {
    with_switch(async |address| {
        let controller = Controller::connect(address).await;
        let bare = ForwardingPipelineConfig { p4_device_config: Vec::new(), ..config(PROGRAM, 1) };
        let refused = controller.set(SetAction::VerifyAndCommit, Some(bare.clone())).await;
        assert_eq!(code(refused), Code::InvalidArgument, "there is no program yet");
        controller.set(SetAction::VerifyAndCommit, Some(config(PROGRAM, 1))).await.expect("it can be realized");
        controller.insert(1, "").await.expect("there is room");
        controller.set(SetAction::VerifyAndCommit, Some(bare)).await.expect("it describes the program");
        assert_eq!(controller.entries().await.expect("it is read"), 0, "the state is cleared");
    });
}
