//! Why there is no estimate of population uniques.

/// Why a model has no estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoEstimate {
    /// There is no row to learn from.
    #[error("the table has no rows")]
    NoRows,
    /// The sample is the population.
    #[error("the table is the whole population, so its own uniques are those of the population")]
    WholePopulation,
    /// The likelihood grows without end.
    #[error("every row is unique, and then the likelihood has no maximum")]
    AllUnique,
    /// No parameters of the model come closest to the table.
    #[error(
        "the likelihood has no maximum: the sizes of classes are more even than the model allows"
    )]
    TooEven,
    /// No parameters of the model give what was counted.
    #[error("no parameters of the model give as many classes of one and of two rows as there are")]
    NoParameters,
    /// The formula holds for large populations only, and this one is too small.
    #[error("the formula holds for large populations only: it gives more uniques than people")]
    TooSmall,
    /// Rounding got in the way.
    #[error("the equations of the model could not be solved accurately")]
    Inaccurate,
}
