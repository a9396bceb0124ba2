//! Measures what a page draws of a release. Everything is counted from distinct tuples, no row is read.

mod spread;

pub(crate) use spread::{COARSEST_STEP, STEP};

use crate::error::Error;
use crate::report::pictured::{ColumnPictured, Pictured};
use crate::run::control::Control;
use incrowd_core::lattice::Level;
use incrowd_core::publish::Release;
use incrowd_core::recode::Labels;
use incrowd_core::utility::MetricSpec;
use spread::Column;
use std::collections::BTreeMap;

impl Pictured {
    /// What is drawn of a release.
    pub(crate) fn of(release: &Release<'_>, control: &Control) -> Result<Self, Error> {
        let table = release.table();
        let width = MetricSpec::named("ncp")?.build(table)?;
        let widths = release.loss_of_attributes(&*width).unwrap_or_default();
        let mut class_sizes: BTreeMap<u32, u32> = BTreeMap::new();
        for size in release.class_sizes() {
            *class_sizes.entry(size).or_default() += 1;
        }
        let mut columns = Vec::new();
        for (at, attribute) in table.attributes.iter().enumerate() {
            control.check()?;
            let labels = Labels::new(attribute);
            let order = labels.order();
            let values = release.published_values(at, order);
            let rows_of_leaves = &attribute.rows_of_groups[0];
            let column = Column {
                values: &values,
                rows: (0..order.len())
                    .map(|position| rows_of_leaves[order.leaf(position).index()])
                    .collect(),
                text: &|position| attribute.hierarchy.text(order.leaf(position)),
                names_its_values: &|text| labels.names_its_values(text),
                first_number: order
                    .numbers()
                    .map(|numbers| numbers.partition_point(|number| number.is_nan()) as u32),
                rows_in: table.rows,
                smallest_class: release.smallest_class(),
            };
            let (bars, rounded_to) = column.spread();
            columns.push(ColumnPictured {
                name: attribute.name.clone(),
                values_before: attribute.distinct(Level::RAW),
                values_after: values.len() as u32,
                bars,
                is_estimated: column.overlaps(),
                rounded_to,
            });
        }
        Ok(Pictured {
            widths: widths.into_iter().map(|loss| loss.0).collect(),
            class_sizes: class_sizes.into_iter().collect(),
            columns,
        })
    }
}
