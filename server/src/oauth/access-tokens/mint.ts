import { sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { OrgId } from '../../kernel/ids.ts';
import type { Namespace } from '../../kernel/namespace.ts';
import type { SigningKeys } from '../keys/index.ts';
import type { Confirmation } from './claims-rules.ts';

/** Fixed (specification 8). */
export const ACCESS_TOKEN_LIFETIME_SECONDS = 3_600;

export interface NewAccessToken {
  readonly orgId: OrgId;
  /** From `newAccessTokenId`. */
  readonly jti: string;
  /** The org's address by which the client came; it is the audience as well. */
  readonly issuer: string;
  /** The client's id where no user is involved. */
  readonly subject: string;
  readonly clientId: string;
  /** Neutral: `users.read`. */
  readonly scopes: readonly string[];
  /** The request's instant, for `iat` and `exp`; the database's is in the `jti`. */
  readonly issuedAt: Date;
  readonly confirmation?: Confirmation;
}

export interface MintedToken {
  readonly token: string;
  readonly jti: string;
  readonly expiresAt: Date;
}

export interface AccessTokens {
  /** Signs an access token. Throws, and makes none, where the signing key can't be opened. */
  mint(token: NewAccessToken): Promise<MintedToken>;
}

/** The callback form signs on the thread pool: RS256 takes most of a millisecond. */
const signOnThreadPool = promisify(
  (data: Buffer, key: Parameters<typeof sign>[2], done: (error: Error | null, signature: Buffer) => void) =>
    sign('sha256', data, key, done),
);

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');

/** Access tokens of the org's authorization server: RS256 JWTs, header and claims as in contract section 7. */
export function createAccessTokens(ports: {
  readonly signingKeys: Pick<SigningKeys, 'signer'>;
  readonly namespace: Namespace;
}): AccessTokens {
  const { namespace, signingKeys } = ports;
  return {
    async mint({ orgId, jti, issuer, subject, clientId, scopes, issuedAt, confirmation }) {
      const { kid, key } = await signingKeys.signer(orgId);
      const iat = Math.floor(issuedAt.getTime() / 1_000);
      const exp = iat + ACCESS_TOKEN_LIFETIME_SECONDS;
      const claims = {
        ver: 1,
        jti,
        iss: issuer,
        aud: issuer,
        sub: subject,
        iat,
        exp,
        cid: clientId,
        scp: scopes.map((scope) => `${namespace.word}.${scope}`),
        ...(confirmation === undefined ? {} : { cnf: confirmation }),
      };
      const input = `${encode({ kid, alg: 'RS256' })}.${encode(claims)}`;
      const signature = await signOnThreadPool(Buffer.from(input, 'ascii'), key);
      return { token: `${input}.${signature.toString('base64url')}`, jti, expiresAt: new Date(exp * 1_000) };
    },
  };
}
