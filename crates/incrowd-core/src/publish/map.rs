//! A release as plain data: everything needed to apply it to rows.
//!
//! Only a [`Release`] makes one. It contains raw values, so it stays with the data and is not published.

use super::classes::Class;
use super::texts::TextsOf;
use super::{ClassNumber, Release};
use crate::counts::{CountedTable, Missing, MissingCells};
use crate::hierarchy::ANY;
use crate::table::{Dictionary, ValueCode};
use std::collections::BTreeMap;

/// How every row is published.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ReleaseMap {
    /// The quasi-identifiers.
    pub(super) attributes: Vec<MappedAttribute>,
    /// The columns whose values are counted class by class.
    pub(super) counted: Vec<MappedColumn>,
    /// Texts that stand for a missing cell, besides the empty one. In attributes and counted columns they are read as
    /// the empty text.
    pub(super) missing_tokens: Vec<String>,
    /// Whether rows with a missing cell in an attribute or counted column are excluded.
    pub(super) excludes_missing: bool,
    /// The classes. Rows of equal texts are in one class.
    pub(super) classes: MappedClasses,
    /// The class of each raw tuple, if the text of a raw value depends on the whole tuple.
    pub(super) tuples: Option<MappedTuples>,
}

/// A quasi-identifier.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MappedAttribute {
    /// The name of its column.
    pub name: String,
    /// The raw values. The release may treat several as one: those that no hierarchy lists.
    pub values: Dictionary,
    /// The number of the [leaf](crate::hierarchy::Leaf) of each value.
    pub leaves: Vec<u32>,
    /// The texts that are published.
    pub texts: Vec<String>,
    /// The position of each value's text; empty if the whole tuple decides.
    pub texts_of_values: Vec<u32>,
}

/// A column whose values are counted.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MappedColumn {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Dictionary,
}

/// The classes, in the order of their [numbers](ClassNumber).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MappedClasses {
    /// The position of the text of each attribute, class by class.
    pub texts: Vec<u32>,
    /// Whether the rows of each class are not published.
    pub is_suppressed: Vec<bool>,
}

/// The class of each raw tuple.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MappedTuples {
    /// The numbers of the leaves of each tuple, attribute by attribute.
    pub leaves: Vec<u32>,
    /// The [number](ClassNumber) of each tuple's class.
    pub classes: Vec<u32>,
    /// How the rows of equal tuples are shared by classes, if they are.
    pub shares: Option<MappedShares>,
}

/// How equal rows are shared by classes. A tuple is listed once for each of its classes, one after the other. The first
/// rows that are equal to it in all attributes and counted columns belong to the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MappedShares {
    /// The codes of the counted values of each tuple, column by column.
    pub values: Vec<u32>,
    /// How many rows of each tuple belong to its class.
    pub rows: Vec<u32>,
}

impl ReleaseMap {
    /// The quasi-identifiers, in the order of the texts of a class.
    pub fn attributes(&self) -> &[MappedAttribute] {
        &self.attributes
    }

    /// The columns whose values a [`Tally`](super::Tally) counts.
    pub fn counted(&self) -> &[MappedColumn] {
        &self.counted
    }

    /// Texts that stand for a missing cell, besides the empty one.
    pub fn missing_tokens(&self) -> &[String] {
        &self.missing_tokens
    }

    /// Whether rows with a missing cell in an attribute or counted column are excluded.
    pub fn excludes_missing(&self) -> bool {
        self.excludes_missing
    }

    /// The classes, in the order of their [numbers](ClassNumber).
    pub fn classes(&self) -> &MappedClasses {
        &self.classes
    }

    /// The class of each raw tuple, if the text of a raw value depends on the whole tuple.
    pub fn tuples(&self) -> Option<&MappedTuples> {
        self.tuples.as_ref()
    }

    /// Keys with the class of the rows that have them: a [number](Self::number) for each attribute. Where equal rows are
    /// [shared](MappedTuples::shares), a key has several classes.
    pub fn keys(&self) -> impl Iterator<Item = (&[u32], ClassNumber)> {
        let (keys, count) = match &self.tuples {
            Some(tuples) => (&tuples.leaves, tuples.classes.len()),
            None => (&self.classes.texts, self.classes.is_suppressed.len()),
        };
        let attributes = self.attributes.len();
        (0..count).map(move |at| {
            let class = self.tuples.as_ref().map(|tuples| tuples.classes[at]);
            let key = &keys[at * attributes..][..attributes];
            (key, ClassNumber(class.unwrap_or(at as u32)))
        })
    }

    /// The number of a raw value in the [keys](Self::keys) of an attribute: that of its text or, where the whole tuple
    /// decides, that of its leaf.
    pub fn number(&self, attribute: &MappedAttribute, value: ValueCode) -> u32 {
        match self.tuples {
            Some(_) => attribute.leaves[value.index()],
            None => attribute.texts_of_values[value.index()],
        }
    }

