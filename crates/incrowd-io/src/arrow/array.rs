//! Texts to one array: [`super::cells`] backwards.

use super::cells::Reading;
use crate::cell_text::{Meaning, decimal, whole_number};
use arrow_array::builder::{BinaryBuilder, BooleanBuilder, PrimitiveBuilder};
use arrow_array::types::*;
use arrow_array::{ArrayRef, ArrowPrimitiveType, NullArray, PrimitiveArray, StringArray};
use arrow_schema::{DataType, TimeUnit};
use incrowd_core::table::RowBatch;
use std::str::FromStr;
use std::sync::Arc;

/// A column of `rows` as an array of type `kind`, empty cells null; none if a cell is not of that type.
pub(super) fn array(kind: &DataType, rows: &RowBatch, column: usize) -> Option<ArrayRef> {
    use DataType as Kind;
    let column = Column {
        rows,
        column,
        meaning: Reading::of(kind)?.meaning,
    };
    Some(match kind {
        Kind::Utf8 => column.text()?,
        Kind::Null => column.nulls()?,
        Kind::Boolean => column.truth_values()?,
        Kind::Int8 => Arc::new(column.plain::<Int8Type>()?),
        Kind::Int16 => Arc::new(column.plain::<Int16Type>()?),
        Kind::Int32 => Arc::new(column.plain::<Int32Type>()?),
        Kind::Int64 => Arc::new(column.plain::<Int64Type>()?),
        Kind::UInt8 => Arc::new(column.plain::<UInt8Type>()?),
        Kind::UInt16 => Arc::new(column.plain::<UInt16Type>()?),
        Kind::UInt32 => Arc::new(column.plain::<UInt32Type>()?),
        Kind::UInt64 => Arc::new(column.plain::<UInt64Type>()?),
        Kind::Float32 => Arc::new(column.plain::<Float32Type>()?),
        Kind::Float64 => Arc::new(column.plain::<Float64Type>()?),
        Kind::Date32 => Arc::new(column.counted::<Date32Type>()?),
        Kind::Date64 => Arc::new(column.counted::<Date64Type>()?),
        Kind::Time32(TimeUnit::Second) => Arc::new(column.counted::<Time32SecondType>()?),
        Kind::Time32(_) => Arc::new(column.counted::<Time32MillisecondType>()?),
        Kind::Time64(TimeUnit::Microsecond) => Arc::new(column.counted::<Time64MicrosecondType>()?),
        Kind::Time64(_) => Arc::new(column.counted::<Time64NanosecondType>()?),
        Kind::Timestamp(TimeUnit::Second, zone) => {
            column.timestamps::<TimestampSecondType>(zone)?
        }
        Kind::Timestamp(TimeUnit::Millisecond, zone) => {
            column.timestamps::<TimestampMillisecondType>(zone)?
        }
        Kind::Timestamp(TimeUnit::Microsecond, zone) => {
            column.timestamps::<TimestampMicrosecondType>(zone)?
        }
        Kind::Timestamp(TimeUnit::Nanosecond, zone) => {
            column.timestamps::<TimestampNanosecondType>(zone)?
        }
        Kind::Decimal32(digits, scale) => column.decimals::<Decimal32Type>(*digits, *scale)?,
        Kind::Decimal64(digits, scale) => column.decimals::<Decimal64Type>(*digits, *scale)?,
        Kind::Decimal128(digits, scale) => column.decimals::<Decimal128Type>(*digits, *scale)?,
        // Other ways to store text, which `ColumnType` makes one of; labels are gathered as a whole.
        _ => return None,
    })
}

struct Column<'a> {
    rows: &'a RowBatch,
    column: usize,
    meaning: Meaning,
}

