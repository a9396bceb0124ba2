//! What the cells of a column look like: e-mail addresses, telephone numbers, names of people, free text.
//!
//! A single cell proves little: one number in eleven passes the test of a Dutch citizen number. So cells are only
//! counted ([`Looks`]), and a column looks like something if nearly all of its distinct values do. Nothing of a cell is
//! kept but what it looks like.

use serde::{Deserialize, Serialize};

/// What a column looks like, judging by its values; a survey weight also by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LooksLike {
    /// E-mail addresses.
    EmailAddresses,
    /// Telephone numbers.
    TelephoneNumbers,
    /// Numbers of social security, tax or citizens of several countries, by their form and check digits.
    NationalNumbers,
    /// International bank account numbers, by their check digits.
    BankAccounts,
    /// Numbers of payment cards, by their check digit.
    PaymentCards,
    /// Universally unique identifiers.
    UniqueIdentifiers,
    /// Addresses of machines in a network.
    NetworkAddresses,
    /// Addresses of web pages.
    WebAddresses,
    /// Names of people.
    PersonNames,
    /// Sentences or notes, which may name people.
    FreeText,
    /// How many people a row stands for.
    SurveyWeight,
}

impl LooksLike {
    /// What cells can look like; a weight is not told by its cells.
    const OF_CELLS: [LooksLike; 10] = [
        LooksLike::EmailAddresses,
        LooksLike::TelephoneNumbers,
        LooksLike::NationalNumbers,
        LooksLike::BankAccounts,
        LooksLike::PaymentCards,
        LooksLike::UniqueIdentifiers,
        LooksLike::NetworkAddresses,
        LooksLike::WebAddresses,
        LooksLike::PersonNames,
        LooksLike::FreeText,
    ];

    /// In words, as in "its values look like ...".
    pub fn in_words(self) -> &'static str {
        match self {
            LooksLike::EmailAddresses => "e-mail addresses",
            LooksLike::TelephoneNumbers => "telephone numbers",
            LooksLike::NationalNumbers => "social security, tax or citizen numbers",
            LooksLike::BankAccounts => "bank account numbers",
            LooksLike::PaymentCards => "payment card numbers",
            LooksLike::UniqueIdentifiers => "unique identifiers",
            LooksLike::NetworkAddresses => "network addresses",
            LooksLike::WebAddresses => "web addresses",
            LooksLike::PersonNames => "names of people",
            LooksLike::FreeText => "free text",
            LooksLike::SurveyWeight => "survey weights",
        }
    }

    /// The share of values that must look like it. An e-mail address hardly looks like anything else; sentences are of
    /// all lengths.
    fn least_share(self) -> f64 {
        match self {
            LooksLike::EmailAddresses | LooksLike::FreeText => 0.5,
            _ => 0.9,
        }
    }

    /// The values it takes to tell: a check digit of a random number is right once in five to eleven times.
    fn fewest_values(self) -> u64 {
        match self {
            LooksLike::NationalNumbers | LooksLike::PaymentCards => 8,
            _ => 3,
        }
    }
}

/// How many values look like what.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Looks {
    values: u64,
    like: [u64; LooksLike::OF_CELLS.len()],
}

impl Looks {
    /// Counts one more distinct value.
    pub(crate) fn see(&mut self, look: Option<LooksLike>) {
        self.values += 1;
        let position = LooksLike::OF_CELLS.iter().position(|of| Some(*of) == look);
        if let Some(at) = position {
            self.like[at] += 1;
        }
    }

    /// What the whole column looks like.
    pub(crate) fn of_column(&self) -> Option<LooksLike> {
        let counted = LooksLike::OF_CELLS.into_iter().zip(self.like);
        let mut enough = counted.filter(|(look, values)| {
            *values >= look.fewest_values()
                && *values as f64 >= look.least_share() * self.values as f64
        });
        enough.next().map(|(look, _)| look)
    }
}

