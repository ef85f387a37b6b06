//! Tables as Parquet files, which data tools read by column.

use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

use super::columns::{Column, Columns};

/// The table as the bytes of a file. Whole numbers are signed, as every tool reads them; what is not known is null.
///
/// # Errors
/// None that a table of ours could cause; what the library says otherwise.
pub fn to_parquet(table: &Columns) -> Result<Vec<u8>, ParquetError> {
    let fields = table.columns.iter().map(|(name, column)| field(name, column)).collect::<Result<_, _>>()?;
    let schema = Type::group_type_builder(table.name).with_fields(fields).build()?;
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::default())?;
    let mut group = writer.next_row_group()?;
    for (_, column) in &table.columns {
        if let Some(mut out) = group.next_column()? {
            write(column, &mut out)?;
            out.close()?;
        }
    }
    group.close()?;
    writer.into_inner()
}

fn field(name: &str, column: &Column) -> Result<TypePtr, ParquetError> {
    let (physical, repetition, logical) = match column {
        Column::Counts(_) => (Physical::INT64, Repetition::REQUIRED, None),
        Column::Optional(_) => (Physical::INT64, Repetition::OPTIONAL, None),
        Column::Numbers(_) => (Physical::DOUBLE, Repetition::OPTIONAL, None),
        Column::Names { .. } => (Physical::BYTE_ARRAY, Repetition::REQUIRED, Some(LogicalType::String)),
    };
    let builder = Type::primitive_type_builder(name, physical);
    Ok(Arc::new(builder.with_repetition(repetition).with_logical_type(logical).build()?))
}

fn write(column: &Column, out: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
    // Definition levels say of each row whether it has a value.
    match column {
        Column::Counts(values) => {
            let values: Vec<i64> = values.iter().map(|&value| signed(value)).collect();
            out.typed::<Int64Type>().write_batch(&values, None, None)
        }
        Column::Optional(values) => {
            let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
            let values: Vec<i64> = values.iter().flatten().map(|&value| signed(value)).collect();
            out.typed::<Int64Type>().write_batch(&values, Some(&levels), None)
        }
        Column::Numbers(values) => {
            let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_finite())).collect();
            let values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
            out.typed::<DoubleType>().write_batch(&values, Some(&levels), None)
        }
        Column::Names { names, rows } => {
            let names: Vec<ByteArray> = names.iter().map(|name| ByteArray::from(name.as_str())).collect();
            let values: Vec<ByteArray> = rows.iter().map(|&row| names[row as usize].clone()).collect();
            out.typed::<ByteArrayType>().write_batch(&values, None, None)
        }
    }
    .map(drop)
}

/// No number of ours is as large as 2^63: those are picoseconds of more than a hundred days.
fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
