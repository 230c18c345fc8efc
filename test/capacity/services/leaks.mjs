// Keeps about 16 KB of every request until the heap is full and Node ends it: start it with --max-old-space-size.
import { serve } from './serve.mjs';

const kept = [];
serve((response) => {
  kept.push(Array.from({ length: 2000 }, (_, index) => index + kept.length / 7));
  response.end('ok');
});
