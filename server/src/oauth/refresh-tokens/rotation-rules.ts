/** The setting that decides how an app's refresh tokens change when they are used (contract section 7). */
export interface Rotation {
  readonly rotation_type: 'ROTATE' | 'STATIC';
  /** For this many seconds after a rotation, a client that uses the previous token gets the current one. */
  readonly leeway: number;
}

export interface RotationState {
  readonly generation: number;
  /** Null means that the token was never rotated. */
  readonly rotatedAt: Date | null;
}

/**
 * `rotate` returns the next generation, and `again` returns the current one. `reuse` ends the token's family (RFC 9700
 * 4.14.2).
 */
export type Turn = 'rotate' | 'again' | 'reuse';

/** Decides what happens when a genuine token of the generation `presented` is used. */
export function turnOf(
  { leeway, rotation_type: type }: Rotation,
  state: RotationState,
  presented: number,
  now: Date,
): Turn {
  const { generation, rotatedAt } = state;
  if (presented > generation) return 'reuse';
  if (presented === generation) return type === 'STATIC' ? 'again' : 'rotate';
  const isLast = presented === generation - 1 && rotatedAt !== null;
  // With a leeway of 0, two uses do not share a result even in the same millisecond.
  return isLast && leeway > 0 && now.getTime() <= rotatedAt.getTime() + leeway * 1_000 ? 'again' : 'reuse';
}

const WITHOUT_SETTING: Rotation = { rotation_type: 'ROTATE', leeway: 0 };

/** Tokens that neither client authentication nor a key protects must rotate, whatever the setting (RFC 9700 2.2.2). */
export function rotationFor(
  stored: Rotation | null,
  client: { readonly method: string; readonly isBound: boolean },
): Rotation {
  const rotation = stored ?? WITHOUT_SETTING;
  return client.method === 'none' && !client.isBound ? { ...rotation, rotation_type: 'ROTATE' } : rotation;
}

export interface Limits {
  /** A `lifetimeMinutes` of 0 means that there is no limit. */
  readonly lifetimeMinutes: number;
  readonly idleMinutes: number;
}

const MINUTE_MILLISECONDS = 60_000;

/** A null `expiresAt` means that there is no absolute expiry. */
export function expiriesOf(
  { idleMinutes, lifetimeMinutes }: Limits,
  createdAt: Date,
  now: Date,
): { readonly idleExpiresAt: Date; readonly expiresAt: Date | null } {
  const idle = new Date(now.getTime() + idleMinutes * MINUTE_MILLISECONDS);
  if (lifetimeMinutes === 0) return { idleExpiresAt: idle, expiresAt: null };
  const expiresAt = new Date(createdAt.getTime() + lifetimeMinutes * MINUTE_MILLISECONDS);
  return { idleExpiresAt: idle < expiresAt ? idle : expiresAt, expiresAt };
}

export const isOver = (
  { expiresAt, idleExpiresAt }: { readonly expiresAt: Date | null; readonly idleExpiresAt: Date },
  now: Date,
): boolean => now >= idleExpiresAt || (expiresAt !== null && now >= expiresAt);
