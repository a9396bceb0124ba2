//! The smallest client that keeps its connection.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

pub(crate) struct Connection {
    stream: TcpStream,
    address: SocketAddr,
    bytes: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("a socket");
        Connection {
            stream,
            address,
            bytes: Vec::new(),
        }
    }

    /// Sends a request; the status and the body of the answer.
    pub(crate) fn ask(
        &mut self,
        token: &str,
        method: &str,
        path: &str,
        body: &str,
    ) -> (u16, &[u8]) {
        let text = format!(
            "{method} /api/v1{path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        self.stream.write_all(text.as_bytes()).expect("sent");
        self.bytes.clear();
        let mut part = [0; 16 << 10];
        loop {
            if let Some(end) = find(&self.bytes, b"\r\n\r\n") {
                let head = std::str::from_utf8(&self.bytes[..end]).expect("a head");
                let length = head
                    .lines()
                    .find_map(|line| line.strip_prefix("content-length: "));
                let length: usize = length.map_or(0, |length| length.parse().expect("a length"));
                if self.bytes.len() >= end + 4 + length {
                    let status = head[9..12].parse().expect("a status");
                    return (status, &self.bytes[end + 4..end + 4 + length]);
                }
            }
            let read = self.stream.read(&mut part).expect("answered");
            assert!(read > 0, "the server closed");
            self.bytes.extend_from_slice(&part[..read]);
        }
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|part| part == what)
}
