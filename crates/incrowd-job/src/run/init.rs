//! Writes a job file and hierarchies as a starting point.

use crate::error::Error;
use crate::report::outcome::VERSION;
use crate::report::visible::visible;
use crate::run::control::Control;
use crate::run::files;
use crate::run::hierarchies::ColumnHierarchy;
use crate::run::input;
use crate::run::inspect::{ColumnReport, Inspection, ProposedRole, inspect_with_levels};
use crate::run::looks::LooksLike;
use crate::spec::{Data, Job, Others, WorkLimit};
use incrowd_core::table::steers;
use incrowd_io::write_atomically;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What `init` wrote.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Initialized {
    /// [`VERSION`].
    pub version: u32,
    /// The job file.
    pub job: PathBuf,
    /// The hierarchies, one per quasi-identifier.
    pub hierarchies: Vec<PathBuf>,
    /// Notes on decisions that the user should know about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The command to run next.
    pub next: String,
}

/// The model proposed if none is given.
const FIRST_PROMISE: &str = "k-anonymity(k=5)";

/// Inspects the job's table and writes `incrowd.toml` and `hierarchies/<column>.csv` into `folder`.
///
/// Roles and models that the job gives are written as given, the others as [`crate::inspect()`] proposes them. Columns
/// without a clear role are dropped by the job until the user decides: they are listed among the quasi-identifiers as
/// comments. Nothing is overwritten without `force`.
pub fn init(
    job: &Job,
    folder: &Path,
    force: bool,
    control: &Control,
) -> Result<Initialized, Error> {
    // `incrowd.toml` reads better than `./incrowd.toml`.
    let folder = folder.strip_prefix(".").unwrap_or(folder);
    let (job, is_trimmed) = trimmed(job, control)?;
    let job = &job;
    let (inspection, levels) = inspect_with_levels(job, control)?;
    let quasi_identifiers = columns_with(&inspection, ProposedRole::QuasiIdentifying);
    if quasi_identifiers.is_empty() {
        return Err(Error::NoQuasiIdentifiers);
    }
    let files = file_names(&quasi_identifiers);
    let job_path = folder.join("incrowd.toml");
    let hierarchies: Vec<PathBuf> = files.iter().map(|file| folder.join(file)).collect();
    let paths = std::iter::once(&job_path).chain(&hierarchies);
    let claims = files::claims(job);
    for path in paths.clone() {
        claims.check_write("a file of the new job", path)?;
    }
    let paths: Vec<PathBuf> = paths.filter(|path| path.exists()).cloned().collect();
    if !force && !paths.is_empty() {
        return Err(Error::AlreadyExists { paths });
    }
    let text = job_text(job, is_trimmed, folder, &inspection, &files, &levels);
    // The file must parse as the same job: an unusable job file is worse than none.
    Job::parse(&text)?;
    for (path, levels) in hierarchies.iter().zip(&levels) {
        let levels = levels.hierarchy.to_csv();
        write_atomically(&claims, "a hierarchy", path, levels.as_bytes())?;
    }
    write_atomically(&claims, "the job file", &job_path, text.as_bytes())?;
    Ok(Initialized {
        version: VERSION,
        notes: match is_trimmed {
            true => vec![TRIMMED.to_owned()],
            false => Vec::new(),
        },
        next: format!("incrowd anonymize --job {}", job_path.display()),
        job: job_path,
        hierarchies,
    })
}

/// Noted if the job removes whitespace without being asked to.
const TRIMMED: &str =
    "many cells have whitespace around their values; the job removes it with `trim = true`";

/// The job, with whitespace around cells removed if there is much of it and the job does not say; and whether that was
/// done.
fn trimmed(job: &Job, control: &Control) -> Result<(Job, bool), Error> {
    let mut job = job.clone();
    job.data.path.as_deref().ok_or(Error::NoData)?;
    let is_trimmed =
        job.data.trim.is_none() && input::source(&job, control)?.open()?.has_padded_cells();
    if is_trimmed {
        job.data.trim = Some(true);
    }
    Ok((job, is_trimmed))
}

