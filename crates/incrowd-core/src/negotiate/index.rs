//! An annotated lattice as bytes, to be kept between runs.
//!
//! Nothing in the bytes is believed before it is checked: that they are of this version, undamaged (a checksum of
//! everything), made for this table and these hierarchies (hashes that the caller gives), and sound (sorted nodes of
//! the lattice, ascending counts that end at the number of rows). Damage is found, malice is not: who can write the
//! index can make it say anything sound. A release made from a wrong answer is still checked by
//! [`publish`](crate::publish).
//!
//! All numbers are little-endian. After a magic word, the version and the checksum: the two hashes, the rows, the top
//! node, the annotated nodes, and per model its name and its histograms.

use super::annotated::{AnnotatedLattice, Annotation, starts_of_heights};
use super::annotation_work::MOST_NODES;
use super::histogram::{ClassSteps, Histograms, Measures};
use crate::error::Error;
use crate::lattice::{Lattice, Node};
use crate::privacy::Direction;
use twox_hash::XxHash3_128;

const MAGIC: &[u8; 16] = b"incrowd-lattice\n";
const VERSION: u32 = 3;
/// Bytes of the checksum.
const CHECKSUM: usize = 16;
/// Magic, version, checksum.
const HEADER: usize = 16 + 4 + CHECKSUM;

/// What an index is made for, as hashes of the caller's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexKey {
    /// Of the data and everything that decides how it is counted.
    pub data: [u8; 32],
    /// Of the hierarchies.
    pub hierarchies: [u8; 32],
}

/// Finds damage. SHA-256 would keep out malice no better, since anybody can make it fit, and took most of the time of reading.
fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    XxHash3_128::oneshot(bytes).to_le_bytes()
}

impl AnnotatedLattice {
    /// The lattice as bytes.
    pub fn to_bytes(&self, key: &IndexKey) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.memory() + (1 << 12));
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&[0; CHECKSUM]);
        bytes.extend_from_slice(&key.data);
        bytes.extend_from_slice(&key.hierarchies);
        push_u32(&mut bytes, self.rows);
        push_u32(&mut bytes, self.lattice.top().len() as u32);
        bytes.extend(self.lattice.top().levels().map(|level| level.0));
        push_u32(&mut bytes, self.nodes.len() as u32);
        for node in &self.nodes {
            bytes.extend(node.levels().map(|level| level.0));
        }
        push_u32(&mut bytes, self.annotations.len() as u32);
        for Annotation {
            measure,
            histograms,
        } in &self.annotations
        {
            push_u32(&mut bytes, measure.len() as u32);
            bytes.extend_from_slice(measure.as_bytes());
            push_histograms(&mut bytes, histograms);
        }
        let sum = checksum(&bytes[HEADER..]);
        bytes[HEADER - CHECKSUM..HEADER].copy_from_slice(&sum);
        bytes
    }

    /// The lattice of these bytes, if they are whole and made for this key.
    pub fn from_bytes(bytes: &[u8], key: &IndexKey) -> Result<Self, Error> {
        let mut reader = Reader { bytes };
        if reader.take(MAGIC.len())? != MAGIC {
            return Err(damaged("it does not begin like one"));
        }
        let version = reader.u32()?;
        if version != VERSION {
            return Err(Error::IndexVersion {
                found: version,
                known: VERSION,
            });
        }
        if reader.array::<CHECKSUM>()? != checksum(reader.bytes) {
            return Err(damaged("its checksum is wrong"));
        }
        if reader.take(32)? != key.data {
            return Err(Error::IndexStale { what: "table" });
        }
        if reader.take(32)? != key.hierarchies {
            return Err(Error::IndexStale {
                what: "set of hierarchies",
            });
        }
        let rows = reader.u32()?;
        let attributes = reader.u32()? as usize;
        let top = reader.node(attributes)?;
        let lattice = Lattice::new(top);
        let nodes = read_nodes(&mut reader, &lattice)?;
        let models = reader.u32()?;
        let mut annotations = Vec::new();
        for _ in 0..models {
            let name = reader.u32()? as usize;
            let name = std::str::from_utf8(reader.take(name)?);
            let measure = name.map_err(|_| damaged("a name is not text"))?.to_owned();
            annotations.push(Annotation {
                measure,
                histograms: read_histograms(&mut reader, nodes.len(), rows)?,
            });
        }
        if !reader.bytes.is_empty() {
            return Err(damaged("it goes on after its end"));
        }
        Ok(AnnotatedLattice {
            heights: starts_of_heights(&lattice, &nodes),
            lattice,
            rows,
            nodes,
            annotations,
        })
    }
}

fn damaged(what: &'static str) -> Error {
    Error::IndexDamaged { what }
}

fn push_u32(bytes: &mut Vec<u8>, number: u32) {
    bytes.extend_from_slice(&number.to_le_bytes());
}

fn push_all(bytes: &mut Vec<u8>, numbers: &[u32]) {
    for &number in numbers {
        push_u32(bytes, number);
    }
}

