//! Requests about low-pass filters and random early detectors.

mod common;

use common::Bench;
use control::*;
use runtime::filter::{FilterError, FilterKind, FilterSettings};
use runtime::wred::WredSettings;

const SMOOTH: FilterNumber = FilterNumber(0);
const EARLY: WredNumber = WredNumber(0);

fn bench() -> Bench {
    Bench::of(Info {
        filters: vec![Filter { identity: Identity::new("ingress.smooth"), size: 2 }],
        wreds: vec![Wred { identity: Identity::new("egress.early"), size: 2 }],
        ..Info::default()
    })
}

fn settings(gain_time_constant: u64) -> FilterSettings {
    FilterSettings { kind: FilterKind::Rate, gain_time_constant, decay_time_constant: 9, scale_down: 0 }
}

fn early(minimum: u32) -> WredSettings {
    WredSettings { time_constant: 5, minimum, maximum: 100, maximum_probability: 1000 }
}

fn set_filter(index: Option<u32>, settings: Option<FilterSettings>) -> Request {
    Request::Filter(SMOOTH, SettingsRequest::Set(index, settings))
}

fn set_early(index: Option<u32>, settings: Option<WredSettings>) -> Request {
    Request::Wred(EARLY, SettingsRequest::Set(index, settings))
}

#[test]
fn settings_are_written_and_read() {
    let mut bench = bench();
    let read = Request::Filter(SMOOTH, SettingsRequest::Read(None));
    assert_eq!(bench.execute(read.clone()), Ok(Response::Filters(vec![None, None])));
    assert_eq!(bench.execute(set_filter(Some(1), Some(settings(4)))), Ok(Response::Done));
    assert_eq!(bench.execute(read.clone()), Ok(Response::Filters(vec![None, Some(settings(4))])));
    assert_eq!(bench.execute(set_filter(None, None)), Ok(Response::Done));
    assert_eq!(bench.execute(read), Ok(Response::Filters(vec![None, None])));
    assert_eq!(bench.execute(set_early(None, Some(early(3)))), Ok(Response::Done));
    let read = Request::Wred(EARLY, SettingsRequest::Read(Some(0)));
    assert_eq!(bench.execute(read), Ok(Response::Wreds(vec![Some(early(3))])));
    let info = bench.plane.info();
    assert_eq!((info.filter_named("smooth"), info.wred_named("egress.early")), (Ok(SMOOTH), Ok(EARLY)));
}

#[test]
fn invalid_settings_are_refused() {
    let mut bench = bench();
    let refused = bench.execute(set_filter(None, Some(settings(0)))).unwrap_err();
    let (kind, name, error) = (EntityKind::Filter, "ingress.smooth".to_owned(), FilterError::NoTimeConstant);
    assert_eq!(refused, Error::Settings { kind, name, error });
    assert_eq!(refused.to_string(), "filter `ingress.smooth`: a time constant must be greater than 0 nanoseconds");
    let refused = bench.execute(set_early(Some(0), Some(early(101)))).unwrap_err();
    assert_eq!(refused.to_string(), "early detector `egress.early`: the least threshold is greater than the greatest");
    let outside = [set_filter(Some(2), None), Request::Filter(SMOOTH, SettingsRequest::Read(Some(2)))];
    for request in outside {
        assert!(matches!(bench.execute(request), Err(Error::OutOfRange { kind: EntityKind::Filter, index: 2, .. })));
    }
}

#[test]
fn a_refused_batch_leaves_filters_as_they_were() {
    let mut bench = bench();
    bench.execute(set_filter(Some(0), Some(settings(4)))).unwrap();
    let now = basis::Instant::ZERO;
    assert_eq!(bench.state.filters[0].filter(0, now, 70), 70);
    let batch = [
        set_filter(Some(0), Some(settings(5))),
        set_filter(None, None),
        set_early(Some(1), Some(early(1))),
        set_filter(Some(7), None),
    ];
    assert_eq!(bench.execute_together(&batch).unwrap_err().at, 3);
    assert_eq!(bench.state.filters[0].get(0), Some(settings(4)));
    assert_eq!(bench.state.filters[0].level(0), 70 << 32, "it still knows what it has seen");
    assert_eq!(bench.state.wreds[0].get(1), None);
}
