//! What to do next.

use super::{Error, nearest_names};
use crate::report::outcome::UnchangedRole;
use crate::spec::GateFigure;
use std::io;

impl Error {
    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            Error::Core(error) => error.hint(),
            Error::Hierarchy { source, .. } => source.hint(),
            Error::Unlisted {
                has_padded_cells: true,
                ..
            } => "many cells of the table have whitespace around their values; `--trim` removes it".into(),
            Error::Unlisted {
                column,
                from,
                input,
                ..
            } => format!(
                "`incrowd hierarchy check {from} --data {input} --column {column}` lists them; or pass `--unlisted suppress`"
            ),
            Error::Io(error) => error.hint(),
            Error::Cancelled => "nothing was written; run the command again".into(),
            Error::JobFile { .. } => {
                "`incrowd init DATA` writes a job file with every key explained".into()
            }
            Error::Unreadable { kind, .. } => match kind {
                io::ErrorKind::NotFound => "check the spelling and the folder".into(),
                _ => "check that it is a file and that you have permission to read it".into(),
            },
            Error::Folder { .. } => "choose a folder that you can write to".into(),
            Error::ServerNotBuilt => {
                "compile it with `cargo build --release --package incrowd-cli --features server`, or run `make serve`"
                    .into()
            }
            Error::NoData => {
                "name a file such as `adult.csv`, `-` for standard input, or `--job FILE`"
                    .into()
            }
            Error::Address { .. } => {
                "use `postgres://user@host/database?table=schema.name`, `duckdb:FILE?table=name`, \
                 `sc://host:port/?table=catalog.schema.name` (Spark Connect), or a CSV or Parquet file"
                    .into()
            }
            Error::CertificateAlone | Error::ReportAlone => {
                "name a file for the release with `-o FILE`".into()
            }
            Error::CertificateName { .. } => {
                "name it `*.json`; a readable copy is written next to it as `*.txt`".into()
            }
            Error::CertificateTwin { .. } => {
                "move that file, or choose another name for the certificate: its readable copy has the same name with `.txt`"
                    .into()
            }
            Error::NotACertificate { .. } => {
                "name the JSON file written by `anonymize --certificate`".into()
            }
            Error::CertificateDecides => {
                "remove `-q`, `-s`, `-k` and the like: the certificate states the roles and privacy models"
                    .into()
            }
            Error::AlreadyExists { .. } => "add `--force` to overwrite them".into(),
            Error::StandardOutputTwice => "write the release (`-o`) or the page (`--report`) to a file".into(),
            Error::UnknownCommand { .. } => "`incrowd --help` lists the commands".into(),
            Error::Delimiter { .. } => {
                "give one ASCII character, such as `;`, or the word `tab`".into()
            }
            Error::Budget { .. } => {
                "give a number of rows such as `321`, or a percentage such as `1%`".into()
            }
            Error::BudgetBeyondTable { .. } => {
                "give a smaller number, or a percentage such as `1%`".into()
            }
            Error::TimeLimit { .. } => "write it like `30s`, `5m` or `1h 30m`".into(),
            Error::NotTried => "let the comparison finish, or name fewer `--algorithms`".into(),
            Error::MemoryLimit { .. } => "write it like `500M`, `2G` or `4GiB`".into(),
            Error::WorkLimit { .. } => "write it like `500M` or `3G`, or `none`".into(),
            Error::TimeUpReading { .. } => {
                "raise `--time-limit`; it applies to reading, searching and writing separately".into()
            }
            Error::PublishedWithout {
                aside: Some(aside), ..
            } => format!(
                "the release is complete and stays; the file is `{}`: make room for its name and rename it",
                aside.display()
            ),
            Error::PublishedWithout { .. } => "the release is complete and stays; `incrowd verify` says what it keeps, and \
                 for a certificate the job has to run again, with `--replace`"
                .into(),
            Error::SinkUsed => "give each job its own sink".into(),
            Error::TimeUpWriting { .. } => {
                "nothing was written; raise `--time-limit`, which applies to reading, searching and writing separately"
                    .into()
            }
            Error::MaxLevels { .. } => {
                "give one number per quasi-identifier, such as `--max-levels 2,1,1`".into()
            }
            Error::WeightFlag { .. } => {
                "give each column once, with a number from 0 to 1, as in `--weight age=0.3`".into()
            }
            Error::PropertyFlag { known, .. } => format!(
                "give a name and a value, as in `--property overlap=no`: {}; `incrowd explain properties` lists them",
                known.join(", ")
            ),
            Error::WeightsTwice => {
                "give either `--weight COLUMN=NUMBER` for the columns that count, or `--weights` and `--drop-associated`"
                    .into()
            }
            Error::LevelValuesFlag { .. } => {
                "give each column once, with a number of at least 0 for each level, as in `--level-values age=1/0.8/0`"
                    .into()
            }
            Error::HierarchyFlag { .. } => {
                "write it like `age=ages.csv` or `age=interval:5,10,20`".into()
            }
            Error::UnknownColumn { is_row: true, .. } | Error::NoRole { is_row: true, .. } => {
                "the first line looks like a data row; with `--no-header`, columns are named `column-1`, `column-2`, ..."
                    .into()
            }
            Error::UnknownColumn { nearest, .. } if nearest.is_empty() => {
                "`incrowd inspect DATA` lists the columns".into()
            }
            Error::UnknownColumn { nearest, .. } => format!(
                "did you mean {}? `incrowd inspect DATA` lists the columns",
                or(nearest.iter().map(|name| format!("`{name}`")))
            ),
            Error::TwoRoles { first, second, .. } if first == second => {
                "list every column once".into()
            }
            Error::TwoRoles { .. } => "give every column only one role".into(),
            Error::NoRole { .. } => {
                "give each a role (`-q`, `-s`, `--identifying`, `--target`), or pass `--others drop` or `--others keep`"
                    .into()
            }
            Error::RevealingColumns { columns } => {
                let names: Vec<String> = columns.iter().map(|column| column.name.escape_debug().to_string()).collect();
                let names = names.join(",");
                if columns.iter().all(|column| column.role != UnchangedRole::Kept) {
                    return format!(
                        "choose other targets or sensitive columns, or generalize them too (`-q {names}`); to publish them \
                         anyway, also pass `--keep {names}`"
                    );
                }
                format!(
                    "drop columns that identify or single out people (`--identifying {names}`), or give columns that are known to \
                     others or sensitive a role (`-q`, `-s`); to publish them anyway, pass `--keep {names}`"
                )
            }
            Error::UnreadText { column, .. } => format!(
                "give the hierarchies that the release was made with, and name `{column}` among the quasi-identifiers (`-q`)"
            ),
            Error::TooManyClasses { .. } => {
                "choose a target with fewer values, or one of numbers".into()
            }
            Error::Folds { rows, .. } => format!("give `--folds` a number from 2 to {rows}"),
            Error::NothingToJudge => {
                "name columns with `-q`, `-s`, `--keep`, `--target` or `--columns`".into()
            }
            Error::SurvivalTarget => {
                "name it with `--target`; it may be one of the quasi-identifiers".into()
            }
            Error::SurvivalRules => {
                "say what must stay visible, as in `--rule 'age: 64|65 = 25'`".into()
            }
            Error::SurvivalNothingFound { hint, .. } => hint.clone(),
            Error::NothingToPartition => {
                "name one with `--target`: a column of text, or of at most ten different numbers".into()
            }
            Error::NotItsOriginal => "check that this is the original of the release".into(),
            Error::NoQuasiIdentifiers => {
                "name the columns that others could know, as in `-q age,sex,zip`; `incrowd inspect DATA` proposes some"
                    .into()
            }
            Error::NoPrivacyModel => {
                "name one, for example `-k 5`; `incrowd explain models` lists them"
                    .into()
            }
            Error::OutOfReach { .. } => {
                "ask for less privacy; neither recoding nor suppression can help".into()
            }
            Error::UnknownName {
                family,
                name,
                known,
            } => {
                let near = nearest_names(name, known.iter().copied());
                match near.is_empty() {
                    true => format!("`incrowd explain` lists every {family}"),
                    false => format!(
                        "did you mean {}? `incrowd explain` lists every {family}",
                        or(near.iter().map(|name| format!("`{name}`")))
                    ),
                }
            }
            Error::SettingNotRead {
                setting, readers, ..
            } => format!(
                "remove `{setting}`, or use `--algorithm {}`",
                readers.join("` or `--algorithm ")
            ),
            Error::ClassSize { .. } => "give whole numbers of at least 1, as in `--parameters 2,5,10`".into(),
            Error::DialogueEnded => {
                "nothing was written; `--script` makes the choices without a dialogue".into()
            }
            Error::LevelCount { expected, .. } => {
                format!("give {expected} numbers, in the order of the quasi-identifiers")
            }
            Error::NoSuchLevel { column, height, .. } => format!(
                "give at most {height}; `incrowd hierarchy show FILE` shows the levels of `{column}`"
            ),
            Error::InputChanged { .. } => {
                "nothing was written; run again when the input no longer changes, or on a copy of it"
                    .into()
            }
            Error::AllRowsExcluded { .. } => {
                "use `--missing-cells own-value` or `match-any`, or give mostly empty columns no role"
                    .into()
            }
            Error::NoHierarchyFolder { .. } => {
                "name a folder with a file `<column>.csv` for each hierarchy; without one, hierarchies are built from the data"
                    .into()
            }
            Error::MisspeltRule { rule, .. } => format!("did you mean the rule `{rule}`?"),
            Error::ColumnNotInOriginal { .. } => {
                "check that this is the original of the release".into()
            }
            Error::SeveralPromises { .. } => {
                "give one of `-k`, `-l`, `-t` or `--privacy`; with several sensitive columns name one, as in \
                 `distinct-l-diversity(l=3,column=disease)`"
                    .into()
            }
            Error::IndexOfNothing => "remove `--index`, or use `--how full`".into(),
            Error::Index { path, source } => match &**source {
                incrowd_core::Error::IndexDamaged { .. }
                | incrowd_core::Error::IndexVersion { .. }
                | incrowd_core::Error::IndexStale { .. } => format!(
                    "remove `{}` if it is an index, or name another file; the next run makes a new one",
                    path.display()
                ),
                source => source.hint(),
            },
            Error::RequestLine { .. } => {
                "write it like `{\"model\":\"k-anonymity\",\"parameter\":10,\"max_suppressed\":321,\"max_levels\":[2,1,1]}`"
                    .into()
            }
            Error::Requests { .. } => "name a file that you can read, or `-` for standard input".into(),
            Error::Answers { .. } => {
                "check where standard output is redirected to, and whether the disk is full".into()
            }
            Error::RequestsRefused { .. } => {
                "the `error` in each of their answer lines says why; the others were answered".into()
            }
            Error::Share { .. } => "give a percentage above 0 and at most 100, such as `5%`".into(),
            Error::StandardInputTwice => "name a file for one of them".into(),
            Error::JobNotWritten { .. } => "use file names that are valid UTF-8".into(),
            Error::StudyTooLarge { .. } => {
                "use fewer quasi-identifiers, or hierarchies with fewer levels".into()
            }
            Error::NoParameters { model } => {
                format!("give some with `--parameters`; `incrowd explain {model}` explains them")
            }
            Error::TimeUpSimulating { .. } => {
                "raise `--time-limit`, or give fewer `--repeats`; it applies to reading and simulating separately".into()
            }
            Error::NothingToSimulate => {
                "give `--attributes 12` for twelve columns of two values each, `--domain 2,7,16` for columns of so many values, \
                 or a table and its columns, as in `patients.csv -q age,sex`"
                    .into()
            }
            Error::NoValues => {
                "give whole numbers of at least 1, as in `--attributes 12 --values 2` or `--domain 2,7,16`".into()
            }
            Error::TooManyCombinations => {
                "give fewer columns, or fewer values; so many combinations cannot all be filled".into()
            }
            Error::RowsNotGiven => {
                "give `--rows N` for the chance of N rows, or `--rows-needed 95%` for the rows of a chance".into()
            }
            Error::SimulatedRows { most, .. } => format!("give `--rows` a number from 1 to {most}"),
            Error::Repeats { least, most, .. } => {
                format!("give `--repeats` a number from {least} to {most}")
            }
            Error::CertainChance { greatest } => {
                format!("give `--rows-needed` at most {greatest}%, such as `95%`")
            }
            Error::RowsOutOfReach { .. } => {
                "give fewer columns or columns of fewer values, or `--rows N` for the chance of N rows".into()
            }
            Error::Gate { .. } => {
                "write a figure, `<` or `<=`, and a number from 0 to 1 or a percentage, as in `highest<=0.2`".into()
            }
            Error::GateFigure { nearest, .. } => match nearest.first() {
                Some(name) => format!("did you mean `{name}`?"),
                None => {
                    let names: Vec<&str> = GateFigure::names().collect();
                    format!("the figures are {}", names.join(", "))
                }
            },
            Error::GateWithoutFigure { needed, .. } => format!("give `{needed}`, or leave the gate out"),
            Error::Threshold { .. } => "give a number from 0 to 1 or a percentage, as in `--threshold 0.2`".into(),
            Error::PopulationTooSmall { .. } => {
                "a population is everyone whom the rows could be about: at least the rows themselves".into()
            }
            Error::PopulationNeeded { .. } => {
                "give a table of everyone whom the rows could be about, with the same columns: `--population FILE`".into()
            }
            Error::PopulationUnused => {
                "add a promise such as `--privacy 'k-map(k=5)'`, or leave `--population` out; `incrowd risk --population` tells \
                 how easily people are found among it"
                    .into()
            }
            Error::PopulationElsewhere { .. } => {
                "treat missing cells as a value of their own (`--missing-cells own-value`), so that they say who they could be \
                 about; or ask for k-anonymity, which promises more"
                    .into()
            }
            Error::PopulationUnmatched { .. } => {
                "give the hierarchies that the file was made with, by `--hierarchies` or `--hierarchy`, and a table of raw values"
                    .into()
            }
            Error::WorkerLost => "this is a bug in incrowd; please report it".into(),
        }
    }
}

fn or(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().collect::<Vec<_>>().join(" or ")
}
