import type { Context } from '../../kernel/context.ts';
import type { Foundation } from '../../system-log/index.ts';
import type { RotationMode } from './servers/server-rules.ts';

export interface ServerSigning {
  readonly kid: string;
  readonly lastRotated: Date;
  /** This is null if the key is not rotated automatically. */
  readonly nextRotation: Date | null;
}

/** `make` creates missing keys. Without `make`, a server that has no key is left out. */
export type SigningOf = (
  context: Context,
  servers: readonly { readonly id: string; readonly rotationMode: RotationMode }[],
  options?: { readonly make: boolean },
) => Promise<ReadonlyMap<string, ServerSigning>>;

export interface AuthorizationServersPorts extends Pick<Foundation, 'db' | 'work' | 'cursors'> {
  readonly signingOf: SigningOf;
}
