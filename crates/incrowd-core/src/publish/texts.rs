//! What stands in the published rows: the text of every raw value.
//!
//! The check, the recoder and everything that is said about a release read these texts and nothing else, so what is
//! judged is what is written: values whose texts are equal are one value to whoever reads the release, whatever the
//! algorithm thought of them.

use crate::Error;
use crate::counts::CountedTable;
use crate::recode::Recoding;

/// The texts of one quasi-identifier.
#[derive(Debug, Clone)]
pub(super) struct PublishedTexts {
    /// All different, in byte order.
    texts: Vec<Box<str>>,
    /// For each leaf the position of its text.
    of_leaves: Vec<u32>,
}

impl PublishedTexts {
    /// The texts of every quasi-identifier, in the order of the table. A recoding that says too little or too much,
    /// or whose texts do not say what they stand for, has none.
    pub(super) fn of(recoding: &Recoding, table: &CountedTable) -> Result<Vec<Self>, Error> {
        if !recoding.fits(table) {
            return Err(Error::CheckFailed {
                what: "a published value does not say what it stands for",
            });
        }
        let attributes = 0..table.attributes.len();
        Ok(attributes
            .map(|attribute| {
                let leaves = 0..table.attributes[attribute].hierarchy.leaves() as u32;
                let text = |leaf| text_of_leaf(recoding, table, attribute, leaf);
                PublishedTexts::number(leaves.map(text).collect())
            })
            .collect())
    }

    fn number(texts_of_leaves: Vec<&str>) -> Self {
        let mut texts = texts_of_leaves.clone();
        texts.sort_unstable();
        texts.dedup();
        let position = |text: &&str| {
            let found = texts.binary_search(text);
            found.expect("every text is among all texts") as u32
        };
        PublishedTexts {
            of_leaves: texts_of_leaves.iter().map(position).collect(),
            texts: texts.into_iter().map(Box::from).collect(),
        }
    }

    /// For each leaf the position of its text.
    pub(super) fn of_leaves(&self) -> &[u32] {
        &self.of_leaves
    }

    /// The text at a position.
    pub(super) fn text(&self, position: u32) -> &str {
        &self.texts[position as usize]
    }
}

/// The text of one raw value, looked up value by value and not group by group as the searches do.
fn text_of_leaf<'a>(
    recoding: &'a Recoding,
    table: &'a CountedTable,
    attribute: usize,
    leaf: u32,
) -> &'a str {
    match recoding {
        Recoding::FullDomain(node) => {
            let hierarchy = &table.attributes[attribute].hierarchy;
            let level = node.level(attribute);
            hierarchy.label(level, hierarchy.groups_of_leaves(level)[leaf as usize])
        }
        Recoding::Cuts(groupings) | Recoding::Partitions(groupings) => {
            groupings[attribute].label_of_leaf(leaf)
        }
    }
}
