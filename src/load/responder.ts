/** Entry point of the null responder's process: answers every request at once, so that what is left is the generator's own floor. */
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-length': '2', 'content-type': 'text/plain' });
  response.end('ok');
});

server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' && address !== null ? address.port : 0 });
});
// The owner is gone: nobody will send anything any more.
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