/// What one cell looks like.
pub(crate) fn look_of(cell: &str) -> Option<LooksLike> {
    let text = cell.trim();
    // An address of a web page may contain anything, so it comes first.
    type Form = (LooksLike, fn(&str) -> bool);
    let forms: [Form; 10] = [
        (LooksLike::WebAddresses, is_web_address),
        (LooksLike::EmailAddresses, is_email_address),
        (LooksLike::UniqueIdentifiers, is_unique_identifier),
        (LooksLike::NetworkAddresses, is_network_address),
        (LooksLike::BankAccounts, is_bank_account),
        (LooksLike::NationalNumbers, is_national_number),
        (LooksLike::PaymentCards, is_payment_card),
        (LooksLike::TelephoneNumbers, is_telephone_number),
        (LooksLike::PersonNames, is_person_name),
        (LooksLike::FreeText, is_free_text),
    ];
    let mut alike = forms.into_iter().filter(|(_, is_form)| is_form(text));
    alike.next().map(|(look, _)| look)
}

fn is_web_address(text: &str) -> bool {
    ["http://", "https://", "www."].iter().any(|start| {
        text.get(..start.len())
            .is_some_and(|it| it.eq_ignore_ascii_case(start))
    })
}

fn is_email_address(text: &str) -> bool {
    let Some((person, place)) = text.split_once('@') else {
        return false;
    };
    let has_end = place.rsplit_once('.').is_some_and(|(host, end)| {
        !host.is_empty() && end.len() >= 2 && end.chars().all(char::is_alphanumeric)
    });
    !person.is_empty() && has_end && !text.contains(char::is_whitespace) && !place.contains('@')
}

/// `8-4-4-4-12` hexadecimal digits, with or without the dashes.
fn is_unique_identifier(text: &str) -> bool {
    let text = text.trim_matches(['{', '}']);
    let is_hexadecimal = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    match text.len() {
        36 => {
            let lengths = text.split('-').map(str::len);
            lengths.eq([8, 4, 4, 4, 12]) && text.split('-').all(is_hexadecimal)
        }
        // Without a letter it may be any long number.
        32 => is_hexadecimal(text) && text.bytes().any(|byte| byte.is_ascii_alphabetic()),
        _ => false,
    }
}

/// Of the Internet, version 4 or 6, or of a network card.
fn is_network_address(text: &str) -> bool {
    let pairs = |between: char| {
        let mut parts = text.split(between);
        text.len() == 17 && parts.all(|part| part.len() == 2 && is_hexadecimal(part))
    };
    let is_of_machine = text.parse::<std::net::IpAddr>().is_ok();
    is_of_machine || pairs(':') || pairs('-')
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// ISO 13616: the country, two check digits, up to 30 more; moved to the end and read as a number, 1 is left of it by 97.
fn is_bank_account(text: &str) -> bool {
    let text: Vec<u8> = text.bytes().filter(|byte| *byte != b' ').collect();
    let form = |at: usize| text.get(at).copied().unwrap_or(0);
    let starts = form(0).is_ascii_uppercase()
        && form(1).is_ascii_uppercase()
        && form(2).is_ascii_digit()
        && form(3).is_ascii_digit();
    if !starts || !(15..=34).contains(&text.len()) {
        return false;
    }
    let mut moved = text[4..].iter().chain(&text[..4]);
    let rest = moved.try_fold(0u32, |rest, byte| {
        let digit = char::from(*byte).to_digit(36)?;
        let shift = if digit > 9 { 100 } else { 10 };
        Some((rest * shift + digit) % 97)
    });
    rest == Some(1)
}

/// The digits of a text that has nothing but digits, and blanks, dots, dashes or slashes between them.
fn digits(text: &str) -> Option<Vec<u32>> {
    let is_between = |letter: char| matches!(letter, ' ' | '.' | '-' | '/');
    let starts = text.starts_with(|first: char| first.is_ascii_digit());
    let ends = text.ends_with(|last: char| last.is_ascii_digit());
    let mut letters = text.chars();
    let is_plain = letters.all(|letter| letter.is_ascii_digit() || is_between(letter));
    (starts && ends && is_plain).then(|| text.chars().filter_map(|it| it.to_digit(10)).collect())
}

/// ISO/IEC 7812: every second digit from the right doubled, its digits added; the sum ends in 0.
fn is_payment_card(text: &str) -> bool {
    let Some(digits) = digits(text).filter(|digits| (13..=19).contains(&digits.len())) else {
        return false;
    };
    let doubled = digits.iter().rev().enumerate();
    let sum: u32 = doubled
        .map(|(at, &digit)| match at % 2 {
            0 => digit,
            _ => digit * 2 / 10 + digit * 2 % 10,
        })
        .sum();
    (3..=6).contains(&digits[0]) && sum.is_multiple_of(10)
}

/// Letters as `A`, digits as `9`, blanks and dashes left out.
fn shape(text: &str) -> Option<String> {
    let mut shape = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            ' ' | '-' => (),
            letter if letter.is_ascii_alphabetic() => shape.push('A'),
            letter if letter.is_ascii_digit() => shape.push('9'),
            _ => return None,
        }
    }
    Some(shape)
}