fn push_histograms(bytes: &mut Vec<u8>, histograms: &Histograms) {
    bytes.push(match histograms.direction {
        Direction::AtLeast => 0,
        Direction::AtMost => 1,
        Direction::Below => 2,
    });
    bytes.push(matches!(histograms.measures, Measures::Real(_)).into());
    bytes.push(histograms.classes.is_some().into());
    push_u32(bytes, histograms.rows.len() as u32);
    push_all(bytes, &histograms.starts);
    match &histograms.measures {
        Measures::Whole(values) => push_all(bytes, values),
        Measures::Real(values) => {
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        }
    }
    push_all(bytes, &histograms.rows);
    if let Some(classes) = &histograms.classes {
        push_all(bytes, &classes.counts);
        push_all(bytes, &classes.smallest);
    }
}

/// Takes bytes from the front.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], Error> {
        let taken = self.bytes.split_at_checked(length);
        let (taken, rest) = taken.ok_or(damaged("it ends too early"))?;
        self.bytes = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| damaged("it ends too early"))
    }

    fn u32(&mut self) -> Result<u32, Error> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn flag(&mut self, most: u8) -> Result<u8, Error> {
        let [flag] = self.array()?;
        match flag <= most {
            true => Ok(flag),
            false => Err(damaged("a flag is out of range")),
        }
    }

    fn u32s(&mut self, length: usize) -> Result<Vec<u32>, Error> {
        let bytes = self.take(length.saturating_mul(4))?;
        let numbers = bytes.as_chunks::<4>().0.iter();
        Ok(numbers.map(|number| u32::from_le_bytes(*number)).collect())
    }

    fn f64s(&mut self, length: usize) -> Result<Vec<f64>, Error> {
        let bytes = self.take(length.saturating_mul(8))?;
        let numbers = bytes.as_chunks::<8>().0.iter();
        Ok(numbers.map(|number| f64::from_le_bytes(*number)).collect())
    }

    fn node(&mut self, attributes: usize) -> Result<Node, Error> {
        let levels = self.take(attributes)?;
        if levels.iter().any(|&level| level > 127) {
            return Err(damaged("a level is out of range"));
        }
        Ok(Node::from_levels(levels.iter().copied()))
    }
}

fn read_nodes(reader: &mut Reader<'_>, lattice: &Lattice) -> Result<Vec<Node>, Error> {
    let count = reader.u32()? as usize;
    let attributes = lattice.top().len();
    if count as u128 > lattice.nodes().min(MOST_NODES)
        || count.saturating_mul(attributes) > reader.bytes.len()
    {
        return Err(damaged("it has too many nodes"));
    }
    let mut nodes: Vec<Node> = Vec::with_capacity(count);
    for _ in 0..count {
        let node = reader.node(attributes)?;
        if !node.is_at_or_below(lattice.top()) || nodes.last().is_some_and(|last| *last >= node) {
            return Err(damaged("its nodes are not those of a lattice"));
        }
        nodes.push(node);
    }
    Ok(nodes)
}

fn read_histograms(reader: &mut Reader<'_>, nodes: usize, rows: u32) -> Result<Histograms, Error> {
    let direction = match reader.flag(2)? {
        0 => Direction::AtLeast,
        1 => Direction::AtMost,
        _ => Direction::Below,
    };
    let is_real = reader.flag(1)? == 1;
    let has_classes = reader.flag(1)? == 1;
    let steps = reader.u32()? as usize;
    let starts = reader.u32s(nodes + 1)?;
    let histograms = Histograms {
        direction,
        measures: match is_real {
            false => Measures::Whole(reader.u32s(steps)?),
            true => Measures::Real(reader.f64s(steps)?),
        },
        rows: reader.u32s(steps)?,
        classes: match has_classes {
            false => None,
            true => Some(ClassSteps {
                counts: reader.u32s(steps)?,
                smallest: reader.u32s(steps)?,
            }),
        },
        starts,
    };
    match is_sound(&histograms, rows) {
        true => Ok(histograms),
        false => Err(damaged("a histogram is not one")),
    }
}

