//! Counting every node of a lattice from classes in order.
//!
//! The way is that of [`Tree`], but classes are kept in the order of their keys, with the attribute that rises first
//! in the highest bits. When an attribute rises, the classes that agree in all attributes before it stand together and
//! stay together: they are added up in a small array that never leaves the fastest memory, and read out in order
//! again. No hashing, no searching. Only the first few attributes, which rise seldom, leave too many bits below them
//! for that; there the classes are sorted again.
//!
//! From a node in which the last attribute has risen, nothing else rises, and most nodes are such. Their classes are
//! never listed: those of the node where it starts are read once, and of what they become on each level, no more is
//! kept than the numbers that models read. Groups of a level are numbered so that those that become one stand side by
//! side; classes that become one are neighbours then. Many meet no other on any level, and are counted once for all.
//!
//! For models that read sizes and numbers of values only; which values a class has is a bit for each.

use super::annotator::{Annotator, Link, Summary};
use super::climb::{self, Climber, Part, Tree};
use super::histogram::is_whole;
use crate::counts::{Attribute, FrequencySet, count_bits};
use crate::error::Error;
use crate::lattice::{Level, Node};
use crate::privacy::PrivacyModel;
use crate::problem::Watch;
use std::ops::Range;

/// Classes that agree in all but so many bits of their keys are added up in an array.
const MOST_BITS: u32 = 13;

/// A column of which a class knows the values present, or none, when models read only sizes.
struct Column {
    column: Option<usize>,
    /// Where its words are.
    words: Range<usize>,
    /// The models that read it, by position. Those that read no column are with the first.
    models: Vec<usize>,
}

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
    let columns = columns(tree, present);
    let words = columns.last().map_or(0, |column| column.words.end);
    let last = *tree.order.last()?;
    let fields = fields(tree)?;
    Some(match words {
        0 => climb::annotate_all(&Sorted::<0>::new(tree, last, fields, columns), tree, watch),
        1 => climb::annotate_all(&Sorted::<1>::new(tree, last, fields, columns), tree, watch),
        2 => climb::annotate_all(&Sorted::<2>::new(tree, last, fields, columns), tree, watch),
        3..=4 => climb::annotate_all(&Sorted::<4>::new(tree, last, fields, columns), tree, watch),
        5..=8 => climb::annotate_all(&Sorted::<8>::new(tree, last, fields, columns), tree, watch),
        _ => return None,
    })
}

