# Publishes with ZeroMQ's own library, as a node does. The first line has the port; each line of the
# input is a topic and a number of bytes, and such a message is sent.
import os
import sys

import zmq

STDIN = 0
context = zmq.Context()
socket = context.socket(zmq.XPUB)
port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
socket.bind(f"tcp://127.0.0.1:{port or '*'}")
print(socket.getsockopt(zmq.LAST_ENDPOINT).rstrip(b"\0").decode().rsplit(":", 1)[1], flush=True)

poller = zmq.Poller()
poller.register(socket, zmq.POLLIN)
poller.register(STDIN, zmq.POLLIN)
sequence = 0
rest = b""
while True:
    ready = dict(poller.poll())
    if socket in ready:
        print(f"subscribed {socket.recv()[1:].decode()}", flush=True)
    if STDIN in ready:
        chunk = os.read(STDIN, 65536)
        if chunk == b"":
            break
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            topic, _, size = line.partition(b" ")
            body = b"\xab" * int(size or 32)
            socket.send_multipart([topic, body, sequence.to_bytes(4, "little")])
            sequence += 1
