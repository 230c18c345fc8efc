/** Starts the action. */
import { run } from './action.ts';

await run();
