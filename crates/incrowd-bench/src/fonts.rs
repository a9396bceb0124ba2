//! The fonts of our charts.

use incrowd_plot::{Anchor, FAINT, Font, INK};

pub(crate) const TITLE: Font = Font {
    is_bold: true,
    ..Font::new(16, INK, Anchor::Start)
};
pub(crate) const HEADING: Font = Font {
    is_bold: true,
    ..Font::new(12, INK, Anchor::Start)
};
pub(crate) const TEXT: Font = Font::new(12, INK, Anchor::Start);
pub(crate) const SOURCE: Font = Font::new(11, FAINT, Anchor::Start);

pub(crate) const fn faint(anchor: Anchor) -> Font {
    Font::new(12, FAINT, anchor)
}