fn columns_with(inspection: &Inspection, role: ProposedRole) -> Vec<String> {
    let columns = inspection.columns.iter();
    columns
        .filter(|column| column.role == role)
        .map(|column| column.name.clone())
        .collect()
}

/// A file name per column; characters that not every system allows become `_`.
fn file_names(columns: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for column in columns {
        let plain: String = column
            .chars()
            .map(|letter| match letter {
                '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => '_',
                letter if steers(letter) => '_',
                letter => letter,
            })
            .collect();
        let mut name = format!("hierarchies/{plain}.csv");
        let mut number = 2;
        while names.contains(&name) {
            name = format!("hierarchies/{plain}-{number}.csv");
            number += 1;
        }
        names.push(name);
    }
    names
}

/// The keys about the format of the table: as given, or as comments that explain them.
///
/// A key that is missing here does not compile.
fn reading(data: &Data, is_trimmed: bool) -> Vec<String> {
    let Data {
        path: _,
        table: _,
        tables: _,
        delimiter,
        quote,
        trim,
        header,
        missing_tokens,
        missing_cells,
        // About releases; no job starts from one.
        spreadsheet_safe: _,
    } = data;
    fn key<T: Serialize>(name: &str, given: &Option<T>, else_say: &str) -> String {
        match given.as_ref().map(toml::Value::try_from) {
            Some(Ok(value)) => format!("{name} = {value}"),
            _ => format!("# {else_say}"),
        }
    }
    let why_trimmed = match is_trimmed {
        true => "             # many cells have blanks around them",
        false => "",
    };
    vec![
        key(
            "delimiter",
            delimiter,
            "delimiter = \";\"          # detected if left out",
        ),
        key("quote", quote, "quote = \"'\"              # default: `\"`"),
        key(
            "header",
            header,
            "header = false           # if the first line is a data row",
        ),
        key(
            "trim",
            trim,
            "trim = true              # remove whitespace around cells",
        ) + why_trimmed,
        key(
            "missing_tokens",
            missing_tokens,
            "missing_tokens = [\"?\"]   # texts that mean \"no value\", besides the empty one",
        ),
        key(
            "missing_cells",
            missing_cells,
            "missing_cells = \"own-value\"  # or \"match-any\", \"exclude-row\"",
        ),
    ]
}

