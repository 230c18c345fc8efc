/** A text that is no whole JSON: how far it goes. */
import { describe, expect, it } from 'vitest';
import { cutOffOf } from '../../src/evidence/cut-off.ts';
import { serialise } from '../../src/evidence/store.ts';
import { seededRandom } from '../../src/kernel/world.ts';
import { evidenceOf } from '../verdict/evidence-builder.ts';

const found = (text: string): string | undefined => cutOffOf(text)?.found;

describe('a text that was cut off', () => {
  it.each([
    ['{', 'it ends in its head, before any field'],
    ['"tailgate', 'it ends in its first value'],
    ['{"sch', 'it ends in its head, before any field'],
    ['{"schema"', 'it ends in `schema`'],
    ['{"schema":', 'it ends in `schema`'],
    ['{"schema":"tail', 'it ends in `schema`'],
    ['{"schema":"a","vers', 'it ends after `schema`'],
    ['{"schema":"a","version":1', 'it ends in `version`'],
    ['{"schema":"a","version":1,', 'it ends after `version`'],
    ['{"a":{"b":[{"c":1},{"c":-', 'it ends in `a.b[1].c`'],
    ['{"a":{"b":[{"c":1},{"c":2}', 'it ends after `a.b[1]`'],
    ['{"a":{"b":[{"c":1},', 'it ends in `a.b[1]`'],
    ['{"a":{"b":[[1,2],[3]]', 'it ends after `a.b`'],
    ['{"a":[true,fal', 'it ends in `a[1]`'],
    ['{"a":1.5e', 'it ends in `a`'],
    ['{"a":"x\\', 'it ends in `a`'],
    ['{"a":"x\\u12', 'it ends in `a`'],
    ['{"a":"\\"}', 'it ends in `a`'],
    ['{"a b":{"c', 'it ends in its head, before any field'],
  ])('%j: %s', (text, where) => {
    expect(found(text)).toBe(where);
    expect(cutOffOf(text)?.ends).toBe(true);
  });

  it('anywhere names a field that is there, and its head once it is past it', () => {
    const whole = serialise(evidenceOf({ measuring: 2 })).trimEnd();
    const evidence: unknown = JSON.parse(whole);
    const random = seededRandom('cuts');
    const head = '{"schema":"tailgate-evidence","version":1,'.length;
    for (let time = 0; time < 500; time++) {
      const cut = cutOffOf(whole.slice(0, head + Math.floor(random.next() * (whole.length - head))));
      expect(cut?.ends).toBe(true);
      expect(cut?.head).toEqual({ schema: 'tailgate-evidence', version: 1 });
      const path = /^it ends (?:in|after) `(.*)`$/.exec(cut!.found)![1]!;
      const steps = path.split(/[.[\]]+/).filter((step) => step !== '');
      const value = steps.reduce((place, step) => (place as Record<string, unknown>)[step], evidence);
      expect(value, path).toBeDefined();
    }
  });
});

describe('a text that goes wrong before its end', () => {
  it.each([
    ['{"a":{"b":NaN,"c":1}}', '`a.b` is "NaN,\\"c\\":1}}", wanted a value of JSON'],
    ['{"a":[1,2,]}', '`a[2]` is "]}", wanted a value of JSON'],
    ['{"a":1 "b":2}', '`a` is followed by "\\"b\\":2}", wanted a comma or }'],
    ['{"a":01}', '`a` is "01}", wanted a value of JSON'],
    ['{"a":"x\ny"}', '`a` is "\\"x\\ny\\"}", wanted a value of JSON'],
    ['{"a":1,b:2}', '`a` is followed by "b:2}", wanted the name of a field'],
    ['{"a" 1}', '`a` is followed by "1}", wanted a colon'],
    ['{"a":1} and more', 'its end is followed by "and more", wanted nothing more'],
    ['BenchmarkParse-8 1000', 'it begins with "BenchmarkParse-8 100", wanted an object'],
    ["{'a':1}", 'it begins with "{\'a\':1}", wanted an object'],
  ])('%j: %s', (text, where) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(found(text)).toBe(where);
    expect(cutOffOf(text)?.ends).toBe(false);
  });
});

it('agrees with JSON.parse on what is whole', () => {
  const texts = ['{}', '[]', ' { "a" : [ 1 , { } , [ ] , "\\u00e9\\n" , -1.5e+3 , null ] } ', '12', '"x"'];
  for (const text of [...texts, serialise(evidenceOf({ measuring: 1 }))]) {
    expect(() => JSON.parse(text)).not.toThrow();
    expect(cutOffOf(text), text.slice(0, 60)).toBeNull();
  }
});

it('costs no time however long it is', () => {
  const text = `{"schema":"tailgate-evidence","version":1,"a":["${'x'.repeat(20e6)}","${'\\\\'.repeat(2e6)}","`;
  const began = process.cpuUsage().user;
  expect(found(text)).toBe('it ends in `a[2]`');
  expect(process.cpuUsage().user - began).toBeLessThan(2_000_000);
});
