//! A negotiation as plots that stand by themselves.

use super::{Curve, DrawnLattice, LatticeFilter, Negotiation, Wish};
use crate::error::Error;
use crate::report::picture::Picture;
use crate::run::control::Control;
use incrowd_core::lattice::{Level, Node};
use incrowd_plot::{LatticeNode, LatticePicture, PlotBudget, lattice};

/// Larger lattices are not drawn.
const MOST_DRAWN: u64 = 150;

impl Negotiation {
    /// The plots of a wish: how many rows each parameter suppresses at the highest acceptable levels, and the lattice if it
    /// is small.
    pub fn draw(&self, wish: &Wish, control: &Control) -> Result<Vec<Picture>, Error> {
        let curve = self.curve(wish, control)?;
        let budget = PlotBudget {
            rows: curve.budget,
            from: match wish.max_suppressed {
                Some(asked) => format!("requested: {asked}"),
                None => "none requested".into(),
            },
        };
        let title = format!("Rows suppressed by {} at one node", curve.parameter_name);
        let mut pictures = vec![Picture {
            name: "curve".into(),
            svg: curve.draw(&title, &budget),
        }];
        let nodes = self.ground().table().lattice().nodes();
        if nodes <= u128::from(MOST_DRAWN) {
            let drawn = self.drawn(wish, &LatticeFilter::default(), control)?;
            pictures.push(Picture {
                name: "lattice".into(),
                svg: lattice_of(&drawn, &curve, &budget),
            });
        }
        Ok(pictures)
    }
}

fn lattice_of(drawn: &DrawnLattice, curve: &Curve, budget: &PlotBudget) -> String {
    let names: Vec<String> = drawn.attributes.iter().map(|it| it.name.clone()).collect();
    let all = curve.rows.max(1) as f64;
    let nodes: Vec<LatticeNode> = (drawn.nodes.iter())
        .map(|node| LatticeNode {
            node: Node::from_levels(node.levels.iter().copied().map(Level)),
            share: node.rows_suppressed as f64 / all,
            is_within_budget: node.rows_suppressed <= budget.rows,
        })
        .collect();
    let title = format!(
        "Rows suppressed at every node, {} with {} = {}",
        curve.model, curve.parameter_name, curve.asked
    );
    lattice(&LatticePicture {
        title: &title,
        attributes: &names,
        nodes: &nodes,
        budget,
    })
}
