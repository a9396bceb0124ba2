//! Who in a population matches the classes of a recoding by columns.

use super::{Attribute, CountedTable, FrequencySet, Keys};
use crate::lattice::{Level, Node};

impl CountedTable {
    /// The rows of the population that match each class: those whose values fall into the same groups, given for each leaf of
    /// each attribute. Most combinations of a population may be in no class. Nobody matches if there is no population.
    pub(crate) fn people_of_classes(
        &self,
        groups_of_leaves: &[&[u32]],
        classes: &FrequencySet,
    ) -> Vec<u32> {
        let mut people = vec![0; classes.len()];
        let Some(population) = &self.population else {
            return people;
        };
        let words = self.layout.words();
        let mut keys = Keys::new(words);
        // Keys of classes are distinct, so each gets the number of its class.
        keys.number_all(&classes.keys, &mut Vec::new());
        let mut key = vec![0; words];
        for (tuple, &size) in population.tuples.sizes().iter().enumerate() {
            key.fill(0);
            let fields = self.layout.fields().iter();
            for ((at, field), groups) in fields.enumerate().zip(groups_of_leaves) {
                let leaf = population.leaf(tuple, at).index();
                key[field.word] |= u64::from(groups[leaf]) << field.shift;
            }
            if let Some(class) = keys.find(&key) {
                people[class as usize] += size;
            }
        }
        people
    }

    /// The classes of a node, with the people who match them.
    pub fn among_people(&self, node: &Node, classes: &FrequencySet) -> FrequencySet {
        let levels = self.attributes.iter().zip(node.levels());
        let groups = |(attribute, level): (&'_ Attribute, Level)| -> Vec<u32> {
            attribute.hierarchy.groups_of_leaves(level).to_vec()
        };
        let groups: Vec<Vec<u32>> = levels.map(groups).collect();
        let groups: Vec<&[u32]> = groups.iter().map(Vec::as_slice).collect();
        FrequencySet {
            people: self.people_of_classes(&groups, classes),
            ..classes.clone()
        }
    }
}
