//! A partition of a column's values.

/// The block of each value, by its place in the order of the scheme. Blocks are numbered by their first value, so
/// equal partitions are equal lists.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Partition {
    blocks_of_values: Vec<u32>,
    blocks: u32,
}

impl Partition {
    /// From arbitrary numbers that distinguish blocks.
    pub(super) fn from_numbers(numbers: impl IntoIterator<Item = u32>) -> Self {
        let mut numbers: Vec<u32> = numbers.into_iter().collect();
        let most = numbers.iter().copied().max().map_or(0, |most| most + 1);
        let mut renumbered = vec![u32::MAX; most as usize];
        let mut blocks = 0;
        for number in &mut numbers {
            let block = &mut renumbered[*number as usize];
            if *block == u32::MAX {
                *block = blocks;
                blocks += 1;
            }
            *number = *block;
        }
        Partition {
            blocks_of_values: numbers,
            blocks,
        }
    }

    /// Every value alone.
    pub(super) fn finest(values: usize) -> Self {
        Partition {
            blocks_of_values: (0..values as u32).collect(),
            blocks: values as u32,
        }
    }

    /// The block of every value.
    pub(super) fn of_values(&self) -> &[u32] {
        &self.blocks_of_values
    }

    /// The number of blocks.
    pub(super) fn blocks(&self) -> usize {
        self.blocks as usize
    }

    /// The values of every block, ascending.
    pub(super) fn members(&self) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); self.blocks()];
        for (value, &block) in self.blocks_of_values.iter().enumerate() {
            members[block as usize].push(value as u32);
        }
        members
    }

    /// The same with all these values in one block, together with the blocks they are in.
    #[must_use]
    pub(super) fn joined(&self, values: impl IntoIterator<Item = u32>) -> Self {
        let mut is_joined = vec![false; self.blocks()];
        for value in values {
            is_joined[self.blocks_of_values[value as usize] as usize] = true;
        }
        let into = is_joined.iter().position(|&it| it).unwrap_or(0) as u32;
        let number = |&block: &u32| {
            if is_joined[block as usize] {
                into
            } else {
                block
            }
        };
        Partition::from_numbers(self.blocks_of_values.iter().map(number))
    }

    /// The same with these values, which are part of one block, in a separate block.
    #[must_use]
    pub(super) fn split_off(&self, values: impl IntoIterator<Item = u32>) -> Self {
        let mut numbers = self.blocks_of_values.clone();
        for value in values {
            numbers[value as usize] = self.blocks;
        }
        Partition::from_numbers(numbers)
    }

    /// The same with each of these values alone.
    #[must_use]
    pub(super) fn with_alone(&self, values: impl IntoIterator<Item = u32>) -> Self {
        let mut numbers = self.blocks_of_values.clone();
        for (value, number) in values.into_iter().zip(self.blocks..) {
            numbers[value as usize] = number;
        }
        Partition::from_numbers(numbers)
    }

    /// Whether every block lies within a block of the other.
    #[cfg(test)]
    pub(super) fn is_within(&self, other: &Partition) -> bool {
        let mut above = vec![u32::MAX; self.blocks()];
        let pairs = self.blocks_of_values.iter().zip(&other.blocks_of_values);
        pairs.into_iter().all(|(&block, &wider)| {
            let above = &mut above[block as usize];
            if *above == u32::MAX {
                *above = wider;
            }
            *above == wider
        })
    }

    /// For each block its block in a partition that this one lies within.
    pub(super) fn blocks_in(&self, wider: &Partition) -> Vec<u32> {
        let mut above = vec![0; self.blocks()];
        for (&block, &wide) in self.blocks_of_values.iter().zip(&wider.blocks_of_values) {
            above[block as usize] = wide;
        }
        above
    }
}
