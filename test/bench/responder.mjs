// A minimal loopback responder in its own process: answers every request at once and keeps when each one came.
import { createServer } from 'node:net';

const answer = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-type: text/plain\r\n\r\nok');
const end = Buffer.from('\r\n\r\n');
const came = new Float64Array(2_000_000);
let count = 0;
let freeze = null;

/** The whole process stands still, as a service does whose event loop is blocked. */
function freezeLater({ after, length }) {
  setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, length), after);
}

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {});
  socket.on('data', (data) => {
    const now = Number(process.hrtime.bigint());
    if (freeze !== null) freezeLater(freeze);
    freeze = null;
    // Requests without a body, whole in one packet: what every generator here sends on loopback.
    for (let at = data.indexOf(end); at !== -1; at = data.indexOf(end, at + 4)) {
      if (count < came.length) came[count++] = now;
      socket.write(answer);
    }
  });
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', (message) => {
  if (message !== 'take') {
    freeze = message;
    return;
  }
  process.send({ came: came.slice(0, count) });
  count = 0;
});
process.on('disconnect', () => process.exit(0));
