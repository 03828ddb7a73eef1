// Holds event streams open in a process of its own; a stream counts once its first event arrived.
import { connect } from 'node:net';

const sockets = [];
let lost = 0;
const open = (port, path) =>
  new Promise((resolve, reject) => {
    const socket = connect({
      port,
      host: '127.0.0.1',
      localAddress: `127.0.0.${2 + (sockets.length % 4)}`,
    });
    sockets.push(socket);
    let head = '';
    socket.on('connect', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n`),
    );
    socket.on('data', (data) => {
      if (head === null) return;
      head += data.toString('latin1');
      if (!head.includes('data:')) return;
      const refused = head.startsWith('HTTP/1.1 200') ? null : new Error(head.slice(0, 200));
      head = null;
      if (refused) reject(refused);
      else resolve();
    });
    socket.on('error', reject);
    socket.on('close', () => {
      lost += 1;
    });
  });

const hold = async ({ port, path, count }) => {
  try {
    while (sockets.length < count)
      await Promise.all(
        Array.from({ length: Math.min(200, count - sockets.length) }, () => open(port, path)),
      );
    process.send({ held: sockets.length - lost });
  } catch (error) {
    process.send({ error: String(error) });
  }
};
process.on('message', (message) => void hold(message));
