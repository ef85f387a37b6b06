//! Pauses that wait for each other in a circle, in words.

use netsim::Hold;

/// A sentence for each pause: who waits for whom, and why that one cannot end it.
pub(super) fn sentences(circle: &[Hold], names: &[String]) -> Vec<String> {
    let next = circle.iter().cycle().skip(1);
    let sentence = |(hold, next): (&Hold, &Hold)| {
        let Hold { waiting: (waiting, port), asked_by: (by, at), class, bytes } = *hold;
        let (waiting, by) = (&names[waiting], &names[by]);
        let (port, at, onward) = (port.0, at.0, next.waiting.1.0);
        format!(
            "{waiting} (port {port}) waits for {by}, which has paused priority {class} at its port {at}: {bytes} bytes that \
             came in there wait at its port {onward}"
        )
    };
    circle.iter().zip(next).map(sentence).collect()
}
