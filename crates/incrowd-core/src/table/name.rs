//! The words in a column name, and which of its characters must not be shown.

/// The words of a name, in lower case and without common accents: `birthDate`, `birth_date` and `BIRTH-DATE` have two.
///
/// ```
/// use incrowd_core::table::words_of_name;
/// assert_eq!(words_of_name("birthDate"), ["birth", "date"]);
/// assert_eq!(words_of_name("PATIENT_ID"), ["patient", "id"]);
/// assert_eq!(words_of_name("État civil"), ["etat", "civil"]);
/// ```
pub fn words_of_name(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        let starts_word = letter.is_uppercase() && before.is_lowercase();
        if (starts_word || !letter.is_alphanumeric())
            && words.last().is_some_and(|word| !word.is_empty())
        {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut()
            && letter.is_alphanumeric()
        {
            word.extend(letter.to_lowercase().map(without_accent));
        }
        before = letter;
    }
    words
}

/// The letter without its accent, if that is a common one; small letters only.
pub(crate) fn without_accent(letter: char) -> char {
    match letter {
        'à'..='å' => 'a',
        'ç' => 'c',
        'è'..='ë' => 'e',
        'ì'..='ï' => 'i',
        'ñ' => 'n',
        'ò'..='ö' | 'ø' => 'o',
        'ù'..='ü' => 'u',
        letter => letter,
    }
}

/// Whether a character is a control character: it moves the cursor, hides text, ends the line or reverses the order of
/// letters.
pub fn steers(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{200e}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}
