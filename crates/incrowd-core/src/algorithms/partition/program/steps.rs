//! Dynamic programs over parts whose blocks have known costs.

use super::block_costs::BlockCost;
use crate::counts::Work;
use crate::problem::{Interruption, Meter};

/// A way to partition some values.
#[derive(Debug, Clone)]
pub(super) struct Way {
    pub(super) cost: f64,
    pub(super) suppressed: u32,
    /// The block of each value, counted from 0.
    pub(super) blocks: Vec<u32>,
}

/// The children of a node: their ways, and how many values each has.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) ways: Vec<Vec<Way>>,
    pub(super) lengths: Vec<usize>,
}

/// A step of a program: what it comes to and where it came from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) cost: f64,
    pub(super) suppressed: u32,
    /// The state before, and the step there.
    pub(super) from: (u32, u32),
    /// The way of a single part, or none when a block was made.
    pub(super) way: Option<u32>,
}

/// What may be suppressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limits {
    /// Any number of rows: only the cost counts.
    None,
    /// No row: only the cost counts, which is infinite otherwise.
    Forbidden,
    /// So many rows: what costs more may still suppress less.
    Budget(u32),
}

impl Limits {
    #[inline]
    pub(super) fn cost(self, block: BlockCost) -> f64 {
        match self {
            Limits::Forbidden if block.suppressed > 0 => f64::INFINITY,
            _ => block.cost,
        }
    }

    /// The ways that no other beats, cheapest first.
    pub(super) fn best(self, ways: impl Iterator<Item = Way>) -> Vec<Way> {
        match self {
            Limits::None | Limits::Forbidden => {
                let cheapest =
                    ways.reduce(|one, other| if other.cost < one.cost { other } else { one });
                cheapest.into_iter().collect()
            }
            Limits::Budget(most) => {
                let mut ways: Vec<Way> = ways.filter(|way| way.suppressed <= most).collect();
                ways.sort_by(|one, other| {
                    one.cost
                        .total_cmp(&other.cost)
                        .then(one.suppressed.cmp(&other.suppressed))
                });
                let mut least = u32::MAX;
                ways.retain(|way| {
                    let is_less = way.suppressed < least;
                    least = least.min(way.suppressed);
                    is_less
                });
                ways
            }
        }
    }

    /// The same for the steps of a program.
    fn best_steps(self, steps: &mut Vec<Step>) {
        match self {
            Limits::None | Limits::Forbidden => {
                if let Some(best) = steps
                    .iter()
                    .copied()
                    .reduce(|one, other| if other.cost < one.cost { other } else { one })
                {
                    steps.clear();
                    steps.push(best);
                }
            }
            Limits::Budget(most) => {
                steps.retain(|step| step.suppressed <= most);
                steps.sort_by(|one, other| {
                    one.cost
                        .total_cmp(&other.cost)
                        .then(one.suppressed.cmp(&other.suppressed))
                });
                let mut least = u32::MAX;
                steps.retain(|step| {
                    let is_less = step.suppressed < least;
                    least = least.min(step.suppressed);
                    is_less
                });
            }
        }
    }
}

/// Every choice of one way each, next to each other.
pub(super) fn side_by_side(
    mut parts: impl Iterator<Item = Result<Vec<Way>, Interruption>>,
    limits: Limits,
    meter: &Meter<'_>,
) -> Result<Vec<Way>, Interruption> {
    let start = Way {
        cost: 0.0,
        suppressed: 0,
        blocks: Vec::new(),
    };
    parts.try_fold(vec![start], |ways, part| {
        let part = part?;
        let values = ways.first().map_or(0, |way| way.blocks.len());
        // Blocks are copied eight or so at a time.
        meter.spend(Work::of(ways.len() * part.len() * (1 + values / 8)))?;
        let both = ways
            .iter()
            .flat_map(|one| part.iter().map(move |other| joined(one, other)));
        Ok(limits.best(both))
    })
}

