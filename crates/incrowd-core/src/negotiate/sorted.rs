//! Counting every node of a lattice from classes in order.
//!
//! The way is that of [`Tree`], but classes are kept in the order of their keys, with the attribute that rises first
//! in the highest bits, and groups of a level are numbered so that those that become one stand side by side. When the
//! last attribute rises, which leads to at least half of the nodes, classes that become one are neighbours then. When
//! another rises, the classes that agree in all attributes before it stand together and stay together: they are added
//! up in a small array that never leaves the fastest memory, and read out in order again. No hashing, no searching.
//! Only the first few attributes, which rise seldom, leave too many bits below them for that; there the classes are
//! sorted again.
//!
//! For models that read sizes and numbers of values only; which values a class has is a bit for each.

use super::climb::{self, Climber, Part, Tree};
use super::histogram::{Annotator, is_whole};
use crate::counts::{Attribute, FrequencySet, count_bits};
use crate::error::Error;
use crate::lattice::{Level, Node};
use crate::privacy::PrivacyModel;
use crate::problem::Watch;

/// Classes that agree in all but so many bits of their keys are added up in an array.
const MOST_BITS: u32 = 13;

/// The columns of which a class knows the values present: for each, where its words begin and end.
type Words = Vec<(usize, std::ops::Range<usize>)>;

/// Annotates every node, if the models of the tree read no more than sizes and numbers of values, those of `present`
/// columns in its table.
pub(super) fn annotate_all(
    tree: &Tree<'_>,
    present: &[usize],
    watch: &dyn Watch,
) -> Option<Result<Vec<Part>, Error>> {
    let mut models = tree.models.iter();
    let is_number = |column: Option<usize>| column.is_none_or(|column| present.contains(&column));
    let is_known =
        |model: &dyn PrivacyModel| is_number(model.column()) && !model.reads_population();
    if !models.all(|model| is_whole(*model) && is_known(*model)) {
        return None;
    }
    let mut end = 0;
    let words: Words = (present.iter())
        .map(|&column| {
            let start = end;
            let values = tree.table.columns[column].values.len();
            end += values.div_ceil(64).max(1);
            (column, start..end)
        })
        .collect();
    let fields = fields(tree)?;
    Some(match end {
        0 => climb::annotate_all(&Sorted::<0>::new(tree, fields, words), tree, watch),
        1 => climb::annotate_all(&Sorted::<1>::new(tree, fields, words), tree, watch),
        2 => climb::annotate_all(&Sorted::<2>::new(tree, fields, words), tree, watch),
        3..=4 => climb::annotate_all(&Sorted::<4>::new(tree, fields, words), tree, watch),
        5..=8 => climb::annotate_all(&Sorted::<8>::new(tree, fields, words), tree, watch),
        _ => return None,
    })
}

/// The place of an attribute in a key.
#[derive(Debug, Clone, Copy)]
struct Place {
    shift: u32,
    bits: u32,
}

impl Place {
    fn read(self, key: u64) -> usize {
        ((key >> self.shift) & ((1 << self.bits) - 1)) as usize
    }
}

/// The places of the attributes, the last to rise in the lowest bits; none when a word is too small for all.
fn fields(tree: &Tree<'_>) -> Option<Vec<Place>> {
    let mut places = vec![Place { shift: 0, bits: 0 }; tree.order.len()];
    let mut shift = 0;
    for &attribute in tree.order.iter().rev() {
        let last = tree.table.attributes[attribute].hierarchy.leaves().max(1) as u64 - 1;
        let bits = u64::BITS - last.leading_zeros();
        places[attribute] = Place { shift, bits };
        shift += bits;
    }
    (shift < u64::BITS).then_some(places)
}

