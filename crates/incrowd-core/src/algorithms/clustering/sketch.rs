//! Sides in few digits, to find out quickly what a cluster loses at least.
//!
//! Most clusters are too far away by far, which is known without looking closely. So every side is kept a second time,
//! rounded to 16 bits such that it only seems smaller, sixteen of them next to each other: what a cluster loses
//! at least with each of sixteen others is then found by adding up short numbers side by side. The same
//! serves blocks of clusters, for which a sketch says what every cluster in them holds at least.

use super::axes::{Axes, Measure};
use super::side::{Side, bits};

/// How many entries a block has.
pub(super) const FAN: usize = 16;

/// One short number for each entry of a block.
pub(super) type Lanes = [i16; FAN];

/// How short numbers of several clusters are joined to one for all.
#[derive(Debug, Clone, Copy)]
enum Join {
    /// The first places, of which the greatest is left.
    Most,
    /// The last places, of which the least is left.
    Least,
    /// Bits that any of them has.
    Any,
}

/// Bits in one short number.
const SHORT: u32 = 16;

/// All that is lost stays below this, in units.
const MOST_UNITS: u64 = 60_000;

/// Coordinates stay below this.
const MOST_COORDINATE: u64 = 32_000;

/// Distances at which losses are looked up, in parts that a short number can tell apart.
const STEPS: [i32; 6] = [1, 2, 4, 8, 32, 256];

/// How one dimension is put into short numbers.
#[derive(Debug, Clone, Copy)]
enum Fit {
    /// In units of the loss.
    Units,
    /// In coordinates or places without their last bits.
    Shift(u32),
    /// In so many short numbers with a bit for each value.
    Bits(u32),
}

impl Fit {
    fn lanes(self) -> usize {
        match self {
            Fit::Units | Fit::Shift(_) => 2,
            Fit::Bits(shorts) => shorts as usize,
        }
    }
}

/// How sketches are drawn.
#[derive(Debug)]
pub(super) struct Sketcher<'a> {
    axes: &'a Axes<'a>,
    fits: Vec<Fit>,
    joins: Vec<Join>,
    /// What one unit stands for.
    unit: u32,
    /// Of dimensions with groups: for each level, the first and last place of each group.
    runs: Vec<Vec<Vec<Side>>>,
}

/// What a search asks of a dimension.
#[derive(Debug)]
enum Ask {
    /// The distance, at most so much.
    Distance { low: i16, high: i16, most: i16 },
    /// Whoever begins before a place loses so much more than one who begins there; or ends behind it.
    Stairs {
        before: Vec<(i16, u16)>,
        behind: Vec<(i16, u16)>,
    },
    /// Who has none of these bits loses so much more.
    Bits { bits: [i16; 4], without: u16 },
}

/// What a search asks of sketches.
#[derive(Debug, Default)]
pub(super) struct Asked {
    asks: Vec<Ask>,
    /// What is lost in any case.
    own: u16,
}

impl<'a> Sketcher<'a> {
    pub(super) fn new(axes: &'a Axes<'a>) -> Self {
        let unit = (axes.most_lost() / MOST_UNITS + 1).max(axes.widest() / MOST_COORDINATE + 1);
        let fit = |at: usize| match &axes.measures[at] {
            Measure::Distance { .. } => Fit::Units,
            Measure::Bits { .. } | Measure::Marks(_) => Fit::Bits(axes.places(at).div_ceil(SHORT)),
            _ => {
                let (least, greatest) = axes.ends(at);
                let range = (i64::from(greatest) - i64::from(least)).unsigned_abs();
                let range = range.max(least.unsigned_abs().into());
                let is_short = |shift: &u32| {
                    range.max(greatest.unsigned_abs().into()) >> shift <= MOST_COORDINATE
                };
                Fit::Shift((0..32).find(is_short).unwrap_or(31))
            }
        };
        let fits: Vec<Fit> = (0..axes.dimensions()).map(fit).collect();
        let joins = fits.iter().flat_map(|fit| match fit {
            Fit::Units | Fit::Shift(_) => vec![Join::Most, Join::Least],
            Fit::Bits(shorts) => vec![Join::Any; *shorts as usize],
        });
        Sketcher {
            axes,
            joins: joins.collect(),
            fits,
            unit: unit as u32,
            runs: (0..axes.dimensions()).map(|at| axes.runs(at)).collect(),
        }
    }

