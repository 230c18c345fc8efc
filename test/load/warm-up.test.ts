import { describe, expect, it } from 'vitest';
import { ns, perSecond, secondsToNs } from '../../src/kernel/units.ts';
import { blockRequests, fitsBeforeCap, isSettled, nextBlockRate } from '../../src/load/warm-up.ts';

describe('warm-up', () => {
  it('goes on while the cost of a request still falls on either side', () => {
    expect(isSettled({ baseline: [480e3, 300e3], candidate: [205e3, 200e3] })).toBe(false);
    expect(isSettled({ baseline: [205e3, 200e3], candidate: [480e3, 300e3] })).toBe(false);
    expect(isSettled({ baseline: [480e3, 205e3, 200e3], candidate: [210e3, 201e3] })).toBe(true);
  });

  it('needs two blocks with an answer before it says anything', () => {
    expect(isSettled({ baseline: [200e3], candidate: [200e3] })).toBe(false);
    expect(isSettled({ baseline: [200e3, null], candidate: [200e3, 200e3] })).toBe(false);
  });

  it('starts at the test rate and then goes three times as fast', () => {
    expect(nextBlockRate(perSecond(600), { baseline: [], candidate: [] })).toBe(600);
    expect(nextBlockRate(perSecond(600), { baseline: [200e3], candidate: [210e3] })).toBe(1800);
  });

  it('stays below saturation of the dearer side, and never below the test rate', () => {
    expect(nextBlockRate(perSecond(600), { baseline: [200e3], candidate: [500e3] })).toBe(1200);
    expect(nextBlockRate(perSecond(600), { baseline: [200e3], candidate: [5e6] })).toBe(600);
  });

  it('makes blocks of about 0.3 s', () => {
    expect(blockRequests(perSecond(1800))).toBe(540);
    expect(blockRequests(perSecond(20))).toBe(50);
  });

  it('does not begin a block that would end after the cap', () => {
    expect(fitsBeforeCap(ns(0), secondsToNs(1), 0)).toBe(true);
    expect(fitsBeforeCap(secondsToNs(2), secondsToNs(3), 2)).toBe(true);
    expect(fitsBeforeCap(secondsToNs(2.2), secondsToNs(3), 2)).toBe(false);
  });
});
