//! A description of a deadlock of flow control: pauses that wait for each other in a cycle.

use netsim::Hold;

/// Returns a sentence for each pause, which says who waits for whom and why the pause cannot end.
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