/// The numbers of the raw groups of an attribute; and for each level and number of a group, the number of the group one level
/// higher, at its place in the key. A group with a greater number never rises to one with a smaller number.
fn number_groups(attribute: &Attribute, place: Place) -> (Vec<u32>, Vec<Vec<u64>>) {
    let hierarchy = &attribute.hierarchy;
    let mut numbers: Vec<u32> = (0..hierarchy.groups(hierarchy.height()) as u32).collect();
    let levels: Vec<Level> = Level::under(hierarchy.height()).collect();
    let mut risen = Vec::new();
    for level in levels.into_iter().rev() {
        let above = attribute.groups_between(level, level.above());
        let number_above = |group: u32| numbers[above[group as usize] as usize];
        let mut groups: Vec<u32> = (0..above.len() as u32).collect();
        groups.sort_by_key(|&group| number_above(group));
        let places = groups
            .iter()
            .map(|&group| u64::from(number_above(group)) << place.shift);
        risen.push(places.collect());
        numbers = vec![0; groups.len()];
        for (number, group) in (0..).zip(groups) {
            numbers[group as usize] = number;
        }
    }
    risen.reverse();
    (numbers, risen)
}

/// A class with its key.
#[derive(Debug, Clone, Copy)]
struct Class<const W: usize> {
    key: u64,
    size: u32,
    /// How many values are present, in all columns together.
    distinct: u32,
    /// The values present, a bit for each, all columns end to end.
    present: [u64; W],
}

impl<const W: usize> Class<W> {
    const NONE: Self = Class {
        key: 0,
        size: 0,
        distinct: 0,
        present: [0; W],
    };

    #[inline]
    fn with_key(self, key: u64) -> Self {
        Class { key, ..self }
    }

    /// The same with its values counted again, after others were added to it.
    #[inline]
    fn counted(self) -> Self {
        Class {
            distinct: count_bits(&self.present),
            ..self
        }
    }

    /// Adds another class, without counting the values.
    #[inline]
    fn add(&mut self, other: &Self) {
        self.size += other.size;
        for (ours, theirs) in self.present.iter_mut().zip(other.present) {
            *ours |= theirs;
        }
    }
}

struct Sorted<'a, const W: usize> {
    tree: &'a Tree<'a>,
    /// By attribute.
    fields: Vec<Place>,
    words: Words,
    /// For each attribute and raw group: its number.
    numbers: Vec<Vec<u32>>,
    /// For each attribute, level and number of a group: the number of the group one level higher, at its place in the key.
    risen: Vec<Vec<Vec<u64>>>,
}

impl<'a, const W: usize> Sorted<'a, W> {
    fn new(tree: &'a Tree<'a>, fields: Vec<Place>, words: Words) -> Self {
        let attributes = tree.table.attributes.iter().zip(&fields);
        let (numbers, risen) = attributes
            .map(|(attribute, place)| number_groups(attribute, *place))
            .unzip();
        Sorted {
            tree,
            fields,
            words,
            numbers,
            risen,
        }
    }

    /// The raw tuples in order of their keys, as all sets here.
    fn sort(&self, tuples: &FrequencySet) -> Vec<Class<W>> {
        let mut classes: Vec<Class<W>> = (tuples.sizes().iter().enumerate())
            .map(|(tuple, &size)| {
                let groups = self.fields.iter().enumerate().map(|(attribute, place)| {
                    let group = self.tree.table.group(tuples, tuple, attribute);
                    let number = self.numbers[attribute][group.0 as usize];
                    u64::from(number) << place.shift
                });
                Class {
                    key: groups.fold(0, |key, group| key | group),
                    size,
                    distinct: 0,
                    present: [0; W],
                }
            })
            .collect();
        for (column, words) in &self.words {
            let known = tuples.histograms(*column).present.as_ref();
            let known = known.expect("the table was prepared for this");
            for (class, known) in classes.iter_mut().zip(known.classes()) {
                class.present[words.clone()].copy_from_slice(known);
            }
        }
        classes.sort_unstable_by_key(|class| class.key);
        classes
            .iter_mut()
            .for_each(|class| *class = class.counted());
        classes
    }
}

impl<'a, const W: usize> Climber for Sorted<'a, W> {
    type Classes = Vec<Class<W>>;
    type Hand = Hand<'a, W>;

