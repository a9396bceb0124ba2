//! The words of incrowd that stand in no registry: ideas, schemes, rules for hierarchies, and what flags can be set to.
//!
//! One list. What a word means is said in a sentence or two, then where one meets it, so that whoever has read it in a
//! message knows what to do with it.

use super::Family;

/// A word and what it means.
pub(super) struct Word {
    pub(super) family: Family,
    pub(super) name: &'static str,
    /// Other names for it.
    pub(super) also: &'static [&'static str],
    /// What it is, in a sentence.
    pub(super) summary: &'static str,
    /// Whatever else helps; may be empty.
    pub(super) more: &'static str,
    /// Where one meets it.
    pub(super) met: &'static str,
}

impl Word {
    /// As the cards of the registries are written.
    pub(super) fn text(&self) -> String {
        let mut text = format!("{}\n", wrapped(self.summary));
        if !self.more.is_empty() {
            text += &format!("{}\n", wrapped(self.more));
        }
        if !self.also.is_empty() {
            text += &format!("# Also called\n{}", wrapped(&self.also.join(", ")));
        }
        text + &format!("# Where you meet it\n{}", wrapped(self.met))
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

/// An idea.
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

/// A word that is explained on its own, such as one that a flag can be set to.
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

/// Every word, by family; within a family in an order in which they can be read.
pub(super) static GLOSSARY: &[Word] = &[
    word(
        Family::Scheme,
        "bhs",
        "One level of the hierarchy for all values of a column (basic hierarchical scheme).",
        "The fewest choices of all schemes: as many as the hierarchy has levels. It is what full-domain algorithms do.",
        "`--algorithm partition --scheme bhs`, or for one column `--scheme age=bhs`.",
    ),
    word(
        Family::Scheme,
        "ghs",
        "A cut through the hierarchy: each branch is generalized as far as it needs (group hierarchical scheme).",
        "Allows every partition that `bhs` does.",
        "`--algorithm partition --scheme ghs`, or for one column `--scheme age=ghs`.",
    ),
    word(
        Family::Scheme,
        "gops",
        "Blocks of neighbouring values, guided by the hierarchy (guided ordered partitioning scheme).",
        "Guided means: two values may share a block only together with every value that is nearer to one of them in the \
         hierarchy than they are to each other. Allows every partition that `ghs` does.",
        "`--algorithm partition --scheme gops`, or for one column `--scheme age=gops`.",
    ),
    word(
        Family::Scheme,
        "gsps",
        "Blocks of any values, guided by the hierarchy (guided set partitioning scheme).",
        "Guided as in `gops`, whose partitions it all allows, but blocks need not be neighbours in an order.",
        "`--algorithm partition --scheme gsps`, or for one column `--scheme race=gsps`.",
    ),
    word(
        Family::Scheme,
        "ops",
        "Blocks of neighbouring values in the column's order (ordered partitioning scheme); the default.",
        "Suits numbers, dates and ordered words. Numbers and dates are ordered by size, text as its hierarchy lists it. \
         Allows every partition that `gops` does.",
        "`--algorithm partition --scheme ops`, or for one column `--scheme age=ops`.",
    ),
    word(
        Family::Scheme,
        "sps",
        "Blocks of any values: every partition of the column's values is allowed (set partitioning scheme).",
        "The best answers and the longest searches: 8 values have 4140 partitions, 12 have over four million.",
        "`--algorithm partition --scheme sps`, or for one column `--scheme race=sps`.",
    ),
    word(
        Family::Rule,
        "interval",
        "Numbers in intervals of equal width, wider with each level.",
        "`interval:5,10,20@17` makes intervals of 5, then 10, then 20, one of which begins at 17.",
        "`--hierarchy age=interval:5,10,20@17`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "quantile",
        "Numbers in groups of about equally many rows, fewer groups with each level.",
        "`quantile:16,8,4` makes 16 groups, then 8, then 4. Suits numbers of very different size, such as incomes.",
        "`--hierarchy income=quantile:16,8,4`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "log",
        "Numbers of very different size in steps that grow with them: [1-9], [10-99], [100-999].",
        "`log:1-2-5,10,100` makes three steps to a power of ten, then one, then one to two powers.",
        "`--hierarchy income=log:1-2-5,10,100`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "frequent",
        "The most common values stay as they are, all others become `other`; fewer stay with each level.",
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
        "Codes of which the first characters stay, so many on each level.",
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
        "Values in their natural order, merged with their neighbours two by two, level by level.",
        "",
        "`--hierarchy grade=order`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "countries",
        "Countries by name or code, in regions and continents.",
        "",
        "`--hierarchy home=countries`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "us-states",
        "States of the United States by name or code, in divisions and regions.",
        "",
        "`--hierarchy state=us-states`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "education",
        "Levels of schooling, in stages and degrees.",
        "",
        "`--hierarchy schooling=education`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "icd10",
        "Codes of the classification of diseases ICD-10, up to its chapters.",
        "",
        "`--hierarchy diagnosis=icd10`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "uk-postcode",
        "Postcodes of the United Kingdom, up to their districts and areas.",
        "",
        "`--hierarchy home=uk-postcode`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Rule,
        "suppress",
        "The value itself or `*`, nothing between.",
        "The hierarchy of last resort: one level up, and the column says nothing any more.",
        "`--hierarchy sex=suppress`, `incrowd hierarchy build --rule`.",
    ),
    word(
        Family::Choice,
        "own-value",
        "A missing cell is a value like any other: rows whose cell is missing are alike.",
        "",
        "`--missing-cells own-value`, the default.",
    ),
    word(
        Family::Choice,
        "match-any",
        "A missing cell could be any value, so its row stands in the crowd of every class it might belong to.",
        "",
        "`--missing-cells match-any`; see also `incrowd explain crowd`.",
    ),
    word(
        Family::Choice,
        "exclude-row",
        "A row with a missing cell is left out of the release.",
        "",
        "`--missing-cells exclude-row`; the report counts such rows as left out for missing cells.",
    ),
    word(
        Family::Choice,
        "keep",
        "Columns without a role are published as they are.",
        "Nothing protects them: whoever knows such a column can find a person by it.",
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
        "A suppressed row is published as a row of `*`, so that the number of rows stays.",
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
        "Values that their hierarchy does not list are published as `*`; in a script, the rows that still violate are left out.",
        "",
        "`--unlisted suppress`; the last word of a `--script` for `mu-argus`.",
    ),
    word(
        Family::Choice,
        "full",
        "Every node of the lattice is counted before the first question, so that each answer is exact and immediate.",
        "Worth it for many questions about a lattice that is not too large.",
        "`negotiate --how full`; `\"how\"` in the JSON of an answer.",
    ),
    word(
        Family::Choice,
        "partial",
        "Only the most promising nodes of each height are counted before the first question; others are not known.",
        "Quicker to prepare than `full`, but something better may be left unseen; the answer says so.",
        "`negotiate --how partial --partial 5% --estimator lambda`.",
    ),
    word(
        Family::Choice,
        "partial-top",
        "As `partial`, and the node of the highest levels you accept is counted when you ask.",
        "",
        "`negotiate --how partial-top --partial 5%`.",
    ),
    word(
        Family::Choice,
        "lazy",
        "Nothing is counted in advance; nodes are counted when the search needs them. Always exact.",
        "For single questions and for lattices of any size. There is nothing to keep in an index.",
        "`negotiate --how lazy`.",
    ),
    word(
        Family::Choice,
        "auto",
        "incrowd chooses what suits the table, and says what it chose.",
        "As an algorithm it is `optimal`.",
        "`negotiate --how auto`, `--algorithm auto`, and `--search auto` for `--algorithm partition`.",
    ),
    word(
        Family::Choice,
        "gamma",
        "Calls a node promising when its levels leave many rows per class (the sum of rows over classes).",
        "",
        "`negotiate --how partial --estimator gamma`.",
    ),
    word(
        Family::Choice,
        "mu",
        "Calls a node promising when each of its levels groups much more than the level below it.",
        "",
        "`negotiate --how partial --estimator mu`; the last column of `study --importance`.",
    ),
    word(
        Family::Choice,
        "gamma-mu",
        "Calls a node promising by `gamma` times `mu`, summed over its levels.",
        "",
        "`negotiate --how partial --estimator gamma-mu`.",
    ),
    word(
        Family::Choice,
        "lambda",
        "Calls a node promising by `mu` times the logarithm of `gamma`, summed over its levels.",
        "",
        "`negotiate --how partial --estimator lambda`, the default.",
    ),
    word(
        Family::Choice,
        "whole",
        "The offer of higher levels may be of any height.",
        "",
        "`negotiate --search whole`, the default.",
    ),
    word(
        Family::Choice,
        "from-limit",
        "The offer of higher levels is at least as high as the levels you accept, as in the paper's program.",
        "",
        "`negotiate --search from-limit`.",
    ),
    word(
        Family::Choice,
        "bottom-up",
        "Searches partitions from raw values up, joining blocks.",
        "",
        "`--algorithm partition --search bottom-up`. There is also an algorithm of this name.",
    ),
    word(
        Family::Choice,
        "top-down",
        "Searches partitions from one block per column down, splitting blocks.",
        "",
        "`--algorithm partition --search top-down`. There is also an algorithm of this name.",
    ),
    word(
        Family::Choice,
        "cost-bound",
        "Drops a node of the search when nothing below it can cost less than the best known.",
        "",
        "`--without-pruning cost-bound` searches without it; the answer is the same.",
    ),
    word(
        Family::Choice,
        "useless-applicators",
        "Drops a join or split once it costs too much, for all nodes below.",
        "",
        "`--without-pruning useless-applicators` searches without it; the answer is the same.",
    ),
    word(
        Family::Choice,
        "useful-applicators",
        "When no row may be suppressed, drops nodes that have passed by the last join a row needs.",
        "",
        "`--without-pruning useful-applicators` searches without it; the answer is the same.",
    ),
    word(
        Family::Choice,
        "seeding",
        "Starts the search with the cost of a good answer found by other means.",
        "",
        "`--without-pruning seeding` searches without it; the answer is the same.",
    ),
    word(
        Family::Choice,
        "delayed-expansion",
        "Puts a node back before its children are made; by then it may no longer be worth it.",
        "",
        "`--without-pruning delayed-expansion` searches without it; the answer is the same.",
    ),
    word(
        Family::Choice,
        "least-bound-first",
        "Takes the node with the least bound first, not the oldest.",
        "",
        "`--without-pruning least-bound-first` searches without it; the answer is the same.",
    ),
    word(
        Family::Choice,
        "arranged-applicators",
        "Takes the columns whose joins touch the fewest classes first.",
        "",
        "`--without-pruning arranged-applicators` searches without it; the answer is the same.",
    ),
    word(
        Family::Choice,
        "tighter-bounds",
        "Counts a row not published yet at what it must cost at least, instead of nothing.",
        "",
        "`--without-pruning tighter-bounds` searches without it; the answer is the same.",
    ),
    word(
        Family::Choice,
        "program",
        "Finishes one column by a dynamic program instead of branching over it.",
        "",
        "`--without-pruning program` searches without it; the answer is the same.",
    ),
    term(
        "role",
        &["roles"],
        "What a column is to a person's privacy: quasi-identifying, sensitive, identifying, a target, or none of these.",
        "Every column needs one, or `--others keep|drop` says what happens to the rest. `inspect` proposes roles.",
        "`-q`, `-s`, `--identifying`, `--target`, `--others`; the last column of `inspect`.",
    ),
    term(
        "quasi-identifier",
        &["quasi-identifiers", "quasi-identifying", "quasi", "qi"],
        "A column that does not name a person but that others may know, such as age, sex or zip code.",
        "Several together can single a person out, so these are the columns that are generalized: each value is \
         published as it is, as a group that holds it, or as `*`.",
        "`-q age,sex,zip`; `columns.quasi_identifiers` in a job file; the order given is the order of levels.",
    ),
    term(
        "sensitive",
        &["sensitive column", "sensitive value"],
        "A column whose values must not be linked to a person, such as a disease or an income.",
        "It is published as it is. k-anonymity does not protect it: a class whose rows share one value gives it away. \
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
        "target",
        &["target column"],
        "A column that analysts want to predict from the others.",
        "It is published as it is, and algorithms for classification keep what tells it.",
        "`--target salary`; needed by `--algorithm top-down` and `bottom-up`.",
    ),
    term(
        "class",
        &["classes", "equivalence class", "equivalence classes"],
        "The rows of a release whose published quasi-identifiers are all equal.",
        "Nobody can tell them apart by what others know. Every privacy model is about classes.",
        "`classes` in every report: how many, the smallest, the average.",
    ),
    term(
        "crowd",
        &[],
        "The rows among which a person hides: those that somebody who knows their quasi-identifiers cannot rule out.",
        "It is the class of the row, unless missing cells match any value: then it is every row that fits.",
        "The help of `-k`; `--missing-cells match-any`.",
    ),
    term(
        "privacy model",
        &["model", "promise", "promises"],
        "A condition on every class of a release, such as \"at least 5 rows\"; with its parameter it is what you promise.",
        "`incrowd explain models` lists them.",
        "`-k`, `-l`, `-t`, `--privacy`; `promise` in a report.",
    ),
    term(
        "parameter",
        &["parameters"],
        "The number in a promise, such as the 5 of `k-anonymity(k=5)`.",
        "",
        "`--privacy 't-closeness(t=0.2)'`, `study --parameters 3,10,25`; `reached` in a report is the strictest that holds.",
    ),
    term(
        "k",
        &[],
        "The fewest rows that a class may have: the parameter of k-anonymity.",
        "With k = 5 nobody can be told apart from at least four others by the quasi-identifiers.",
        "`-k 5`; `incrowd explain k-anonymity`.",
    ),
    term(
        "l",
        &[],
        "The fewest sensitive values that a class may have: the parameter of l-diversity, of which there are several kinds.",
        "",
        "`-l 2` is distinct l-diversity; `incrowd explain distinct-l-diversity`.",
    ),
    term(
        "t",
        &[],
        "How far the sensitive values of a class may be from those of the whole table: the parameter of t-closeness.",
        "",
        "`-t 0.2`; `incrowd explain t-closeness`.",
    ),
    term(
        "generalization",
        &["generalize", "generalized"],
        "Publishing a coarser value for a value: 30-39 for 34, or Europe for France.",
        "",
        "What happens to quasi-identifiers; how far is said by their levels.",
    ),
    term(
        "hierarchy",
        &["hierarchies", "value tree"],
        "Which values may stand for which, for one column: each value, then the groups it belongs to, coarser and coarser, up to `*`.",
        "A CSV file with a line for each value, or a rule that builds one. Columns without one get one from the data.",
        "`--hierarchies FOLDER`, `--hierarchy age=interval:5,10,20`, `incrowd hierarchy build|check|show`.",
    ),
    term(
        "level",
        &["levels"],
        "How far a column is generalized: 0 is the raw value, each level above is coarser, the last is `*`.",
        "",
        "`levels` in a report; `--max-levels 2,1,1` bounds them in the order of `-q`.",
    ),
    term(
        "node",
        &["nodes"],
        "A choice of one level for each quasi-identifier, such as age 1, sex 0, zip 2.",
        "",
        "`nodes checked` in a report; `study`; every offer of `negotiate`.",
    ),
    term(
        "lattice",
        &[],
        "All nodes together, from the raw table at the bottom to `*` everywhere at the top.",
        "One node is above another when none of its levels is lower. The number of nodes is the product of the numbers of levels.",
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
        "A rule that says for every value what is published for it.",
        "",
        "`recoding` in the JSON of a report: `full-domain`, `cuts` or `partitions`.",
    ),
    term(
        "minimal",
        &["minimal node", "safe node", "safe nodes"],
        "Said of a node that is safe (it keeps the promises within the budget) while no node below it is.",
        "Each minimal node keeps as much detail as can be kept in its way; which is best depends on the metric.",
        "`\"minimal\"` and `\"safe_nodes\"` in the JSON of `--algorithm samarati` and `incognito`.",
    ),
    term(
        "full-domain",
        &[],
        "A recoding that publishes all values of a column at the same level.",
        "",
        "What `optimal`, `samarati`, `incognito`, `datafly` and `mu-argus` make.",
    ),
    term(
        "cut",
        &["cuts"],
        "A recoding in which values of one column may stand at different levels: a line through the hierarchy.",
        "Each value still has one text everywhere.",
        "What `top-down` and `bottom-up` make; scheme `ghs` of `partition`.",
    ),
    term(
        "partition",
        &["partitions", "partitioning"],
        "A division of a column's values into blocks; all values of a block are published alike.",
        "It need not follow a hierarchy.",
        "`--algorithm partition`; the scheme says which partitions are allowed.",
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
        "Numbers put in steps of equal width before partitions are searched, so that there are fewer values.",
        "No step is ever split.",
        "`--coarse age=5@17`: steps of 5, one of which begins at 17.",
    ),
    term(
        "pruning",
        &["pruning rule"],
        "A way to search less without missing the best answer.",
        "",
        "`--without-pruning NAMES` switches some off, to see what they save.",
    ),
    term(
        "suppression",
        &["suppressed", "suppressed row"],
        "Leaving a row out of the release because its class does not keep a promise.",
        "A few outliers left out can save much detail for all others; many rows left out distort what remains.",
        "`suppressed` in every report; `--suppressed drop|star` says what is published of such rows.",
    ),
    term(
        "blank",
        &["blank row", "rows_blank"],
        "A row that is not suppressed, yet `*` in every published column.",
        "Nobody can tell it from a suppressed row, so no class and no promise counts it. A release that keeps a promise only with the help of such rows is refused.",
        "`blank` beside the rows in reports, `rows_blank` in JSON; the error `blank-rows`.",
    ),
    term(
        "given away",
        &["gives away"],
        "A sensitive value that columns published as they are tell with certainty: all rows that share their cells have it.",
        "Columns that do so for 5 % of the rows beyond chance are refused where something is promised about the sensitive column, unless `--keep` names them.",
        "`given away` among the unchanged columns of reports and in warnings, `given_away` in JSON.",
    ),
    term(
        "budget",
        &["suppression budget", "max-suppressed"],
        "How many rows may be suppressed.",
        "None when it is not given. More than a tenth of the table is rarely a good idea.",
        "`--max-suppressed 321` or `--max-suppressed 1%`; the dashed line in pictures.",
    ),
    term(
        "missing cell",
        &["missing", "missing value"],
        "A cell without a value: empty, or a text that means \"no value\", such as `?` or `NA`.",
        "",
        "`--missing-tokens '?,NA'` says which texts; `--missing-cells` says what such a cell means.",
    ),
    term(
        "metric",
        &["utility metric"],
        "A number for what a release has lost or kept; algorithms look for the release with the best one.",
        "`incrowd explain metrics` lists them.",
        "`--metric NAME`; `metrics` in the JSON of a report.",
    ),
    term(
        "loss",
        &[],
        "What a release has lost by some metric; less is better. Also the name of the metric used by default.",
        "",
        "`loss` in a report; `--metric loss`.",
    ),
    term(
        "guarantee",
        &["optimum", "proven", "heuristic", "bounded"],
        "What is known about how good an answer is: optimal (nothing allowed is better), bounded (a gap is known), or heuristic (nothing is).",
        "An optimum is always one of its kind: of all nodes, say, or of all partitions that the schemes allow.",
        "`no recoding of this kind loses less` in a report; `guarantee` in its JSON.",
    ),
    term(
        "bound",
        &["lower bound"],
        "A number that no allowed answer can fall below, proven by the search.",
        "",
        "`lower_bound` in the JSON of `--algorithm partition`.",
    ),
    term(
        "gap",
        &[],
        "The share of the loss that a better answer might still save: 0 when the answer is proven to be the best.",
        "Above 0 when a limit ended the search.",
        "`gap` in the JSON of a report; `at most 3.0 % of it could be saved` in its text.",
    ),
    term(
        "release",
        &[],
        "The table that may be published: recoded, without identifying columns and suppressed rows, checked.",
        "The check shares no code with the search. A table that fails it cannot be written.",
        "`anonymize -o FILE`; `verify FILE` checks any release, whoever made it.",
    ),
    term(
        "certificate",
        &[],
        "A file beside a release that says what was promised, what was reached and lost, and of which files.",
        "JSON, and the same to read as text. It holds no cell of the table.",
        "`anonymize --certificate FILE.json`.",
    ),
    term(
        "job",
        &["job file"],
        "A file that says everything about a run, so that it can be repeated to the byte.",
        "",
        "`incrowd init DATA` writes one; `--job FILE` reads it; flags win over it.",
    ),
    term(
        "negotiation",
        &["negotiate", "wish", "wishes"],
        "Asking what can be had: you wish for privacy, few rows left out and detail, and hear whether all three go together.",
        "",
        "`incrowd negotiate`.",
    ),
    term(
        "relaxation",
        &["relaxations", "relaxed", "offer", "offers"],
        "A release that gives way on one wish and keeps the others: more rows left out, higher levels, or weaker privacy.",
        "",
        "What `negotiate` answers when not every wish can be met, with exit code 1.",
    ),
    term(
        "histogram",
        &["histograms"],
        "For one node, how many rows are in classes of each size (or with each number of sensitive values).",
        "It tells at once how many rows any k would suppress there, without looking at the table again.",
        "What `negotiate` and `study` read; what an index keeps.",
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
        "A file that keeps the histograms of a lattice, so that the next negotiation about the same table starts at once.",
        "It is refused when the table or a hierarchy has changed.",
        "`negotiate --index FILE`.",
    ),
    term(
        "estimator",
        &["estimators", "promising"],
        "How `negotiate` tells which nodes are promising without counting them: `gamma`, `mu`, `gamma-mu` or `lambda`.",
        "",
        "`negotiate --how partial --estimator NAME`.",
    ),
    term(
        "monotone",
        &["monotonicity", "merging"],
        "Said of a privacy model under which a class that keeps the promise still does when other rows join it.",
        "Then a higher node never suppresses more rows, and much of a lattice need not be looked at.",
        "`monotone` in the JSON of `negotiate`; `Merging` where a model is explained.",
    ),
    term(
        "unique row",
        &["unique rows", "unique", "singled out"],
        "A row with a value, or a combination of values, that no other row has.",
        "Whoever knows the value has found the person.",
        "`inspect`.",
    ),
    term(
        "tells apart",
        &["separation", "separation ratio"],
        "The share of all pairs of rows that differ in a column, or in several columns together.",
        "Near 100 % for names, near 0 % for a column that is nearly always the same.",
        "`inspect`.",
    ),
    term(
        "seed",
        &[],
        "The number that an algorithm's random draws start from; the same seed gives the same release.",
        "",
        "`--seed N`.",
    ),
];
