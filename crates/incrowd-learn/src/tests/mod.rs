//! Learners against scikit-learn and against definitions taken literally.

mod by_hand;
mod data;
mod oracle;
mod scikit_learn;
