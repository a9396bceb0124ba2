//! Who is asking: two tokens, made at the first start and kept in the data folder.

use crate::data_folder::{DataFolder, read_json, write_json};
use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::fmt;
use subtle::ConstantTimeEq;

/// What a token lets its holder do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Holds the data and decides.
    Curator,
    /// Wants the data: sees aggregate answers within the bounds, and approved releases.
    Analyst,
}

/// The two tokens.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Tokens {
    curator: String,
    analyst: String,
}

/// Tokens stay out of logs.
impl fmt::Debug for Tokens {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Tokens")
    }
}

const BYTES: usize = 32;

impl Tokens {
    /// The tokens of a data folder, made if it has none.
    pub(crate) fn of(folder: &DataFolder) -> Result<Self, Error> {
        let path = folder.tokens();
        if let Some(tokens) = read_json::<Tokens>(&path)? {
            let is_whole = |token: &str| token.len() == encoded_len(BYTES);
            if !is_whole(&tokens.curator) || !is_whole(&tokens.analyst) {
                return Err(Error::Damaged { path });
            }
            return Ok(tokens);
        }
        let tokens = Tokens {
            curator: random_token()?,
            analyst: random_token()?,
        };
        write_json(&path, &tokens)?;
        Ok(tokens)
    }

    pub(crate) fn of_role(&self, role: Role) -> &str {
        match role {
            Role::Curator => &self.curator,
            Role::Analyst => &self.analyst,
        }
    }

    /// Whose token this is. Takes as long for a wrong token as for a right one.
    pub(crate) fn role_of(&self, given: &[u8]) -> Option<Role> {
        let is_curator = self.curator.as_bytes().ct_eq(given);
        let is_analyst = self.analyst.as_bytes().ct_eq(given);
        match (bool::from(is_curator), bool::from(is_analyst)) {
            (true, _) => Some(Role::Curator),
            (false, true) => Some(Role::Analyst),
            (false, false) => None,
        }
    }
}

fn random_token() -> Result<String, Error> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|_| Error::NoRandomNumbers)?;
    Ok(base64url(&bytes))
}

const fn encoded_len(bytes: usize) -> usize {
    (bytes * 8).div_ceil(6)
}

/// Six bits a letter, without padding, so that a token can stand in a URL.
fn base64url(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::with_capacity(encoded_len(bytes.len()));
    for three in bytes.chunks(3) {
        let word = (0..3).fold(0_u32, |word, at| {
            word << 8 | u32::from(three.get(at).copied().unwrap_or(0))
        });
        for letter in 0..encoded_len(three.len()) {
            let bits = word >> (18 - 6 * letter) & 63;
            text.push(char::from(LETTERS[bits as usize]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64url_is_that_of_the_standard() {
        let encoded: Vec<String> = ["", "f", "fo", "foo", "foob", "fooba", "foobar"]
            .iter()
            .map(|text| base64url(text.as_bytes()))
            .collect();
        // RFC 4648, section 10, without padding.
        assert_eq!(
            encoded,
            ["", "Zg", "Zm8", "Zm9v", "Zm9vYg", "Zm9vYmE", "Zm9vYmFy"]
        );
        assert_eq!(base64url(&[0xfb, 0xff]), "-_8");
    }

    #[test]
    fn a_token_belongs_to_one_role_and_a_part_of_it_to_none() {
        let tokens = Tokens {
            curator: random_token().unwrap(),
            analyst: random_token().unwrap(),
        };
        assert_ne!(tokens.curator, tokens.analyst);
        for role in [Role::Curator, Role::Analyst] {
            let token = tokens.of_role(role).as_bytes();
            assert_eq!(tokens.role_of(token), Some(role));
            assert_eq!(tokens.role_of(&token[..token.len() - 1]), None);
            assert_eq!(tokens.role_of(&[token, b"A"].concat()), None);
        }
        assert_eq!(tokens.role_of(b""), None);
    }
}
