//! Random early detection (Floyd and Jacobson, "Random Early Detection Gateways for Congestion Avoidance", 1993).

/// When random early detection marks.
#[derive(Clone, Debug, PartialEq)]
pub struct RedPlan {
    /// Room, in bytes on the wire, whatever the average is.
    pub limit: u64,
    /// No packet is marked while the average length is below this, in bytes.
    pub minimum: u64,
    /// Every packet is marked from this average length on, in bytes; more than `minimum`.
    pub maximum: u64,
    /// The probability just below `maximum`, from 0 to 1: the paper's max_p.
    pub probability: f64,
    /// What the present length counts in the average, above 0 to 1: the paper's w_q. 1 is no average at all, as
    /// DCQCN's switches mark.
    pub weight: f64,
    /// How marks are spread.
    pub spacing: Spacing,
    /// A packet of usual size, in bytes on the wire: while the queue was empty, so many were not there.
    pub usual_packet: u32,
}

/// How marks are spread over packets (section 7 of the paper).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spacing {
    /// Each packet by itself: the number of packets between marks is a geometric random variable (method 1).
    Geometric,
    /// The number of packets between marks is uniform from 1 to 1/p, which is about half as many (method 2, the one
    /// that the paper chose).
    #[default]
    Uniform,
}

impl RedPlan {
    /// The parameters that the paper recommends: weight 0.002, probability 1/50, maximum twice the minimum.
    pub fn new(minimum: u64, limit: u64) -> Self {
        Self {
            limit,
            minimum,
            maximum: 2 * minimum,
            probability: 0.02,
            weight: 0.002,
            spacing: Spacing::Uniform,
            usual_packet: 1524,
        }
    }

    /// The probability p_b at an average length in bytes, from 0 to 1.
    pub fn probability_at(&self, average: f64) -> f64 {
        let (minimum, maximum) = (self.minimum as f64, self.maximum as f64);
        match average {
            _ if average < minimum => 0.0,
            _ if average >= maximum => 1.0,
            _ => self.probability * (average - minimum) / (maximum - minimum),
        }
    }
}
