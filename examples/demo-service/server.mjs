/** A small catalogue service: every request renders one page of products as JSON. */
import { createServer } from 'node:http';
import { renderPage } from './catalogue.mjs';

const server = createServer((request, response) => {
  const page = Number(new URL(request.url ?? '/', 'http://localhost').searchParams.get('page') ?? 1);
  const body = renderPage(page);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
});

server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => server.close(() => process.exit(0)));
