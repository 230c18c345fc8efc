/** Certificates made on the spot, so that no key lies in the repository and none expires: X.509 v3 by hand (RFC 5280). */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface Certificate {
  /** Both in PEM. */
  readonly cert: string;
  readonly key: string;
}

export interface Authority extends Certificate {
  issue(shape?: Partial<Shape>): Certificate;
}

interface Shape {
  readonly name: string;
  /** Bears 127.0.0.1 as well when it bears localhost. */
  readonly validTo: string;
}

const longValid = '20991231235959Z';

/** A certificate that signs others; nobody trusts it unless told so. */
export function makeAuthority(name = 'Authority of a test'): Authority {
  const { own, cert, key } = make({ name, validTo: longValid }, null);
  return {
    cert,
    key,
    issue: (shape) => make({ name: 'localhost', validTo: longValid, ...shape }, { name, key: own }),
  };
}

/** A certificate that signed itself. */
export function selfSigned(shape: Partial<Shape> = {}): Certificate {
  return make({ name: 'localhost', validTo: longValid, ...shape }, null);
}

let serial = 1;

function make(
  { name, validTo }: Shape,
  issuer: { readonly name: string; readonly key: KeyObject } | null,
): Certificate & { readonly own: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid('2a8648ce3d040302')); // ecdsa-with-SHA256
  const names = [
    der(0x82, Buffer.from(name)),
    ...(name === 'localhost' ? [der(0x87, Buffer.from([127, 0, 0, 1]))] : []),
  ];
  const extensions = [
    ...(issuer === null
      ? [
          sequence(
            oid('551d13'),
            der(0x01, Buffer.from([0xff])),
            octets(sequence(der(0x01, Buffer.from([0xff])))),
          ),
        ]
      : []),
    sequence(oid('551d11'), octets(sequence(...names))),
  ];
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([serial++])),
    algorithm,
    nameOf(issuer?.name ?? name),
    sequence(der(0x18, Buffer.from('20200101000000Z')), der(0x18, Buffer.from(validTo))),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', content, issuer?.key ?? privateKey);
  const whole = sequence(content, algorithm, der(0x03, Buffer.from([0]), signature));
  const lines = whole
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    own: privateKey,
  };
}

const nameOf = (name: string): Buffer =>
  sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));
const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const octets = (content: Buffer): Buffer => der(0x04, content);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}
