//! What to do next.

use super::{Error, nearest_names};
use crate::report::outcome::UnchangedRole;
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
            } => "many cells of the table have blanks around them: `--trim` drops them".into(),
            Error::Unlisted {
                column,
                from,
                input,
                ..
            } => format!(
                "`incrowd hierarchy check {from} --data {input} --column {column}` lists them; or pass `--unlisted suppress`"
            ),
            Error::Io(error) => error.hint(),
            Error::Cancelled => "nothing was written; start again when you like".into(),
            Error::JobFile { .. } => {
                "`incrowd init DATA` writes a job file with every key explained".into()
            }
            Error::Unreadable { kind, .. } => match kind {
                io::ErrorKind::NotFound => "check the spelling and the folder".into(),
                _ => "check that it is a file and that you may read it".into(),
            },
            Error::Folder { .. } => "choose a folder you may write to".into(),
            Error::NoData => {
                "name a file, such as `adult.csv`, or `-` for standard input; or give `--job FILE`"
                    .into()
            }
            Error::Address { .. } => {
                "export the table to CSV or Parquet and name that file".into()
            }
            Error::CertificateAlone => "say where the release goes with `-o FILE`".into(),
            Error::CertificateName { .. } => {
                "name it `*.json`; the readable twin is written beside it as `*.txt`".into()
            }
            Error::CertificateTwin { .. } => {
                "move that file, or name the certificate otherwise: its twin for people is named like it, with `.txt`"
                    .into()
            }
            Error::NotACertificate { .. } => {
                "name the JSON file that `anonymize --certificate` has written".into()
            }
            Error::CertificateDecides => {
                "leave out `-q`, `-s`, `-k` and the like: the certificate states what was promised about which columns"
                    .into()
            }
            Error::AlreadyExists { .. } => "add `--force` to replace them".into(),
            Error::StandardOutputTwice => "write the release to a file with `-o FILE`".into(),
            Error::UnknownCommand { .. } => "`incrowd --help` lists the commands".into(),
            Error::Delimiter { .. } => {
                "give one ASCII character, such as `;`, or the word `tab`".into()
            }
            Error::Budget { .. } => {
                "give a number of rows such as `321`, or a share of them such as `1%`".into()
            }
            Error::BudgetBeyondTable { .. } => {
                "give a smaller number, or a share such as `1%`".into()
            }
            Error::TimeLimit { .. } => "write it like `30s`, `5m` or `1h 30m`".into(),
            Error::NotTried => "let the comparison run, or name fewer `--algorithms`".into(),
            Error::WorkLimit { .. } => "write it like `500M` or `3G`, or `none`".into(),
            Error::TimeUpReading { .. } => {
                "raise `--time-limit`: reading, searching and writing may each take so long".into()
            }
            Error::SinkUsed => "hand each job a sink of its own".into(),
            Error::TimeUpWriting { .. } => {
                "nothing was written; raise `--time-limit`: reading, searching and writing may each take so long"
                    .into()
            }
            Error::MaxLevels { .. } => {
                "give one number per quasi-identifier, such as `--max-levels 2,1,1`".into()
            }
            Error::HierarchyFlag { .. } => {
                "write it like `age=ages.csv` or `age=interval:5,10,20`".into()
            }
            Error::UnknownColumn { is_row: true, .. } | Error::NoRole { is_row: true, .. } => {
                "the first line looks like a row: with `--no-header` the columns are called `column-1`, `column-2`, ..."
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
                "name every column once".into()
            }
            Error::TwoRoles { .. } => "every column has one role: name it in one place only".into(),
            Error::NoRole { .. } => {
                "give each a role (`-q`, `-s`, `--identifying`, `--target`), or say `--others drop` or `--others keep`"
                    .into()
            }
            Error::RevealingColumns { columns } => {
                let names: Vec<String> = columns.iter().map(|column| column.name.escape_debug().to_string()).collect();
                let names = names.join(",");
                if columns.iter().all(|column| column.role != UnchangedRole::Kept) {
                    return format!(
                        "choose other targets or sensitive columns, or generalize them too (`-q {names}`); to publish them \
                         nevertheless, name them beside their role: `--keep {names}`"
                    );
                }
                format!(
                    "leave out what names or singles people out with `--identifying {names}`, or give a role (`-q`, `-s`) to what is \
                     known to others or sensitive; to publish them nevertheless, name them: `--keep {names}`"
                )
            }
            Error::NoQuasiIdentifiers => {
                "name the columns others could know with `-q age,sex,zip`; `incrowd inspect DATA` proposes some"
                    .into()
            }
            Error::NoPrivacyModel => {
                "say what to promise, for example `-k 5`; `incrowd explain models` lists the models"
                    .into()
            }
            Error::OutOfReach { .. } => {
                "ask for less; no recoding and no suppression can help".into()
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
                "leave out `{setting}`, or take `--algorithm {}`",
                readers.join("` or `--algorithm ")
            ),
            Error::ClassSize { .. } => "give whole numbers from 1 on, as in `--parameters 2,5,10`".into(),
            Error::DialogueEnded => {
                "nothing was written; `--script` makes the same choices without a dialogue".into()
            }
            Error::LevelCount { expected, .. } => {
                format!("give {expected} numbers, in the order of the quasi-identifiers")
            }
            Error::NoSuchLevel { column, height, .. } => format!(
                "give at most {height}; `incrowd hierarchy show FILE` shows the levels of `{column}`"
            ),
            Error::InputChanged { .. } => {
                "nothing was written; run again when nobody writes to the input, or on a copy of it"
                    .into()
            }
            Error::AllRowsExcluded { .. } => {
                "use `--missing-cells own-value` or `match-any`, or give columns that are mostly empty no role"
                    .into()
            }
            Error::NoHierarchyFolder { .. } => {
                "name the folder that holds a file `<column>.csv` for each hierarchy; without one, levels are built from the data"
                    .into()
            }
            Error::MisspeltRule { rule, .. } => format!("did you mean the rule `{rule}`?"),
            Error::ColumnNotInOriginal { .. } => {
                "check that it is the original of this release".into()
            }
            Error::SeveralPromises { .. } => {
                "give one of `-k`, `-l`, `-t` or `--privacy`; with several sensitive columns say which, as in \
                 `distinct-l-diversity(l=3,column=disease)`"
                    .into()
            }
            Error::IndexOfNothing => "leave out `--index`, or choose `--how full`".into(),
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
            Error::Requests { .. } => "name a file you may read, or `-` for standard input".into(),
            Error::Answers { .. } => "check where they go, and whether there is room".into(),
            Error::RequestsRefused { .. } => {
                "each has a line with `error` that says why; the others were answered".into()
            }
            Error::Share { .. } => "give a percentage above 0 and at most 100, such as `5%`".into(),
            Error::StandardInputTwice => "name a file for one of them".into(),
            Error::JobNotWritten { .. } => "choose names that are text for its files".into(),
            Error::StudyTooLarge { .. } => {
                "take fewer quasi-identifiers, or hierarchies with fewer levels".into()
            }
            Error::NoParameters { model } => {
                format!("give some with `--parameters`; `incrowd explain {model}` says what they mean")
            }
            Error::WorkerLost => "this is a mistake in incrowd; please report it".into(),
        }
    }
}

fn or(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().collect::<Vec<_>>().join(" or ")
}
