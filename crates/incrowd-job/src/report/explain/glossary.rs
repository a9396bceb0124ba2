//! The terms of incrowd that are in no registry: concepts, schemes, hierarchy rules, and the words that flags accept.
//!
//! One list. Each entry says what a term means in a sentence or two and where it is used, so that a user who has read
//! it in a message knows what to do.

use super::Family;

/// A word and what it means.
pub(super) struct Word {
    pub(super) family: Family,
    pub(super) name: &'static str,
    /// Other names for it.
    pub(super) also: &'static [&'static str],
    /// What it is, in a sentence.
    pub(super) summary: &'static str,
    /// Anything else that helps; may be empty.
    pub(super) more: &'static str,
    /// Where it is used.
    pub(super) met: &'static str,
}

impl Word {
    /// The text, in the format of the registries' cards.
    pub(super) fn text(&self) -> String {
        let mut text = format!("{}\n", wrapped(self.summary));
        if !self.more.is_empty() {
            text += &format!("{}\n", wrapped(self.more));
        }
        if !self.also.is_empty() {
            text += &format!("# Also called\n{}", wrapped(&self.also.join(", ")));
        }
        text + &format!("# Where it is used\n{}", wrapped(self.met))
    }
}

/// Lines as long as those of doc comments.
const WIDTH: usize = 110;

/// A text in lines of at most [`WIDTH`] characters, as far as its words allow.
fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        let letters = word.chars().count();
        if length > 0 {
            let is_full = length + 1 + letters > WIDTH;
            lines.push(if is_full { '\n' } else { ' ' });
            length = if is_full { 0 } else { length + 1 };
        }
        lines.push_str(word);
        length += letters;
    }
    lines + "\n"
}

/// A concept.
const fn term(
    name: &'static str,
    also: &'static [&'static str],
    summary: &'static str,
    more: &'static str,
    met: &'static str,
) -> Word {
    Word {
        family: Family::Term,
        name,
        also,
        summary,
        more,
        met,
    }
}

/// A word without aliases, such as one that a flag accepts.
const fn word(
    family: Family,
    name: &'static str,
    summary: &'static str,
    more: &'static str,
    met: &'static str,
) -> Word {
    Word {
        family,
        name,
        also: &[],
        summary,
        more,
        met,
    }
}

