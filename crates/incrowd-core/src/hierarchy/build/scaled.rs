//! Numbers of the data as whole multiples of a power of ten, exactly: so that 0.3 is three times 0.1.

/// A number's text taken apart: sign, digits, and the power of ten of the last digit.
fn parts(text: &str) -> Option<(bool, String, i64)> {
    let text = text.trim();
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (negative, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut power = exponent.checked_sub(fraction.len() as i64)?;
    while digits.len() > 1 && digits.ends_with('0') {
        digits.pop();
        power = power.checked_add(1)?;
    }
    let digits = digits.trim_start_matches('0').to_owned();
    let power = if digits.is_empty() { 0 } else { power };
    Some((negative, digits, power))
}

/// A whole number of few digits, which most numbers are.
fn short_whole(text: &str) -> Option<i64> {
    (text.len() <= 18).then(|| text.parse().ok()).flatten()
}

/// How many digits after the point a number's text needs; zeros at the end are not needed.
pub(super) fn places_of(text: &str) -> Option<u64> {
    if short_whole(text).is_some() {
        return Some(0);
    }
    let (_, _, power) = parts(text)?;
    Some(power.min(0).unsigned_abs())
}

/// A number's text in units of 10 to the power of minus `places`, exactly; none if it is too long or has more places.
pub(super) fn scaled_text(text: &str, places: u8) -> Option<i128> {
    if let Some(number) = short_whole(text) {
        return Some(i128::from(number) * 10_i128.pow(u32::from(places)));
    }
    let (negative, digits, power) = parts(text)?;
    if digits.is_empty() {
        return Some(0);
    }
    let zeros = usize::try_from(power + i64::from(places)).ok()?;
    if digits.len() + zeros > 36 {
        return None;
    }
    let size: i128 = format!("{digits}{}", "0".repeat(zeros)).parse().ok()?;
    Some(if negative { -size } else { size })
}