pub(super) fn joined(one: &Way, other: &Way) -> Way {
    let mut blocks = one.blocks.clone();
    let next = blocks.iter().max().map_or(0, |most| most + 1);
    blocks.extend(other.blocks.iter().map(|block| block + next));
    Way {
        cost: one.cost + other.cost,
        suppressed: one.suppressed + other.suppressed,
        blocks,
    }
}

/// The best ways to cut parts, taken in an order, into runs; `block` is what a run of two or more costs, by places in
/// that order.
pub(super) fn runs(
    order: &[usize],
    parts: &Parts,
    block: impl Fn(usize, usize) -> BlockCost,
    limits: Limits,
    meter: &Meter<'_>,
) -> Result<Vec<Way>, Interruption> {
    let mut states: Vec<Vec<Step>> = vec![vec![Step {
        cost: 0.0,
        suppressed: 0,
        from: (0, 0),
        way: None,
    }]];
    for end in 1..=order.len() {
        let mut steps = Vec::new();
        for (before, step) in (0..).zip(&states[end - 1]) {
            for (way, single) in (0..).zip(&parts.ways[order[end - 1]]) {
                steps.push(Step {
                    cost: step.cost + single.cost,
                    suppressed: step.suppressed + single.suppressed,
                    from: (end as u32 - 1, before),
                    way: Some(way),
                });
            }
        }
        for (start, before) in states.iter().enumerate().take(end - 1) {
            let run = block(start, end - 1);
            for (before, step) in (0..).zip(before) {
                steps.push(Step {
                    cost: step.cost + limits.cost(run),
                    suppressed: step.suppressed + run.suppressed,
                    from: (start as u32, before),
                    way: None,
                });
            }
        }
        meter.spend(Work::of(steps.len()))?;
        limits.best_steps(&mut steps);
        states.push(steps);
    }
    let last = order.len();
    meter.spend(Work::of(states[last].len() * order.len()))?;
    let ways = (0..states[last].len()).map(|at| {
        let (mut state, mut step) = (last, at);
        let found = states[state][step];
        let mut chosen: Vec<(Vec<usize>, Option<u32>)> = Vec::new();
        while state > 0 {
            let taken = states[state][step];
            chosen.push((order[taken.from.0 as usize..state].to_vec(), taken.way));
            (state, step) = (taken.from.0 as usize, taken.from.1 as usize);
        }
        Way {
            cost: found.cost,
            suppressed: found.suppressed,
            blocks: assemble(parts, &chosen),
        }
    });
    Ok(limits.best(ways))
}

/// Parts in one block, or a part by itself in one of its ways; for all parts.
pub(super) type Chosen = Vec<(Vec<usize>, Option<u32>)>;

/// A choice for some parts, and what it comes to.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    pub(super) cost: f64,
    pub(super) suppressed: u32,
    pub(super) chosen: Chosen,
}

/// The best ways to sort some parts, `members`, into sets; `blocks` is what a set of two or more of them costs, by
/// its bits, and infinite where it may not be.
pub(super) fn sets(
    parts: &Parts,
    members: &[usize],
    blocks: &[BlockCost],
    limits: Limits,
    meter: &Meter<'_>,
) -> Result<Vec<Choice>, Interruption> {
    match limits {
        Limits::None | Limits::Forbidden => {
            Ok(vec![cheapest_sets(parts, members, blocks, limits, meter)?])
        }
        Limits::Budget(_) => budgeted_sets(parts, members, blocks, limits, meter),
    }
}

fn members_of(members: &[usize], set: usize) -> Vec<usize> {
    let bits = (0..members.len()).filter(|bit| set >> bit & 1 == 1);
    bits.map(|bit| members[bit]).collect()
}

