//! Moments as people write them.

/// The days from 0000-03-01, with which the years of this calendar begin, to 1970-01-01.
const DAYS_TO_1970: i64 = 719_468;
/// The days of 400 years.
const DAYS_OF_ERA: i64 = 146_097;

/// Reads a moment: seconds since 1970, or a date and time in UTC such as `2026-11-26T20:00:00Z` (RFC 3339, without fractions and other
/// zones).
///
/// # Errors
/// Returns what is expected.
pub fn moment(text: &str) -> Result<u64, String> {
    text.parse().ok().or_else(|| of_date(text)).ok_or_else(|| {
        "seconds since 1970, or a date and time in UTC from 1970 on, such as 2026-11-26T20:00:00Z".to_owned()
    })
}

fn of_date(text: &str) -> Option<u64> {
    let bytes = text.as_bytes();
    let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':'), (19, b'Z')];
    if bytes.len() != 20 || separators.iter().any(|(at, letter)| bytes[*at] != *letter) {
        return None;
    }
    let number = |from: usize, to: usize| {
        let digits = text.get(from..to)?;
        digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse::<i64>().ok())?
    };
    let [year, month, day] = [number(0, 4)?, number(5, 7)?, number(8, 10)?];
    let [hour, minute, second] = [number(11, 13)?, number(14, 16)?, number(17, 19)?];
    // Leap seconds have no number of their own since 1970.
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = days(year, month, day);
    // What is no day of its month has another date.
    ((1..=12).contains(&month) && date(days) == [year, month, day]).then_some(())?;
    u64::try_from(days * 86_400 + hour * 3600 + minute * 60 + second).ok()
}

/// Returns a moment as a date and time in UTC.
pub fn text(moment: u64) -> String {
    let (days, rest) = ((moment / 86_400) as i64, moment % 86_400);
    let [year, month, day] = date(days);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// Returns the days from 1970 to a date. Years begin in March here, so that a leap day is the last of its year.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * DAYS_OF_ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year - DAYS_TO_1970
}

/// Returns year, month and day of the day that is so many days behind 1970-01-01.
fn date(days: i64) -> [i64; 3] {
    let shifted = days + DAYS_TO_1970;
    let (era, of_era) = (shifted.div_euclid(DAYS_OF_ERA), shifted.rem_euclid(DAYS_OF_ERA));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    [era * 400 + year + i64::from(month <= 2), month, day]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_and_written() {
        // `date --utc --date @NUMBER` says the same.
        for (number, written) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_790_000_000, "2026-09-21T14:13:20Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!((moment(written), text(number).as_str()), (Ok(number), written));
        }
        for day in 0..60_000 {
            assert_eq!(moment(&text(day * 86_400 + 7)), Ok(day * 86_400 + 7));
        }
        assert_eq!(moment("12"), Ok(12));
        for wrong in
            ["", "now", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01", "-1"]
        {
            assert!(moment(wrong).is_err(), "{wrong}");
        }
    }
}
