//! Random early detection (Floyd and Jacobson, "Random Early Detection Gateways for Congestion Avoidance", 1993).

/// The parameters of random early detection.
#[derive(Clone, Debug, PartialEq)]
pub struct RedPlan {
    /// The room in bytes on the wire, whatever the average length is.
    pub limit: u64,
    /// The average length in bytes below which no packet is marked.
    pub minimum: u64,
    /// The average length in bytes from which on every packet is marked; more than `minimum`.
    pub maximum: u64,
    /// The marking probability just below `maximum`, from 0 to 1: the paper's max_p.
    pub probability: f64,
    /// The weight of the present length in the average, above 0 and at most 1: the paper's w_q. With a weight of 1
    /// there is no averaging, as in DCQCN's switches.
    pub weight: f64,
    /// The way in which marks are spaced.
    pub spacing: Spacing,
    /// The length of a typical packet, in bytes on the wire, from which the average computes how many packets did not
    /// arrive while the queue was empty.
    pub usual_packet: u32,
}

/// The way in which marks are spaced among packets (section 7 of the paper).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spacing {
    /// Each packet is chosen independently, so the number of packets between marks is a geometric random variable
    /// (method 1).
    Geometric,
    /// The number of packets between marks is uniform from 1 to 1/p, whose mean is about half as large (method 2,
    /// which the paper chose).
    #[default]
    Uniform,
}

impl RedPlan {
    /// Returns a plan with the parameters that the paper recommends: weight 0.002, probability 1/50, and a maximum of
    /// twice the minimum.
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

    /// Returns the probability p_b for an average length in bytes, from 0 to 1.
    pub fn probability_at(&self, average: f64) -> f64 {
        let (minimum, maximum) = (self.minimum as f64, self.maximum as f64);
        match average {
            _ if average < minimum => 0.0,
            _ if average >= maximum => 1.0,
            _ => self.probability * (average - minimum) / (maximum - minimum),
        }
    }
}