/// For every member the others that a set with it may hold.
fn mates(count: usize, blocks: &[BlockCost]) -> Vec<usize> {
    let is_mate = |one: usize, other: usize| blocks[1 << one | 1 << other].cost.is_finite();
    let mates = (0..count).map(|one| {
        let mates = (0..count).filter(|&other| one != other && is_mate(one, other));
        mates.fold(0, |all, other| all | 1 << other)
    });
    mates.collect()
}

fn cheapest_sets(
    parts: &Parts,
    members: &[usize],
    blocks: &[BlockCost],
    limits: Limits,
    meter: &Meter<'_>,
) -> Result<Choice, Interruption> {
    meter.spend(Work::of(blocks.len()))?;
    let all = (1usize << members.len()) - 1;
    // The sets that may be, of two or more, by their lowest member.
    let mut by_lowest: Vec<Vec<(usize, f64)>> = vec![Vec::new(); members.len()];
    for (set, block) in blocks.iter().enumerate() {
        let cost = limits.cost(*block);
        if set.count_ones() > 1 && cost.is_finite() {
            by_lowest[set.trailing_zeros() as usize].push((set, cost));
        }
    }
    let mut cheapest = Cheapest {
        singles: members
            .iter()
            .map(|&part| parts.ways[part][0].cost)
            .collect(),
        by_lowest,
        best: vec![f64::NAN; all + 1],
        taken: vec![0; all + 1],
    };
    let cost = cheapest.of(all, meter)?;
    let (mut set, mut chosen, mut suppressed) = (all, Vec::new(), 0);
    while set > 0 {
        let joined = cheapest.taken[set] as usize;
        if joined.count_ones() == 1 {
            let part = members[joined.trailing_zeros() as usize];
            suppressed += parts.ways[part][0].suppressed;
            chosen.push((vec![part], Some(0)));
        } else {
            suppressed += blocks[joined].suppressed;
            chosen.push((members_of(members, joined), None));
        }
        set ^= joined;
    }
    Ok(Choice {
        cost,
        suppressed,
        chosen,
    })
}

/// The cheapest way to sort the members of a set, found when it is asked for.
struct Cheapest {
    singles: Vec<f64>,
    by_lowest: Vec<Vec<(usize, f64)>>,
    /// NaN as long as nobody asked.
    best: Vec<f64>,
    /// The set that the lowest member is in.
    taken: Vec<u32>,
}

impl Cheapest {
    fn of(&mut self, set: usize, meter: &Meter<'_>) -> Result<f64, Interruption> {
        if set == 0 {
            return Ok(0.0);
        }
        if !self.best[set].is_nan() {
            return Ok(self.best[set]);
        }
        let lowest = set.trailing_zeros() as usize;
        let single = 1 << lowest;
        meter.spend(Work::of(1 + self.by_lowest[lowest].len() / 4))?;
        let (mut least, mut taken) = (self.singles[lowest] + self.of(set ^ single, meter)?, single);
        for at in 0..self.by_lowest[lowest].len() {
            let (joined, cost) = self.by_lowest[lowest][at];
            if joined & !set == 0 {
                let cost = cost + self.of(set ^ joined, meter)?;
                if cost < least {
                    (least, taken) = (cost, joined);
                }
            }
        }
        (self.best[set], self.taken[set]) = (least, taken as u32);
        Ok(least)
    }
}

