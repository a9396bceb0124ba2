//! The calls of Spark Connect.
//!
//! A server may end the stream of an answer at any time, by default after two minutes, and expects the client to come
//! back for the rest. An answer is complete when the server says so, and never because a stream has ended.

use super::messages::{
    AnalyzePlanRequest, AnalyzePlanResponse, Answered, ArrowBatch, Asked, Config, ConfigOperation,
    ConfigRequest, ConfigResponse, ConfigSet, ExecutePlanRequest, ExecutePlanResponse,
    InterruptRequest, InterruptResponse, InterruptType, KeyValue, Nothing, Part, Plan,
    ReattachExecuteRequest, ReattachOptions, ReleaseExecuteRequest, ReleaseSessionRequest,
    ReleaseUntil, Released, RequestOption, UserContext,
};
use crate::session::unique_number;
use http::uri::PathAndQuery;
use prost::Message;
use std::error::Error as _;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tonic::client::Grpc;
use tonic::metadata::MetadataMap;
use tonic::transport::Channel;
use tonic::{Code, Request, Status, Streaming};
use tonic_prost::ProstCodec;

/// How often in a row a broken connection is tried again, and how long to wait before the first time.
const TRIES: u32 = 3;
const PAUSE: Duration = Duration::from_millis(200);
/// How many streams in a row may end at once without having said anything.
const EMPTY_STREAMS: u32 = 50;
/// How often a server is asked to stop what it has not heard of.
const UNHEARD: u32 = 10;
/// After how many batches a server is told that it can forget those before.
const KEPT_BATCHES: u32 = 32;
/// How long a server may take for what is neither about rows nor about files.
const PATIENCE: Duration = Duration::from_secs(60);

/// A session with a server.
#[derive(Clone)]
pub(super) struct Client {
    channel: Channel,
    metadata: MetadataMap,
    session: String,
    user: String,
    /// What the server calls the session. A session of the same name that is another one has forgotten everything.
    known_as: Arc<OnceLock<String>>,
    /// How long the server may take for what is neither about rows nor about files.
    pub(super) patience: Duration,
    /// In tests, after how many parts the next streams are taken to have ended.
    #[cfg(test)]
    pub(super) parts_of_streams: Arc<std::sync::Mutex<Vec<usize>>>,
}

/// Whether the network failed, rather than the server having said something.
pub(super) fn is_lost(status: &Status) -> bool {
    status.source().is_some() || status.code() == Code::Unavailable
}

/// What a server is told about us.
fn client_type() -> Option<String> {
    Some(concat!("incrowd/", env!("CARGO_PKG_VERSION")).to_owned())
}

/// A number in the form that Spark wants.
pub(super) fn unique_id() -> String {
    let (high, low) = (unique_number(), unique_number());
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xfff,
        0x8000 | (low >> 48) & 0x3fff,
        low & 0xffff_ffff_ffff
    )
}

impl Client {
    pub(super) fn new(
        channel: Channel,
        metadata: MetadataMap,
        session: String,
        user: String,
    ) -> Client {
        Client {
            channel,
            metadata,
            session,
            user,
            known_as: Arc::new(OnceLock::new()),
            patience: PATIENCE,
            #[cfg(test)]
            parts_of_streams: Arc::default(),
        }
    }

    fn user(&self) -> Option<UserContext> {
        Some(UserContext {
            user_id: self.user.clone(),
        })
    }

    fn request<M>(&self, message: M) -> Request<M> {
        let mut request = Request::new(message);
        *request.metadata_mut() = self.metadata.clone();
        request
    }

    async fn ready(&self) -> Result<Grpc<Channel>, Status> {
        // Batches have the size that the server chooses.
        let mut grpc = Grpc::new(self.channel.clone()).max_decoding_message_size(usize::MAX);
        let ready = grpc.ready().await;
        ready.map_err(|error| Status::from_error(Box::new(error)))?;
        Ok(grpc)
    }

