import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { JWT_BEARER } from '../support/assertion-grant.ts';
import type { RequestOptions } from '../support/client.ts';
import { clientIdOf, type ServiceApp, tokenForm } from '../support/service-apps.ts';
import type { WorstInput } from './worst-inputs.ts';

// This file builds signed inputs: client assertions, assertions about users, and DPoP proofs.

type Members = Readonly<Record<string, unknown>>;
type Key = Pick<ServiceApp['key'], 'privateKey' | 'kid'>;

/** Additions to claims or a header, as JSON text that follows the existing members. */
// biome-ignore format: the columns are the documentation
const PARTS: Readonly<Record<string, (bytes: number) => string>> = {
  'many members':            (bytes) => Array.from({ length: bytes / 9 }, (_, index) => `,"a${String(index).padStart(3, '0')}":1`).join(''),
  'one member again':        (bytes) => ',"a":1'.repeat(bytes / 6),
  depth:                     (bytes) => `,"a":${'['.repeat(bytes / 2 - 4)}${']'.repeat(bytes / 2 - 4)}`,
  escapes:                   (bytes) => `,"a":"${String.raw`\u0061`.repeat((bytes - 8) / 6)}"`,
  audiences:                 (bytes) => `,"aud":[${'"https://a.example",'.repeat((bytes - 12) / 20)}"a"]`,
  'critical members':        (bytes) => `,"crit":[${'"a",'.repeat((bytes - 14) / 4)}"a"]`,
  'a long id of a key':      (bytes) => `,"kid":"${'a'.repeat(bytes - 10)}"`,
};
const OF_CLAIMS = ['many members', 'one member again', 'depth', 'escapes', 'audiences'];
const OF_HEADERS = ['many members', 'depth', 'critical members', 'a long id of a key'];

interface Signed {
  readonly header: Members;
  readonly claims: Members;
  readonly inHeader?: string;
  readonly inClaims?: string;
}

const withPart = (members: Members, part = ''): string =>
  Buffer.from(`${JSON.stringify(members).slice(0, -1)}${part}}`).toString('base64url');

function signed({ claims, header, inClaims, inHeader }: Signed, key: Pick<Key, 'privateKey'>): string {
  const text = `${withPart(header, inHeader)}.${withPart(claims, inClaims)}`;
  const signature = sign('sha256', Buffer.from(text), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

const form = (raw: string, headers: Readonly<Record<string, string>> = {}): RequestOptions => ({
  raw,
  headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
});

/** The maximum number of bytes to add. A DPoP proof is sent in a header, so it must be shorter than an assertion. */
const MOST_BYTES = { assertion: 11_600, proof: 9_600 };

const claimsOf = (app: ServiceApp, aud: string): Members => {
  const seconds = Math.floor(Date.now() / 1_000);
  const clientId = clientIdOf(app);
  return { iss: clientId, sub: clientId, aud, iat: seconds, exp: seconds + 300, jti: randomUUID() };
};

interface Place {
  readonly label: string;
  readonly most: number;
  readonly path: string;
  readonly send: (inHeader?: string, inClaims?: string) => RequestOptions;
}

export interface Signers {
  readonly service: ServiceApp;
  readonly bound: ServiceApp;
  readonly asserter: ServiceApp;
  readonly userId: string;
}

function placesOf({ asserter, bound, service, userId }: Signers, origin: string): readonly Place[] {
  const proofKey = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const [own, other] = ['/oauth2/v1/token', '/oauth2/default/v1/token'];
  const assertion = (app: ServiceApp, path: string, more: Partial<Signed> = {}): string =>
    signed({ header: { alg: 'ES256', kid: app.key.kid }, claims: claimsOf(app, origin + path), ...more }, app.key);
  const proof = (more: Partial<Signed>): string => {
    const jwk = proofKey.publicKey.export({ format: 'jwk' });
    const iat = Math.floor(Date.now() / 1_000);
    const claims = { htm: 'POST', htu: origin + own, iat, jti: randomUUID() };
    return signed({ header: { alg: 'ES256', typ: 'dpop+jwt', jwk }, claims, ...more }, proofKey);
  };
  const more = (inHeader = '', inClaims = ''): Partial<Signed> => ({ inHeader, inClaims });
  return [
    {
      label: 'client assertion',
      most: MOST_BYTES.assertion,
      path: own,
      send: (...parts) => form(tokenForm(assertion(service, own, more(...parts)))),
    },
    {
      label: 'assertion about a user',
      most: MOST_BYTES.assertion,
      path: other,
      send: (...parts) => {
        const claims = { ...claimsOf(asserter, `${origin}/oauth2/default`), sub: userId };
        const about = assertion(asserter, other, { claims, ...more(...parts) });
        return form(
          tokenForm(assertion(asserter, other), { grant_type: JWT_BEARER, scope: 'openid', assertion: about }),
        );
      },
    },
    {
      label: 'proof of a key',
      most: MOST_BYTES.proof,
      path: own,
      send: (...parts) => form(tokenForm(assertion(bound, own)), { dpop: proof(more(...parts)) }),
    },
  ];
}

export const signedInputs = (signers: Signers, origin: string): WorstInput[] =>
  placesOf(signers, origin).flatMap(({ label, most, path, send }) => {
    const input = (part: string, where: 'claims' | 'header'): WorstInput => ({
      label: `${label}, ${where}: ${part}`,
      most,
      make: (bytes) => {
        const text = PARTS[part]?.(bytes) ?? '';
        return { path, options: where === 'claims' ? send('', text) : send(text) };
      },
    });
    return [...OF_CLAIMS.map((part) => input(part, 'claims')), ...OF_HEADERS.map((part) => input(part, 'header'))];
  });

export const honestRequests = (signers: Signers, origin: string) =>
  placesOf(signers, origin).map(({ label, path, send }) => ({ label, path, options: send() }));
