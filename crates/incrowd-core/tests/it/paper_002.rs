//! The worked example of F. Ben Fredj, N. Lammari, I. Comyn-Wattiau, *Characterizing Generalization Algorithms: First
//! Guidelines for Data Publishers*: tables 1 to 3, figures 1 to 3.

use incrowd_core::Error;
use incrowd_core::algorithms::incognito::safe_nodes;
use incrowd_core::algorithms::mu_argus::{Choice, Session};
use incrowd_core::algorithms::{
    Account, Algorithm, Datafly, FoundNodes, Incognito, Mondrian, MuArgus, Optimal, Samarati, Scope,
};
use incrowd_core::lattice::{Level, Node};
use incrowd_core::problem::{Action, Problem, Proposal, Settings, Step, Unwatched};
use incrowd_core::publish::{PublishedRows, SuppressedRows, publish};
use incrowd_testkit::oracle::{OracleMetric, OracleProblem, Promise};
use incrowd_testkit::tiny_problem;

/// Table 1, without the names, which are not published.
const TABLE_1: &str = "\
19 10th Diabetes
19 9th  Cancer
27 9th  Flu
30 9th  Flu
23 11th Cancer
23 11th Cancer";

/// Table 2: 2-anonymous, the result of the node <A1, E1>.
const TABLE_2: &str = "\
[19,23] Junior Diabetes
[19,23] Junior Cancer
[27,30] Junior Flu
[27,30] Junior Flu
[19,23] Senior Cancer
[19,23] Senior Cancer";

/// Table 3: the regions of figure 3. An interval of numbers is written with a dash here.
const TABLE_3: &str = "\
19 Junior Diabetes
19 Junior Cancer
[27-30] 9th Flu
[27-30] 9th Flu
23 11th Cancer
23 11th Cancer";

/// Table 1 with the hierarchies of figure 1, each of three levels as figure 2 has it.
fn patients() -> OracleProblem {
    tiny_problem("age education | disease", TABLE_1)
        .with_hierarchy(
            "age",
            "19 [19,23] *
             23 [19,23] *
             27 [27,30] *
             30 [27,30] *",
        )
        .with_hierarchy(
            "education",
            "9th  Junior *
             10th Junior *
             11th Senior *
             12th Senior *",
        )
        .require(Promise::KAnonymity { k: 2 })
}