    async fn call<Q, A>(&self, method: &'static str, message: Q) -> Result<A, Status>
    where
        Q: Message + Send + Sync + 'static,
        A: Message + Default + Send + Sync + 'static,
    {
        let asked = self.call_patiently(method, message);
        match tokio::time::timeout(self.patience, asked).await {
            Ok(answer) => answer,
            Err(_) => Err(Status::unavailable("no answer")),
        }
    }

    /// A call that takes as long as it takes. That the server is still there is for the connection to know.
    async fn call_patiently<Q, A>(&self, method: &'static str, message: Q) -> Result<A, Status>
    where
        Q: Message + Send + Sync + 'static,
        A: Message + Default + Send + Sync + 'static,
    {
        let codec = ProstCodec::<Q, A>::default();
        let path = PathAndQuery::from_static(method);
        let mut grpc = self.ready().await?;
        let answer = grpc.unary(self.request(message), path, codec).await;
        answer.map(tonic::Response::into_inner)
    }

    async fn stream<Q>(
        &self,
        method: &'static str,
        message: Q,
    ) -> Result<Streaming<ExecutePlanResponse>, Status>
    where
        Q: Message + Send + Sync + 'static,
    {
        let codec = ProstCodec::<Q, ExecutePlanResponse>::default();
        let path = PathAndQuery::from_static(method);
        let mut grpc = self.ready().await?;
        let answer = grpc
            .server_streaming(self.request(message), path, codec)
            .await;
        answer.map(tonic::Response::into_inner)
    }

    /// Whether the session is still the one that was begun.
    fn recognize(&self, known_as: &str) -> Result<(), Status> {
        if known_as.is_empty() || self.known_as.get_or_init(|| known_as.to_owned()) == known_as {
            return Ok(());
        }
        Err(Status::unavailable("the server has begun another session"))
    }

    /// What the server knows without looking at rows. For the columns or the files of a plan it may have to list a folder
    /// of any size.
    pub(super) async fn analyze(&self, asked: Asked) -> Result<Option<Answered>, Status> {
        let is_quick = matches!(asked, Asked::SparkVersion(_));
        let request = AnalyzePlanRequest {
            session_id: self.session.clone(),
            user_context: self.user(),
            client_type: client_type(),
            asked: Some(asked),
        };
        let method = "/spark.connect.SparkConnectService/AnalyzePlan";
        let answer: AnalyzePlanResponse = match is_quick {
            true => self.call(method, request).await?,
            false => self.call_patiently(method, request).await?,
        };
        self.recognize(&answer.server_side_session_id)?;
        Ok(answer.answered)
    }

    async fn config(&self, config: Config) -> Result<Vec<KeyValue>, Status> {
        let request = ConfigRequest {
            session_id: self.session.clone(),
            user_context: self.user(),
            client_type: client_type(),
            operation: Some(ConfigOperation {
                config: Some(config),
            }),
        };
        let method = "/spark.connect.SparkConnectService/Config";
        let answer: ConfigResponse = self.call(method, request).await?;
        Ok(answer.pairs)
    }

    pub(super) async fn set(&self, key: &str, value: &str) -> Result<(), Status> {
        let pair = KeyValue {
            key: key.to_owned(),
            value: Some(value.to_owned()),
        };
        let pairs = vec![pair];
        self.config(Config::Set(ConfigSet { pairs })).await?;
        Ok(())
    }

    /// Stops a statement; whether there was one to stop.
    pub(super) async fn interrupt(&self, operation: &str) -> Result<bool, Status> {
        let request = InterruptRequest {
            session_id: self.session.clone(),
            user_context: self.user(),
            client_type: client_type(),
            interrupt_type: InterruptType::OperationId.into(),
            operation_id: Some(operation.to_owned()),
        };
        let method = "/spark.connect.SparkConnectService/Interrupt";
        let answer: InterruptResponse = self.call(method, request).await?;
        Ok(!answer.interrupted_ids.is_empty())
    }

    /// Stops a statement of which the server may hear only later: it takes up requests in any order, and one that comes
    /// after the request to stop it would run for nobody.
    pub(super) async fn stop_early(&self, operation: &str) {
        for _ in 0..UNHEARD {
            match self.interrupt(operation).await {
                Ok(false) => tokio::time::sleep(PAUSE).await,
                Ok(true) | Err(_) => return,
            }
        }
    }

    /// Ends the session.
    pub(super) async fn end(&self) -> Result<(), Status> {
        let request = ReleaseSessionRequest {
            session_id: self.session.clone(),
            user_context: self.user(),
            client_type: client_type(),
        };
        let method = "/spark.connect.SparkConnectService/ReleaseSession";
        self.call::<_, Nothing>(method, request).await?;
        Ok(())
    }

    /// Lets the server forget what has arrived.
    pub(super) async fn release(&self, operation: String, released: Released) {
        let request = ReleaseExecuteRequest {
            session_id: self.session.clone(),
            user_context: self.user(),
            client_type: client_type(),
            operation_id: operation,
            released: Some(released),
        };
        let method = "/spark.connect.SparkConnectService/ReleaseExecute";
        // A server that is told nothing forgets it later.
        let _ = self.call::<_, Nothing>(method, request).await;
    }

    /// Begins to carry out a plan under a number of its own.
    pub(super) fn execute(&self, plan: Plan, operation: String) -> Running {
        Running {
            client: self.clone(),
            operation,
            plan: Some(plan),
            stream: None,
            last_response: None,
            is_resumed: false,
            kept_batches: 0,
            failed: 0,
            empty_streams: 0,
            #[cfg(test)]
            parts_left: None,
        }
    }
}

/// A plan that is being carried out.
pub(super) struct Running {
    client: Client,
    operation: String,
    /// Until the server has it.
    plan: Option<Plan>,
    stream: Option<(Streaming<ExecutePlanResponse>, Instant)>,
    last_response: Option<String>,
    /// Whether one stream was not enough.
    is_resumed: bool,
    /// Batches that the server may still have.
    kept_batches: u32,
    /// How often in a row the network has failed.
    failed: u32,
    /// How many streams in a row have ended at once.
    empty_streams: u32,
    /// How many parts of this stream are still to come until it is taken to have ended.
    #[cfg(test)]
    parts_left: Option<usize>,
}

impl Running {
    pub(super) fn is_resumed(&self) -> bool {
        self.is_resumed
    }

    /// Whether the server has said anything about it.
    pub(super) fn is_heard(&self) -> bool {
        self.last_response.is_some()
    }

    /// The next rows; none once the server has said that these were all.
    pub(super) async fn next(&mut self) -> Result<Option<ArrowBatch>, Status> {
        loop {
            match self.receive().await {
                Ok(Some(response)) => {
                    (self.failed, self.empty_streams) = (0, 0);
                    self.client.recognize(&response.server_side_session_id)?;
                    let before = match response.response_id.is_empty() {
                        true => None,
                        false => self.last_response.replace(response.response_id),
                    };
                    match response.part {
                        Some(Part::Batch(batch)) => {
                            self.kept_batches += 1;
                            self.release_before(before).await;
                            return Ok(Some(batch));
                        }
                        Some(Part::Complete(_)) => {
                            let (client, operation) = (self.client.clone(), self.operation.clone());
                            tokio::spawn(async move {
                                client.release(operation, Released::All(Nothing {})).await;
                            });
                            return Ok(None);
                        }
                        None => {}
                    }
                }
                // There is more to come, in another stream.
                Ok(None) => {
                    let began = self.stream.take().map(|(_, began)| began);
                    if began.is_some_and(|began| began.elapsed() < PAUSE) {
                        self.empty_streams += 1;
                        if self.empty_streams > EMPTY_STREAMS {
                            return Err(Status::unavailable("streams without an answer"));
                        }
                        tokio::time::sleep(PAUSE / 10).await;
                    }
                }
                Err(status) if is_lost(&status) && self.failed < TRIES => {
                    self.stream = None;
                    tokio::time::sleep(PAUSE * 4_u32.pow(self.failed)).await;
                    self.failed += 1;
                }
                Err(status) => return Err(status),
            }
        }
    }

    /// What comes next in this stream, or in a new one; none at its end.
    async fn receive(&mut self) -> Result<Option<ExecutePlanResponse>, Status> {
        let stream = match &mut self.stream {
            Some((stream, _)) => stream,
            none => {
                let began = match self.plan.take() {
                    Some(plan) => {
                        let request = ExecutePlanRequest {
                            session_id: self.client.session.clone(),
                            user_context: self.client.user(),
                            plan: Some(plan),
                            client_type: client_type(),
                            request_options: vec![RequestOption {
                                reattach_options: Some(ReattachOptions { reattachable: true }),
                            }],
                            operation_id: Some(self.operation.clone()),
                        };
                        let method = "/spark.connect.SparkConnectService/ExecutePlan";
                        self.client.stream(method, request).await?
                    }
                    None => {
                        self.is_resumed = true;
                        let request = ReattachExecuteRequest {
                            session_id: self.client.session.clone(),
                            user_context: self.client.user(),
                            operation_id: self.operation.clone(),
                            client_type: client_type(),
                            last_response_id: self.last_response.clone(),
                        };
                        let method = "/spark.connect.SparkConnectService/ReattachExecute";
                        self.client.stream(method, request).await?
                    }
                };
                #[cfg(test)]
                {
                    let mut parts = self.client.parts_of_streams.lock().expect("no test failed");
                    self.parts_left = (!parts.is_empty()).then(|| parts.remove(0));
                }
                &mut none.insert((began, Instant::now())).0
            }
        };
        #[cfg(test)]
        {
            match &mut self.parts_left {
                Some(0) => return Ok(None),
                Some(parts) => *parts -= 1,
                None => {}
            }
        }
        stream.message().await
    }

    /// Now and then lets the server forget what came before the last response. The last one itself must stay: Sail looks
    /// for it when we come back, and forgets everything if it is not there.
    async fn release_before(&mut self, response_id: Option<String>) {
        let Some(response_id) = response_id.filter(|_| self.kept_batches >= KEPT_BATCHES) else {
            return;
        };
        self.kept_batches = 0;
        let until = Released::Until(ReleaseUntil { response_id });
        self.client.release(self.operation.clone(), until).await;
    }
}

#[cfg(test)]
mod tests {
    use super::unique_id;

    #[test]
    fn numbers_have_the_form_of_a_uuid() {
        let id = unique_id();
        let parts: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12], "{id}");
        assert!(id.as_bytes()[14] == b'4' && b"89ab".contains(&id.as_bytes()[19]));
        assert_ne!(id, unique_id());
    }
}
