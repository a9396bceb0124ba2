//! Losses in text, with as many digits as help.

/// A loss with as many digits as help to read it: four significant ones, without trailing zeros beyond the second
/// decimal. JSON has them all.
pub fn few_digits(loss: f64) -> String {
    let size = loss.abs();
    if loss.fract() == 0.0 && size < 1e9 || !loss.is_finite() {
        return format!("{loss}");
    }
    if size >= 1e9 {
        return format!("{loss:.3e}");
    }
    let decimals = (3 - size.log10().floor() as i32).max(0) as usize;
    let mut text = format!("{loss:.decimals$}");
    if let Some(point) = text.find('.') {
        while text.len() > point + 3 && text.ends_with('0') {
            text.pop();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::few_digits;

    #[test]
    fn losses_have_as_many_digits_as_help() {
        for (loss, text) in [
            (0.0, "0"),
            (0.4, "0.40"),
            (0.0123456, "0.01235"),
            (0.99999, "1.00"),
            (12.3456, "12.35"),
            (123.456, "123.5"),
            (98_765.4, "98765"),
            (30_162.0, "30162"),
            (1_234_567_890.0, "1.235e9"),
        ] {
            assert_eq!(few_digits(loss), text);
        }
    }
}
