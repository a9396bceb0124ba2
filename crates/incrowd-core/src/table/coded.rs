//! Columns that store each value once, and for every row only which value it is.
//!
//! Some formats store columns like that. Looking at every value once instead of at every cell is what makes reading
//! them fast.

use super::Cell;
use std::sync::Arc;

/// Texts, numbered from 0.
///
/// ```
/// use incrowd_core::table::ValueList;
/// let mut list = ValueList::default();
/// list.push(b"Private");
/// assert_eq!((list.len(), list.text(0)), (1, &b"Private"[..]));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValueList {
    bytes: Vec<u8>,
    /// Where each text ends in `bytes`.
    ends: Vec<usize>,
}

impl ValueList {
    /// Adds a text.
    pub fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All texts, end to end.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// One of the texts.
    #[inline]
    pub fn text(&self, code: u32) -> &[u8] {
        self.cell(code).value()
    }

    #[inline]
    pub(crate) fn cell(&self, code: u32) -> Cell<'_> {
        let at = code as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        Cell::new(&self.bytes[start..], self.ends[at] - start)
    }
}

impl<'a> FromIterator<&'a str> for ValueList {
    fn from_iter<T: IntoIterator<Item = &'a str>>(texts: T) -> Self {
        let mut list = ValueList::default();
        texts
            .into_iter()
            .for_each(|text| list.push(text.as_bytes()));
        list
    }
}

/// The cells of a column: for every row, the number of its text in a list.
#[derive(Debug, Clone)]
pub struct CodedColumn {
    /// The texts.
    pub values: Arc<ValueList>,
    /// The text of each row.
    pub codes: Vec<u32>,
}

impl CodedColumn {
    /// The same cells, with a list of the texts that they have and no others, in the order of rows.
    pub(crate) fn with_used_only(&self) -> CodedColumn {
        let (mut values, mut places) = (ValueList::default(), vec![UNKNOWN; self.values.len()]);
        let codes = self.codes.iter().map(|&code| {
            let place = &mut places[code as usize];
            if *place == UNKNOWN {
                *place = values.len() as u32;
                values.push(self.values.text(code));
            }
            *place
        });
        CodedColumn {
            codes: codes.collect(),
            values: Arc::new(values),
        }
    }
}

/// What the texts of a list mean to somebody, each looked up when it is first met.
#[derive(Debug, Clone, Default)]
pub(crate) struct Meanings {
    /// Held, so that no other list takes its place in memory.
    list: Arc<ValueList>,
    meanings: Vec<u32>,
}

/// Not looked up yet.
const UNKNOWN: u32 = u32::MAX;

impl Meanings {
    /// Begins with the texts of a list, unless they are those looked up before.
    pub(crate) fn begin(&mut self, list: &Arc<ValueList>) {
        if !Arc::ptr_eq(&self.list, list) || self.meanings.len() != list.len() {
            self.list = Arc::clone(list);
            self.meanings.clear();
            self.meanings.resize(list.len(), UNKNOWN);
        }
    }

    /// Appends what each of some texts means to `meanings`; `find` says it at first, of the text at a position among them.
    ///
    /// Most of the time all are known, and nothing has to be decided text by text.
    #[inline]
    pub(crate) fn of_all<E>(
        &mut self,
        codes: impl Iterator<Item = u32> + Clone,
        meanings: &mut Vec<u32>,
        mut find: impl FnMut(usize, Cell<'_>) -> Result<u32, E>,
    ) -> Result<(), E> {
        let start = meanings.len();
        let known = codes.clone().map(|code| self.meanings[code as usize]);
        meanings.extend(known);
        let greatest = meanings[start..].iter().fold(0, |most, &it| it.max(most));
        if greatest != UNKNOWN {
            return Ok(());
        }
        for (at, code) in codes.enumerate() {
            meanings[start + at] = self.of(code, |cell| find(at, cell))?;
        }
        Ok(())
    }

    /// What a text means; `find` says it at first.
    #[inline]
    pub(crate) fn of<E>(
        &mut self,
        code: u32,
        find: impl FnOnce(Cell<'_>) -> Result<u32, E>,
    ) -> Result<u32, E> {
        let meaning = self.meanings[code as usize];
        match meaning == UNKNOWN {
            false => Ok(meaning),
            true => {
                let meaning = find(self.list.cell(code))?;
                self.meanings[code as usize] = meaning;
                Ok(meaning)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_no_cell_has_are_left_out() {
        let column = CodedColumn {
            values: Arc::new(["a", "b", "c", "d"].into_iter().collect()),
            codes: vec![3, 1, 3, 3, 1],
        };
        let used = column.with_used_only();
        assert_eq!(*used.values, ["d", "b"].into_iter().collect());
        assert_eq!(used.codes, [0, 1, 0, 0, 1]);
    }

    #[test]
    fn texts_are_looked_up_once_for_each_list() {
        let lists: Vec<Arc<ValueList>> = [["b", "a", ""], ["a", "b", "c"]]
            .map(|texts| Arc::new(texts.into_iter().collect()))
            .to_vec();
        let mut meanings = Meanings::default();
        for list in [&lists[0], &lists[1], &lists[0]] {
            meanings.begin(list);
            let mut looked_up = 0;
            for code in [0, 1, 1, 2, 0, 2] {
                let first = meanings.of::<()>(code, |cell| {
                    looked_up += 1;
                    Ok(cell.value().first().map_or(0, |&byte| u32::from(byte)))
                });
                let expected = list.text(code).first().map_or(0, |&byte| u32::from(byte));
                assert_eq!(first, Ok(expected));
            }
            assert_eq!(looked_up, 3);
            assert!(meanings.of(0, |_| Err("not again")).is_ok());
            let mut all = vec![7];
            let again = meanings.of_all([2, 0].into_iter(), &mut all, |_, _| Err("not again"));
            assert!(again.is_ok());
            let expected = [2, 0].map(|code| list.text(code).first().map_or(0, |&it| it.into()));
            assert_eq!(all, [7, expected[0], expected[1]]);
        }
    }

    #[test]
    fn texts_are_looked_up_at_their_positions_when_they_come_together() {
        let list: Arc<ValueList> = Arc::new(["a", "b", "c"].into_iter().collect());
        let mut meanings = Meanings::default();
        meanings.begin(&list);
        let (mut all, mut looked_up) = (Vec::new(), Vec::new());
        for codes in [[1, 1, 2], [2, 0, 1]] {
            let found = meanings.of_all::<()>(codes.into_iter(), &mut all, |at, cell| {
                looked_up.push((at, cell.value().to_vec()));
                Ok(10 + u32::from(cell.value()[0] - b'a'))
            });
            assert_eq!(found, Ok(()));
        }
        assert_eq!(all, [11, 11, 12, 12, 10, 11]);
        let looked_up: Vec<_> = looked_up
            .iter()
            .map(|(at, text)| (*at, &text[..]))
            .collect();
        assert_eq!(looked_up, [(0, &b"b"[..]), (2, b"c"), (1, b"a")]);
        let failed =
            meanings_of_new(&list).of_all([0, 1].into_iter(), &mut all, |at, _| match at {
                0 => Ok(1),
                _ => Err("the second"),
            });
        assert_eq!(failed, Err("the second"));
    }

    fn meanings_of_new(list: &Arc<ValueList>) -> Meanings {
        let mut meanings = Meanings::default();
        meanings.begin(list);
        meanings
    }
}