/// Whether reading the histograms can neither panic nor give more rows than there are.
fn is_sound(histograms: &Histograms, rows: u32) -> bool {
    let Histograms {
        direction, starts, ..
    } = histograms;
    let ends = starts.first() == Some(&0)
        && starts.last().map(|&end| end as usize) == Some(histograms.rows.len());
    ends && starts.windows(2).all(|node| {
        let (&start, &end) = (&node[0], &node[1]);
        if start > end || end as usize > histograms.rows.len() {
            return false;
        }
        let node = start as usize..end as usize;
        let rises = |numbers: &[u32]| numbers.windows(2).all(|pair| pair[0] < pair[1]);
        let measures_are_sorted = match &histograms.measures {
            Measures::Whole(values) => {
                *direction == Direction::AtLeast && rises(&values[node.clone()])
            }
            Measures::Real(values) => {
                let values = &values[node.clone()];
                values.iter().all(|value| *value >= 0.0)
                    && values.windows(2).all(|pair| match direction {
                        Direction::AtLeast => pair[0] < pair[1],
                        Direction::AtMost | Direction::Below => pair[0] > pair[1],
                    })
            }
        };
        let classes_rise = match &histograms.classes {
            None => true,
            Some(ClassSteps { counts, smallest }) => {
                let smallest = &smallest[node.clone()];
                rises(&counts[node.clone()]) && smallest.windows(2).all(|pair| pair[0] <= pair[1])
            }
        };
        let of_node = &histograms.rows[node];
        let adds_up = of_node.last().copied().unwrap_or(0) == rows;
        measures_are_sorted && classes_rise && rises(of_node) && adds_up
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KEY: IndexKey = IndexKey {
        data: [1; 32],
        hierarchies: [2; 32],
    };

    /// Two nodes of six rows: sizes, and a measure that is real.
    fn lattice() -> AnnotatedLattice {
        let lattice = Lattice::new(Node::from_levels([1]));
        let nodes = lattice.walk();
        let sizes = Histograms {
            direction: Direction::AtLeast,
            starts: vec![0, 2, 3],
            measures: Measures::Whole(vec![1, 4, 6]),
            rows: vec![2, 6, 6],
            classes: None,
        };
        let distances = Histograms {
            direction: Direction::AtMost,
            starts: vec![0, 2, 3],
            measures: Measures::Real(vec![f64::INFINITY, 0.25, 0.0]),
            rows: vec![2, 6, 6],
            classes: Some(ClassSteps {
                counts: vec![2, 3, 1],
                smallest: vec![1, 4, 6],
            }),
        };
        AnnotatedLattice {
            heights: starts_of_heights(&lattice, &nodes),
            lattice,
            rows: 6,
            nodes,
            annotations: [("k", sizes), ("t", distances)]
                .map(|(measure, histograms)| Annotation {
                    measure: measure.into(),
                    histograms,
                })
                .into(),
        }
    }

    #[test]
    fn an_index_is_read_as_it_was_written() {
        let read = AnnotatedLattice::from_bytes(&lattice().to_bytes(&KEY), &KEY);
        assert_eq!(read, Ok(lattice()));
    }

    #[test]
    fn an_index_of_another_table_is_refused() {
        let bytes = lattice().to_bytes(&KEY);
        for (key, what) in [
            (
                IndexKey {
                    data: [3; 32],
                    ..KEY
                },
                "table",
            ),
            (
                IndexKey {
                    hierarchies: [3; 32],
                    ..KEY
                },
                "set of hierarchies",
            ),
        ] {
            let refused = AnnotatedLattice::from_bytes(&bytes, &key);
            assert_eq!(refused, Err(Error::IndexStale { what }));
        }
        let mut newer = bytes;
        newer[16] = 9;
        let refused = AnnotatedLattice::from_bytes(&newer, &KEY);
        assert_eq!(
            refused,
            Err(Error::IndexVersion {
                found: 9,
                known: VERSION
            })
        );
    }

    proptest! {
        #[test]
        fn a_damaged_index_is_refused(at in any::<prop::sample::Index>(), change in 1u8..) {
            let mut bytes = lattice().to_bytes(&KEY);
            let at = at.index(bytes.len());
            bytes[at] ^= change;
            prop_assert!(AnnotatedLattice::from_bytes(&bytes, &KEY).is_err());
            bytes.truncate(at);
            prop_assert!(AnnotatedLattice::from_bytes(&bytes, &KEY).is_err());
        }

        /// Behind a checksum that was made to fit, unsound content is refused or harmless.
        #[test]
        fn a_forged_index_cannot_cause_a_panic(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        ) {
            let mut bytes = lattice().to_bytes(&KEY);
            for (at, byte) in changes {
                let at = HEADER + 64 + at.index(bytes.len() - HEADER - 64);
                bytes[at] = byte;
            }
            let sum = checksum(&bytes[HEADER..]);
            bytes[HEADER - CHECKSUM..HEADER].copy_from_slice(&sum);
            if let Ok(lattice) = AnnotatedLattice::from_bytes(&bytes, &KEY) {
                for annotation in &lattice.annotations {
                    for at in 0..lattice.nodes.len() {
                        let histogram = annotation.histograms.node(at);
                        prop_assert!(histogram.rows(3.into()).suppressed <= lattice.rows);
                        let left = histogram.classes_published(3.into());
                        prop_assert!(left <= histogram.classes());
                        histogram.smallest_class(3.into());
                    }
                }
            }
        }

        #[test]
        fn arbitrary_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(AnnotatedLattice::from_bytes(&bytes, &KEY).is_err());
            let framed = [MAGIC.as_slice(), &bytes].concat();
            prop_assert!(AnnotatedLattice::from_bytes(&framed, &KEY).is_err());
        }
    }
}
