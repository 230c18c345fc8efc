/** Files that no honest program writes: each is read or refused with a sentence, and none is a defect. */
import { expect, test } from 'vitest';
import { common, imported, times } from './importing.ts';

test('more kinds of loss than are listed one by one are counted together', async () => {
  const lines = times(250, (index) => common(`GET /a?token${index}=1 HTTP/1.1`));
  const { told, scenario } = await imported('access.log', lines.join('\n'));
  expect(scenario.requests.map(({ path, weight }) => [path, weight])).toEqual([['/a', 250]]);
  expect(told).toHaveLength(1 + 200 + 1);
  expect(told[1]).toBe('  50 × something else (first on line 201)');
});