/// The numbers by which states know people, where their form or check digit tells them from other numbers.
fn is_national_number(text: &str) -> bool {
    if !(9..=21).contains(&text.len()) {
        return false;
    }
    if let Some(digits) = digits(text) {
        return is_us_social_security(text)
            || is_dutch_citizen(&digits)
            || is_portuguese_tax(&digits)
            || is_german_tax(&digits)
            || is_french_social_security(&digits);
    }
    let plain: Vec<u8> = text.bytes().filter(|byte| !b" -".contains(byte)).collect();
    match shape(text).as_deref() {
        // Italy: codice fiscale.
        Some("AAAAAA99A99A999A") => true,
        // Britain: National Insurance number. Germany: pension insurance number.
        Some("AA999999A") => matches!(plain[8].to_ascii_uppercase(), b'A'..=b'D'),
        Some("99999999A999") => true,
        // Spain: DNI, and NIE with a letter for the first digit; the last letter is a check.
        Some("99999999A" | "A9999999A") => is_spanish(&plain),
        _ => false,
    }
}

/// `123-45-6789`, only with its dashes: without them it is any number.
fn is_us_social_security(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths = parts.iter().map(|part| part.len());
    lengths.eq([3, 2, 4]) && parts[0] != "000" && parts[1] != "00"
}

/// Burgerservicenummer: the digits times 9, 8 ... 2, -1 add up to a multiple of 11.
fn is_dutch_citizen(digits: &[u32]) -> bool {
    let factors = [9, 8, 7, 6, 5, 4, 3, 2, -1];
    let sum: i32 = digits
        .iter()
        .zip(factors)
        .map(|(&digit, factor)| digit as i32 * factor)
        .sum();
    digits.len() == 9 && sum > 0 && sum % 11 == 0
}

/// NIF: the digits times 9, 8 ... 2 leave 11 minus the last digit by 11.
fn is_portuguese_tax(digits: &[u32]) -> bool {
    if digits.len() != 9 || digits[0] == 0 {
        return false;
    }
    let sum: u32 = digits
        .iter()
        .zip((2..=9).rev())
        .map(|(digit, factor)| digit * factor)
        .sum();
    let check = match 11 - sum % 11 {
        10.. => 0,
        check => check,
    };
    digits[8] == check
}

/// Identifikationsnummer: ISO 7064, MOD 11,10.
fn is_german_tax(digits: &[u32]) -> bool {
    if digits.len() != 11 || digits[0] == 0 {
        return false;
    }
    let product = digits[..10].iter().fold(10, |product, digit| {
        let sum = match (digit + product) % 10 {
            0 => 10,
            sum => sum,
        };
        sum * 2 % 11
    });
    digits[10] == (11 - product) % 10
}