fn budgeted_sets(
    parts: &Parts,
    members: &[usize],
    blocks: &[BlockCost],
    limits: Limits,
    meter: &Meter<'_>,
) -> Result<Vec<Choice>, Interruption> {
    let all = (1usize << members.len()) - 1;
    let mates = mates(members.len(), blocks);
    let mut states: Vec<Vec<Step>> = vec![vec![Step {
        cost: 0.0,
        suppressed: 0,
        from: (0, 0),
        way: None,
    }]];
    for set in 1..=all {
        let lowest = set & set.wrapping_neg();
        let others = set ^ lowest;
        let first = lowest.trailing_zeros() as usize;
        let mut steps = Vec::new();
        for (before, step) in (0..).zip(&states[others]) {
            for (way, single) in (0..).zip(&parts.ways[members[first]]) {
                steps.push(Step {
                    cost: step.cost + single.cost,
                    suppressed: step.suppressed + single.suppressed,
                    from: (others as u32, before),
                    way: Some(way),
                });
            }
        }
        let joining = others & mates[first];
        let mut choice = joining;
        while choice > 0 {
            let block = blocks[lowest | choice];
            if block.cost.is_finite() {
                for (before, step) in (0..).zip(&states[others ^ choice]) {
                    steps.push(Step {
                        cost: step.cost + block.cost,
                        suppressed: step.suppressed + block.suppressed,
                        from: ((others ^ choice) as u32, before),
                        way: None,
                    });
                }
            }
            choice = (choice - 1) & joining;
        }
        meter.spend(Work::of(steps.len() + (1 << joining.count_ones()) / 4))?;
        limits.best_steps(&mut steps);
        states.push(steps);
    }
    let found = (0..states[all].len()).map(|at| {
        let (mut state, mut step) = (all, at);
        let mut chosen = Vec::new();
        while state > 0 {
            let taken = states[state][step];
            chosen.push((
                members_of(members, state ^ taken.from.0 as usize),
                taken.way,
            ));
            (state, step) = (taken.from.0 as usize, taken.from.1 as usize);
        }
        Choice {
            cost: states[all][at].cost,
            suppressed: states[all][at].suppressed,
            chosen,
        }
    });
    Ok(found.collect())
}

/// Every combination of one choice each.
pub(super) fn combined(
    parts: &Parts,
    mut choices: impl Iterator<Item = Result<Vec<Choice>, Interruption>>,
    limits: Limits,
    meter: &Meter<'_>,
) -> Result<Vec<Way>, Interruption> {
    let start = Choice {
        cost: 0.0,
        suppressed: 0,
        chosen: Vec::new(),
    };
    let all = choices.try_fold(vec![start], |all, more| {
        let more = more?;
        meter.spend(Work::of(all.len() * more.len() * 2))?;
        let mut steps: Vec<Step> = Vec::new();
        for (one, first) in (0..).zip(&all) {
            for (other, second) in (0..).zip(&more) {
                steps.push(Step {
                    cost: first.cost + second.cost,
                    suppressed: first.suppressed + second.suppressed,
                    from: (one, other),
                    way: None,
                });
            }
        }
        limits.best_steps(&mut steps);
        let both = steps.iter().map(|step| {
            let (one, other) = (&all[step.from.0 as usize], &more[step.from.1 as usize]);
            Choice {
                cost: step.cost,
                suppressed: step.suppressed,
                chosen: one.chosen.iter().chain(&other.chosen).cloned().collect(),
            }
        });
        Ok(both.collect())
    })?;
    let ways = all.into_iter().map(|choice| Way {
        cost: choice.cost,
        suppressed: choice.suppressed,
        blocks: assemble(parts, &choice.chosen),
    });
    Ok(limits.best(ways))
}

/// Blocks of all values from what was chosen for the parts: parts joined to a block, or one by itself in a way.
pub(super) fn assemble(parts: &Parts, chosen: &Chosen) -> Vec<u32> {
    let mut blocks_of_parts: Vec<Vec<u32>> = parts
        .lengths
        .iter()
        .map(|&length| vec![0; length])
        .collect();
    let mut next = 0;
    for (members, way) in chosen {
        match way {
            None => {
                for &part in members {
                    blocks_of_parts[part].fill(next);
                }
                next += 1;
            }
            Some(way) => {
                let way = &parts.ways[members[0]][*way as usize];
                for (to, from) in blocks_of_parts[members[0]].iter_mut().zip(&way.blocks) {
                    *to = next + from;
                }
                next += way.blocks.iter().max().map_or(0, |most| most + 1);
            }
        }
    }
    blocks_of_parts.concat()
}
