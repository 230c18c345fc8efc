// One thread: 1 ms of CPU and 10 ms of waiting a request. Its ceiling is what the thread can do.
import { busy, serve, wait } from './serve.mjs';

serve(async (response) => {
  busy(1);
  await wait(10);
  response.end('ok');
});