    /// How many rows of lanes a block has.
    pub(super) fn lanes(&self) -> usize {
        self.joins.len()
    }

    /// What so many units stand for, for as many rows.
    #[inline]
    pub(super) fn loss(&self, units: u16, rows: u64) -> u64 {
        let extent = u64::from(units) * u64::from(self.unit);
        let extent = extent.min(u32::MAX.into()) as u32;
        self.axes.of_rows(extent, rows)
    }

    /// How many units no more than so much is at most, for as many rows.
    #[inline]
    pub(super) fn units(&self, loss: u64, rows: u64) -> u16 {
        let most = self.axes.most_extent(loss, rows) / u64::from(self.unit);
        most.min(u16::MAX.into()) as u16
    }

    /// Puts a cluster into a lane of a block.
    pub(super) fn draw(&self, block: &mut [Lanes], lane: usize, sides: &[Side]) {
        let mut row = 0;
        for (fit, &side) in self.fits.iter().zip(sides) {
            match fit {
                Fit::Units => {
                    (block[row][lane], block[row + 1][lane]) = self.in_units(side);
                }
                Fit::Shift(shift) => {
                    block[row][lane] = short(side.0 >> shift);
                    block[row + 1][lane] = short(side.1 >> shift);
                }
                Fit::Bits(shorts) => {
                    for (at, bits) in shorts_of(side)
                        .into_iter()
                        .take(*shorts as usize)
                        .enumerate()
                    {
                        block[row + at][lane] = bits;
                    }
                }
            }
            row += fit.lanes();
        }
    }

    /// Rounded so that a distance is never too long.
    fn in_units(&self, side: Side) -> (i16, i16) {
        let unit = self.unit as i32;
        let low = -((-side.0).div_euclid(unit));
        (short(low), short(side.1.div_euclid(unit)))
    }

    /// Takes a cluster out of a lane of a block.
    pub(super) fn clear(&self, block: &mut [Lanes], lane: usize) {
        for (lanes, join) in block.iter_mut().zip(&self.joins) {
            lanes[lane] = match join {
                Join::Most => i16::MIN,
                Join::Least => i16::MAX,
                Join::Any => 0,
            };
        }
    }

    /// Puts what all entries of a block hold into a lane of the block above; false if that was known.
    pub(super) fn summarize(&self, block: &[Lanes], above: &mut [Lanes], lane: usize) -> bool {
        let mut is_changed = false;
        for ((lanes, join), above) in block.iter().zip(&self.joins).zip(above) {
            let joined = match join {
                Join::Most => lanes.iter().copied().fold(i16::MIN, i16::max),
                Join::Least => lanes.iter().copied().fold(i16::MAX, i16::min),
                Join::Any => lanes.iter().copied().fold(0, |any, it| any | it),
            };
            is_changed |= std::mem::replace(&mut above[lane], joined) != joined;
        }
        is_changed
    }

    /// What a search for the cluster nearest to one with these sides asks.
    pub(super) fn ask(&self, sides: &[Side]) -> Asked {
        let axes = self.axes;
        let units = |loss: u32| self.in_short_units(loss);
        let mut own = 0;
        let mut asks = Vec::with_capacity(self.fits.len());
        for (at, (fit, &side)) in self.fits.iter().zip(sides).enumerate() {
            let alone = axes.loss(at, side);
            match (fit, &axes.measures[at]) {
                (Fit::Units, Measure::Distance { most }) => {
                    let (low, high) = self.in_units(side);
                    let most = short(most / self.unit as i32);
                    asks.push(Ask::Distance { low, high, most });
                }
                (Fit::Bits(_), _) => {
                    own += alone;
                    let with_another = axes.loss_with_another(at, side);
                    asks.push(Ask::Bits {
                        bits: shorts_of(side),
                        without: units(with_another - alone),
                    });
                }
                (Fit::Shift(shift), _) => {
                    own += alone;
                    asks.push(self.stairs((at, *shift), side));
                }
                _ => {}
            }
        }
        Asked {
            asks,
            own: units(own),
        }
    }

    fn in_short_units(&self, loss: u32) -> u16 {
        (loss / self.unit).min(u16::MAX.into()) as u16
    }

