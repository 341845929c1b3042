import type { Context } from '../../kernel/context.ts';
import type { Foundation } from '../../system-log/index.ts';
import type { RotationMode } from './servers/server-rules.ts';

/** The key with which a server currently signs tokens (contract section 18). */
export interface ServerSigning {
  readonly kid: string;
  readonly lastRotated: Date;
  /** Null if the key is not rotated automatically. */
  readonly nextRotation: Date | null;
}

/**
 * Returns the current keys of these servers, by the ids of the servers. A server without a key has no entry. `make`
 * creates missing keys.
 */
export type SigningOf = (
  context: Context,
  servers: readonly { readonly id: string; readonly rotationMode: RotationMode }[],
  options?: { readonly make: boolean },
) => Promise<ReadonlyMap<string, ServerSigning>>;

export interface AuthorizationServersPorts extends Pick<Foundation, 'db' | 'work' | 'cursors'> {
  readonly signingOf: SigningOf;
}
