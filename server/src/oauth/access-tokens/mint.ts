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

/** A token of a custom authorization server. */
export interface NewServerToken extends Omit<NewAccessToken, 'scopes'> {
  readonly serverId: string;
  /** Whom it is for: the server's audience. */
  readonly audience: string;
  /** Names of scopes of the server. */
  readonly scopes: readonly string[];
  readonly lifetimeSeconds: number;
  /** What the server's claims say, in their order; what the protocol says wins. */
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface MintedToken {
  readonly token: string;
  readonly jti: string;
  readonly expiresAt: Date;
}

export interface AccessTokens {
  /** Signs an access token. Throws, and makes none, where the signing key can't be opened. */
  mint(token: NewAccessToken): Promise<MintedToken>;
  /** The same by the key of a custom server. */
  mintForServer(token: NewServerToken): Promise<MintedToken>;
}

/** The callback form signs on the thread pool: RS256 takes most of a millisecond. */
const signOnThreadPool = promisify(
  (data: Buffer, key: Parameters<typeof sign>[2], done: (error: Error | null, signature: Buffer) => void) =>
    sign('sha256', data, key, done),
);

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');

type Protocol = Omit<NewAccessToken, 'orgId' | 'scopes'> & {
  readonly audience: string;
  readonly lifetimeSeconds: number;
  readonly scp: readonly string[];
};

/** Members in the contract's order (section 7). */
function protocolClaims({ audience, clientId, issuedAt, issuer, jti, lifetimeSeconds, scp, subject }: Protocol) {
  const iat = Math.floor(issuedAt.getTime() / 1_000);
  return { ver: 1, jti, iss: issuer, aud: audience, sub: subject, iat, exp: iat + lifetimeSeconds, cid: clientId, scp };
}

/** Access tokens of an org's authorization servers: RS256 JWTs, header and claims as in contract section 7. */
export function createAccessTokens(ports: {
  readonly signingKeys: Pick<SigningKeys, 'signer'>;
  readonly namespace: Namespace;
}): AccessTokens {
  const { namespace, signingKeys } = ports;

  async function signed(
    { kid, key }: Awaited<ReturnType<SigningKeys['signer']>>,
    claims: ReturnType<typeof protocolClaims> & { readonly cnf?: Confirmation },
  ): Promise<MintedToken> {
    const input = `${encode({ kid, alg: 'RS256' })}.${encode(claims)}`;
    const signature = await signOnThreadPool(Buffer.from(input, 'ascii'), key);
    const { exp, jti } = claims;
    return { token: `${input}.${signature.toString('base64url')}`, jti, expiresAt: new Date(exp * 1_000) };
  }

  const confirmed = (cnf: Confirmation | undefined) => (cnf === undefined ? {} : { cnf });

  return {
    async mint({ confirmation, orgId, scopes, ...token }) {
      const claims = protocolClaims({
        ...token,
        audience: token.issuer,
        lifetimeSeconds: ACCESS_TOKEN_LIFETIME_SECONDS,
        scp: scopes.map((scope) => `${namespace.word}.${scope}`),
      });
      return signed(await signingKeys.signer(orgId), { ...claims, ...confirmed(confirmation) });
    },
    async mintForServer({ claims: own, confirmation, orgId, scopes, serverId, ...token }) {
      const claims = protocolClaims({ ...token, scp: scopes });
      const key = await signingKeys.signer(orgId, serverId);
      // First for their places, then again for their values: no claim of a server overwrites one of the protocol.
      return signed(key, { ...claims, ...own, ...claims, ...confirmed(confirmation) });
    },
  };
}