/// The columns of which classes know the values, end to end, with who reads them.
fn columns(tree: &Tree<'_>, present: &[usize]) -> Vec<Column> {
    let all: Vec<Option<usize>> = match present {
        [] => vec![None],
        _ => present.iter().copied().map(Some).collect(),
    };
    let mut end = 0;
    let columns = all.iter().enumerate().map(|(at, &column)| {
        let start = end;
        if let Some(column) = column {
            let values = tree.table.columns[column].values.len();
            end += values.div_ceil(64).max(1);
        }
        let models = (0..tree.models.len()).filter(|&model| {
            let read = tree.models[model].column();
            read == column || (read.is_none() && at == 0)
        });
        Column {
            column,
            words: start..end,
            models: models.collect(),
        }
    });
    columns.collect()
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

/// For each level above the lowest and each number of a raw group: the number of its group there.
fn groups_above(risen: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let mut groups: Vec<u64> = (0..risen.first().map_or(0, Vec::len) as u64).collect();
    let levels = risen.iter().map(|risen| {
        groups = groups.iter().map(|group| risen[*group as usize]).collect();
        groups.clone()
    });
    levels.collect()
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
    fn recounted(self) -> Self {
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
    /// The attribute in the lowest bits.
    last: usize,
    /// By attribute.
    fields: Vec<Place>,
    columns: Vec<Column>,
    /// For each attribute and raw group: its number.
    numbers: Vec<Vec<u32>>,
    /// For each attribute, level and number of a group: the number of the group one level higher, at its place in the key.
    risen: Vec<Vec<Vec<u64>>>,
    /// The [groups above](groups_above) of the attribute in the lowest bits.
    above: Vec<Vec<u64>>,
}

impl<'a, const W: usize> Sorted<'a, W> {
    fn new(tree: &'a Tree<'a>, last: usize, fields: Vec<Place>, columns: Vec<Column>) -> Self {
        let attributes = tree.table.attributes.iter().zip(&fields);
        let (numbers, risen): (Vec<_>, Vec<_>) = attributes
            .map(|(attribute, place)| number_groups(attribute, *place))
            .unzip();
        let above = groups_above(&risen[last]);
        Sorted {
            tree,
            last,
            above,
            fields,
            columns,
            numbers,
            risen,
        }
    }

    fn chain<F: Fn(&Class<W>) -> u32>(&self, distinct: F) -> Chain<'_, F> {
        Chain {
            lowest: (1 << self.fields[self.last].bits) - 1,
            above: &self.above,
            distinct,
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
        for Column { column, words, .. } in &self.columns {
            let Some(column) = column else { continue };
            let known = tuples.histograms(*column).present.as_ref();
            let known = known.expect("the table was prepared for this");
            for (class, known) in classes.iter_mut().zip(known.classes()) {
                class.present[words.clone()].copy_from_slice(known);
            }
        }
        classes.sort_unstable_by_key(|class| class.key);
        classes
            .iter_mut()
            .for_each(|class| *class = class.recounted());
        classes
    }
}

impl<'a, const W: usize> Climber for Sorted<'a, W> {
    type Classes = Vec<Class<W>>;
    type Hand = Hand<'a, W>;
    const OWN: usize = 1;

    fn hand(&self) -> Hand<'a, W> {
        Hand {
            slots: Vec::new(),
            occupied: Vec::new(),
            order: Vec::new(),
            links: Vec::new(),
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
        if bits <= 6 {
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
        let height = self.tree.table.attributes[self.last].hierarchy.height();
        nodes.extend(Level::up_to(height).map(|level| node.with(self.last, level)));
        for Column { words, models, .. } in &self.columns {
            let links = &mut hand.links;
            match self.columns.len() {
                1 => self.chain(|class| class.distinct).follow(classes, links),
                _ => (self.chain(|class| count_bits(&class.present[words.clone()])))
                    .follow(classes, links),
            }
            for &model in models {
                hand.annotators[model].annotate_chain(links, &mut histograms[model])?;
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
    /// The nodes of a chain, one for each level of the last attribute.
    links: Vec<Link>,
    annotators: Vec<Annotator<'a>>,
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
                upper.push(class.recounted().with_key(base | slot as u64));
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
            let (key, first) = classes[0];
            let mut sum = lower[first as usize].with_key(key);
            for &(_, at) in &classes[1..] {
                sum.add(&lower[at as usize]);
            }
            upper.push(sum.recounted());
        }
    }
}

/// Follows classes while the attribute in the lowest bits rises from its lowest level.
struct Chain<'c, F> {
    /// The lowest bits.
    lowest: u64,
    /// The [groups above](groups_above).
    above: &'c [Vec<u64>],
    /// Counts the values of a class that models read.
    distinct: F,
}

impl<F> Chain<'_, F> {
    /// Makes one link for each level of classes in the order of their keys.
    #[inline(always)]
    fn follow<const W: usize>(&self, classes: &[Class<W>], links: &mut Vec<Link>)
    where
        F: Fn(&Class<W>) -> u32,
    {
        let summary = |class: &Class<W>| Summary {
            size: class.size,
            distinct: (self.distinct)(class),
        };
        links.resize_with(self.above.len() + 1, Link::default);
        links.iter_mut().for_each(Link::clear);
        // Classes that can meet agree in all but the lowest bits.
        for run in classes.chunk_by(|one, other| one.key ^ other.key <= self.lowest) {
            match run {
                [alone] => links[0].lasting.push(summary(alone)),
                [one, other] => self.follow_two([one, other], summary, links),
                _ => self.follow_many(run, summary, links),
            }
        }
    }

    /// What [`Chain::follow_many`] does, faster for two classes: what they become is known before their levels are gone
    /// through.
    #[inline(always)]
    fn follow_two<const W: usize>(
        &self,
        two: [&Class<W>; 2],
        summary: impl Fn(&Class<W>) -> Summary,
        links: &mut [Link],
    ) {
        let [lower, higher] = two.map(|class| (class.key & self.lowest) as usize);
        let mut levels = self.above.iter();
        let met = levels.position(|groups| groups[lower] == groups[higher]);
        let (apart, together) = links.split_at_mut(met.map_or(links.len(), |level| level + 1));
        let parts = two.map(&summary);
        for link in apart {
            link.passing.extend(parts);
        }
        if let Some(link) = together.first_mut() {
            let mut sum = *two[0];
            sum.add(two[1]);
            link.lasting.push(summary(&sum.recounted()));
        }
    }

    /// Adds up classes on each level until they are one, which lasts then. They are in order and stay so: those that
    /// are one are neighbours.
    #[inline(always)]
    fn follow_many<const W: usize>(
        &self,
        run: &[Class<W>],
        summary: impl Fn(&Class<W>) -> Summary,
        links: &mut [Link],
    ) {
        links[0].passing.extend(run.iter().map(&summary));
        for (groups, link) in self.above.iter().zip(&mut links[1..]) {
            let group = |class: &Class<W>| groups[(class.key & self.lowest) as usize];
            let mut sum = run[0];
            let mut are_one = true;
            for class in &run[1..] {
                debug_assert!(group(&sum) <= group(class));
                if group(class) == group(&sum) {
                    sum.add(class);
                } else {
                    link.passing.push(summary(&sum.recounted()));
                    sum = *class;
                    are_one = false;
                }
            }
            let sum = summary(&sum.recounted());
            if are_one {
                link.lasting.push(sum);
                return;
            }
            link.passing.push(sum);
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

    /// The size of each class and how many values it has, in order.
    fn sorted_numbers<'l>(classes: impl IntoIterator<Item = &'l Summary>) -> Vec<(u32, u32)> {
        let numbers = classes
            .into_iter()
            .map(|class| (class.size, class.distinct));
        let mut numbers: Vec<_> = numbers.collect();
        numbers.sort_unstable();
        numbers
    }

    #[test]
    fn the_links_of_a_chain_are_what_adding_up_each_level_gives() {
        // The second ends in several groups, so that some classes never meet.
        let shapes: [(u32, &[&[u64]]); 4] = [
            (
                3,
                &[&[0, 0, 1, 2, 2, 2, 3], &[0, 0, 0, 1, 1, 1, 1], &[0; 7]],
            ),
            (3, &[&[0, 1, 1, 2, 3, 3, 3], &[0, 0, 0, 1, 2, 2, 2]]),
            (2, &[]),
            (0, &[&[0], &[0]]),
        ];
        let mut links = Vec::new();
        for (seed, (bits, above)) in shapes.into_iter().cycle().take(200).enumerate() {
            let mut random = fastrand::Rng::with_seed(seed as u64);
            let groups = above.first().map_or(1 << bits, |groups| groups.len()) as u64;
            let mut keys: Vec<u64> = (0..random.usize(0..40))
                .map(|_| (random.u64(0..9) << bits) | random.u64(0..groups))
                .collect();
            keys.sort_unstable();
            keys.dedup();
            let class = |&key: &u64| Class {
                key,
                size: random.u32(1..5),
                distinct: 0,
                present: [1 << random.u32(0..6), 1 << random.u32(0..6)],
            };
            let classes: Vec<Class<2>> = keys.iter().map(class).map(Class::recounted).collect();
            let above: Vec<Vec<u64>> = above.iter().map(|groups| groups.to_vec()).collect();
            let chain = Chain {
                lowest: (1 << bits) - 1,
                above: &above,
                distinct: |class: &Class<2>| class.distinct,
            };
            chain.follow(&classes, &mut links);
            assert_eq!(links.len(), above.len() + 1);
            let mut lasting = Vec::new();
            for (level, link) in links.iter().enumerate() {
                lasting.extend(&link.lasting);
                let listed = sorted_numbers(lasting.iter().copied().chain(&link.passing));
                let mut sums: std::collections::BTreeMap<u64, Class<2>> = Default::default();
                for class in &classes {
                    let lowest = class.key & chain.lowest;
                    let group = match level {
                        0 => lowest,
                        _ => above[level - 1][lowest as usize],
                    };
                    let key = (class.key & !chain.lowest) | group;
                    sums.entry(key).or_insert(Class::NONE).add(class);
                }
                let counted = sums.into_values().map(|class| Summary {
                    size: class.size,
                    distinct: class.present.map(u64::count_ones).iter().sum(),
                });
                let counted: Vec<Summary> = counted.collect();
                assert_eq!(
                    listed,
                    sorted_numbers(&counted),
                    "seed {seed}, level {level}"
                );
            }
        }
    }
}
