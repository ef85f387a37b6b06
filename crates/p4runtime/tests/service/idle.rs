//! Notifications of entries that were idle (section 16.4).

use p4runtime::message::p4::v1::entity::Entity as Kind;
use p4runtime::message::p4::v1::set_forwarding_pipeline_config_request::Action as SetAction;
use p4runtime::message::p4::v1::stream_message_response::Update as Message;
use p4runtime::message::p4::v1::update::Type;

use crate::pipeline::{Controller, config};
use crate::switch::{PROGRAM, with_switch};

#[test]
fn the_primary_hears_of_entries_that_no_packet_hits() {
    let program = PROGRAM.replace("size = 64;", "size = 64;\n        support_timeout = true;");
    with_switch(async move |address| {
        let mut controller = Controller::connect(address).await;
        controller.set(SetAction::VerifyAndCommit, Some(config(&program, 1))).await.expect("it can be realized");
        // An entry that never becomes idle, and one that soon does.
        controller.insert(1, "").await.expect("there is room");
        let mut update = Controller::drop_of(Type::Insert, 2);
        let Some(Kind::TableEntry(entry)) = update.entity.as_mut().and_then(|own| own.entity.as_mut()) else {
            panic!("it is an entry")
        };
        entry.idle_timeout_ns = 5_000_000;
        let expected = entry.clone();
        controller.write(vec![update], "").await.expect("there is room");
        loop {
            match controller.stream.next().await.expect("the stream lasts") {
                Some(Message::IdleTimeoutNotification(told)) => {
                    assert_eq!(told.table_entry, [expected]);
                    assert!(told.timestamp > 0);
                    return;
                }
                Some(_) => {}
                None => panic!("the stream has ended"),
            }
        }
    });
}