fn with_problem<T>(oracle: &OracleProblem, look: impl FnOnce(&Problem<'_>) -> T) -> T {
    let prepared = oracle.prepare().unwrap();
    let metric = prepared.metric(&OracleMetric::Height).unwrap();
    look(&prepared.problem(&*metric))
}

/// The rows of a release as text.
fn published(oracle: &OracleProblem, problem: &Problem<'_>, proposal: &Proposal) -> Vec<String> {
    let release = publish(problem, proposal).unwrap();
    let columns = &oracle.table.columns;
    let mut recoder = release.recoder(columns, &[], SuppressedRows::Drop).unwrap();
    let mut rows = PublishedRows::default();
    let all = oracle.table.batch(0..oracle.table.rows.len());
    recoder.recode(&all, &mut rows).unwrap();
    let rows = rows.rows();
    let cell = |row, column| String::from_utf8(rows.cell(row, column).to_vec()).unwrap();
    (0..rows.rows())
        .map(|row| [cell(row, 0), cell(row, 1), cell(row, 2)].join(" "))
        .collect()
}

fn levels(proposal: &Proposal) -> Vec<u8> {
    let node = proposal.recoding.node().expect("a full-domain recoding");
    node.levels().map(|level| level.0).collect()
}

#[test]
fn every_lattice_algorithm_publishes_table_2() {
    let oracle = patients();
    with_problem(&oracle, |problem| {
        for algorithm in [
            &Optimal as &dyn Algorithm,
            &Samarati,
            &Incognito,
            &Datafly,
            &MuArgus,
        ] {
            let proposal = algorithm.solve(problem, &Unwatched).unwrap();
            assert_eq!(levels(&proposal), [1, 1], "{}", algorithm.entry().name);
            let rows = published(&oracle, problem, &proposal);
            assert_eq!(rows.join("\n"), TABLE_2);
        }
    });
}

#[test]
fn figure_2_is_searched_as_section_3_3_and_3_4_say() {
    with_problem(&patients(), |problem| {
        // The lattice of figure 2 is 4 high; at half of that are <A2,E0>, <A1,E1> and <A0,E2>.
        assert_eq!(problem.lattice().top().height(), 4);
        let middle: Vec<Vec<u8>> = (problem.lattice().walk().iter())
            .filter(|node| node.height() == 2)
            .map(|node| node.levels().map(|level| level.0).collect())
            .collect();
        assert_eq!(middle, [[0, 2], [1, 1], [2, 0]]);
        let a1_e1 = Node::from_levels([1, 1]);
        let least = Samarati.solve_accounted(problem, &Unwatched).unwrap();
        let expected = Account::SafeNodes(FoundNodes {
            scope: Scope::LeastHeight,
            safe: 1,
            minimal: vec![a1_e1.clone()],
        });
        assert_eq!(least.account, Some(expected));
        let safe = safe_nodes(problem, &Unwatched).unwrap();
        let above = [[1, 1], [1, 2], [2, 1], [2, 2]].map(Node::from_levels);
        assert_eq!((safe.nodes, safe.minimal), (above.to_vec(), vec![a1_e1]));
    });
}

fn raise(attribute: usize, level: u8, distinct: [u32; 2], violating: [u32; 2]) -> Step {
    Step {
        action: Action::Raise {
            attribute,
            level: Level(level),
            distinct_before: distinct[0],
            distinct: distinct[1],
        },
        rows_violating_before: violating[0],
        rows_violating: violating[1],
    }
}

const SUPPRESS_TWO: Step = Step {
    action: Action::Suppress,
    rows_violating_before: 2,
    rows_violating: 0,
};

#[test]
fn datafly_raises_the_attribute_with_most_distinct_values_and_suppresses_what_it_may() {
    // Four ages and three kinds of education; only the two of 23 in 11th grade are alike.
    let first = raise(0, 1, [4, 2], [4, 2]);
    let second = raise(1, 1, [3, 2], [2, 0]);
    for (max_suppressed, steps, expected) in [
        (0, [first, second], [1, 1]),
        (2, [first, SUPPRESS_TWO], [1, 0]),
    ] {
        let oracle = patients().allow_suppressed(max_suppressed);
        with_problem(&oracle, |problem| {
            let proposal = Datafly.solve(problem, &Unwatched).unwrap();
            assert_eq!(proposal.steps, steps);
            assert_eq!(levels(&proposal), expected);
        });
    }
}

#[test]
fn datafly_passes_over_columns_at_their_highest_acceptable_level() {
    let oracle = patients().up_to(&[0, 2]).allow_suppressed(1);
    let top_violates = Error::NoSolution {
        max_suppressed: 1,
        rows_suppressed_at_limit: 2,
        rows: 6,
        has_higher_levels: true,
    };
    with_problem(&oracle, |problem| {
        assert_eq!(Datafly.solve(problem, &Unwatched), Err(top_violates));
    });
    with_problem(&oracle.allow_suppressed(2), |problem| {
        let proposal = Datafly.solve(problem, &Unwatched).unwrap();
        assert_eq!(proposal.steps, [raise(1, 1, [3, 2], [4, 2]), SUPPRESS_TWO]);
    });
}

fn play(oracle: &OracleProblem, script: &str) -> Result<Proposal, Error> {
    with_problem(oracle, |problem| {
        let script: Vec<&str> = script.split(',').collect();
        let mut own = MuArgus.entry().defaults();
        own.set("script", &script)?;
        let settings = Settings {
            own,
            ..Settings::default()
        };
        let problem = problem.clone().with_settings(settings);
        MuArgus.solve(&problem, &Unwatched)
    })
}

#[test]
fn mu_argus_plays_a_script_and_refuses_what_cannot_be() {
    let oracle = patients().allow_suppressed(2);
    let proposal = play(&oracle, "age,suppress").unwrap();
    assert_eq!(levels(&proposal), [1, 0]);
    assert_eq!(proposal.steps, [raise(0, 1, [4, 2], [4, 2]), SUPPRESS_TWO]);
    // Where nothing violates, `suppress` suppresses nothing and may be left out.
    let steps = [raise(1, 1, [3, 2], [4, 2]), raise(0, 1, [4, 2], [2, 0])];
    for script in ["education,age", "education,age,suppress"] {
        assert_eq!(play(&oracle, script).unwrap().steps, steps);
    }
    let refused = |script| play(&oracle, script).unwrap_err();
    assert_eq!(
        refused("suppress"),
        Error::TooManyToSuppress {
            rows_violating: 4,
            max_suppressed: 2,
            rows: 6,
        }
    );
    assert!(matches!(
        refused("age"),
        Error::ChoicesUnfinished {
            rows_violating: 2,
            ..
        }
    ));
    assert!(matches!(refused("age,agee"), Error::NotAChoice { .. }));
    assert_eq!(refused("age,agee").hint(), "did you mean `age`?");
    assert_eq!(
        refused("age,suppress,age"),
        Error::ScriptGoesOn {
            ended: 2,
            choices: 3
        }
    );
    assert_eq!(
        refused("age,age,age"),
        Error::RaisedTooFar {
            column: "age".into(),
            level: Level(2)
        }
    );
}

#[test]
fn a_session_shows_what_each_choice_would_do_and_takes_choices_back() {
    with_problem(&patients().allow_suppressed(2), |problem| {
        let mut session = Session::new(problem);
        let view = session.view();
        let standing = view.standing;
        assert_eq!((standing.rows_violating, standing.smallest_class), (4, 1));
        let raised = |view: &incrowd_core::algorithms::mu_argus::View, at: usize| {
            let raised = view.attributes[at].raised.unwrap();
            (
                raised.distinct,
                raised.rows_violating,
                raised.smallest_class,
            )
        };
        assert_eq!((raised(&view, 0), raised(&view, 1)), ((2, 2, 1), (2, 2, 1)));
        session.choose(Choice::Raise(0)).unwrap();
        assert_eq!(raised(&session.view(), 1), (2, 0, 2));
        assert!(session.undo());
        assert_eq!(session.view(), view);
        assert!(!session.undo());
        assert!(session.choose(Choice::Suppress).is_err());
        assert!(!session.is_finished());
        assert_eq!(session.view(), view);
    });
}

#[test]
fn mondrian_cuts_table_1_as_figure_3_does() {
    let oracle = patients();
    with_problem(&oracle, |problem| {
        let proposal = Mondrian.solve(problem, &Unwatched).unwrap();
        let rows = published(&oracle, problem, &proposal);
        assert_eq!(rows, TABLE_3.lines().collect::<Vec<_>>());
    });
}