/// Numéro de sécurité sociale: sex, year and month of birth and so on; the last two digits are 97 minus the rest by 97.
fn is_french_social_security(digits: &[u32]) -> bool {
    if digits.len() != 15 || !(1..=4).contains(&digits[0]) {
        return false;
    }
    let number = |digits: &[u32]| {
        digits
            .iter()
            .fold(0u64, |all, &digit| all * 10 + u64::from(digit))
    };
    number(&digits[13..]) == 97 - number(&digits[..13]) % 97
}

fn is_spanish(plain: &[u8]) -> bool {
    const CHECKS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let first = match plain[0].to_ascii_uppercase() {
        digit @ b'0'..=b'9' => u32::from(digit - b'0'),
        b'X' => 0,
        b'Y' => 1,
        b'Z' => 2,
        _ => return false,
    };
    let rest = plain[1..8].iter();
    let number = rest.fold(first, |number, digit| number * 10 + u32::from(digit - b'0'));
    CHECKS[number as usize % 23] == plain[8].to_ascii_uppercase()
}

/// `+49 30 1234567`, `(030) 123456`, `030/1234567`, `555-123-4567`: digits with what is written between them, and a start
/// that numbers for counting do not have.
fn is_telephone_number(text: &str) -> bool {
    let allowed = |letter: char| letter.is_ascii_digit() || " ()-/.".contains(letter);
    let number = text.strip_prefix('+').unwrap_or(text);
    let digits = number.chars().filter(char::is_ascii_digit).count();
    if !(7..=15).contains(&digits) || !number.chars().all(allowed) {
        return false;
    }
    let is_international = text.starts_with('+') && !number.contains('.');
    // `0.123` is a number, `0301234567` is not.
    let is_dialled = number.starts_with('0') && digits >= 9 && !number.starts_with("0.");
    let is_in_brackets = number.starts_with('(') && number.contains(')');
    let is_american = {
        let mut parts = number.split(['-', '.', ' ']);
        parts.clone().count() == 3
            && parts.by_ref().map(str::len).eq([3, 3, 4])
            && number.parse::<f64>().is_err()
    };
    is_international || is_dialled || is_in_brackets || is_american
}

/// Two to four words that begin with capitals, as `Ann Lee`, `Lee, Ann`, `Ludwig van der Rohe`, `LEE, ANN`.
fn is_person_name(text: &str) -> bool {
    const BETWEEN: [&str; 19] = [
        "von", "van", "de", "da", "di", "der", "den", "del", "della", "dos", "das", "do", "du",
        "la", "le", "zu", "bin", "al", "ter",
    ];
    let is_name = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().is_some_and(char::is_uppercase);
        let rest = letters
            .clone()
            .all(|it| it.is_alphabetic() || "-'’.".contains(it));
        let has_small = letters.clone().any(char::is_lowercase);
        let is_initial = word.chars().count() <= 2;
        first && rest && (has_small || is_initial || text.contains(','))
    };
    if text.len() > 60 || text.matches(',').count() > 1 {
        return false;
    }
    let mut words = 0;
    let mut full = 0;
    for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
        words += 1;
        if is_name(word) {
            full += usize::from(word.chars().count() > 1);
        } else if !BETWEEN.contains(&word) {
            return false;
        }
    }
    (2..=4).contains(&words) && full >= 2 || words == 2 && full == 1 && text.contains('.')
}

