//! Which delimiter a text uses.

/// In order of preference.
const CANDIDATES: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The delimiter of `text`, the beginning of a file; `complete` if it is all of it.
///
/// Counts every candidate in every line, outside quotes. A candidate found equally often in all lines wins
/// over one that is not; then the more frequent one wins, for a comma inside the numbers of a
/// semicolon-separated file is rarely found as often as the semicolon.
pub(super) fn delimiter(text: &[u8], quote: u8, complete: bool) -> u8 {
    let lines = count_by_line(text, quote, complete);
    let Some(first) = lines.first() else {
        return CANDIDATES[0];
    };
    let mut best = (0, 0, CANDIDATES[0]);
    for (at, &candidate) in CANDIDATES.iter().enumerate() {
        let in_header = first[at];
        if in_header == 0 {
            continue;
        }
        let agreeing = lines.iter().filter(|line| line[at] == in_header).count();
        let consistent = usize::from(agreeing == lines.len());
        if (consistent, in_header) > (best.0, best.1) {
            best = (consistent, in_header, candidate);
        }
    }
    best.2
}

fn count_by_line(text: &[u8], quote: u8, complete: bool) -> Vec<[usize; CANDIDATES.len()]> {
    let mut lines = Vec::new();
    let mut counts = [0; CANDIDATES.len()];
    let (mut quoted, mut begun) = (false, false);
    for &byte in text {
        if byte == quote {
            (quoted, begun) = (!quoted, true);
        } else if quoted {
        } else if byte == b'\n' || byte == b'\r' {
            if begun {
                lines.push(counts);
            }
            (counts, begun) = ([0; CANDIDATES.len()], false);
        } else {
            begun = true;
            if let Some(at) = CANDIDATES.iter().position(|&candidate| candidate == byte) {
                counts[at] += 1;
            }
        }
    }
    // The last line counts only if it is complete.
    if begun && !quoted && (complete || lines.is_empty()) {
        lines.push(counts);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(text: &str) -> char {
        delimiter(text.as_bytes(), b'"', true).into()
    }

    #[test]
    fn the_delimiter_is_the_one_every_line_has_equally_often() {
        assert_eq!(detect("a,b,c\n1,2,3\n"), ',');
        assert_eq!(detect("a;b\n1,5;2,5\n"), ';');
        assert_eq!(detect("a\tb\n1,5\t2\n"), '\t');
        assert_eq!(detect("a|b|c\r\n1|2|3\r\n"), '|');
    }

    #[test]
    fn a_consistent_delimiter_wins_over_a_more_frequent_one() {
        assert_eq!(detect("name, first, second;age\nx;1\ny, z;2\n"), ';');
    }

    #[test]
    fn delimiters_inside_quotes_do_not_count() {
        assert_eq!(detect("\"a,a,a\";b\n\"1,\n,1\";2\n"), ';');
    }

    #[test]
    fn one_column_is_taken_as_comma_separated() {
        assert_eq!(detect("a\n1\n2\n"), ',');
        assert_eq!(detect(""), ',');
    }

    #[test]
    fn a_line_cut_short_does_not_count() {
        assert_eq!(delimiter(b"a;b,c;d\n1;2;3\n4", b'"', false), b';');
    }
}
