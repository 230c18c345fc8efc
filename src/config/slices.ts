/** How many slices a side and round a plan takes. Multiples of 4: both orders of a quad come equally often. */
import type { GateConfig } from './settings.ts';

/** A plan that is short of time gives up slices before it gives up a percentile, down to this many. */
export const fewestSlices = 4;
/** `slices: auto` is content with these; below them the plan says so. */
const usualSlices = 8;
/** The most that `slices: auto` takes, however much time there is. */
export const mostSlices = 32;

/** The slices without which a plan tells that it has fewer. */
export const wantedSlices = (config: GateConfig): number =>
  config.slices === 'auto' ? usualSlices : config.slices;