    /// What a side loses more with places before and behind it, for some of them.
    fn stairs(&self, (at, shift): (usize, u32), side: Side) -> Ask {
        let axes = self.axes;
        let (least, greatest) = axes.ends(at);
        let alone = axes.loss(at, side);
        let more = |side: Side| self.in_short_units(axes.loss(at, side) - alone);
        let (mut before, mut behind) = (Vec::new(), Vec::new());
        let (mut lost_before, mut lost_behind) = (0, 0);
        let mut stop = |first: Option<i32>, last: Option<i32>| {
            if let Some(place) = first.filter(|place| *place >= least) {
                let lost = more((place, side.1));
                if lost > lost_before {
                    before.push((short((place + 1) >> shift), lost - lost_before));
                    lost_before = lost;
                }
            }
            if let Some(place) = last.filter(|place| *place <= greatest) {
                let lost = more((side.0, place));
                if lost > lost_behind {
                    let rounded_up = (i64::from(place) + (1 << shift) - 1) >> shift;
                    behind.push((short(rounded_up as i32 - 1), lost - lost_behind));
                    lost_behind = lost;
                }
            }
        };
        match &self.runs[at][..] {
            [] => {
                for step in STEPS.map(|step| step << shift.min(20)) {
                    stop(side.0.checked_sub(step), side.1.checked_add(step));
                }
            }
            levels => {
                for (level, runs) in levels.iter().enumerate().skip(axes.level(at, side)) {
                    let (first, last) = runs[axes.group(at, level, side.0)];
                    stop(first.checked_sub(1), last.checked_add(1));
                }
            }
        }
        Ask::Stairs { before, behind }
    }
}

/// As a short number, as near as possible.
fn short(number: i32) -> i16 {
    number.clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

fn shorts_of(side: Side) -> [i16; 4] {
    let bits = bits(side);
    [0, 16, 32, 48].map(|shift| (bits >> shift) as u16 as i16)
}

impl Asked {
    /// What is lost at least with each entry of a block, in units; less may be said once all are above the most.
    #[inline]
    pub(super) fn bounds(&self, block: &[Lanes], fits: &Sketcher<'_>, most: u16) -> [u16; FAN] {
        let mut sums = [self.own; FAN];
        let mut row = 0;
        let half = self.asks.len().div_ceil(2);
        for (at, (ask, fit)) in self.asks.iter().zip(&fits.fits).enumerate() {
            if at == half && sums.iter().copied().fold(u16::MAX, u16::min) > most {
                return sums;
            }
            match *ask {
                Ask::Distance { low, high, most } => {
                    let (lows, highs) = (&block[row], &block[row + 1]);
                    for it in 0..FAN {
                        let (low, high) = (lows[it].min(low), highs[it].max(high));
                        let distance = high.saturating_sub(low).max(0).min(most);
                        sums[it] = sums[it].saturating_add(distance as u16);
                    }
                }
                Ask::Stairs {
                    ref before,
                    ref behind,
                } => {
                    let (lows, highs) = (&block[row], &block[row + 1]);
                    let mut up = [0u16; FAN];
                    let mut down = [0u16; FAN];
                    for &(place, more) in before {
                        for it in 0..FAN {
                            // 1 for those that begin before it, without a branch, so that it is done for all at once.
                            let is_before = place.saturating_sub(lows[it]).clamp(0, 1) as u16;
                            down[it] += is_before.wrapping_mul(more);
                        }
                    }
                    for &(place, more) in behind {
                        for it in 0..FAN {
                            let is_behind = highs[it].saturating_sub(place).clamp(0, 1) as u16;
                            up[it] += is_behind.wrapping_mul(more);
                        }
                    }
                    for it in 0..FAN {
                        // Whichever is more.
                        let more = up[it].saturating_sub(down[it]) + down[it];
                        sums[it] = sums[it].saturating_add(more);
                    }
                }
                Ask::Bits { bits, without } => {
                    let mut shared = [0i16; FAN];
                    for (lanes, bits) in block[row..row + fit.lanes()].iter().zip(bits) {
                        for it in 0..FAN {
                            shared[it] |= lanes[it] & bits;
                        }
                    }
                    for it in 0..FAN {
                        let has_none = 1u16.saturating_sub(shared[it] as u16);
                        sums[it] = sums[it].saturating_add(has_none.wrapping_mul(without));
                    }
                }
            }
            row += fit.lanes();
        }
        sums
    }
}
