// Once it has had more than 100 connections at a time, as only a queue opens them, it is slow for ever.
import { busy, serve, wait } from './serve.mjs';

let broken = false;
const server = serve(async (response) => {
  busy(2);
  await wait(broken ? 400 : 5);
  response.end('ok');
});
let connections = 0;
server.on('connection', (socket) => {
  connections++;
  broken ||= connections > 100;
  socket.on('close', () => connections--);
});