    fn hand(&self) -> Hand<'a, W> {
        Hand {
            slots: Vec::new(),
            occupied: Vec::new(),
            order: Vec::new(),
            annotators: self.tree.annotators(),
        }
    }

    fn bottom(&self) -> Vec<Class<W>> {
        self.sort(&self.tree.table.tuples)
    }

    fn rise(
        &self,
        hand: &mut Hand<'a, W>,
        (node, lower): (&Node, &Vec<Class<W>>),
        (attribute, _): (usize, &Node),
        upper: &mut Vec<Class<W>>,
    ) {
        let place = self.fields[attribute];
        let risen = &self.risen[attribute][node.level(attribute).index()];
        upper.clear();
        let bits = place.shift + place.bits;
        let below = (1u64 << place.shift) - 1;
        let slot_of = |key: u64| (key & below) | risen[place.read(key)];
        if place.shift == 0 {
            add_up_neighbours(lower, bits, risen, upper);
        } else if bits <= 6 {
            // What is in use fits into a word, and the compiler knows it.
            let mut slots = [Class::NONE; 64];
            add_up(lower, bits, slot_of, &mut slots, &mut [0], upper);
        } else if bits <= MOST_BITS {
            let slots = 1usize << bits;
            hand.slots.resize(slots, Class::NONE);
            hand.occupied.resize(slots / 64, 0);
            let (slots, occupied) = (&mut hand.slots, &mut hand.occupied);
            add_up(lower, bits, slot_of, slots, occupied, upper);
        } else {
            hand.rise_and_sort(lower, place, risen, upper);
        }
    }

    fn annotate(
        &self,
        hand: &mut Hand<'a, W>,
        node: &Node,
        classes: &Vec<Class<W>>,
        Part { nodes, histograms }: &mut Part,
    ) -> Result<(), Error> {
        nodes.push(node.clone());
        let models = self.tree.models.iter().zip(&mut hand.annotators);
        for ((model, annotator), histograms) in models.zip(histograms) {
            let mut words = self.words.iter();
            match words.find(|(column, _)| model.column() == Some(*column)) {
                Some((_, words)) if self.words.len() > 1 => {
                    let numbers = classes
                        .iter()
                        .map(|class| (class.size, count_bits(&class.present[words.clone()])));
                    annotator.annotate_numbers(numbers, histograms)?;
                }
                // The values of a single column are all there are, and a model without a column does not look at them.
                _ => {
                    let numbers = classes.iter().map(|class| (class.size, class.distinct));
                    annotator.annotate_numbers(numbers, histograms)?;
                }
            }
        }
        Ok(())
    }
}

/// What a thread needs.
struct Hand<'a, const W: usize> {
    /// Classes being added up; none between runs.
    slots: Vec<Class<W>>,
    /// The slots in use, a bit each.
    occupied: Vec<u64>,
    /// Keys being sorted, each with its class.
    order: Vec<(u64, u32)>,
    annotators: Vec<Annotator<'a>>,
}

/// Adds up the classes that agree once their lowest bits have risen. Classes are in the order of their keys, and the bits keep it
/// when they rise, so such classes are neighbours.
fn add_up_neighbours<const W: usize>(
    lower: &[Class<W>],
    bits: u32,
    risen: &[u64],
    upper: &mut Vec<Class<W>>,
) {
    let lowest = (1u64 << bits) - 1;
    let risen = |key: u64| (key & !lowest) | risen[(key & lowest) as usize];
    let Some((first, rest)) = lower.split_first() else {
        return;
    };
    let mut last = risen(first.key);
    upper.push(first.with_key(last));
    for class in rest {
        let key = risen(class.key);
        if let Some(sum) = upper.last_mut()
            && key == last
        {
            sum.add(class);
            sum.distinct = count_bits(&sum.present);
        } else {
            debug_assert!(last < key);
            upper.push(class.with_key(key));
            last = key;
        }
    }
}

