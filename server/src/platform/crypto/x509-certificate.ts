import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import {
  bitString,
  boolean,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  tagged,
  time,
  utf8String,
} from './der.ts';

export interface CertificatePlan {
  readonly subjectName: string;
  readonly issuerName: string;
  /** A public key on the curve P-256. */
  readonly subjectPublicKey: KeyObject;
  readonly issuerPublicKey: KeyObject;
  readonly issuerPrivateKey: KeyObject;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** A CA that issues only end-entity certificates, or a server with these hosts (names and IP addresses). */
  readonly use: { readonly kind: 'authority' } | { readonly kind: 'server'; readonly hosts: readonly string[] };
}

const ECDSA_WITH_SHA256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
const SERVER_AUTHENTICATION = objectIdentifier('1.3.6.1.5.5.7.3.1');

/** Encodes a distinguished name that has only a common name, cut to the 64 characters that X.520 allows. */
const nameOf = (commonName: string): Buffer =>
  sequence(set(sequence(objectIdentifier('2.5.4.3'), utf8String(commonName.slice(0, 64)))));

export const extension = (identifier: string, isCritical: boolean, value: Uint8Array): Buffer =>
  sequence(objectIdentifier(identifier), ...(isCritical ? [boolean(true)] : []), octetString(value));

export const publicKeyInfo = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });

/** Returns the SHA-256 hash of the SubjectPublicKeyInfo (RFC 7093 2, method 4), cut to its first 160 bits. */
export const keyIdentifier = (key: KeyObject): Buffer =>
  createHash('sha256').update(publicKeyInfo(key)).digest().subarray(0, 20);

const groupsOf = (part: string): string[] => part.split(':').filter((group) => group !== '');

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const left = groupsOf(head);
  const right = groupsOf(tail ?? '');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return Buffer.from([...left, ...zeros, ...right].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

export const alternativeName = (host: string): Buffer =>
  isIP(host) === 0 ? tagged(0x82, Buffer.from(host, 'ascii')) : tagged(0x87, addressBytes(host));

function extensionsOf({ use, subjectPublicKey, issuerPublicKey }: CertificatePlan): Buffer[] {
  const identifiers = [
    extension('2.5.29.14', false, octetString(keyIdentifier(subjectPublicKey))),
    extension('2.5.29.35', false, sequence(tagged(0x80, keyIdentifier(issuerPublicKey)))),
  ];
  if (use.kind === 'authority') {
    // With path length 0, the authority cannot certify other authorities. The key usage is keyCertSign (bit 5) and
    // cRLSign (bit 6).
    const constraints = sequence(boolean(true), integer(Buffer.of(0)));
    return [
      extension('2.5.29.19', true, constraints),
      extension('2.5.29.15', true, bitString(Buffer.of(0x06), 1)),
      ...identifiers,
    ];
  }
  return [
    extension('2.5.29.19', true, sequence()),
    extension('2.5.29.15', true, bitString(Buffer.of(0x80), 7)),
    extension('2.5.29.37', false, sequence(SERVER_AUTHENTICATION)),
    extension('2.5.29.17', false, sequence(...use.hosts.map(alternativeName))),
    ...identifiers,
  ];
}

const toPem = (der: Buffer): string => {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
};

/** Makes a serial number of 16 random bytes that begin with the bits 01, so that it is positive and of fixed length. */
export const serialNumber = (): Buffer =>
  integer(Buffer.concat([Buffer.of(0x40 | (randomBytes(1).readUInt8() & 0x3f)), randomBytes(15)]));

/** Makes an X.509 v3 certificate (RFC 5280), signed with ECDSA P-256 and SHA-256. Returns PEM. */
export function makeCertificate(plan: CertificatePlan): string {
  const toBeSigned = sequence(
    tagged(0xa0, integer(Buffer.of(2))),
    serialNumber(),
    ECDSA_WITH_SHA256,
    nameOf(plan.issuerName),
    sequence(time(plan.notBefore), time(plan.notAfter)),
    nameOf(plan.subjectName),
    publicKeyInfo(plan.subjectPublicKey),
    tagged(0xa3, sequence(...extensionsOf(plan))),
  );
  const signature = sign('sha256', toBeSigned, plan.issuerPrivateKey);
  return toPem(sequence(toBeSigned, ECDSA_WITH_SHA256, bitString(signature)));
}
