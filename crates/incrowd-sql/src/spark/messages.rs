//! The messages of Spark Connect that are needed here, with the numbers that its definition gives to their fields.
//!
//! Written by hand, so that nobody has to install a compiler for them. Fields that are not here are skipped when read.

use prost::{Enumeration, Message, Oneof};

#[derive(Clone, PartialEq, Message)]
pub(super) struct UserContext {
    #[prost(string, tag = "1")]
    pub(super) user_id: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Plan {
    #[prost(oneof = "Step", tags = "1, 2")]
    pub(super) step: Option<Step>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Step {
    /// Has rows.
    #[prost(message, tag = "1")]
    Root(Relation),
    #[prost(message, tag = "2")]
    Command(Command),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Relation {
    #[prost(oneof = "Rows", tags = "2, 10, 11")]
    pub(super) rows: Option<Rows>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Rows {
    #[prost(message, tag = "2")]
    Read(ReadFiles),
    #[prost(message, tag = "10")]
    Sql(Sql),
    #[prost(message, tag = "11")]
    Local(LocalRelation),
}

/// Called `Read`, and can do more.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ReadFiles {
    #[prost(message, optional, tag = "2")]
    pub(super) source: Option<FileSource>,
}

/// Called `DataSource`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct FileSource {
    #[prost(string, optional, tag = "1")]
    pub(super) format: Option<String>,
    #[prost(string, repeated, tag = "4")]
    pub(super) paths: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Sql {
    #[prost(string, tag = "1")]
    pub(super) query: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct LocalRelation {
    /// A stream of Arrow.
    #[prost(bytes = "vec", optional, tag = "1")]
    pub(super) data: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Command {
    #[prost(oneof = "Order", tags = "2, 3, 5")]
    pub(super) order: Option<Order>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Order {
    #[prost(message, tag = "2")]
    Write(WriteFiles),
    #[prost(message, tag = "3")]
    CreateView(CreateView),
    #[prost(message, tag = "5")]
    Sql(SqlCommand),
}

/// Called `WriteOperation`, and can do more.
#[derive(Clone, PartialEq, Message)]
pub(super) struct WriteFiles {
    #[prost(message, optional, tag = "1")]
    pub(super) input: Option<Relation>,
    #[prost(string, optional, tag = "2")]
    pub(super) format: Option<String>,
    #[prost(string, tag = "3")]
    pub(super) path: String,
    #[prost(enumeration = "SaveMode", tag = "5")]
    pub(super) mode: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub(super) enum SaveMode {
    Unspecified = 0,
    ErrorIfExists = 3,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct CreateView {
    #[prost(message, optional, tag = "1")]
    pub(super) input: Option<Relation>,
    #[prost(string, tag = "2")]
    pub(super) name: String,
    #[prost(bool, tag = "4")]
    pub(super) replace: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SqlCommand {
    /// For servers before version 4.
    #[prost(string, tag = "1")]
    pub(super) sql: String,
    #[prost(message, optional, tag = "6")]
    pub(super) input: Option<Relation>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ExecutePlanRequest {
    #[prost(string, tag = "1")]
    pub(super) session_id: String,
    #[prost(message, optional, tag = "2")]
    pub(super) user_context: Option<UserContext>,
    #[prost(message, optional, tag = "3")]
    pub(super) plan: Option<Plan>,
    #[prost(string, optional, tag = "4")]
    pub(super) client_type: Option<String>,
    #[prost(message, repeated, tag = "5")]
    pub(super) request_options: Vec<RequestOption>,
    #[prost(string, optional, tag = "6")]
    pub(super) operation_id: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct RequestOption {
    #[prost(message, optional, tag = "1")]
    pub(super) reattach_options: Option<ReattachOptions>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ReattachOptions {
    #[prost(bool, tag = "1")]
    pub(super) reattachable: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ExecutePlanResponse {
    #[prost(string, tag = "13")]
    pub(super) response_id: String,
    #[prost(string, tag = "15")]
    pub(super) server_side_session_id: String,
    /// Others say how far it is, or what a command has done.
    #[prost(oneof = "Part", tags = "2, 14")]
    pub(super) part: Option<Part>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Part {
    #[prost(message, tag = "2")]
    Batch(ArrowBatch),
    #[prost(message, tag = "14")]
    Complete(Nothing),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ArrowBatch {
    #[prost(int64, tag = "1")]
    pub(super) row_count: i64,
    /// A stream of Arrow.
    #[prost(bytes = "vec", tag = "2")]
    pub(super) data: Vec<u8>,
    #[prost(int64, optional, tag = "3")]
    pub(super) start_offset: Option<i64>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(super) struct Nothing {}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ReattachExecuteRequest {
    #[prost(string, tag = "1")]
    pub(super) session_id: String,
    #[prost(message, optional, tag = "2")]
    pub(super) user_context: Option<UserContext>,
    #[prost(string, tag = "3")]
    pub(super) operation_id: String,
    #[prost(string, optional, tag = "4")]
    pub(super) client_type: Option<String>,
    #[prost(string, optional, tag = "5")]
    pub(super) last_response_id: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ReleaseExecuteRequest {
    #[prost(string, tag = "1")]
    pub(super) session_id: String,
    #[prost(message, optional, tag = "2")]
    pub(super) user_context: Option<UserContext>,
    #[prost(string, tag = "3")]
    pub(super) operation_id: String,
    #[prost(string, optional, tag = "4")]
    pub(super) client_type: Option<String>,
    #[prost(oneof = "Released", tags = "5, 6")]
    pub(super) released: Option<Released>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Released {
    #[prost(message, tag = "5")]
    All(Nothing),
    #[prost(message, tag = "6")]
    Until(ReleaseUntil),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ReleaseUntil {
    #[prost(string, tag = "1")]
    pub(super) response_id: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct AnalyzePlanRequest {
    #[prost(string, tag = "1")]
    pub(super) session_id: String,
    #[prost(message, optional, tag = "2")]
    pub(super) user_context: Option<UserContext>,
    #[prost(string, optional, tag = "3")]
    pub(super) client_type: Option<String>,
    #[prost(oneof = "Asked", tags = "4, 9, 10")]
    pub(super) asked: Option<Asked>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Asked {
    #[prost(message, tag = "4")]
    Schema(OfPlan),
    #[prost(message, tag = "9")]
    InputFiles(OfPlan),
    #[prost(message, tag = "10")]
    SparkVersion(Nothing),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct OfPlan {
    #[prost(message, optional, tag = "1")]
    pub(super) plan: Option<Plan>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct AnalyzePlanResponse {
    #[prost(string, tag = "15")]
    pub(super) server_side_session_id: String,
    #[prost(oneof = "Answered", tags = "2, 7, 8")]
    pub(super) answered: Option<Answered>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Answered {
    #[prost(message, tag = "2")]
    Schema(SchemaFound),
    #[prost(message, tag = "7")]
    InputFiles(FilesFound),
    #[prost(message, tag = "8")]
    SparkVersion(VersionFound),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SchemaFound {
    #[prost(message, optional, tag = "1")]
    pub(super) schema: Option<DataType>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct FilesFound {
    #[prost(string, repeated, tag = "1")]
    pub(super) files: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct VersionFound {
    #[prost(string, tag = "1")]
    pub(super) version: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct DataType {
    #[prost(
        oneof = "Kind",
        tags = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 25"
    )]
    pub(super) kind: Option<Kind>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Kind {
    #[prost(message, tag = "1")]
    Null(Nothing),
    #[prost(message, tag = "2")]
    Binary(Nothing),
    #[prost(message, tag = "3")]
    Boolean(Nothing),
    #[prost(message, tag = "4")]
    Byte(Nothing),
    #[prost(message, tag = "5")]
    Short(Nothing),
    #[prost(message, tag = "6")]
    Integer(Nothing),
    #[prost(message, tag = "7")]
    Long(Nothing),
    #[prost(message, tag = "8")]
    Float(Nothing),
    #[prost(message, tag = "9")]
    Double(Nothing),
    #[prost(message, tag = "10")]
    Decimal(Decimal),
    #[prost(message, tag = "11")]
    Text(Text),
    #[prost(message, tag = "12")]
    Char(Nothing),
    #[prost(message, tag = "13")]
    VarChar(Nothing),
    #[prost(message, tag = "14")]
    Date(Nothing),
    #[prost(message, tag = "15")]
    Timestamp(Nothing),
    #[prost(message, tag = "16")]
    TimestampWithoutZone(Nothing),
    #[prost(message, tag = "17")]
    CalendarInterval(Nothing),
    #[prost(message, tag = "18")]
    YearMonthInterval(Nothing),
    #[prost(message, tag = "19")]
    DayTimeInterval(Nothing),
    #[prost(message, tag = "20")]
    Array(Nothing),
    #[prost(message, tag = "21")]
    Struct(Struct),
    #[prost(message, tag = "22")]
    Map(Nothing),
    #[prost(message, tag = "25")]
    Variant(Nothing),
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(super) struct Decimal {
    #[prost(int32, optional, tag = "1")]
    pub(super) scale: Option<i32>,
    #[prost(int32, optional, tag = "2")]
    pub(super) precision: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Text {
    #[prost(string, tag = "2")]
    pub(super) collation: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Struct {
    #[prost(message, repeated, tag = "1")]
    pub(super) fields: Vec<StructField>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct StructField {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(message, optional, tag = "2")]
    pub(super) data_type: Option<DataType>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct InterruptRequest {
    #[prost(string, tag = "1")]
    pub(super) session_id: String,
    #[prost(message, optional, tag = "2")]
    pub(super) user_context: Option<UserContext>,
    #[prost(string, optional, tag = "3")]
    pub(super) client_type: Option<String>,
    #[prost(enumeration = "InterruptType", tag = "4")]
    pub(super) interrupt_type: i32,
    #[prost(string, optional, tag = "6")]
    pub(super) operation_id: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct InterruptResponse {
    #[prost(string, repeated, tag = "2")]
    pub(super) interrupted_ids: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub(super) enum InterruptType {
    Unspecified = 0,
    OperationId = 3,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ConfigRequest {
    #[prost(string, tag = "1")]
    pub(super) session_id: String,
    #[prost(message, optional, tag = "2")]
    pub(super) user_context: Option<UserContext>,
    #[prost(message, optional, tag = "3")]
    pub(super) operation: Option<ConfigOperation>,
    #[prost(string, optional, tag = "4")]
    pub(super) client_type: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ConfigOperation {
    #[prost(oneof = "Config", tags = "1, 2")]
    pub(super) config: Option<Config>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Config {
    #[prost(message, tag = "1")]
    Set(ConfigSet),
    #[prost(message, tag = "2")]
    Get(ConfigGet),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ConfigSet {
    #[prost(message, repeated, tag = "1")]
    pub(super) pairs: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ConfigGet {
    #[prost(string, repeated, tag = "1")]
    pub(super) keys: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ConfigResponse {
    #[prost(message, repeated, tag = "2")]
    pub(super) pairs: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct KeyValue {
    #[prost(string, tag = "1")]
    pub(super) key: String,
    #[prost(string, optional, tag = "2")]
    pub(super) value: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ReleaseSessionRequest {
    #[prost(string, tag = "1")]
    pub(super) session_id: String,
    #[prost(message, optional, tag = "2")]
    pub(super) user_context: Option<UserContext>,
    #[prost(string, optional, tag = "3")]
    pub(super) client_type: Option<String>,
}
