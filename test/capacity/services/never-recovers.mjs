// Once more than 100 requests have been inside at a time it is slow for ever.
import { busy, serve, wait } from './serve.mjs';

let inside = 0;
let broken = false;
serve(async (response) => {
  inside++;
  broken ||= inside > 100;
  busy(2);
  await wait(broken ? 400 : 5);
  inside--;
  response.end('ok');
});
