//! Codes read from the left, like zip codes: each level keeps fewer characters.

use super::{Runs, present};
use crate::error::Error;
use crate::hierarchy::Hierarchy;
use crate::hierarchy::listed::check_levels;

/// Hides `step` more characters at the end on each level: `12345`, `123**`, `1****`, `*`.
///
/// The longest value sets the length; shorter values are treated as if padded with spaces. So a value that ends before
/// the masked part stays whole (`12` among five-digit codes is `12` while three characters are kept, `12***` once two
/// are). If all values have the same punctuation at the same positions, like the space in `K1A 0B1`, it is neither
/// counted nor masked. Characters are Unicode scalar values. Leaves are sorted by their bytes, so that codes with a
/// common prefix are neighbors.
///
/// # Errors
/// No values, `step` 0, or more levels than a hierarchy may have.
///
/// ```
/// use incrowd_core::hierarchy::build::mask;
/// let zip = mask("zip", &["1010", "1012", "8700"], 3)?;
/// assert_eq!(zip.to_csv(), "value,first-1,any\n1010,1***,*\n1012,1***,*\n8700,8***,*\n");
/// # Ok::<(), incrowd_core::Error>(())
/// ```
pub fn mask(column: &str, values: &[&str], step: u32) -> Result<Hierarchy, Error> {
    check_step(step)?;
    let codes = Codes::of(values);
    let length = codes.length as u32;
    check_levels(column, 1 + length.div_ceil(step) as usize)?;
    let lengths = (1..).map_while(|level| length.checked_sub(level * step));
    let lengths: Vec<u32> = lengths.take_while(|&kept| kept > 0).collect();
    codes.build(column, values, &lengths)
}

/// Keeps the given number of first characters on each level: with 3 and 1, `12345` becomes `123**`, then `1****`.
///
/// Like [`mask`], for codes whose parts are known: `prefix:3,1` keeps the sorting area and the first digit of a
/// Canadian postal code, `K1A ***` and `K** ***`. Lengths beyond the longest value mask nothing.
///
/// # Errors
/// No values; lengths that are 0 or do not decrease.
///
/// ```
/// use incrowd_core::hierarchy::build::prefix;
/// let home = prefix("home", &["K1A 0B1", "K1P 5M7"], &[3, 1])?;
/// assert_eq!(home.to_csv(), "value,first-3,first-1,any\nK1A 0B1,K1A ***,K** ***,*\nK1P 5M7,K1P ***,K** ***,*\n");
/// # Ok::<(), incrowd_core::Error>(())
/// ```
pub fn prefix(column: &str, values: &[&str], lengths: &[u32]) -> Result<Hierarchy, Error> {
    check_lengths(lengths)?;
    check_levels(column, 2 + lengths.len())?;
    Codes::of(values).build(column, values, lengths)
}

/// Codes in the order of their bytes, and the characters that count.
pub(in crate::hierarchy) struct Codes<'a> {
    sorted: Vec<&'a str>,
    /// Characters that count, of the longest code.
    pub(in crate::hierarchy) length: usize,
    /// Whether the same characters stand between letters and digits in every code; they are never masked then.
    keeps_separators: bool,
}

impl<'a> Codes<'a> {
    pub(in crate::hierarchy) fn of(values: &[&'a str]) -> Codes<'a> {
        let mut sorted: Vec<&str> = present(values).map(|(_, value)| value).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let shape = |code: &'a str| code.chars().map(|c| (!c.is_alphanumeric()).then_some(c));
        let keeps_separators = match sorted.split_first() {
            Some((first, rest)) => {
                shape(first).any(|separator| separator.is_some())
                    && rest.iter().all(|code| shape(code).eq(shape(first)))
            }
            None => false,
        };
        let count = |code: &&str| match keeps_separators {
            true => code.chars().filter(|c| c.is_alphanumeric()).count(),
            false => code.chars().count(),
        };
        Codes {
            length: sorted.iter().map(count).max().unwrap_or(0),
            sorted,
            keeps_separators,
        }
    }

    /// The first `kept` characters that count, and what follows them; none when the code ends before.
    fn split(&self, leaf: usize, kept: usize) -> Option<(&'a str, &'a str)> {
        let code = self.sorted[leaf];
        let counts = |c: char| !self.keeps_separators || c.is_alphanumeric();
        let ends = code.char_indices().filter(|&(_, c)| counts(c));
        let mut ends = ends.map(|(at, c)| at + c.len_utf8());
        Some(code.split_at(ends.nth(kept.checked_sub(1)?)?))
    }

    /// How many groups remain if this many characters are kept.
    pub(in crate::hierarchy) fn groups(&self, kept: usize) -> usize {
        let key = |leaf: usize| self.key(leaf, kept);
        let differs = |leaf: &usize| *leaf == 0 || key(*leaf) != key(*leaf - 1);
        (0..self.sorted.len()).filter(differs).count()
    }

    /// What codes of one group share: a code that ends before the mask stays whole.
    fn key(&self, leaf: usize, kept: usize) -> (&'a str, bool) {
        match self.split(leaf, kept) {
            Some((start, _)) => (start, true),
            None => (self.sorted[leaf], false),
        }
    }

    fn build(&self, column: &str, values: &[&str], lengths: &[u32]) -> Result<Hierarchy, Error> {
        let mut runs = Runs::new("value", self.sorted.iter().copied());
        for &kept in lengths {
            let kept = kept as usize;
            let key = |leaf: usize| self.key(leaf, kept);
            runs.merge(format!("first-{kept}"), key, |first, _, text| {
                let Some((start, rest)) = self.split(first, kept) else {
                    return text.push_str(self.sorted[first]);
                };
                text.push_str(start);
                if self.keeps_separators {
                    let mask = |c: char| if c.is_alphanumeric() { '*' } else { c };
                    text.extend(rest.chars().map(mask));
                } else {
                    let hidden = self.length.saturating_sub(kept);
                    text.extend(std::iter::repeat_n('*', hidden));
                }
            });
        }
        runs.finish(column, values)
    }
}

/// Refuses a step of nothing.
pub(crate) fn check_step(step: u32) -> Result<(), Error> {
    if step == 0 {
        return Err(Error::HierarchySpecParameter {
            builder: "mask",
            expected: "a number of characters above 0",
        });
    }
    Ok(())
}

/// Refuses lengths that are none, 0, or do not decrease.
pub(crate) fn check_lengths(lengths: &[u32]) -> Result<(), Error> {
    if lengths.is_empty() || lengths.contains(&0) {
        return Err(Error::HierarchySpecParameter {
            builder: "prefix",
            expected: "numbers of characters above 0",
        });
    }
    match lengths.windows(2).position(|pair| pair[1] >= pair[0]) {
        None => Ok(()),
        Some(at) => Err(Error::HierarchySpecNotNested {
            builder: "prefix",
            level: at + 2,
            rule: "each level must keep fewer characters than the one before",
        }),
    }
}
