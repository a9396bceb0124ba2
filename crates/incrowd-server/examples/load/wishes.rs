//! Wishes by number, no two alike.

/// All wishes that are drawn from: k from 3 to 50, up to 3000 rows suppressed, any levels.
pub(crate) struct Wishes {
    heights: Vec<u64>,
    all: u64,
}

const PARAMETERS: u64 = 48;
const BUDGETS: u64 = 3001;

/// A prime beyond the number of wishes' own factors, so that multiples of it meet every wish once before any twice.
const STRIDE: u64 = 2_147_483_647;

impl Wishes {
    pub(crate) fn new(heights: &[u64]) -> Self {
        let nodes: u64 = heights.iter().map(|height| height + 1).product();
        Wishes {
            heights: heights.to_vec(),
            all: nodes * PARAMETERS * BUDGETS,
        }
    }

    /// The wish of a number, as JSON.
    pub(crate) fn wish(&self, number: u64) -> String {
        let place = u128::from(number) * u128::from(STRIDE) % u128::from(self.all);
        let mut place = u64::try_from(place).expect("less than all");
        let mut digit = |values: u64| {
            let digit = place % values;
            place /= values;
            digit
        };
        let levels: Vec<u64> = self
            .heights
            .iter()
            .map(|height| digit(height + 1))
            .collect();
        let (k, budget) = (3 + digit(PARAMETERS), digit(BUDGETS));
        format!(
            "{{\"model\":\"k-anonymity\",\"parameter\":{k},\"max_suppressed\":{budget},\"max_levels\":{levels:?}}}"
        )
    }
}
