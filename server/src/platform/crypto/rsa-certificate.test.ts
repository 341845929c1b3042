import { generateKeyPairSync, verify, X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { makeSigningCertificate, makeSigningRequest } from './rsa-certificate.ts';

const pair = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const subject = {
  countryName: 'DE',
  localityName: 'Jena',
  organizationName: 'Ünit & Sons',
  commonName: 'acme.example',
};

function elementAt(der: Buffer, offset: number) {
  const first = der.readUInt8(offset + 1);
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const length = lengthBytes === 0 ? first : der.readUIntBE(offset + 2, lengthBytes);
  const start = offset + 2 + lengthBytes;
  return {
    tag: der.readUInt8(offset),
    whole: der.subarray(offset, start + length),
    content: der.subarray(start, start + length),
  };
}

function elementsIn(content: Buffer) {
  const found = [];
  for (let offset = 0; offset < content.length; offset += found.at(-1)?.whole.length ?? content.length) {
    found.push(elementAt(content, offset));
  }
  return found;
}

describe('a certificate', () => {
  test('is what OpenSSL reads, signed by its own key', async () => {
    const notBefore = new Date('2026-01-01T00:00:00Z');
    const notAfter = new Date('2056-01-01T00:00:00Z');
    const der = await makeSigningCertificate(pair, subject, { notBefore, notAfter });
    const certificate = new X509Certificate(der);
    expect(certificate.raw.equals(der)).toBe(true);
    expect(certificate.verify(pair.publicKey)).toBe(true);
    expect(certificate.issuer).toBe(certificate.subject);
    expect(certificate.publicKey.equals(pair.publicKey)).toBe(true);
    expect(certificate.subject.split('\n')).toEqual(['C=DE', 'L=Jena', 'O=Ünit & Sons', 'CN=acme.example']);
    expect([new Date(certificate.validFrom), new Date(certificate.validTo)]).toEqual([notBefore, notAfter]);
    expect(certificate.ca).toBe(false);
    const again = new X509Certificate(await makeSigningCertificate(pair, subject, { notBefore, notAfter }));
    expect(again.serialNumber).not.toBe(certificate.serialNumber);
  });
});

describe('a request', () => {
  test.each([[['a.example', '*.b.example']], [[]]])('for %j is signed by the key it names', async (dnsNames) => {
    const der = await makeSigningRequest(pair, subject, dnsNames);
    const outer = elementAt(der, 0);
    expect(outer.whole.equals(der)).toBe(true);
    const [info, , signature] = elementsIn(outer.content);
    if (info === undefined || signature === undefined) throw new Error('not a request');
    expect(verify('sha256', info.whole, pair.publicKey, signature.content.subarray(1))).toBe(true);
    const [version, , key, attributes] = elementsIn(info.content);
    expect(version?.content).toEqual(Buffer.of(0));
    expect(key?.whole).toEqual(pair.publicKey.export({ type: 'spki', format: 'der' }));
    expect(attributes?.tag).toBe(0xa0);
    for (const name of dnsNames) expect(attributes?.content.includes(name)).toBe(true);
    expect(attributes?.content.length === 0).toBe(dnsNames.length === 0);
  });
});
