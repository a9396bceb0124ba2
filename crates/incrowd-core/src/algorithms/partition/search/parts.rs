//! What promises about values say of everything between two corners.
//!
//! A class of the coarse corner is divided by every choice of partitions between the corners. What is kept of it there,
//! merged, is a part of it that keeps every promise, so no more rows are kept than in the largest such part:
//! [`PrivacyModel::most_kept`](crate::privacy::PrivacyModel::most_kept). The others are suppressed whichever choice it is.

use super::super::classes::{Classes, Wider};
use super::super::ground::below;
use super::bound::Bounds;
use super::explore::Explorer;
use crate::counts::Work;
use crate::problem::Interruption;

impl Explorer<'_, '_> {
    /// Whether classes of the coarse corner may say more than their sizes do.
    pub(super) fn may_look_at_parts(&self) -> bool {
        let rules = self.plan.rules;
        self.plan.knows_parts && (rules.tighter_bounds || rules.useful_applicators)
    }

    /// Raises bounds by the rows that are lost although their class of the coarse corner is large enough. `charged` is what each
    /// class of the fine corner is charged so far, which no row that is published falls below. Ends when nothing below is of
    /// interest.
    pub(super) fn raise_by_parts(
        &mut self,
        (classes, wider): (&Classes, &Wider),
        charged: &[f64],
        bounds: &mut Bounds,
    ) -> Result<(), Interruption> {
        if !self.looks.is_worth_one() {
            return Ok(());
        }
        let (ground, rules) = (self.ground, self.plan.rules);
        let (cost, judge) = (&ground.cost, &ground.judge);
        let mut room = std::mem::take(&mut self.room);
        let mut done = Work::of(2 * classes.len());
        let mut lost = bounds.lost;
        self.looks.looked += 1;
        for (members, of) in wider.members().iter().zip(&wider.classes) {
            if of.size < judge.smallest {
                continue; // all of its rows are counted as lost
            }
            let contents = members
                .iter()
                .filter_map(|&class| classes.contents(class as usize));
            let (contents, work) = room.merged.of(contents);
            done += work;
            let kept = judge.most_kept(of.size, contents);
            if kept == of.size {
                continue;
            }
            lost += of.size - kept;
            bounds.is_over_budget |= rules.useful_applicators && lost > ground.max_suppressed();
            if rules.tighter_bounds {
                room.added.clear();
                for &class in members {
                    let (size, charged) = (classes.sizes[class as usize], charged[class as usize]);
                    if size > 0 {
                        let all = f64::from(size);
                        let added = (all * cost.charge - charged).max(0.0);
                        room.added.push((added / all, size));
                    }
                }
                done += Work::of(2 * room.added.len());
                bounds.below += least_added(&mut room.added, of.size - kept);
            }
            if bounds.is_over_budget || self.is_too_much(bounds.below) {
                self.looks.dropped += 1;
                break;
            }
        }
        bounds.lost = lost;
        self.room = room;
        ground.meter.spend(done)
    }
}

/// What so many suppressed rows add at least, whichever they are: those that add least. The rows of a class are suppressed or
/// published together, so taking a share of the last class is on the safe side; and so is the rounding.
fn least_added(added: &mut [(f64, u32)], rows: u32) -> f64 {
    added.sort_unstable_by(|(one, _), (other, _)| one.total_cmp(other));
    let (mut sum, mut left) = (0.0, rows);
    for &(by_row, size) in &*added {
        let taken = size.min(left);
        sum += f64::from(taken) * by_row;
        left -= taken;
        if left == 0 {
            break;
        }
    }
    below(sum)
}
