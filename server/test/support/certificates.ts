import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import {
  bitString,
  integer,
  nothing,
  objectIdentifier,
  sequence,
  set,
  tagged,
  time,
  utf8String,
} from '../../src/platform/crypto/der.ts';

function elementsIn(content: Buffer): { whole: Buffer; content: Buffer }[] {
  const found: { whole: Buffer; content: Buffer }[] = [];
  for (let at = 0; at < content.length; ) {
    const first = content.readUInt8(at + 1);
    const bytes = first < 0x80 ? 0 : first & 0x7f;
    const length = bytes === 0 ? first : content.readUIntBE(at + 2, bytes);
    const start = at + 2 + bytes;
    found.push({ whole: content.subarray(at, start + length), content: content.subarray(start, start + length) });
    at = start + length;
  }
  return found;
}

/** Returns the public key in a certificate request (PKCS #10, base64), whose signature must match the key. */
export function keyOfRequest(request: string): KeyObject {
  const [outer] = elementsIn(Buffer.from(request, 'base64'));
  const [info, , signature] = elementsIn(outer?.content ?? Buffer.alloc(0));
  const [, , key] = elementsIn(info?.content ?? Buffer.alloc(0));
  if (info === undefined || signature === undefined || key === undefined) throw new Error('not a request');
  const publicKey = createPublicKey({ key: Buffer.from(key.whole), format: 'der', type: 'spki' });
  if (!verify('sha256', info.whole, publicKey, signature.content.subarray(1))) throw new Error('not signed by its key');
  return publicKey;
}

const authority = generateKeyPairSync('rsa', { modulusLength: 2_048 });

const DAY_MILLISECONDS = 86_400_000;

export function certify(key: KeyObject, now: Date, days = 365): Buffer {
  const name = sequence(set(sequence(objectIdentifier('2.5.4.3'), utf8String('outside'))));
  const algorithm = sequence(objectIdentifier('1.2.840.113549.1.1.11'), nothing());
  const content = sequence(
    tagged(0xa0, integer(Buffer.of(2))),
    integer(Buffer.of(1, 2, 3)),
    algorithm,
    name,
    sequence(time(now), time(new Date(now.getTime() + days * DAY_MILLISECONDS))),
    name,
    key.export({ type: 'spki', format: 'der' }),
  );
  return sequence(content, algorithm, bitString(sign('sha256', content, authority.privateKey)));
}

export const toPem = (der: Buffer): string => {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
};

export const certifiedCsr = ({ csr }: { readonly csr: string }, now: Date): string =>
  toPem(certify(keyOfRequest(csr), now));
