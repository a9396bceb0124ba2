//! Cells that a spreadsheet would treat as formulas.
//!
//! A cell that begins with `=`, `+`, `-`, `@`, a tab or a line break is evaluated when a spreadsheet opens the file,
//! and a formula can send the contents of the table elsewhere. OWASP, *CSV Injection*, recommends prefixing it with an
//! apostrophe, which makes it text. Numbers stay unchanged: `-5` is not a formula.
//!
//! Different cells stay different: a cell that already has such apostrophes gets one more, so that removing one
//! restores every cell.

use incrowd_core::table::parse_number;

const APOSTROPHE: u8 = b'\'';

/// Whether the cell needs an apostrophe.
#[inline]
pub(super) fn needs_apostrophe(cell: &[u8]) -> bool {
    matches!(
        cell.first(),
        Some(b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r' | b'\n' | &APOSTROPHE | 0xef)
    ) && is_formula(cell)
}

fn is_formula(cell: &[u8]) -> bool {
    let apostrophes = cell.iter().take_while(|&&byte| byte == APOSTROPHE).count();
    let Ok(text) = std::str::from_utf8(&cell[apostrophes..]) else {
        return false;
    };
    // East Asian spreadsheets also accept the full-width forms of these signs.
    let begins = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    begins && !is_number(text)
}

/// Whether the text is a number as people write it: `+3`, `-1.5`, `-2e10`; not ` -5`, `-inf` or `- 5`.
fn is_number(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    text.bytes().all(is_plain) && parse_number(text).is_some()
}

/// The cell without the apostrophe; unchanged if it has none.
pub(super) fn without_apostrophe(cell: &[u8]) -> &[u8] {
    match cell.split_first() {
        Some((&APOSTROPHE, rest)) if is_formula(rest) => rest,
        _ => cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn guarded(cell: &str) -> Vec<u8> {
        let mut guarded = Vec::new();
        if needs_apostrophe(cell.as_bytes()) {
            guarded.push(APOSTROPHE);
        }
        guarded.extend_from_slice(cell.as_bytes());
        guarded
    }

    #[test]
    fn formulas_get_an_apostrophe_and_numbers_do_not() {
        for formula in [
            "=1+1",
            "+cmd|' /C calc'!A0",
            "-2+3",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
            "\n=1",
            "=",
            "-",
            "--5",
            "-5-10",
            "-inf",
            "＝1",
            "'=1",
            "''-x",
        ] {
            assert!(needs_apostrophe(formula.as_bytes()), "{formula:?}");
        }
        for plain in [
            "", "-5", "+3", "-1.5", "-2e10", "a=1", " =1", "'quoted'", "'-5", "*", "ﬀ",
        ] {
            assert!(!needs_apostrophe(plain.as_bytes()), "{plain:?}");
        }
    }

    proptest! {
        #[test]
        fn every_cell_comes_back_and_none_is_a_formula(cell in "['=+@\t\r\n0-9a＝-]{0,5}") {
            let guarded = guarded(&cell);
            prop_assert_eq!(without_apostrophe(&guarded), cell.as_bytes());
            let first = guarded.first().copied().unwrap_or(b'a');
            let text = std::str::from_utf8(&guarded).unwrap();
            prop_assert!(is_number(text) || !b"=+-@\t\r\n".contains(&first));
        }
    }
}