/// Adds up the classes that agree in all bits but those of the slots, in the order of the slots: as many as those bits
/// can tell apart. Slots are empty before and after, and so are the bits that say which are in use.
#[inline(always)]
fn add_up<const W: usize>(
    lower: &[Class<W>],
    bits: u32,
    slot_of: impl Fn(u64) -> u64,
    slots: &mut [Class<W>],
    occupied: &mut [u64],
    upper: &mut Vec<Class<W>>,
) {
    let last = slots.len() - 1;
    let mut rest = lower.iter().peekable();
    while let Some(first) = rest.next() {
        let run = first.key >> bits;
        let base = run << bits;
        let mut next = rest.next_if(|class| class.key >> bits == run);
        if next.is_none() {
            upper.push(first.with_key(base | slot_of(first.key)));
            continue;
        }
        let slot = slot_of(first.key) as usize & last;
        slots[slot] = *first;
        occupied[slot / 64] |= 1 << (slot % 64);
        while let Some(class) = next {
            let slot = slot_of(class.key) as usize & last;
            slots[slot].add(class);
            occupied[slot / 64] |= 1 << (slot % 64);
            next = rest.next_if(|class| class.key >> bits == run);
        }
        for (word, occupied) in occupied.iter_mut().enumerate() {
            let mut occupied = std::mem::take(occupied);
            while occupied != 0 {
                let slot = (64 * word + occupied.trailing_zeros() as usize) & last;
                let class = std::mem::replace(&mut slots[slot], Class::NONE);
                upper.push(class.counted().with_key(base | slot as u64));
                occupied &= occupied - 1;
            }
        }
    }
}

impl<const W: usize> Hand<'_, W> {
    fn rise_and_sort(
        &mut self,
        lower: &[Class<W>],
        place: Place,
        risen: &[u64],
        upper: &mut Vec<Class<W>>,
    ) {
        let kept = !(((1u64 << place.bits) - 1) << place.shift);
        let classes = lower.iter().enumerate();
        self.order.clear();
        self.order.extend(classes.map(|(at, class)| {
            let key = (class.key & kept) | risen[place.read(class.key)];
            (key, at as u32)
        }));
        // Long stretches are in order already, which the stable sort takes advantage of.
        self.order.sort_by_key(|&(key, _)| key);
        for classes in self.order.chunk_by(|one, other| one.0 == other.0) {
            let mut sum = Class::NONE.with_key(classes[0].0);
            for &(_, at) in classes {
                sum.add(&lower[at as usize]);
            }
            upper.push(sum.counted());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy;
    use crate::table::Kind;

    #[test]
    fn groups_that_become_one_are_side_by_side_however_leaves_are_listed() {
        let listed = "a,X,P,*\nb,Y,Q,*\nc,Z,P,*\nd,Y,Q,*\ne,X,P,*\nf,V,Q,*\ng,Z,P,*\n";
        let options = hierarchy::Options::new("letter");
        let attribute = Attribute {
            name: "letter".to_owned(),
            kind: Kind::Text,
            hierarchy: hierarchy::parse(listed.as_bytes(), options).expect("a sound hierarchy"),
            rows_of_groups: Vec::new(),
            missing: None,
        };
        let shift = 5;
        let (mut numbers, risen) = number_groups(&attribute, Place { shift, bits: 3 });
        let mut all = numbers.clone();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(risen.len(), 3);
        for (level, above) in Level::under(attribute.hierarchy.height()).zip(risen) {
            assert!(above.is_sorted(), "{level:?}");
            for number in &mut numbers {
                *number = (above[*number as usize] >> shift) as u32;
            }
            let groups = attribute.hierarchy.groups_of_leaves(level.above());
            for (leaf, other) in (0..7).flat_map(|leaf| (0..7).map(move |other| (leaf, other))) {
                let are_one = numbers[leaf] == numbers[other];
                assert_eq!(are_one, groups[leaf] == groups[other], "{level:?}");
            }
        }
    }
}