fn job_text(
    job: &Job,
    is_trimmed: bool,
    folder: &Path,
    inspection: &Inspection,
    files: &[String],
    levels: &[ColumnHierarchy],
) -> String {
    let mut text = String::new();
    let quasi_identifiers = columns_with(inspection, ProposedRole::QuasiIdentifying);
    let sensitive = columns_with(inspection, ProposedRole::Sensitive);
    let identifying = columns_with(inspection, ProposedRole::Identifying);
    let with_role = |role: ProposedRole| {
        let columns = inspection.columns.iter();
        columns.filter(move |column: &&ColumnReport| column.role == role)
    };
    let first_promise = [FIRST_PROMISE.to_owned()];
    let models = job.privacy.models.as_deref().unwrap_or(&first_promise);
    let budget = job.privacy.max_suppressed;
    let population = job.privacy.population.as_deref();
    let mut line = |line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    line("# A job for incrowd. Run it with: incrowd anonymize --job incrowd.toml");
    line("# Command-line flags override this file. Paths are relative to this file.");
    line("");
    line("[data]");
    line(&format!(
        "path = {}",
        quoted(&path_from(job.data.path.as_deref(), folder))
    ));
    for text in reading(&job.data, is_trimmed) {
        line(&text);
    }
    line("");
    if !inspection.warnings.is_empty() {
        line("# Read this first:");
        for warning in &inspection.warnings {
            line(&format!("#   {}", visible(warning)));
        }
        line("");
    }
    line("[columns]");
    line(
        "# Columns that could be linked with outside knowledge; published generalized. Levels are listed in this order.",
    );
    line(
        "# Only a few are proposed, since each one costs detail in all others. To add another, remove its `#`.",
    );
    line("quasi_identifiers = [");
    for column in with_role(ProposedRole::QuasiIdentifying) {
        line(&format!(
            "    {},  # {}",
            quoted(&column.name),
            column.reason
        ));
    }
    for column in with_role(ProposedRole::Plain).filter(|column| may_be_added(column)) {
        line(&format!(
            "    # {},  # {}",
            quoted(&column.name),
            column.reason
        ));
    }
    line("]");
    line(
        "# Columns that must not be linked to a person; published unchanged, protected by the models below.",
    );
    line(&format!("sensitive = {}", list(&sensitive)));
    line("# Columns that identify a person; never published.");
    line(&format!("identifying = {}", list(&identifying)));
    match &job.columns.target {
        Some(target) => {
            line("# Columns that analysts want to predict, for metrics that use them.");
            line(&format!("target = {}", list(target)));
        }
        None => line(
            "# Columns that analysts want to predict, for metrics that use them: target = [\"column\"]",
        ),
    }
    match &job.columns.keep {
        Some(kept) => line(&format!("keep = {}", list(kept))),
        None => {
            line("# Columns to publish unchanged, even if they are revealing: keep = [\"column\"]")
        }
    }
    line(match job.columns.others {
        Some(Others::Keep) => {
            "others = \"keep\"            # publish columns without a role unchanged"
        }
        _ => "others = \"drop\"            # or \"keep\": publish columns without a role unchanged",
    });
    line("");
    line("# Why the other columns got their roles:");
    for column in &inspection.columns {
        let role = match column.role {
            ProposedRole::Sensitive | ProposedRole::Identifying => column.role.to_string(),
            ProposedRole::Plain if !may_be_added(column) => "survey weight".to_owned(),
            _ => continue,
        };
        line(&format!(
            "#   {}: {role}, {}",
            quoted(&column.name),
            column.reason
        ));
    }
    line("");
    if !inspection.dependencies.is_empty() {
        line("# Columns that determine others: whoever knows one knows the other.");
        for dependency in &inspection.dependencies {
            line(&format!("#   {}", visible(&dependency.in_words())));
        }
        line("");
    }
    line("# The levels of each quasi-identifier: a file, or a rule such as \"interval:5,10,20\",");
    line(
        "# \"log:1-2-5,10,100\", \"frequent:12,6,3\", \"prefix:3,1\", \"date:month,year\" or \"suppress\".",
    );
    line("# A quasi-identifier without a line here gets levels chosen from the data.");
    line("[hierarchies]");
    for ((column, file), levels) in quasi_identifiers.iter().zip(files).zip(levels) {
        let reason = levels.reason.as_deref().unwrap_or("given");
        line(&format!(
            "{} = {}  # {}: {reason}",
            key(column),
            quoted(file),
            visible(&levels.from)
        ));
    }
    line("");
    line("[privacy]");
    line("# All must hold in every class of the release. `incrowd explain models` lists them.");
    line(&format!("models = {}", list(models)));
    if job.privacy.models.is_none() && !sensitive.is_empty() {
        line(
            "# With a sensitive column, k alone is weak; consider adding \"distinct-l-diversity(l=2)\".",
        );
    }
    line("# Rows that may be suppressed to keep more detail: a number, or a share.");
    line(&match budget {
        Some(crate::Budget::Rows(rows)) => format!("max_suppressed = {rows}"),
        Some(budget) => format!("max_suppressed = \"{budget}\""),
        None => "max_suppressed = \"1%\"".to_owned(),
    });
    line(&match &job.privacy.max_levels {
        Some(levels) => format!("max_levels = {levels:?}"),
        None => "# max_levels = [2, 1]        # highest level allowed for each quasi-identifier"
            .to_owned(),
    });
    if population.is_some() {
        line("# Everyone whom the rows could be about.");
        line(&format!(
            "population = {}",
            quoted(&path_from(population, folder))
        ));
    }
    line("");
    line("[search]");
    line("metric = \"loss\"            # metric to minimize; `incrowd explain metrics` lists them");
    line("algorithm = \"optimal\"");
    line(
        "# scheme = [\"age=ops\"]     # a setting of `partition`; `incrowd explain algorithms` lists those of each",
    );
    line(
        "# time_limit = \"30s\"         # then use the best result so far, and say how good it is",
    );
    line(&format!(
        "# work_limit = {:<13} # the same in steps, which do not depend on the machine",
        format!("\"{}\"", WorkLimit::DEFAULT)
    ));
    line("# threads = 2                # the result does not depend on it");
    line("# seed = 0");
    line(
        "# weights = \"auto\"           # for research-value: less for columns that others already tell",
    );
    line("");
    line(
        "# Values that must stay apart, and how important that is; `metric = \"research-value\"` searches by it.",
    );
    line("# [rules]");
    line("# age = [\"64|65 = 25\"]");
    line("# race = [\"White != Black = 20\", \"{White, Black} != {Other} = 5\"]");
    line("# [weights]                  # all together 1");
    line("# age = 0.6");
    line("# race = 0.4");
    line("");
    line("[output]");
    line("path = \"release.csv\"");
    line(
        "# replace = true             # if the path is the address of a table in a database: replace one that is there",
    );
    line("certificate = \"certificate.json\"");
    line(
        "# report = \"report.html\"     # a page about the release for people who know none of the terms",
    );
    line(
        "suppressed = \"drop\"        # or \"star\": publish rows of `*`, to keep the number of rows",
    );
    line(
        "# shuffle = true             # random row order, since the input order can reveal who is who",
    );
    line(
        "# spreadsheet_safe = true    # put an apostrophe before cells that a spreadsheet would evaluate",
    );
    text
}