    /// The texts published for the rows of a class; none when it is suppressed.
    pub fn texts(&self, class: ClassNumber) -> Option<impl Iterator<Item = &str>> {
        let texts = self.attributes.iter().zip(self.texts_of_class(class.0));
        let is_suppressed = self.classes.is_suppressed[class.index()];
        (!is_suppressed).then(|| texts.map(|(it, &text)| it.texts[text as usize].as_str()))
    }

    /// The published class whose texts are all `*`, if there is one. A row of it whose other published cells are also
    /// `*` is blank: it looks like a suppressed row, and code that applies the map counts it with
    /// [`Tally::count_blank`](super::Tally::count_blank).
    pub fn any_class(&self) -> Option<ClassNumber> {
        let classes = (0..self.classes.is_suppressed.len() as u32).map(ClassNumber);
        let is_any = |class: &ClassNumber| {
            self.texts(*class)
                .is_some_and(|mut texts| texts.all(|text| text == ANY))
        };
        classes.into_iter().find(is_any)
    }

    /// The position of the text of each attribute in a class.
    #[inline]
    pub(super) fn texts_of_class(&self, class: u32) -> &[u32] {
        let attributes = self.attributes.len();
        &self.classes.texts[class as usize * attributes..][..attributes]
    }

    /// What counts as missing, in the form used for counting.
    pub(super) fn missing(&self) -> Missing {
        Missing {
            cells: match self.excludes_missing {
                true => MissingCells::ExcludeRow,
                false => MissingCells::OwnValue,
            },
            tokens: self.missing_tokens.clone(),
        }
    }
}

impl Release<'_> {
    pub(super) fn make_map(&self) -> ReleaseMap {
        let table = self.table;
        let attributes = (table.attributes.iter().zip(&self.texts)).map(|(attribute, texts)| {
            let (values, leaves) = attribute.hierarchy.values();
            MappedAttribute {
                name: attribute.name.clone(),
                texts_of_values: match texts.cells() {
                    TextsOf::Leaves(texts) => {
                        leaves.iter().map(|&leaf| texts[leaf as usize]).collect()
                    }
                    TextsOf::Tuples { .. } => Vec::new(),
                },
                texts: texts.texts().map(str::to_owned).collect(),
                values,
                leaves,
            }
        });
        let counted = table.columns.iter().map(|column| MappedColumn {
            name: column.name.clone(),
            values: column.values.clone(),
        });
        let classes = self.classes.all();
        let classes = MappedClasses {
            texts: (classes.clone().flat_map(Class::groups)).copied().collect(),
            is_suppressed: classes.map(Class::is_suppressed).collect(),
        };
        let is_by_tuple =
            (self.texts.iter()).any(|texts| matches!(texts.cells(), TextsOf::Tuples { .. }));
        ReleaseMap {
            attributes: attributes.collect(),
            counted: counted.collect(),
            missing_tokens: table.missing.tokens.clone(),
            excludes_missing: table.missing.cells == MissingCells::ExcludeRow,
            classes,
            tuples: is_by_tuple.then(|| match table.rows_are_apart {
                true => shared_tuples(table, self.classes.of_all_tuples()),
                false => MappedTuples {
                    leaves: leaves_of_tuples(table),
                    classes: self.classes.of_all_tuples().to_vec(),
                    shares: None,
                },
            }),
        }
    }
}

/// The tuples of a table whose rows are apart: equal ones of the same class together.
fn shared_tuples(table: &CountedTable, classes: &[u32]) -> MappedTuples {
    let (mut tuples, mut shares) = (MappedTuples::default(), MappedShares::default());
    let columns = 0..table.columns.len();
    let value =
        |tuple: usize, column: usize| table.tuples.histograms(column).class(tuple).values[0];
    let is_equal = |one: usize, other: usize| {
        let has_same = |column: usize| value(one, column) == value(other, column);
        table.tuples.key(one) == table.tuples.key(other) && columns.clone().all(has_same)
    };
    let all: Vec<usize> = (0..table.tuples.len()).collect();
    for equal in all.chunk_by(|&one, &other| is_equal(one, other)) {
        let mut of_classes: BTreeMap<u32, u32> = BTreeMap::new();
        for &tuple in equal {
            *of_classes.entry(classes[tuple]).or_default() += table.tuples.sizes()[tuple];
        }
        for (class, rows) in of_classes {
            let attributes = 0..table.attributes.len();
            (tuples.leaves).extend(attributes.map(|at| table.leaf(equal[0], at).0));
            tuples.classes.push(class);
            (shares.values).extend(columns.clone().map(|column| value(equal[0], column)));
            shares.rows.push(rows);
        }
    }
    tuples.shares = Some(shares);
    tuples
}

fn leaves_of_tuples(table: &CountedTable) -> Vec<u32> {
    let cells = (0..table.tuples.len())
        .flat_map(|tuple| (0..table.attributes.len()).map(move |at| (tuple, at)));
    cells
        .map(|(tuple, attribute)| table.leaf(tuple, attribute).0)
        .collect()
}
