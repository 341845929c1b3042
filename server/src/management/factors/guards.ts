import { type Context, userIdOf } from '../../kernel/context.ts';
import { apiError } from '../../kernel/errors/errors.ts';
import { STATUSES_IN_USE } from '../../kernel/user-statuses.ts';
import type { UserRow } from '../users/index.ts';
import type { Factor } from './store.ts';

/** Throws unless the account is in use: the factors of other accounts prove nothing. */
export function assertInUse({ status }: UserRow): void {
  if (status === 'LOCKED_OUT') throw apiError('E0000069');
  if (!STATUSES_IN_USE.includes(status)) throw apiError('E0000038');
}

/** The principals that act for a person at a screen, whose password may be all that a thief has. */
const AT_SCREENS: readonly Context['principal']['kind'][] = ['session', 'oauthUser'];

const isAtScreen = ({ principal }: Context): boolean => AT_SCREENS.includes(principal.kind);

/**
 * Throws 403 E0000006 if somebody at a screen enrolls a factor. For somebody else, they would learn the secret or the
 * answer. For themselves, they would need to prove more than their password, which no page of a session asks for yet.
 * Programs with an API token and service apps pass the secret on.
 */
export function assertMayEnroll(context: Context): void {
  if (isAtScreen(context)) throw apiError('E0000006');
}

/** Throws 403 E0000006 if somebody at a screen removes their own factor, for which they would need to prove more. */
export function assertMayRemove(context: Context, { id }: UserRow): void {
  if (isAtScreen(context) && userIdOf(context.principal) === id) throw apiError('E0000006');
}

/** Throws 429 E0000047 while wrong codes make the factor wait. The headers state the end of the wait. */
export function assertNotWaiting({ now }: Context, { waitsUntil }: Pick<Factor, 'waitsUntil'>): void {
  if (waitsUntil === null || waitsUntil <= now) return;
  const headers = {
    'x-rate-limit-limit': '1',
    'x-rate-limit-remaining': '0',
    'x-rate-limit-reset': String(Math.ceil(waitsUntil.getTime() / 1_000)),
  };
  throw apiError('E0000047', { headers });
}
