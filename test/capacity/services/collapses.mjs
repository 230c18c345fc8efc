// Every request that is inside makes the others dearer: beyond the knee it does less and less.
import { busy, serve, wait } from './serve.mjs';

let inside = 0;
serve(async (response) => {
  inside++;
  busy(1 + Math.min(4, Math.max(0, inside - 20) * 0.03));
  await wait(10);
  inside--;
  response.end('ok');
});
