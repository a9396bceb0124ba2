//! People of whom hardly two are alike: files of any length for benchmarks that count distinct rows.

use fastrand::Rng;
use std::io::{self, Write};

/// The columns with the numbers of their values, drawn independently: 252 million combinations.
pub const COLUMNS: [(&str, &str, u32); 7] = [
    ("age", "", 70),
    ("sex", "s", 2),
    ("zip", "10", 500),
    ("education", "e", 8),
    ("status", "m", 5),
    ("occupation", "o", 9),
    ("region", "r", 10),
];

/// Bytes collected before they are written.
const CHUNK: usize = 1 << 16;

/// Writes so many rows as CSV with a header line. The same seed gives the same bytes.
///
/// ```
/// let mut file = Vec::new();
/// incrowd_testkit::strangers(1000, 7, &mut file)?;
/// assert_eq!(file.iter().filter(|&&byte| byte == b'\n').count(), 1001);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn strangers(rows: u64, seed: u64, out: &mut impl Write) -> io::Result<()> {
    let mut rng = Rng::with_seed(seed);
    let texts = COLUMNS.map(|(_, prefix, values)| -> Vec<String> {
        (0..values)
            .map(|value| format!("{prefix}{value}"))
            .collect()
    });
    let mut chunk = Vec::with_capacity(2 * CHUNK);
    chunk.extend_from_slice(COLUMNS.map(|(name, ..)| name).join(",").as_bytes());
    for _ in 0..rows {
        let mut separator = b'\n';
        for texts in &texts {
            chunk.push(separator);
            chunk.extend_from_slice(texts[rng.usize(0..texts.len())].as_bytes());
            separator = b',';
        }
        if chunk.len() >= CHUNK {
            out.write_all(&chunk)?;
            chunk.clear();
        }
    }
    chunk.push(b'\n');
    out.write_all(&chunk)?;
    out.flush()
}
