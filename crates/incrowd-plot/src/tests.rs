//! Whatever the labels are, no text of a picture covers another or leaves the picture.

use super::*;
use incrowd_core::lattice::Node;
use svg::{Anchor, Font};

/// Left, top, right, bottom.
type Rect = (f64, f64, f64, f64);

/// The value of an attribute of an element.
fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = element.split_once(&format!(" {name}=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

fn number(element: &str, name: &str) -> f64 {
    attribute(element, name).unwrap().parse().unwrap()
}

/// The texts of a picture with the room they take.
fn texts(svg: &str) -> Vec<(Rect, String)> {
    let elements = svg.split("<text").skip(1);
    let rect = |element: &str| {
        let (x, y) = (number(element, "x"), number(element, "y"));
        let size = number(element, "font-size");
        let font = Font {
            is_bold: element.contains("font-weight"),
            ..Font::new(size as u32, svg::INK, Anchor::Start)
        };
        let content = element.split_once('>').unwrap().1;
        let content = content.split_once("</text>").unwrap().0.to_owned();
        let plain = content.replace("&lt;", "<").replace("&gt;", ">");
        let width = measure::width(&plain.replace("&quot;", "\"").replace("&amp;", "&"), font);
        let before = match attribute(element, "text-anchor").unwrap() {
            "start" => 0.0,
            "middle" => width / 2.0,
            _ => width,
        };
        let (above, below) = (0.75 * size, 0.2 * size);
        let rect = match element.contains("rotate(-90") {
            false => (x - before, y - above, x - before + width, y + below),
            true => (x - above, y - width + before, x + below, y + before),
        };
        (rect, content)
    };
    elements.map(rect).collect()
}

#[track_caller]
fn check(svg: &str) {
    let texts = texts(svg);
    assert!(texts.len() > 5, "{svg}");
    let (_, head) = svg.split_once("<svg").unwrap();
    let (width, height) = (number(head, "width"), number(head, "height"));
    for (at, (one, text)) in texts.iter().enumerate() {
        let is_inside = one.0 >= 0.0 && one.1 >= 0.0 && one.2 <= width && one.3 <= height;
        assert!(is_inside, "`{text}` leaves the picture: {one:?}");
        for (other, covered) in &texts[at + 1..] {
            let is_apart =
                one.2 <= other.0 || other.2 <= one.0 || one.3 <= other.1 || other.3 <= one.1;
            assert!(is_apart, "`{text}` and `{covered}` overlap");
        }
    }
}

/// Names of columns, from few and short to many and very long.
fn names() -> [Vec<String>; 3] {
    let long = |at: usize| format!("a very long name, with \"quotes\" & <signs>, of column {at}");
    [
        vec!["a".into(), "b".into()],
        (0..12).map(long).collect(),
        vec!["x".repeat(300), "Ω".repeat(90), "宽".repeat(60)],
    ]
}

fn budget(rows: u64) -> PlotBudget {
    PlotBudget {
        rows,
        from: "1%, assumed as `--max-suppressed` is not given".into(),
    }
}

#[test]
fn texts_beside_lines_stand_apart() {
    for names in names() {
        for count in [1, 2, 12, 40] {
            for factor in [1.0, 7.3, 1e5] {
                let lines_of = |at: usize| Line {
                    label: format!("{} {at}", names[at % names.len()]),
                    points: (0..5)
                        .map(|x| Point {
                            x: f64::from(x * x * 40 + 1),
                            y: 0.003 + factor * at as f64 * f64::from(x),
                            is_final: x % 2 == 0,
                        })
                        .collect(),
                };
                let drawn: Vec<Line> = (0..count).map(lines_of).collect();
                let around = Around {
                    title: &names.join(" and "),
                    subtitles: &[names.join(", "), names.join("; ")],
                    x: "k",
                    y: "search time in milliseconds",
                    limit: Some(Limit {
                        at: 5000.0,
                        text: "time limit of a search: 5 s".into(),
                    }),
                    hollow: "not proven",
                };
                let svg = lines(&around, &drawn);
                check(&svg);
                assert!(svg.contains("time limit of a"));
            }
        }
    }
}

#[test]
fn texts_beside_bars_stand_apart_and_no_bar_is_longer_than_the_scale() {
    for names in names() {
        for count in [1, 2, 12] {
            let series: Vec<BarSeries> = (0..count)
                .map(|at| BarSeries {
                    label: format!("{} {at}", names[at % names.len()]),
                    color: None,
                })
                .collect();
            let group = |name: &String| BarGroup {
                label: name.clone(),
                bars: (0..count)
                    .map(|at| {
                        let value = 40.0 * at as f64;
                        let text = format!("{value} %");
                        (at % 5 != 4).then_some(Bar { value, text })
                    })
                    .collect(),
            };
            let groups: Vec<BarGroup> = names.iter().chain(&names).map(group).collect();
            let svg = bars(&Bars {
                title: &names.join(" and "),
                subtitles: &[names.join(", ")],
                series: &series,
                groups: &groups,
                most: 100.0,
                length: 330.0,
            });
            check(&svg);
            let lengths = svg.split("points=\"").skip(1).map(|corners| {
                let mut corners = corners.split([' ', ',']).step_by(2);
                let mut x = || corners.next().unwrap().parse::<f64>().unwrap();
                -(x() - x())
            });
            let longest = lengths.fold(0.0, f64::max);
            assert!(longest < 330.01 && (count < 4 || longest > 329.99));
            let figures = svg.matches(" %</text>").count();
            assert_eq!(figures, groups.len() * (count - count / 5));
        }
    }
}

#[test]
fn texts_beside_heights_stand_apart_and_tell_the_budget() {
    for names in names() {
        for (count, rows) in [(1, 0), (3, 302), (12, 30_162), (30, 4_000_000_000)] {
            let series: Vec<Series> = (0..count)
                .map(|at| Series {
                    label: format!("k = {at}"),
                    points: vec![(0, 10.0, 20.0, 30.0), (9, 0.0, at as f64, 17.0)],
                })
                .collect();
            let svg = by_height(&names[0], &[names.join(", ")], &series, &budget(rows));
            check(&svg);
            assert!(svg.contains("budget: ") && svg.contains("assumed"));
        }
    }
}

#[test]
fn texts_beside_a_curve_stand_apart_and_tell_the_budget() {
    for names in names() {
        let levels: Vec<(String, u8)> = names.iter().map(|name| (name.clone(), 1)).collect();
        let few: &[(f64, u64)] = &[(1.0, 0), (2.0, 5), (10.0, 5)];
        let many: Vec<(f64, u64)> = (0..1200u32)
            .map(|at| (f64::from(at) * 4e6, at.into()))
            .collect();
        for points in [few, &many] {
            for rows in [0, 12, 900_000] {
                let curve = StepCurve {
                    model: "k-anonymity",
                    parameter_name: "k",
                    is_whole: true,
                    falls: rows == 12,
                    levels: &levels,
                    points,
                };
                let svg = cumulative(&names.join(" "), &curve, &budget(rows));
                check(&svg);
                assert!(svg.contains("budget: ") && svg.contains("assumed"));
            }
        }
    }
}

#[test]
fn texts_in_a_lattice_stand_apart_and_tell_the_budget() {
    let lattices: [&[u8]; 4] = [&[1], &[3, 2, 1], &[12, 2], &[1, 1, 1, 1, 1, 1, 1]];
    for names in names() {
        for top in lattices {
            let mut levels = vec![vec![]];
            for &height in top {
                levels = (levels.iter())
                    .flat_map(|below: &Vec<u8>| {
                        (0..=height).map(move |level| [&below[..], &[level]].concat())
                    })
                    .collect();
            }
            let nodes: Vec<LatticeNode> = levels
                .into_iter()
                .map(|levels| LatticeNode {
                    share: 1.0 / (1.0 + f64::from(levels.iter().sum::<u8>())),
                    is_within_budget: levels[0] > 0,
                    node: Node::from_levels(levels),
                })
                .collect();
            let svg = lattice(&LatticePicture {
                title: &names[0],
                attributes: &names,
                nodes: &nodes,
                budget: &budget(302),
            });
            check(&svg);
            assert!(svg.contains("budget: ") && svg.contains("assumed"));
        }
    }
}

#[test]
fn levels_have_a_row_each_whatever_they_are_called() {
    for names in names() {
        let rows: Vec<LevelRow> = (names.iter().cycle().take(4).enumerate())
            .map(|(at, name)| LevelRow {
                name: name.clone(),
                note: format!("{name} {at} values"),
                values: 10_u32.pow(at as u32),
                is_published: at == 1,
            })
            .collect();
        let title = "Levels of a column";
        let stair = levels(&Levels {
            title,
            rows: &rows,
            nodes: &[],
        });
        check(&stair);
        let node = |row, parent, is_published| LevelNode {
            row,
            parent,
            is_published,
        };
        let nodes = [
            node(0, None, false),
            node(1, Some(0), true),
            node(1, Some(0), true),
            node(1, Some(0), false),
            node(2, Some(3), true),
        ];
        let tree = levels(&Levels {
            title,
            rows: &rows,
            nodes: &nodes,
        });
        check(&tree);
        assert_eq!(tree.matches("<circle").count(), nodes.len());
        // Published nodes hide what is below them.
        assert_eq!(tree.matches("#d5dade").count(), 3);
        // A parent is above the middle of its children.
        let x: Vec<f64> = tree
            .split("<circle")
            .skip(1)
            .map(|it| number(it, "cx"))
            .collect();
        assert!((x[0] - (x[1] + x[2] + x[3]) / 3.0).abs() < 0.02, "{x:?}");
        assert!(x[1] < x[2] && x[2] < x[3] && x[3] == x[4], "{x:?}");
    }
}