/// Six words, or fewer long ones.
fn is_free_text(text: &str) -> bool {
    let has_letters = |word: &&str| word.chars().any(char::is_alphabetic);
    let words = text.split_whitespace().filter(has_letters).take(6).count();
    words >= 6 || words >= 4 && text.len() >= 25
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells of every form, from public documentation or made up with right check digits, and cells that are near it.
    #[test]
    fn every_form_is_recognized_and_what_is_near_it_is_not() {
        use LooksLike::*;
        let cells: [(Option<LooksLike>, &[&str]); 14] = [
            (
                Some(EmailAddresses),
                &["ann@example.org", "a.b+c@mail.example.co"],
            ),
            (None, &["ann@", "@example", "ann@home", "a@b@c.de"]),
            (
                Some(TelephoneNumbers),
                &[
                    "+49 30 1234567",
                    "(030) 123456-7",
                    "030/1234567",
                    "555-123-4567",
                    "0301234567",
                ],
            ),
            (
                None,
                &[
                    "1234567",
                    "0.123456789",
                    "12.345.678",
                    "100-200",
                    "+1.2345678",
                ],
            ),
            (
                Some(NationalNumbers),
                &[
                    "078-05-1120",
                    "111222333",             // BSN of the tests of the Dutch state
                    "123456789",             // NIF with its check digit
                    "86095742719",           // Identifikationsnummer of the documentation
                    "1 84 12 76 451 089 46", // NIR of the French documentation
                    "RSSMRA85T10A562S",
                    "QQ123456C",
                    "15070649C103",
                    "12345678Z",
                    "X1234567L",
                ],
            ),
            (
                None,
                &[
                    "12345678A",
                    "X1234567A",
                    "123456788",
                    "86095742718",
                    "QQ123456Z",
                ],
            ),
            (
                Some(BankAccounts),
                &["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"],
            ),
            (None, &["DE88 3704 0044 0532 0130 00", "DEUTSCHLAND12345"]),
            (
                Some(PaymentCards),
                &["4111 1111 1111 1111", "5555555555554444"],
            ),
            (None, &["4111 1111 1111 1112", "1234567890123"]),
            (
                Some(UniqueIdentifiers),
                &["123e4567-e89b-12d3-a456-426614174000"],
            ),
            (
                Some(NetworkAddresses),
                &["192.168.0.1", "2001:db8::1", "00:1b:44:11:3a:b7"],
            ),
            (
                Some(PersonNames),
                &[
                    "Ann Lee",
                    "Lee, Ann",
                    "Ludwig van der Rohe",
                    "LEE, ANN",
                    "Zoë O'Neill-Ruiz",
                ],
            ),
            (
                None,
                &[
                    "Bachelors",
                    "Never-married",
                    "ann lee",
                    "New York in May",
                    "A B",
                ],
            ),
        ];
        for (expected, cells) in cells {
            for cell in cells {
                assert_eq!(look_of(cell), expected, "{cell}");
            }
        }
        assert_eq!(look_of("https://example.org/ann"), Some(WebAddresses));
        assert_eq!(
            look_of("seen twice, then sent home by Dr Roe"),
            Some(FreeText)
        );
        assert_eq!(look_of("some college"), None);
    }

    #[test]
    fn a_column_looks_like_what_nearly_all_of_its_values_look_like() {
        let column = |cells: &[&str]| {
            let mut looks = Looks::default();
            cells.iter().for_each(|cell| looks.see(look_of(cell)));
            looks.of_column()
        };
        let addresses = ["a@b.org", "c@d.org", "e@f.org", "unknown", "none"];
        assert_eq!(column(&addresses), Some(LooksLike::EmailAddresses));
        assert_eq!(column(&addresses[..2]), None, "two prove nothing");
        let names = ["Ann Lee", "Bo Ek", "Cy Roe", "Bachelors"];
        assert_eq!(column(&names), None, "three of four are too few");
        assert_eq!(column(&names[..3]), Some(LooksLike::PersonNames));
        // Numbers that happen to pass the check of some state.
        let mut looks = Looks::default();
        (100_000_000..100_000_500).for_each(|number| looks.see(look_of(&number.to_string())));
        assert_eq!(looks.of_column(), None);
    }
}
