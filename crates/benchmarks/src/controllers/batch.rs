//! Many entries in one batch, and all of them read back.

use std::collections::BTreeSet;
use std::time::Instant;

use diagnostics::Failure;
use p4runtime::client::{READ, WRITE};
use p4runtime::message::p4::v1::update::Type;
use p4runtime::message::p4::v1::{Entity, ReadResponse, WriteResponse};
use prost::Message;
use serde::{Deserialize, Serialize};

use super::messages::{Messages, write};
use super::switch::RunningSwitch;
use super::{Controller, ELECTION_ID, Extent, Spread, refused, runtime};
use crate::router::Route;

/// Batches on a switch without packets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MeasuredBatches {
    /// The number of entries of a batch.
    pub entries: usize,
    /// The seconds from sending the batch that inserts them to its answer.
    pub write_seconds: Spread,
    /// The seconds from asking for all entries to the last of the answer.
    pub read_seconds: Spread,
    /// The seconds from sending the batch that deletes them to its answer.
    pub delete_seconds: Spread,
}

/// Measures batches of these routes.
///
/// # Errors
/// If one of them is refused, or what is read is not what was written.
pub fn measure(extent: Extent, routes: &[Route]) -> Result<MeasuredBatches, Failure> {
    let (switch, messages) = (RunningSwitch::start(vec![[0; 60]])?, Messages::new()?);
    let rounds = runtime(false)?.block_on(async {
        let controller = Controller::begin(&switch, &messages).await?;
        let mut rounds = Vec::new();
        for _ in 0..extent.rounds {
            rounds.push(round(&controller, &messages, routes).await?);
        }
        Ok::<_, Failure>(rounds)
    })?;
    let spread = |figure: usize| Spread::of(rounds.iter().map(|round| round[figure]));
    Ok(MeasuredBatches {
        entries: routes.len(),
        write_seconds: spread(0),
        read_seconds: spread(1),
        delete_seconds: spread(2),
    })
}

/// Writes, reads and deletes the routes. Returns the seconds of each.
async fn round(controller: &Controller, messages: &Messages, routes: &[Route]) -> Result<[f64; 3], Failure> {
    let entities = || routes.iter().map(|route| messages.route(*route, 0));
    let client = &controller.client;
    let request = write(ELECTION_ID, Type::Insert, entities());
    let began = Instant::now();
    let _: WriteResponse = client.call(WRITE, request).await.map_err(refused)?;
    let written = began.elapsed().as_secs_f64();

    let began = Instant::now();
    let answers: Vec<ReadResponse> = client.call_for_all(READ, messages.read_routes()).await.map_err(refused)?;
    let read = began.elapsed().as_secs_f64();
    let encoded = |entity: Entity| entity.encode_to_vec();
    let found: BTreeSet<_> = answers.into_iter().flat_map(|answer| answer.entities).map(encoded).collect();
    if found != entities().map(encoded).collect() {
        return Err(Failure::plain("the entries that are read are not those that were written"));
    }

    let request = write(ELECTION_ID, Type::Delete, entities());
    let began = Instant::now();
    let _: WriteResponse = client.call(WRITE, request).await.map_err(refused)?;
    Ok([written, read, began.elapsed().as_secs_f64()])
}
