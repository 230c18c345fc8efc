// What the services of these tests share: a port, one line that names it, and work that keeps the only thread busy.
import { createServer } from 'node:http';

/** Keeps the thread busy for so many milliseconds. */
export function busy(ms) {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param {(response: import('node:http').ServerResponse) => void | Promise<void>} answer */
export function serve(answer) {
  const server = createServer((request, response) => {
    request.resume();
    void answer(response);
  });
  server.keepAliveTimeout = 60_000;
  return server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => console.log(server.address().port));
}
