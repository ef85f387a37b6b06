//! A network without limits: every message arrives after 10 us, and its sender learns of that 2 us later.

#![allow(dead_code, reason = "each test uses a part of it")]

use basis::{Duration, Instant, Rate};
use demand::{Application, Arrived, HostOf, Message, Wanted, Workload};

/// A requested message, with its time and host.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    pub at: Instant,
    pub host: usize,
    pub wanted: Wanted,
}

impl Asked {
    /// The index of the destination host.
    pub fn to(&self) -> usize {
        self.wanted.destinations.one().expect("workloads ask for one each") as usize - 1000
    }

    pub fn bytes(&self) -> u64 {
        self.wanted.content.length()
    }

    pub fn microseconds(&self) -> u64 {
        self.at.microseconds()
    }
}

pub fn hosts(count: u32) -> Vec<HostOf> {
    let rate = Rate::from_gigabits_per_second(100);
    (0..count).map(|number| HostOf { address: 1000 + number, rate }).collect()
}

/// Runs workloads together on `count` hosts until `end`, or until nothing is left to do. Returns all requested
/// messages, and the number that the applications say remain.
pub fn run(texts: &[&str], count: u32, seed: u64, end: Instant) -> (Vec<Asked>, Option<u64>) {
    let workloads: Vec<Workload> = texts.iter().map(|text| workload(text)).collect();
    let mut applications = Workload::combined(&workloads, &hosts(count), seed).expect("hosts that fit");
    let asked = carry(&mut applications, end);
    let may_be_to_itself = texts.iter().any(|text| text.starts_with("parallel-incasts"));
    assert!(may_be_to_itself || asked.iter().all(|one| one.to() != one.host), "{asked:?}");
    (asked, applications.iter().map(|application| application.remaining()).sum())
}

pub fn workload(text: &str) -> Workload {
    Workload::parse(text).unwrap_or_else(|(sources, found)| panic!("{}", found.render(&sources, false)))
}

pub fn carry(applications: &mut [Box<dyn Application>], end: Instant) -> Vec<Asked> {
    let mut asked: Vec<Asked> = Vec::new();
    let mut numbers = vec![0; applications.len()];
    // The time, the host that is told, and what it is told: that a message arrived from `Some` host, or (`None`) that
    // its own message is finished.
    let mut under_way: Vec<(Instant, usize, Option<usize>, Message)> = Vec::new();
    let mut wanted = Vec::new();
    loop {
        let wake = (0..applications.len()).filter_map(|host| Some((applications[host].deadline()?, host))).min();
        let news = (0..under_way.len()).map(|place| (under_way[place].0, place)).min();
        let (now, host) = match (wake, news) {
            (Some((at, host)), news) if news.is_none_or(|(other, _)| at < other) => {
                if at > end {
                    return asked;
                }
                applications[host].wake(at, &mut wanted);
                assert!(applications[host].deadline().is_none_or(|next| next > at), "woken and still due");
                (at, host)
            }
            (_, Some((at, place))) => {
                if at > end {
                    return asked;
                }
                let (_, host, source, message) = under_way.remove(place);
                match source {
                    Some(source) => {
                        let Message { number, content, service, .. } = message;
                        let arrived = Arrived { source: 1000 + source as u32, number, content, service };
                        applications[host].arrived(at, arrived, &mut wanted);
                    }
                    None => applications[host].finished(at, message, &mut wanted),
                }
                (at, host)
            }
            _ => return asked,
        };
        for wanted in wanted.drain(..) {
            let message = wanted.clone().numbered(numbers[host]);
            let one = Asked { at: now, host, wanted };
            assert!(one.bytes() > 0, "{one:?}");
            numbers[host] += 1;
            under_way.push((now + Duration::from_microseconds(10), one.to(), Some(host), message.clone()));
            under_way.push((now + Duration::from_microseconds(12), host, None, message));
            asked.push(one);
        }
    }
}