impl<'a> Column<'a> {
    /// The cells; none for one that is empty.
    fn cells(&self) -> impl Iterator<Item = Option<&'a [u8]>> {
        let (rows, column) = (self.rows, self.column);
        (0..rows.rows()).map(move |row| Some(rows.cell(row, column)).filter(|it| !it.is_empty()))
    }

    fn text(&self) -> Option<ArrayRef> {
        let mut array = BinaryBuilder::new();
        self.cells().for_each(|cell| array.append_option(cell));
        // Looking at all bytes at once is faster than cell by cell.
        let array = StringArray::try_from_binary(array.finish()).ok()?;
        Some(Arc::new(array))
    }

    fn nulls(&self) -> Option<ArrayRef> {
        let is_null = self.cells().all(|cell| cell.is_none());
        is_null.then(|| Arc::new(NullArray::new(self.rows.rows())) as ArrayRef)
    }

    fn truth_values(&self) -> Option<ArrayRef> {
        let mut array = BooleanBuilder::new();
        for cell in self.cells() {
            array.append_option(match cell {
                Some(b"true") => Some(true),
                Some(b"false") => Some(false),
                Some(_) => return None,
                None => None,
            });
        }
        Some(Arc::new(array.finish()))
    }

    fn numbers<T: ArrowPrimitiveType>(
        &self,
        number: impl Fn(&str) -> Option<T::Native>,
    ) -> Option<PrimitiveArray<T>> {
        let mut array = PrimitiveBuilder::<T>::with_capacity(self.rows.rows());
        for cell in self.cells() {
            array.append_option(match cell {
                Some(cell) => Some(number(std::str::from_utf8(cell).ok()?)?),
                None => None,
            });
        }
        Some(array.finish())
    }

    /// Numbers that mean themselves.
    fn plain<T: ArrowPrimitiveType>(&self) -> Option<PrimitiveArray<T>>
    where
        T::Native: FromStr,
    {
        self.numbers(|text| text.parse().ok())
    }

    /// Days, or parts of a second.
    fn counted<T: ArrowPrimitiveType>(&self) -> Option<PrimitiveArray<T>>
    where
        T::Native: TryFrom<i64>,
    {
        self.numbers(|text| whole_number(text, self.meaning)?.try_into().ok())
    }

    fn timestamps<T: ArrowTimestampType>(&self, zone: &Option<Arc<str>>) -> Option<ArrayRef> {
        let array = self.counted::<T>()?.with_timezone_opt(zone.clone());
        Some(Arc::new(array))
    }

    fn decimals<T: DecimalType>(&self, digits: u8, scale: i8) -> Option<ArrayRef>
    where
        T::Native: TryFrom<i128>,
    {
        let places = usize::try_from(scale).ok()?;
        let array = self.numbers::<T>(|text| decimal(text, places)?.try_into().ok())?;
        Some(Arc::new(
            array.with_precision_and_scale(digits, scale).ok()?,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column_type::ColumnType;
    use arrow_array::*;

    /// Sees that the texts of an array make the same array again.
    #[track_caller]
    fn comes_back(array: impl Array) {
        let kind = array.data_type();
        let cells = Reading::of(kind).unwrap().open(&array);
        let mut rows = RowBatch::new(1);
        let mut room = String::new();
        (0..array.len()).for_each(|row| rows.push_cell(cells.text(row, &mut room)));
        let kept = ColumnType::of_arrow(kind).to_arrow();
        assert_eq!(&kept, kind);
        let again = super::array(&kept, &rows, 0).unwrap();
        assert_eq!(&again.to_data(), &array.to_data());
    }

    #[test]
    fn every_type_comes_back_with_every_value() {
        comes_back(NullArray::new(3));
        comes_back(StringArray::from(vec![Some("Å"), None, Some("007")]));
        comes_back(BooleanArray::from(vec![Some(true), None, Some(false)]));
        comes_back(Int8Array::from(vec![Some(i8::MIN), None, Some(i8::MAX)]));
        comes_back(Int16Array::from(vec![Some(i16::MIN), None, Some(i16::MAX)]));
        comes_back(Int32Array::from(vec![Some(i32::MIN), None, Some(i32::MAX)]));
        comes_back(Int64Array::from(vec![Some(i64::MIN), None, Some(i64::MAX)]));
        comes_back(UInt8Array::from(vec![Some(0), None, Some(u8::MAX)]));
        comes_back(UInt16Array::from(vec![Some(0), None, Some(u16::MAX)]));
        comes_back(UInt32Array::from(vec![Some(0), None, Some(u32::MAX)]));
        comes_back(UInt64Array::from(vec![Some(0), None, Some(u64::MAX)]));
        comes_back(Float32Array::from(vec![Some(0.1), None, Some(-0.0)]));
        comes_back(Float64Array::from(vec![Some(0.1), None, Some(5e-324)]));
        comes_back(Date32Array::from(vec![Some(-800_000), None, Some(19_782)]));
        comes_back(Date64Array::from(vec![Some(-86_400_000), None, Some(1)]));
        comes_back(Time32SecondArray::from(vec![Some(0), None, Some(86_399)]));
        let times = vec![Some(1), None, Some(86_399_999)];
        comes_back(Time32MillisecondArray::from(times));
        comes_back(Time64MicrosecondArray::from(vec![Some(1), None]));
        comes_back(Time64NanosecondArray::from(vec![Some(1), None]));
        for zone in [None, Some("UTC"), Some("Europe/Oslo")] {
            let values = || vec![Some(-1), None, Some(1_709_210_096)];
            let most = || vec![Some(i64::MIN), None, Some(i64::MAX)];
            comes_back(TimestampSecondArray::from(values()).with_timezone_opt(zone));
            comes_back(TimestampSecondArray::from(most()).with_timezone_opt(zone));
            comes_back(TimestampMillisecondArray::from(values()).with_timezone_opt(zone));
            comes_back(TimestampMillisecondArray::from(most()).with_timezone_opt(zone));
            comes_back(TimestampMicrosecondArray::from(values()).with_timezone_opt(zone));
            comes_back(TimestampMicrosecondArray::from(most()).with_timezone_opt(zone));
            comes_back(TimestampNanosecondArray::from(values()).with_timezone_opt(zone));
            comes_back(TimestampNanosecondArray::from(most()).with_timezone_opt(zone));
        }
        for (digits, scale) in [(9, 0), (9, 2), (9, 9)] {
            let short = Decimal32Array::from(vec![Some(-5), None, Some(999_999_999)]);
            comes_back(short.with_precision_and_scale(digits, scale).unwrap());
            let long = Decimal64Array::from(vec![Some(-5), None, Some(999_999_999)]);
            comes_back(long.with_precision_and_scale(digits, scale).unwrap());
            let wide = Decimal128Array::from(vec![Some(-5), None, Some(10_i128.pow(38) - 1)]);
            comes_back(wide.with_precision_and_scale(38, scale).unwrap());
        }
    }

    #[test]
    fn other_ways_to_store_text_become_plain_text() {
        let word = |kind: DataType| ColumnType::of_arrow(&kind).to_arrow();
        let dictionary = |values| DataType::Dictionary(Box::new(DataType::Int8), Box::new(values));
        for kind in [
            DataType::LargeUtf8,
            DataType::Utf8View,
            DataType::Binary,
            DataType::LargeBinary,
            DataType::BinaryView,
        ] {
            let labels = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
            assert_eq!(word(dictionary(kind.clone())), labels);
            assert_eq!(word(kind), DataType::Utf8);
        }
        assert_eq!(word(dictionary(DataType::Date32)), DataType::Date32);
    }

    #[test]
    fn a_cell_of_another_type_makes_no_array() {
        let mut rows = RowBatch::new(1);
        rows.push_cell(b"x");
        for kind in [
            DataType::Null,
            DataType::Boolean,
            DataType::Int8,
            DataType::UInt64,
            DataType::Float32,
            DataType::Date32,
            DataType::Date64,
            DataType::Time32(TimeUnit::Second),
            DataType::Timestamp(TimeUnit::Second, None),
            DataType::Decimal128(9, 2),
        ] {
            assert!(array(&kind, &rows, 0).is_none(), "{kind}");
        }
        let mut rows = RowBatch::new(1);
        rows.push_cell(b"300");
        assert!(array(&DataType::UInt8, &rows, 0).is_none());
        assert!(array(&DataType::UInt16, &rows, 0).is_some());
    }
}
