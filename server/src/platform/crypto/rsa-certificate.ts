import { type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import {
  bitString,
  integer,
  nothing,
  objectIdentifier,
  octetString,
  printableString,
  sequence,
  set,
  tagged,
  time,
  utf8String,
} from './der.ts';
import type { RsaKeyPair } from './rsa-key-pair.ts';
import { alternativeName, extension, keyIdentifier, publicKeyInfo, serialNumber } from './x509-certificate.ts';

export interface DistinguishedName {
  /** The country, by its code of two letters (ISO 3166-1) or by its name. */
  readonly countryName?: string;
  readonly stateOrProvinceName?: string;
  readonly localityName?: string;
  readonly organizationName?: string;
  readonly organizationalUnitName?: string;
  readonly commonName?: string;
}

const RSA_WITH_SHA256 = sequence(objectIdentifier('1.2.840.113549.1.1.11'), nothing());

/** The order in which the attributes of a name are written. */
// biome-ignore format: the columns are the documentation
const ATTRIBUTES = [
  ['countryName',            '2.5.4.6'],
  ['stateOrProvinceName',    '2.5.4.8'],
  ['localityName',           '2.5.4.7'],
  ['organizationName',       '2.5.4.10'],
  ['organizationalUnitName', '2.5.4.11'],
  ['commonName',             '2.5.4.3'],
] as const;

/** X.520 requires `countryName` to be a PrintableString of two letters. Any other value is encoded as a UTF8String. */
const COUNTRY_CODE = /^[A-Za-z]{2}$/;

function nameOf(name: DistinguishedName): Buffer {
  const parts = ATTRIBUTES.flatMap(([attribute, identifier]) => {
    const text = name[attribute];
    if (text === undefined) return [];
    const isCode = attribute === 'countryName' && COUNTRY_CODE.test(text);
    const value = isCode ? printableString(text) : utf8String(text);
    return [set(sequence(objectIdentifier(identifier), value))];
  });
  return sequence(...parts);
}

/** Signing is slow, so it runs on the thread pool instead of the event loop. */
const signOnThreadPool = promisify((data: Buffer, key: KeyObject, done: (error: Error | null, made: Buffer) => void) =>
  sign('sha256', data, key, done),
);

async function signed(content: Buffer, key: KeyObject): Promise<Buffer> {
  return sequence(content, RSA_WITH_SHA256, bitString(await signOnThreadPool(content, key)));
}

/** Makes a self-signed X.509 v3 certificate for signing (RFC 5280), with RSA and SHA-256. Returns DER. */
export function makeSigningCertificate(
  { publicKey, privateKey }: RsaKeyPair,
  subject: DistinguishedName,
  validity: { readonly notBefore: Date; readonly notAfter: Date },
): Promise<Buffer> {
  const name = nameOf(subject);
  const content = sequence(
    tagged(0xa0, integer(Buffer.of(2))),
    serialNumber(),
    RSA_WITH_SHA256,
    name,
    sequence(time(validity.notBefore), time(validity.notAfter)),
    name,
    publicKeyInfo(publicKey),
    // The key usage is digitalSignature (bit 0).
    tagged(
      0xa3,
      sequence(
        extension('2.5.29.15', true, bitString(Buffer.of(0x80), 7)),
        extension('2.5.29.14', false, octetString(keyIdentifier(publicKey))),
      ),
    ),
  );
  return signed(content, privateKey);
}

/** Makes a certificate signing request (PKCS #10, RFC 2986), signed with RSA and SHA-256. Returns DER. */
export function makeSigningRequest(
  { publicKey, privateKey }: RsaKeyPair,
  subject: DistinguishedName,
  dnsNames: readonly string[],
): Promise<Buffer> {
  // The attribute extensionRequest (PKCS #9) lists the extensions that the certificate should have.
  const extensions = [extension('2.5.29.17', false, sequence(...dnsNames.map(alternativeName)))];
  const request = sequence(objectIdentifier('1.2.840.113549.1.9.14'), set(sequence(...extensions)));
  const attributes = dnsNames.length === 0 ? tagged(0xa0) : tagged(0xa0, request);
  const content = sequence(integer(Buffer.of(0)), nameOf(subject), publicKeyInfo(publicKey), attributes);
  return signed(content, privateKey);
}
