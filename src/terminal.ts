#!/usr/bin/env node
/** Starts the command line. */
import { start } from './cli.ts';

await start();
