//! Words of a command line that people copy into a shell.

/// A word as every shell of the family of `sh` reads it back.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./,:=@%+".contains(&byte);
    match !word.is_empty() && word.bytes().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        assert_eq!(quoted("age,sex"), "age,sex");
        assert_eq!(quoted("interval:5,10@17"), "interval:5,10@17");
        assert_eq!(quoted("my data.csv"), "'my data.csv'");
        assert_eq!(quoted("k-anonymity(k=5)"), "'k-anonymity(k=5)'");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quoted("a$(rm)b"), "'a$(rm)b'");
        assert_eq!(quoted(""), "''");
    }
}
