import type { ClientId, OrgId } from '../../kernel/words/ids.ts';
import type { Namespace } from '../../kernel/words/namespace.ts';
import { type SigningKeys, signJws } from '../keys/index.ts';
import type { Actor } from './actor-rules.ts';
import type { Confirmation } from './claims-rules.ts';

/** The specification fixes this lifetime (section 8). */
export const ACCESS_TOKEN_LIFETIME_SECONDS = 3_600;

export interface TokenUserClaims {
  readonly id: string;
  /** The time at which the user authenticated; null if the user was absent. */
  readonly authTime: Date | null;
}

export interface NewAccessToken {
  readonly orgId: OrgId;
  readonly jti: string;
  /** The issuer; on the org's own server, also the audience. */
  readonly issuer: string;
  readonly subject: string;
  readonly clientId: ClientId;
  /** The user whom the token is about. Absent means that the client acts for itself. */
  readonly user?: TokenUserClaims;
  /**
   * The scopes. `mint` takes scopes without the namespace word (for example, `users.read`), and `mintUser` takes scopes
   * as tokens contain them.
   */
  readonly scopes: readonly string[];
  /** The request's time, for `iat` and `exp`; the database's time is in the `jti`. */
  readonly issuedAt: Date;
  readonly confirmation?: Confirmation;
  readonly actor?: Actor;
}

export interface NewServerToken extends Omit<NewAccessToken, 'orgId' | 'scopes'> {
  /** The configured audience of the server. */
  readonly audience: string;
  readonly scopes: readonly string[];
  readonly lifetimeSeconds: number;
  /** The server's configured claims, in the order in which the token contains them. Protocol claims take precedence. */
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface MintedToken {
  readonly token: string;
  readonly jti: string;
  readonly expiresAt: Date;
}

export interface TokenSigner {
  mint(token: Omit<NewAccessToken, 'orgId'>): Promise<MintedToken>;
  /** Mints a token of the org's own server about a user. The scopes are spelled as they appear on the wire. */
  mintUser(
    token: Omit<NewAccessToken, 'orgId'> & { readonly user: TokenUserClaims; readonly lifetimeSeconds?: number },
  ): Promise<MintedToken>;
  mintForServer(token: NewServerToken): Promise<MintedToken>;
  /** Signs other claims, such as those of an ID token. */
  signClaims(claims: object): Promise<string>;
}

/** Throws if the key could not be opened. */
export type OpenedSigner = () => TokenSigner;

export interface AccessTokens {
  /**
   * Opens the key of a server, by default the org's own server. Call this before the transaction that consumes a grant,
   * and use the result inside it. If the key cannot be opened, the grant is then not consumed.
   */
  signer(orgId: OrgId, serverId?: string): Promise<OpenedSigner>;
  mint(token: NewAccessToken): Promise<MintedToken>;
}

const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000);

type Protocol = Omit<NewAccessToken, 'orgId' | 'scopes' | 'actor'> & {
  readonly audience: string;
  readonly lifetimeSeconds: number;
  readonly scp: readonly string[];
};

type Key = Awaited<ReturnType<SigningKeys['signer']>>;

/** Lists the members in the order of contract section 7. */
function protocolClaims({ audience, clientId, issuedAt, issuer, jti, lifetimeSeconds, scp, subject, user }: Protocol) {
  const iat = seconds(issuedAt);
  const head = {
    ver: 1,
    jti,
    iss: issuer,
    aud: audience,
    sub: subject,
    iat,
    exp: iat + lifetimeSeconds,
    cid: clientId,
  };
  if (user === undefined) return { ...head, scp };
  const { authTime, id: uid } = user;
  return authTime === null ? { ...head, uid, scp } : { ...head, uid, scp, auth_time: seconds(authTime) };
}

const jwsOf = ({ kid, key }: Key, claims: object): Promise<string> => signJws({ kid, alg: 'RS256' }, claims, key);

const bound = ({ actor, confirmation }: Pick<NewAccessToken, 'actor' | 'confirmation'>) => ({
  ...(confirmation === undefined ? {} : { cnf: confirmation }),
  ...(actor === undefined ? {} : { act: actor }),
});

function signerOver(namespace: Namespace, key: Key): TokenSigner {
  async function signed(claims: ReturnType<typeof protocolClaims> & ReturnType<typeof bound>): Promise<MintedToken> {
    const { exp, jti } = claims;
    return { token: await jwsOf(key, claims), jti, expiresAt: new Date(exp * 1_000) };
  }

  function mintAtOrg({
    lifetimeSeconds = ACCESS_TOKEN_LIFETIME_SECONDS,
    scopes,
    ...token
  }: Omit<NewAccessToken, 'orgId'> & { readonly lifetimeSeconds?: number }): Promise<MintedToken> {
    const claims = protocolClaims({ ...token, audience: token.issuer, lifetimeSeconds, scp: scopes });
    return signed({ ...claims, ...bound(token) });
  }

  return {
    mint: (token) => mintAtOrg({ ...token, scopes: token.scopes.map((scope) => `${namespace.word}.${scope}`) }),
    mintUser: mintAtOrg,
    signClaims: (claims) => jwsOf(key, claims),
    mintForServer({ claims: own, scopes, ...token }) {
      const claims = protocolClaims({ ...token, scp: scopes });
      // Protocol claims come first to fix the order, and again last, so that no claim of a server overwrites them.
      return signed({ ...claims, ...own, ...claims, ...bound(token) });
    },
  };
}

/** Creates the signers of access tokens, which are RS256 JWTs with the header and claims of contract section 7. */
export function createAccessTokens(ports: {
  readonly signingKeys: Pick<SigningKeys, 'signer'>;
  readonly namespace: Namespace;
}): AccessTokens {
  const { namespace, signingKeys } = ports;

  async function signer(orgId: OrgId, serverId?: string): Promise<OpenedSigner> {
    try {
      const opened = signerOver(namespace, await signingKeys.signer(orgId, serverId));
      return () => opened;
    } catch (error) {
      return () => {
        throw error;
      };
    }
  }

  return { signer, mint: async ({ orgId, ...token }) => (await signer(orgId))().mint(token) };
}