/// Every word, by family; within a family, in reading order.
pub(super) static GLOSSARY: &[Word] = &[
    word(
        Family::Scheme,
        "bhs",
        "One level of the hierarchy for all values of a column (basic hierarchical scheme).",
        "It has the fewest choices of all schemes: one per level of the hierarchy. Full-domain algorithms do the same.",
        "`--algorithm partition --scheme bhs`, or for one column `--scheme age=bhs`.",
    ),
    word(
        Family::Scheme,
        "ghs",
        "A cut through the hierarchy: each branch is generalized as far as necessary (group hierarchical scheme).",
        "Allows every partition that `bhs` does.",
        "`--algorithm partition --scheme ghs`, or for one column `--scheme age=ghs`.",
    ),
    word(
        Family::Scheme,
        "gops",
        "Blocks of neighboring values, guided by the hierarchy (guided ordered partitioning scheme).",
        "Guided means: two values may share a block only if the block also contains every value that is closer to one of \
         them in the hierarchy than they are to each other. Allows every partition that `ghs` does.",
        "`--algorithm partition --scheme gops`, or for one column `--scheme age=gops`.",
    ),
    word(
        Family::Scheme,
        "gsps",
        "Blocks of any values, guided by the hierarchy (guided set partitioning scheme).",
        "Guided as in `gops`, but the values of a block need not be neighbors in an order. Allows every partition that `gops` does.",
        "`--algorithm partition --scheme gsps`, or for one column `--scheme race=gsps`.",
    ),
    word(
        Family::Scheme,
        "ops",
        "Blocks of neighboring values in the column's order (ordered partitioning scheme); the default.",
        "Suits numbers, dates and ordered categories. Numbers and dates are ordered by size, text as listed in its hierarchy. \
         Allows every partition that `gops` does.",
        "`--algorithm partition --scheme ops`, or for one column `--scheme age=ops`.",
    ),
    word(
        Family::Scheme,
        "sps",
        "Blocks of any values: every partition of the column's values is allowed (set partitioning scheme).",
        "It gives the best results and the longest searches: 8 values have 4140 partitions, 12 have over four million.",
        "`--algorithm partition --scheme sps`, or for one column `--scheme race=sps`.",
    ),
    word(
        Family::Rule,
        "interval",
        "Numbers in intervals of equal width, wider with each level.",
        "`interval:5,10,20@17` makes intervals of width 5, then 10, then 20, with one starting at 17.",
        "`--hierarchy age=interval:5,10,20@17`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "quantile",
        "Numbers in groups with about the same number of rows, fewer groups with each level.",
        "`quantile:16,8,4` makes 16 groups, then 8, then 4. Suits numbers of very different magnitude, such as incomes.",
        "`--hierarchy income=quantile:16,8,4`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "log",
        "Numbers of very different magnitude in steps that grow with them: [1-9], [10-99], [100-999].",
        "`log:1-2-5,10,100` makes three steps per power of ten, then one per power, then one per two powers.",
        "`--hierarchy income=log:1-2-5,10,100`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "frequent",
        "The most common values stay, all others become `other`; fewer stay with each level.",
        "`frequent:12,6,3` keeps twelve values, then six, then three.",
        "`--hierarchy job=frequent:12,6,3`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "mask",
        "Codes with more and more of their last characters replaced by `*`.",
        "`mask:2` replaces two characters with each level, so that 45011 becomes 450**.",
        "`--hierarchy zip=mask:2`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "prefix",
        "Codes shortened to their first characters, fewer with each level.",
        "`prefix:3,1` keeps three characters, then one, so that 45011 becomes 450** and then 4****.",
        "`--hierarchy zip=prefix:3,1`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "date",
        "Dates in longer and longer periods: week, month, quarter, year, decade.",
        "`date:month,year` publishes the month on level 1 and the year on level 2.",
        "`--hierarchy birth=date:month,year`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "order",
        "Values in their natural order; each level merges pairs of neighbors.",
        "",
        "`--hierarchy grade=order`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "countries",
        "Countries by name or code, grouped into regions and continents.",
        "",
        "`--hierarchy home=countries`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "us-states",
        "US states by name or code, grouped into divisions and regions.",
        "",
        "`--hierarchy state=us-states`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "education",
        "Levels of education, grouped into stages and degrees.",
        "",
        "`--hierarchy schooling=education`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "icd10",
        "ICD-10 disease codes, grouped up to the chapters of the classification.",
        "",
        "`--hierarchy diagnosis=icd10`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "uk-postcode",
        "UK postcodes, grouped into sectors, districts and areas.",
        "",
        "`--hierarchy home=uk-postcode`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "suppress",
        "The value itself or `*`, nothing in between.",
        "The hierarchy of last resort: one level up, the column says nothing at all.",
        "`--hierarchy sex=suppress`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Choice,
        "any",
        "No use in particular, or several: as much detail as possible for all columns alike.",
        "",
        "`advise --use any`.",
    ),
    word(
        Family::Choice,
        "classification",
        "Learning to predict to which class a row belongs, such as the disease of a patient.",
        "",
        "`advise --use classification`; name the column with `--target`.",
    ),
    word(
        Family::Choice,
        "regression",
        "Learning to predict a number, such as the days in hospital.",
        "",
        "`advise --use regression`; name the column with `--target`.",
    ),
    word(
        Family::Choice,
        "tables",
        "Reading, counting and tabulating: each column has one set of values, none of which overlap.",
        "",
        "`advise --use tables`.",
    ),
    word(
        Family::Choice,
        "optimal",
        "Proven: no release of its kind is better.",
        "",
        "`advise --quality optimal`.",
    ),
    word(
        Family::Choice,
        "good",
        "Good enough: nothing has to be proven, which leaves more algorithms to choose from.",
        "",
        "`advise --quality good`.",
    ),
    word(
        Family::Choice,
        "yes",
        "A few unusual rows may be left out, so that less is lost in all others.",
        "",
        "`advise --may-suppress yes`; `--max-suppressed` says how many.",
    ),
    word(
        Family::Choice,
        "no",
        "Every row is published.",
        "",
        "`advise --may-suppress no`.",
    ),
    word(
        Family::Choice,
        "novice",
        "Knows the table and what it is for, which is enough.",
        "",
        "`advise --expertise novice`.",
    ),
    word(
        Family::Choice,
        "practitioner",
        "Also knows how good a release must be, how values may be made coarser, and whether rows may be left out.",
        "",
        "`advise --expertise practitioner`.",
    ),
    word(
        Family::Choice,
        "expert",
        "May insist on any property of an algorithm.",
        "",
        "`advise --expertise expert`; see also `incrowd explain properties`.",
    ),
    word(
        Family::Choice,
        "own-value",
        "A missing cell is a value like any other: rows with missing cells match each other.",
        "",
        "`--missing-cells own-value`, the default.",
    ),
    word(
        Family::Choice,
        "match-any",
        "A missing cell matches any value, so its row counts in the crowd of every class it could belong to.",
        "",
        "`--missing-cells match-any`; see also `incrowd explain crowd`.",
    ),
    word(
        Family::Choice,
        "exclude-row",
        "A row with a missing cell is excluded from the release.",
        "",
        "`--missing-cells exclude-row`; the report counts such rows as excluded because of missing cells.",
    ),
    word(
        Family::Choice,
        "keep",
        "Columns without a role are published unchanged.",
        "Nothing protects them: anyone who knows such a value can find the person.",
        "`--others keep`.",
    ),
    word(
        Family::Choice,
        "drop",
        "Columns without a role, or suppressed rows, are not published.",
        "",
        "`--others drop` for columns; `--suppressed drop`, the default, for rows.",
    ),
    word(
        Family::Choice,
        "star",
        "A suppressed row is published as a row of `*`, which keeps the number of rows.",
        "",
        "`--suppressed star`.",
    ),
    word(
        Family::Choice,
        "refuse",
        "A value that its hierarchy does not list stops the run.",
        "",
        "`--unlisted refuse`, the default.",
    ),
    word(
        Family::Choice,
        "suppress",
        "Values that their hierarchy does not list are published as `*`; in a script, the rows that still violate are suppressed.",
        "",
        "`--unlisted suppress`; the last word of a `--script` for `mu-argus`.",
    ),
    word(
        Family::Choice,
        "full",
        "Every node of the lattice is counted before the first request, so that each answer is exact and immediate.",
        "Worthwhile for many requests about a lattice that is not too large.",
        "`negotiate --how full`; `\"how\"` in the JSON of an answer.",
    ),
    word(
        Family::Choice,
        "partial",
        "Only the most promising nodes of each height are counted before the first request; others are not known.",
        "Faster to prepare than `full`, but a better answer may exist; the output says so.",
        "`negotiate --how partial --partial 5% --estimator lambda`.",
    ),
    word(
        Family::Choice,
        "partial-top",
        "Like `partial`, but the node with the highest levels you accept is also counted for each request.",
        "",
        "`negotiate --how partial-top --partial 5%`.",
    ),
    word(
        Family::Choice,
        "lazy",
        "Nothing is counted in advance; nodes are counted when the search needs them. Always exact.",
        "For single requests and for lattices of any size. There is nothing to save in an index.",
        "`negotiate --how lazy`.",
    ),
    word(
        Family::Choice,
        "interval",
        "The numbers of a class are published as the interval they lie in.",
        "",
        "`--numbers interval`, the default.",
    ),
    word(
        Family::Choice,
        "mean",
        "The numbers of a class are published as their mean.",
        "It does not say which numbers it stands for. Dates stay intervals.",
        "`--numbers mean`, for algorithms that publish regions.",
    ),
    word(
        Family::Choice,
        "median",
        "The numbers of a class are published as their median.",
        "Of an even number of rows, the mean of the two in the middle. Dates stay intervals.",
        "`--numbers median`, for algorithms that publish regions.",
    ),
    word(
        Family::Choice,
        "equal",
        "Every quasi-identifier counts the same in the research value.",
        "",
        "`--weights equal`, the default.",
    ),
    word(
        Family::Choice,
        "auto",
        "incrowd chooses what suits the table, and reports its choice.",
        "As an algorithm, it means `optimal`. As weights of the research value, a column counts in proportion to 1 less its \
         mean association with the others: |Pearson| for two numbers, Cramér's V for two texts, the correlation ratio for one \
         of each.",
        "`negotiate --how auto`, `--algorithm auto`, `--weights auto`, and `--search auto` for `--algorithm partition`.",
    ),
    word(
        Family::Choice,
        "gamma",
        "Ranks a node as promising if its levels give many rows per class (the sum of rows over classes).",
        "",
        "`negotiate --how partial --estimator gamma`.",
    ),
    word(
        Family::Choice,
        "mu",
        "Ranks a node as promising if each of its levels merges much more than the level below it.",
        "",
        "`negotiate --how partial --estimator mu`; the last column of `study --importance`.",
    ),
    word(
        Family::Choice,
        "gamma-mu",
        "Ranks nodes by `gamma` times `mu`, summed over their levels.",
        "",
        "`negotiate --how partial --estimator gamma-mu`.",
    ),
    word(
        Family::Choice,
        "lambda",
        "Ranks nodes by `mu` times the logarithm of `gamma`, summed over their levels.",
        "",
        "`negotiate --how partial --estimator lambda`, the default.",
    ),
    word(
        Family::Choice,
        "whole",
        "The higher-levels offer may have any height.",
        "",
        "`negotiate --search whole`, the default.",
    ),
    word(
        Family::Choice,
        "from-limit",
        "The higher-levels offer is at least as high as the levels you accept, as in the paper's program.",
        "",
        "`negotiate --search from-limit`.",
    ),
    word(
        Family::Choice,
        "bottom-up",
        "Searches partitions from raw values upward, joining blocks.",
        "",
        "`--algorithm partition --search bottom-up`. There is also an algorithm with this name.",
    ),
    word(
        Family::Choice,
        "boundaries",
        "Searches partitions by deciding about one boundary between two neighboring values after the other: kept or gone.",
        "",
        "`--algorithm partition --search boundaries`.",
    ),
    word(
        Family::Choice,
        "top-down",
        "Searches partitions from one block per column downward, splitting blocks.",
        "",
        "`--algorithm partition --search top-down`. There is also an algorithm with this name.",
    ),
    word(
        Family::Choice,
        "cost-bound",
        "Drops a node of the search if nothing below it can cost less than the best result so far.",
        "",
        "`--without-pruning cost-bound` disables it; the result is the same.",
    ),
    word(
        Family::Choice,
        "useless-applicators",
        "Drops a join or split once it costs too much, for all nodes below.",
        "",
        "`--without-pruning useless-applicators` disables it; the result is the same.",
    ),
    word(
        Family::Choice,
        "useful-applicators",
        "If no row may be suppressed, drops nodes that have skipped the last join a row needs.",
        "",
        "`--without-pruning useful-applicators` disables it; the result is the same.",
    ),
    word(
        Family::Choice,
        "seeding",
        "Starts the search with the cost of a good result found by other means.",
        "",
        "`--without-pruning seeding` disables it; the result is the same.",
    ),
    word(
        Family::Choice,
        "delayed-expansion",
        "Puts a node back into the queue before its children are made; by then it may be pruned.",
        "",
        "`--without-pruning delayed-expansion` disables it; the result is the same.",
    ),
    word(
        Family::Choice,
        "least-bound-first",
        "Takes the node with the lowest bound first, not the oldest.",
        "",
        "`--without-pruning least-bound-first` disables it; the result is the same.",
    ),
    word(
        Family::Choice,
        "arranged-applicators",
        "Takes the columns whose joins touch the fewest classes first.",
        "",
        "`--without-pruning arranged-applicators` disables it; the result is the same.",
    ),
    word(
        Family::Choice,
        "tighter-bounds",
        "Counts a row that is not published yet at its minimum cost instead of zero.",
        "",
        "`--without-pruning tighter-bounds` disables it; the result is the same.",
    ),
    word(
        Family::Choice,
        "program",
        "Finishes one column by dynamic programming instead of branching over it.",
        "",
        "`--without-pruning program` disables it; the result is the same.",
    ),
    term(
        "role",
        &["roles"],
        "What a column means for privacy: quasi-identifying, sensitive, identifying, a target, or none of these.",
        "Every column needs one, unless `--others keep|drop` says what to do with the rest. `inspect` proposes roles.",
        "`-q`, `-s`, `--identifying`, `--target`, `--others`; the last column of `inspect`.",
    ),
    term(
        "quasi-identifier",
        &["quasi-identifiers", "quasi-identifying", "quasi", "qi"],
        "A column that does not name a person but that others may know, such as age, sex or zip code.",
        "Several together can single a person out, so these are the columns that are generalized: each value is \
         published unchanged, as a group that contains it, or as `*`.",
        "`-q age,sex,zip`; `columns.quasi_identifiers` in a job file; levels are listed in this order.",
    ),
    term(
        "sensitive",
        &["sensitive column", "sensitive value"],
        "A column whose values must not be linked to a person, such as a disease or an income.",
        "It is published unchanged. k-anonymity does not protect it: a class whose rows share one value reveals it. \
         Add `-l` or `-t`.",
        "`-s disease`; `columns.sensitive` in a job file.",
    ),
    term(
        "identifying",
        &["identifier", "identifying column"],
        "A column that names a person by itself, such as a name, an e-mail address or a social security number.",
        "It is never published.",
        "`--identifying name,ssn`; `columns.identifying` in a job file.",
    ),
    term(
        "survey weight",
        &["survey weights", "weight of a row"],
        "A column that says how many people a row stands for.",
        "It describes nobody, but exact weights are nearly unique: publish them rounded, or not at all.",
        "`inspect`.",
    ),
    term(
        "free text",
        &["notes"],
        "A column of sentences, which may name people, places and dates in any row.",
        "No privacy model covers that, so `inspect` calls it identifying.",
        "`inspect`.",
    ),
    term(
        "determines",
        &["functional dependency", "carries the same"],
        "A column determines another if all rows that share a value of it share one of the other.",
        "Published unchanged, it makes generalizing the other in vain.",
        "`inspect`; a warning of `anonymize`.",
    ),
    term(
        "target",
        &["target column"],
        "A column that analysts want to predict from the others.",
        "It is published unchanged, and algorithms for classification preserve what predicts it.",
        "`--target salary`; needed by `--algorithm top-down` and `bottom-up`.",
    ),
    term(
        "prosecutor",
        &["prosecutor risk"],
        "An attacker who knows that somebody is in a file and knows the quasi-identifiers: they pick one row of a class.",
        "Their chance of picking the right row is 1 / the rows of the class.",
        "`incrowd risk`; `--gate 'highest<=0.2'`.",
    ),
    term(
        "journalist",
        &["journalist risk"],
        "An attacker who has a register of the whole population: they pick one of the people there who match a row.",
        "Their chance of picking the right person is 1 / the people who match. It is smaller than that of a prosecutor, since \
         nobody has to be in the file.",
        "`incrowd risk --population FILE`; `--gate 'journalist.highest<=0.2'`.",
    ),
    term(
        "marketer",
        &["marketer risk"],
        "An attacker who looks for nobody in particular and tries everyone: they are right once for each class.",
        "",
        "`incrowd risk`; `--gate 'marketer<=0.05'`.",
    ),
    term(
        "population",
        &["population uniques", "unique in the population"],
        "Everyone whom the rows of a file could be about.",
        "Who is unique in a file may have doubles in the population. How many people have none is estimated by three models: \
         Pitman, Zayatz and SNB (slide negative binomial).",
        "`incrowd risk --population FILE` or `--population-size N`.",
    ),
    term(
        "class",
        &["classes", "equivalence class", "equivalence classes"],
        "The rows of a release whose published quasi-identifiers are all equal.",
        "Outside knowledge cannot distinguish them. Every privacy model is a condition on classes.",
        "`classes` in every report: how many, the smallest, the average.",
    ),
    term(
        "crowd",
        &[],
        "The rows among which a person is hidden: those that someone who knows the person's quasi-identifiers cannot rule out.",
        "It is the class of the row, unless missing cells match any value: then it is every row that fits.",
        "`--missing-cells match-any`; `-k` is the smallest crowd allowed.",
    ),
    term(
        "privacy model",
        &["model", "promise", "promises"],
        "A condition that every class of a release must satisfy, such as \"at least 5 rows\".",
        "With its parameter, it is what a release promises. `incrowd explain models` lists them.",
        "`-k`, `-l`, `-t`, `--privacy`; `privacy` in a report.",
    ),
    term(
        "parameter",
        &["parameters"],
        "The number in a privacy model, such as the 5 in `k-anonymity(k=5)`.",
        "",
        "`--privacy 't-closeness(t=0.2)'`, `study --parameters 3,10,25`; `reached` in a report is the strictest one satisfied.",
    ),
    term(
        "k",
        &[],
        "The minimum number of rows in a class: the parameter of k-anonymity.",
        "With k = 5, the quasi-identifiers cannot distinguish anyone from at least four others.",
        "`-k 5`; `incrowd explain k-anonymity`.",
    ),
    term(
        "l",
        &[],
        "The minimum number of sensitive values in a class: the parameter of l-diversity, which has several variants.",
        "",
        "`-l 2` is distinct l-diversity; `incrowd explain distinct-l-diversity`.",
    ),
    term(
        "t",
        &[],
        "How far the distribution of sensitive values in a class may be from that in the whole table: the parameter of t-closeness.",
        "",
        "`-t 0.2`; `incrowd explain t-closeness`.",
    ),
    term(
        "generalization",
        &["generalize", "generalized"],
        "Publishing a coarser value in place of a value: 30-39 for 34, or Europe for France.",
        "",
        "Applied to quasi-identifiers; their levels say how far.",
    ),
    term(
        "hierarchy",
        &["hierarchies", "value tree"],
        "How the values of one column may be generalized: each value, then the groups it belongs to, from finest to coarsest, up to `*`.",
        "A CSV file with one line per value, or a rule that builds one. For columns without one, it is built from the data.",
        "`--hierarchies FOLDER`, `--hierarchy age=interval:5,10,20`, `incrowd hierarchy build|check|show`.",
    ),
    term(
        "level",
        &["levels"],
        "How far a column is generalized: 0 is the raw value, each level above is coarser, the last is `*`.",
        "",
        "`levels` in a report; `--max-levels 2,1,1` limits them, in the order of `-q`.",
    ),
    term(
        "node",
        &["nodes"],
        "A combination of one level per quasi-identifier, such as age 1, sex 0, zip 2.",
        "",
        "`nodes checked` in a report; `study`; every offer of `negotiate`.",
    ),
    term(
        "lattice",
        &[],
        "All nodes, from the raw table at the bottom to `*` everywhere at the top.",
        "One node is above another if none of its levels is lower. The number of nodes is the product of the numbers of levels.",
        "`lattice` in the JSON of a report; `study --plot` draws it if it is small.",
    ),
    term(
        "height",
        &[],
        "The sum of a node's levels: how far the whole table is generalized.",
        "",
        "`study`, `negotiate`, `--metric height`.",
    ),
    term(
        "recoding",
        &["recode", "recoded"],
        "A rule that maps every value to what is published in its place.",
        "",
        "`recoding` in the JSON of a report: `full-domain`, `cuts`, `partitions` or `regions`.",
    ),
    term(
        "minimal",
        &["minimal node", "safe node", "safe nodes"],
        "A safe node (it satisfies the privacy models within the budget) with no safe node below it.",
        "No minimal node can keep more detail in one column without losing some in another; which is best depends on the metric.",
        "`\"minimal\"` and `\"safe_nodes\"` in the JSON of `--algorithm samarati` and `incognito`.",
    ),
    term(
        "full-domain",
        &[],
        "A recoding that publishes all values of a column at the same level.",
        "",
        "The recodings of `optimal`, `samarati`, `incognito`, `datafly` and `mu-argus`; `advise --generalization full-domain`.",
    ),
    term(
        "cut",
        &["cuts"],
        "A recoding in which values of one column may be at different levels: a line through the hierarchy.",
        "Each value is still published as the same text everywhere.",
        "The recodings of `top-down` and `bottom-up`; scheme `ghs` of `partition`; `advise --generalization cuts`.",
    ),
    term(
        "partition",
        &["partitions", "partitioning"],
        "A division of a column's values into blocks; all values of a block are published as the same text.",
        "It need not follow a hierarchy.",
        "`--algorithm partition`; the scheme says which partitions are allowed; `advise --generalization partitions`.",
    ),
    term(
        "region",
        &["regions"],
        "A recoding in which every class has its own range of values in each column.",
        "One raw value may be published differently in different rows, so ranges may overlap. In exchange they are narrow.",
        "The recodings of `mondrian`, `mondrian-infogain`, `mondrian-lsd`, `finest` and of the algorithms with `cluster` in their name; `advise --generalization regions`.",
    ),
    term(
        "block",
        &["blocks", "group", "groups"],
        "Raw values of one column that are published as the same text.",
        "",
        "`groups` in a report; `blocks` in its JSON.",
    ),
    term(
        "scheme",
        &["generalization scheme"],
        "Which partitions of a column's values are allowed; there are six, from `bhs` (fewest) to `sps` (all).",
        "`incrowd explain schemes` lists them.",
        "`--algorithm partition --scheme age=ops,race=sps`, `study --schemes`.",
    ),
    term(
        "coarse",
        &["steps"],
        "Rounding numbers to steps of equal width before partitions are searched, so that there are fewer values.",
        "No step is ever split.",
        "`--coarse age=5@17`: steps of 5, with one starting at 17.",
    ),
    term(
        "pruning",
        &["pruning rule"],
        "A rule that skips part of a search without missing the best result.",
        "",
        "`--without-pruning NAMES` disables some, to see what they save.",
    ),
    term(
        "rule",
        &["data constraint rule", "importance"],
        "Values of a column that experts want a release to tell apart, and how important that is.",
        "`age: 64|65 = 25` is kept if no published value stands for both a number of at most 64 and one of at least 65; \
         `race: White != Black = 20` and `race: {White, Black} != {Other} = 5` if none stands for values of both sides. The \
         last number is the importance.",
        "`--rule` and `[rules]` in a job file; `rule` in a report, `\"rules\"` in the JSON document and the certificate.",
    ),
    term(
        "weight",
        &["weights"],
        "How much a quasi-identifier counts in the research value; all weights together are 1.",
        "",
        "`--weight age=0.3`, `--weights equal|auto`, and `[weights]` in a job file.",
    ),
    term(
        "suppression",
        &["suppressed", "suppressed row"],
        "Leaving a row out of the release because its class does not satisfy a privacy model.",
        "Suppressing a few outliers can preserve much detail for all others; suppressing many rows distorts what remains.",
        "`suppressed` in every report; `--suppressed drop|star` says how such rows are published.",
    ),
    term(
        "blank",
        &["blank row", "rows_blank"],
        "A row that is not suppressed, but `*` in every published column.",
        "It looks like a suppressed row, so no class and no privacy model counts it. A release that satisfies a model only because of such rows is refused.",
        "`blank` in the row counts of reports, `rows_blank` in JSON; the error `blank-rows`.",
    ),
    term(
        "given away",
        &["gives away", "reveal", "reveals", "revealed"],
        "Said of a sensitive value that columns published unchanged reveal with certainty: all rows that share their cells have it.",
        "Columns that do so for 5 % of rows beyond chance are refused if a privacy model protects the sensitive column, unless `--keep` names them.",
        "`reveal` in the unchanged columns and warnings of reports, `given_away` in JSON.",
    ),
    term(
        "budget",
        &["suppression budget", "max-suppressed"],
        "How many rows may be suppressed.",
        "The default is none. More than a tenth of the table is rarely a good idea.",
        "`--max-suppressed 321` or `--max-suppressed 1%`; the dashed line in plots.",
    ),
    term(
        "missing cell",
        &["missing", "missing value"],
        "A cell without a value: empty, or a text that means \"no value\", such as `?` or `NA`.",
        "",
        "`--missing-tokens '?,NA'` lists such texts; `--missing-cells` says how such cells are treated.",
    ),
    term(
        "metric",
        &["utility metric"],
        "A measure of what a release loses or keeps; algorithms search for the release with the best value.",
        "`incrowd explain metrics` lists them.",
        "`--metric NAME`; `metrics` in the JSON of a report.",
    ),
    term(
        "loss",
        &[],
        "What a release loses by some metric; lower is better. Also the name of the default metric.",
        "",
        "`loss` in a report; `--metric loss`.",
    ),
    term(
        "guarantee",
        &["optimum", "proven", "heuristic", "bounded"],
        "What is known about the quality of a result: optimal (nothing allowed is better), bounded (a gap is known), or heuristic (nothing is known).",
        "An optimum is always the best of its kind: of all nodes, for example, or of all partitions that the schemes allow.",
        "`loss 0.40 (optimal)` in a report; `guarantee` in its JSON.",
    ),
    term(
        "bound",
        &["lower bound"],
        "A loss that no allowed result can go below, proven by the search.",
        "",
        "`lower_bound` in the JSON of `--algorithm partition`.",
    ),
    term(
        "gap",
        &[],
        "How far below the loss the optimum could be, as a share of the loss: 0 if the result is proven optimal.",
        "Above 0 if a limit ended the search.",
        "`gap` in the JSON of a report; `the optimum is at most 3.0 % lower` in its text.",
    ),
    term(
        "release",
        &[],
        "The table to publish: recoded, without identifying columns and suppressed rows, and checked.",
        "The check shares no code with the search. A table that fails it cannot be written.",
        "`anonymize -o FILE`; `verify FILE` checks any release, whatever tool made it.",
    ),
    term(
        "certificate",
        &[],
        "A file that accompanies a release and states what was requested, what was reached and lost, and for which files.",
        "JSON, with a readable copy as text. It contains no cells of the table.",
        "`anonymize --certificate FILE.json`.",
    ),
    term(
        "job",
        &["job file"],
        "A file that describes a run completely, so that it can be repeated byte for byte.",
        "",
        "`incrowd init DATA` writes one; `--job FILE` reads it; flags override it.",
    ),
    term(
        "negotiation",
        &["negotiate", "request", "requests"],
        "Finding out what is possible: you request privacy, little suppression and detail, and learn whether all three can be met together.",
        "",
        "`incrowd negotiate`.",
    ),
    term(
        "relaxation",
        &["relaxations", "relaxed", "offer", "offers"],
        "A release that relaxes one part of a request and meets the others: more suppression, higher levels, or weaker privacy.",
        "",
        "The answer of `negotiate` to a request that cannot be met, with exit code 1.",
    ),
    term(
        "histogram",
        &["histograms"],
        "For one node, how many rows are in classes of each size (or with each number of sensitive values).",
        "It shows at once how many rows any k would suppress there, without another look at the table.",
        "Used by `negotiate` and `study`; saved in an index.",
    ),
    term(
        "annotated",
        &["annotation", "annotate"],
        "Said of a node whose histogram is known in advance.",
        "",
        "`lattice.annotated` in the JSON of `negotiate`.",
    ),
    term(
        "index",
        &[],
        "A file with the histograms of a lattice, so that the next negotiation about the same table starts at once.",
        "It is refused if the table or a hierarchy has changed.",
        "`negotiate --index FILE`.",
    ),
    term(
        "estimator",
        &["estimators", "promising"],
        "How `negotiate` ranks nodes without counting them: `gamma`, `mu`, `gamma-mu` or `lambda`.",
        "",
        "`negotiate --how partial --estimator NAME`.",
    ),
    term(
        "monotone",
        &["monotonicity", "merging"],
        "Said of a privacy model that a class still satisfies after other rows join it.",
        "Then a higher node never suppresses more rows, and much of a lattice can be skipped.",
        "`monotone` in the JSON of `negotiate`; `Merging` in the explanation of a model.",
    ),
    term(
        "unique row",
        &["unique rows", "unique", "singled out"],
        "A row with a value, or a combination of values, that no other row has.",
        "Anyone who knows the value can find the person.",
        "`inspect`.",
    ),
    term(
        "separation",
        &["separation ratio", "tells apart"],
        "The share of all pairs of rows that differ in a column, or in a combination of columns.",
        "Near 100 % for names, near 0 % for a column that is nearly always the same.",
        "`inspect`.",
    ),
    term(
        "seed",
        &[],
        "The starting point of random numbers; the same seed gives the same release.",
        "",
        "`--seed N`.",
    ),
];
