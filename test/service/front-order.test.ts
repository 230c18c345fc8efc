import { expect, it } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { refuseFront } from '../../src/service/front-order.ts';

const transportOf = (settings: string) =>
  readConfig(`start: node server.js\ntransport: { ${settings} }\n`, {
    ...{ source: 'a test', overrides: {}, environment: {} },
  }).config.transport;

it.each([
  ['https: true', 'https'],
  ['https: { insecure: true }, http2: true', 'https'],
  ['http2: true', 'http2'],
  ['unix-socket: true', 'unix-socket'],
])('a front is refused before a service with %s, naming it and the way out', (settings, named) => {
  expect(() => refuseFront(transportOf(settings))).toThrow(
    expect.objectContaining({
      code: 'usage',
      message: expect.stringContaining(`\`transport: { ${named}: true }\``),
      hint: expect.stringContaining(`a configuration without \`${named}\``),
    }),
  );
});

it('a front stands before plain HTTP/1.1, whatever its connections', () => {
  expect(() => refuseFront(transportOf('keep-alive: false, connect-timeout: 1s'))).not.toThrow();
});
