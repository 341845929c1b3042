import type { Context } from '../../../kernel/context.ts';
import type { ClientCredentials, LiveClient } from '../../../management/apps/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { TokenSigner } from '../../access-tokens/index.ts';
import type { GrantRefusal } from '../grants/user-grant.ts';

export interface Granted {
  /** Scopes are spelled as they appear on the wire. */
  readonly scopes: readonly string[];
  readonly lifetimeSeconds: number;
  readonly sign: (
    signer: TokenSigner,
    token: Pick<Parameters<TokenSigner['mint']>[0], 'jti' | 'clientId' | 'issuedAt' | 'confirmation'>,
  ) => Promise<{ readonly token: string }>;
  readonly debugData?: Readonly<Record<string, string>>;
}

/**
 * Returns a function that locks what a client's token depends on besides the client. The locking function returns
 * another function, which decides about the token.
 */
export type LockParents = (
  context: Context,
  client: ClientCredentials,
  requestedScopes: string,
) => (tx: Tx) => Promise<(live: LiveClient) => Granted | GrantRefusal>;
