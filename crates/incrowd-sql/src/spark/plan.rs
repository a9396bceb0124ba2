//! What a server is asked to do: rows of a query, or a command.

use super::messages::{Command, Order, Plan, Relation, Rows, Sql, SqlCommand, Step};

pub(super) fn sql(query: &str) -> Relation {
    let query = query.to_owned();
    Relation {
        rows: Some(Rows::Sql(Sql { query })),
    }
}

pub(super) fn rows_of(query: &str) -> Plan {
    Plan {
        step: Some(Step::Root(sql(query))),
    }
}

pub(super) fn order(order: Order) -> Plan {
    Plan {
        step: Some(Step::Command(Command { order: Some(order) })),
    }
}

pub(super) fn command(statement: &str) -> Plan {
    order(Order::Sql(SqlCommand {
        sql: statement.to_owned(),
        input: Some(sql(statement)),
    }))
}
