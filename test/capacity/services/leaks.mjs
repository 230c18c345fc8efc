// Keeps about 16 KB of every request until the heap, 128 MB, is full and Node ends it.
import { setFlagsFromString } from 'node:v8';
import { serve } from './serve.mjs';

setFlagsFromString('--max-old-space-size=128');
const kept = [];
serve((response) => {
  kept.push(Array.from({ length: 2000 }, (_, index) => index + kept.length / 7));
  response.end('ok');
});
