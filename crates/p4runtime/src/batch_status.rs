//! The status of a batch of which parts were refused (P4Runtime specification 1.4, sections 10 and 12.3).

use std::borrow::Cow;

use prost::Message;

use crate::failure::Failure;
use crate::message::google::protobuf::Any;
use crate::message::google::rpc::{Code, Status};
use crate::message::p4::v1;

/// The most bytes of a status whose messages can be shortened. It travels in the trailing metadata in base64, of which clients
/// of gRPC's C core take 8 KiB for sure (gRFC A1, `grpc.max_metadata_size`), and the other trailers need some.
const MOST_BYTES: usize = 5_700;
/// What stands at the end of a message that was shortened.
const CUT: &str = "…";

/// Packs the results of the parts of a batch, in their order, into the status of the call. Returns `None` if all parts
/// succeeded.
///
/// The code of each part is always there. If the status were too long for clients, the longest messages are shortened, all to
/// the same length.
pub(crate) fn batch_status(what: &str, results: &[Result<(), Failure>]) -> Option<Status> {
    let failed = results.iter().filter(|result| result.is_err()).count();
    if failed == 0 {
        return None;
    }
    let message = format!("{failed} of {} {what} failed", results.len());
    let of_length = |most| status(&message, results, most);
    let whole = of_length(usize::MAX);
    if whole.encoded_len() <= MOST_BYTES {
        return Some(whole);
    }
    // The greatest length of messages with which the status fits, or none at all.
    let (mut fits, mut too_long) = (0, MOST_BYTES);
    while too_long - fits > 1 {
        let middle = fits.midpoint(too_long);
        match of_length(middle).encoded_len() <= MOST_BYTES {
            true => fits = middle,
            false => too_long = middle,
        }
    }
    Some(of_length(fits))
}

fn status(message: &str, results: &[Result<(), Failure>], most: usize) -> Status {
    let details = results.iter().map(|result| {
        let error = match result {
            Ok(()) => v1::Error::default(),
            Err(failure) => v1::Error {
                canonical_code: failure.code.into(),
                message: shortened(&failure.message, most).into_owned(),
                ..v1::Error::default()
            },
        };
        Any::pack(&error)
    });
    Status { code: Code::Unknown.into(), message: message.to_owned(), details: details.collect() }
}

/// Returns a message in at most `most` bytes.
fn shortened(message: &str, most: usize) -> Cow<'_, str> {
    if message.len() <= most {
        return Cow::Borrowed(message);
    }
    match most.checked_sub(CUT.len()) {
        None | Some(0) => Cow::Borrowed(""),
        Some(length) => Cow::Owned(format!("{}{CUT}", &message[..message.floor_char_boundary(length)])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(status: &Status) -> Vec<(i32, String)> {
        let unpack = |any: &Any| any.unpack::<v1::Error>().expect("an error").expect("an error");
        status.details.iter().map(unpack).map(|error| (error.canonical_code, error.message)).collect()
    }

    fn refused(code: Code, message: &str) -> Result<(), Failure> {
        Err(Failure::new(code, message))
    }

    #[test]
    fn a_batch_without_refusals_has_no_status_and_short_messages_stay() {
        assert_eq!(batch_status("updates", &[Ok(()), Ok(())]), None);
        let status = batch_status("updates", &[Ok(()), refused(Code::NotFound, "gone")]).expect("one is refused");
        assert_eq!(status.message, "1 of 2 updates failed");
        assert_eq!(messages(&status), [(0, String::new()), (Code::NotFound.into(), "gone".to_owned())]);
    }

    #[test]
    fn the_longest_messages_of_a_long_status_are_shortened_and_all_codes_stay() {
        let long = "Übermaß ".repeat(300);
        let mut results = vec![refused(Code::InvalidArgument, &long); 20];
        results.extend([Ok(()), refused(Code::NotFound, "gone")]);
        let status = batch_status("updates", &results).expect("many are refused");
        assert!((MOST_BYTES - 200..=MOST_BYTES).contains(&status.encoded_len()), "{}", status.encoded_len());
        let messages = messages(&status);
        assert_eq!(messages.len(), results.len());
        assert!(messages[..20].iter().all(|(code, text)| *code == i32::from(Code::InvalidArgument)
            && text.ends_with(CUT)
            && long.starts_with(text.trim_end_matches(CUT))
            && text.len() > 150));
        assert_eq!(messages[20..], [(0, String::new()), (Code::NotFound.into(), "gone".to_owned())]);
    }

    #[test]
    fn more_refusals_than_clients_take_have_their_codes_alone() {
        let status = batch_status("updates", &vec![refused(Code::NotFound, "gone"); 1000]).expect("all are refused");
        assert_eq!(messages(&status), vec![(i32::from(Code::NotFound), String::new()); 1000]);
    }
}
