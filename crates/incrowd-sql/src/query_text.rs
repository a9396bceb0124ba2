//! Whether a text is a single query, for engines that would run everything that follows its end.
//!
//! A query is put in parentheses. One that closes them itself, and goes on with a semicolon, would be several statements.

/// Whether no semicolon and no closing parenthesis of a text ends the query that the text is, as DuckDB reads it: quotes
/// contain doubled quotes, `E'...'` backslashes, `$tag$...$tag$` anything, and comments comments.
pub(crate) fn is_one_query(text: &str) -> bool {
    let mut depth = 0_usize;
    let mut rest = text;
    let mut before = ' ';
    // Whether the letters before are `e` alone, which gives backslashes a meaning in what is quoted next.
    let mut is_escape = false;
    while let Some(letter) = rest.chars().next() {
        let after = &rest[letter.len_utf8()..];
        let skipped = match letter {
            '\'' if is_escape => end_of_escaped(after),
            '\'' | '"' => end_of_quoted(after, letter),
            '-' if after.starts_with('-') => {
                let end = after.find(['\n', '\r']);
                Some(end.unwrap_or(after.len()))
            }
            '/' if after.starts_with('*') => end_of_comment(after),
            '$' if !is_part_of_name(before) => Some(end_of_dollars(after)),
            '(' => {
                depth += 1;
                Some(0)
            }
            ')' => match depth.checked_sub(1) {
                Some(less) => {
                    depth = less;
                    Some(0)
                }
                None => None,
            },
            ';' => None,
            _ => Some(0),
        };
        let Some(skipped) = skipped else {
            return false;
        };
        is_escape = matches!(letter, 'e' | 'E') && !is_part_of_name(before);
        before = letter;
        rest = &after[skipped..];
    }
    depth == 0
}

fn is_part_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$' || !letter.is_ascii()
}

/// How much belongs to a text in quotes, without the first one; none if it does not end.
fn end_of_quoted(text: &str, quote: char) -> Option<usize> {
    let mut end = 0;
    loop {
        end += text[end..].find(quote)? + 1;
        match text[end..].starts_with(quote) {
            true => end += 1,
            false => return Some(end),
        }
    }
}

fn end_of_escaped(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'\'' if bytes.get(at + 1) == Some(&b'\'') => at += 2,
            b'\'' => return Some(at + 1),
            _ => at += 1,
        }
    }
}

fn end_of_comment(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (1, 1);
    while depth > 0 {
        match (bytes.get(at)?, bytes.get(at + 1)) {
            (b'*', Some(b'/')) => (depth, at) = (depth - 1, at + 2),
            (b'/', Some(b'*')) => (depth, at) = (depth + 1, at + 2),
            _ => at += 1,
        }
    }
    Some(at)
}

/// Zero if the dollar begins no quote, but a parameter. A quote that does not end is none either, and goes on as text.
fn end_of_dollars(text: &str) -> usize {
    let Some(end) = text.find('$') else {
        return 0;
    };
    let tag = &text[..end];
    let is_tag = tag.chars().all(|it| it != '$' && is_part_of_name(it))
        && !tag.starts_with(|it: char| it.is_ascii_digit());
    let closing = format!("${tag}$");
    match text[end + 1..].find(&closing) {
        Some(length) if is_tag => end + 1 + length + closing.len(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::is_one_query;

    #[test]
    fn single_queries_are_told_from_several_statements() {
        for query in [
            "SELECT 1",
            "SELECT ')' AS a, \"b;)\" FROM (SELECT 2)",
            "SELECT 'it''s; -- no comment'",
            "SELECT 1 -- and so on; )",
            "SELECT /* ; /* ) */ ; */ 1",
            "SELECT E'\\'; DROP' AS a",
            "SELECT $$;)$$, $x$ $$ ; $x$",
            "SELECT name FROM t WHERE a = $1",
            "SELECT 'e' AS \"E\", e.a FROM e",
            "WITH a AS (SELECT (1)) SELECT * FROM a",
        ] {
            assert!(is_one_query(query), "{query}");
        }
        for texts in [
            "SELECT 1) AS t; DROP TABLE x; SELECT * FROM (SELECT 1",
            "SELECT 1; DROP TABLE x",
            "SELECT 1) AS t -- ",
            "SELECT (1",
            "SELECT '\\'; DROP TABLE x; --'",
            "SELECT name'\\'; DROP TABLE x; --'",
            "SELECT 'a' /* */ ; DROP TABLE x",
            "SELECT 1 -- \n; DROP TABLE x",
            "SELECT 1 -- \r; DROP TABLE x",
            "SELECT a$$ ; DROP TABLE x; SELECT $$",
            "SELECT $1$ ; DROP TABLE x; SELECT $1$",
            "SELECT 'open ; DROP TABLE x",
            "SELECT /* open ; DROP TABLE x",
            "SELECT \"a\\\"; DROP TABLE x; --\"",
        ] {
            assert!(!is_one_query(texts), "{texts}");
        }
    }
}
