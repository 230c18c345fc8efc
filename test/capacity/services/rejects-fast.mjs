// Lets eight in, 20 ms each, and answers all others with 429 at once.
import { serve, wait } from './serve.mjs';

let inside = 0;
serve(async (response) => {
  if (inside >= 8) {
    response.statusCode = 429;
    response.end('busy');
    return;
  }
  inside++;
  await wait(20);
  inside--;
  response.end('ok');
});
