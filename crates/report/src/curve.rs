//! Curves: points by rising x, of which figures draw lines or steps.

/// A curve over an axis of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// The number of its colour.
    pub colour: usize,
    /// Its points, by rising x, in the base units of the axes.
    pub points: Vec<(f64, f64)>,
}

impl Curve {
    /// The distribution of some numbers (a CDF): for each number x, the fraction of the numbers that are at most x.
    pub fn distribution(name: impl Into<String>, colour: usize, mut numbers: Vec<f64>) -> Self {
        numbers.retain(|number| number.is_finite());
        numbers.sort_by(f64::total_cmp);
        let count = numbers.len() as f64;
        let mut points: Vec<(f64, f64)> = numbers.first().map(|&first| (first, 0.0)).into_iter().collect();
        points.extend(numbers.iter().zip(1..).map(|(&number, rank)| (number, f64::from(rank) / count)));
        Self { name: name.into(), colour, points }
    }

    /// The value at x of a curve that keeps a value until its next point; `None` before its first point.
    pub fn step_at(&self, x: f64) -> Option<f64> {
        let next = self.points.partition_point(|point| point.0 <= x);
        Some(self.points[next.checked_sub(1)?].1)
    }

    /// The value at x of a curve whose points are joined by lines; `None` before its first and after its last point.
    pub fn line_at(&self, x: f64) -> Option<f64> {
        let next = self.points.partition_point(|point| point.0 <= x);
        let (x0, y0) = self.points[next.checked_sub(1)?];
        match self.points.get(next) {
            Some(&(x1, y1)) => Some(y0 + (y1 - y0) * (x - x0) / (x1 - x0)),
            None => (x == x0).then_some(y0),
        }
    }

    /// The greatest value.
    pub fn highest(&self) -> f64 {
        self.points.iter().map(|point| point.1).fold(0.0, f64::max)
    }

    /// The curve with at most `most` points: of all within a pixel the greatest, so that no peak is lost.
    pub(crate) fn thinned(&self, from: f64, to: f64, most: usize) -> Vec<(f64, f64)> {
        if self.points.len() <= most {
            return self.points.clone();
        }
        let width = ((to - from) / (most / 2) as f64).max(f64::MIN_POSITIVE);
        let mut thinned: Vec<(f64, f64)> = Vec::new();
        let mut bin = f64::NEG_INFINITY;
        for &(x, y) in &self.points {
            let of_point = ((x - from) / width).floor();
            match thinned.last_mut() {
                Some(last) if of_point <= bin => last.1 = last.1.max(y),
                _ => thinned.push((x, y)),
            }
            bin = bin.max(of_point);
        }
        // What it ends with stays what it is.
        thinned.extend(self.points.last());
        thinned
    }
}

/// The corners of steps through these points, up to `right`.
pub(crate) fn corners(points: Vec<(f64, f64)>, right: f64) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::with_capacity(2 * points.len() + 1);
    for (x, y) in points {
        match corners.last() {
            Some(&(_, before)) if before != y => corners.extend([(x, before), (x, y)]),
            Some(_) => {}
            None => corners.push((x, y)),
        }
    }
    corners.extend(corners.last().map(|&(_, y)| (right, y)));
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_rises_from_nothing_to_all() {
        let curve = Curve::distribution("times", 0, vec![3.0, 1.0, f64::NAN, 2.0, 2.0]);
        assert_eq!(curve.points, [(1.0, 0.0), (1.0, 0.25), (2.0, 0.5), (2.0, 0.75), (3.0, 1.0)]);
        assert_eq!((curve.step_at(0.5), curve.step_at(2.5), curve.step_at(9.0)), (None, Some(0.75), Some(1.0)));
        assert!(Curve::distribution("none", 0, Vec::new()).points.is_empty());
    }

    #[test]
    fn a_long_curve_keeps_its_peaks_and_its_end() {
        let points = (0..100_000u32).map(|x| (f64::from(x), f64::from(u32::from(x == 77_777)))).collect();
        let thinned = Curve { points, ..Curve::default() }.thinned(0.0, 99_999.0, 1200);
        assert!(thinned.len() <= 1201, "{}", thinned.len());
        assert!(thinned.iter().any(|&(_, y)| y == 1.0) && thinned.last() == Some(&(99_999.0, 0.0)));
    }

    #[test]
    fn steps_have_corners_only_where_the_value_changes() {
        let corners = corners(vec![(0.0, 0.0), (1.0, 2.0), (2.0, 2.0), (3.0, 1.0)], 4.0);
        assert_eq!(corners, [(0.0, 0.0), (1.0, 0.0), (1.0, 2.0), (3.0, 2.0), (3.0, 1.0), (4.0, 1.0)]);
    }

    #[test]
    fn between_two_points_of_a_line_lies_what_lies_between_them() {
        let curve = Curve { points: vec![(1.0, 10.0), (3.0, 20.0)], ..Curve::default() };
        assert_eq!([0.0, 2.0, 3.0, 4.0].map(|x| curve.line_at(x)), [None, Some(15.0), Some(20.0), None]);
    }
}