/// Whether a column without a role could be a quasi-identifier: not a weight, which describes nobody.
fn may_be_added(column: &ColumnReport) -> bool {
    column.looks_like != Some(LooksLike::SurveyWeight)
}

/// The path of a table, relative to a job file in `folder`.
fn path_from(path: Option<&str>, folder: &Path) -> String {
    let path = path.unwrap_or_default().to_owned();
    if incrowd_sql::is_address(&path) {
        return incrowd_sql::without_secrets(&path);
    }
    if path == "-" || folder == Path::new("") || Path::new(&path).is_absolute() {
        return path;
    }
    match std::path::absolute(&path) {
        Ok(absolute) => absolute.to_string_lossy().into_owned(),
        Err(_) => path,
    }
}

/// A text as a TOML key, quoted only if necessary.
fn key(text: &str) -> String {
    let is_bare = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    match !text.is_empty() && text.chars().all(is_bare) {
        true => text.to_owned(),
        false => quoted(text),
    }
}

/// A text as a TOML basic string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            letter if steers(letter) => {
                // Writing to a `String` cannot fail.
                let _ = write!(quoted, "\\U{:08X}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

fn list(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strange_column_names_survive_the_job_file() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data.csv");
        std::fs::write(
            &data,
            "\"a \"\"quoted\"\" age\",\"birth\nplace\",city/age,city:age\n17,x,1,2\n18,y,2,3\n",
        )
        .unwrap();
        let names = ["a \"quoted\" age", "birth\nplace", "city/age", "city:age"];
        let mut job = Job::default();
        job.data.path = Some(data.to_str().unwrap().to_owned());
        job.columns.quasi_identifiers = Some(names.map(String::from).into());
        let written = init(&job, folder.path(), false, &Control::default()).unwrap();
        let read = Job::load(&written.job).unwrap();
        assert_eq!(read.columns.quasi_identifiers.unwrap(), names);
        assert_eq!(written.hierarchies.len(), 4);
        assert!(written.hierarchies.iter().all(|path| path.is_file()));
        let again = init(&job, folder.path(), false, &Control::default()).unwrap_err();
        assert!(matches!(again, Error::AlreadyExists { paths } if paths.len() == 5));
        init(&job, folder.path(), true, &Control::default()).unwrap();
    }
}
