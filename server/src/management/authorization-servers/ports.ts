import type { Context } from '../../kernel/context.ts';
import type { CursorCodec } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { Work } from '../../system-log/index.ts';
import type { RotationMode } from './servers/server-rules.ts';

/** The key by which a server signs now (contract section 18). */
export interface ServerSigning {
  readonly kid: string;
  readonly lastRotated: Date;
  /** Null: nothing rotates it by itself. */
  readonly nextRotation: Date | null;
}

/**
 * What the keys of these servers say, by the servers' ids; a server that has no key yet has no entry. `make`: then it
 * is given one.
 */
export type SigningOf = (
  context: Context,
  servers: readonly { readonly id: string; readonly rotationMode: RotationMode }[],
  options?: { readonly make: boolean },
) => Promise<ReadonlyMap<string, ServerSigning>>;

export interface AuthorizationServersPorts {
  readonly db: Db;
  readonly work: Work;
  readonly cursors: CursorCodec;
  readonly signingOf: SigningOf;
}
