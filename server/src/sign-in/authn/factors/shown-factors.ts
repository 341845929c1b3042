import type { Context } from '../../../kernel/context.ts';
import {
  type Factor,
  type FactorKind,
  type FactorPorts,
  factorsForSignIn,
  KINDS_TO_ENROLL,
  openSecret,
  readFactors,
} from '../../../management/factors/index.ts';
import type { UserRow } from '../../../management/users/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import type { AuthnState } from '../lifecycle.ts';
import type { FactorDetails } from '../store.ts';

/** The mailbox of a user, who proves with a code that they have it before they enroll their first factor. */
export interface Mailbox {
  readonly id: string;
  readonly factorType: 'email';
  readonly provider: 'OWN';
}

/** Shows enough of an address for its owner to know it, but not the whole to somebody who has only the password. */
export function maskedAddress(address: string): string {
  const at = Math.max(address.lastIndexOf('@'), 0);
  return `${at < 2 ? '' : address.slice(0, 1)}***${address.slice(at)}`;
}

export type OfferedFactor = Factor | Mailbox;

export const isMailbox = (factor: OfferedFactor): factor is Mailbox => factor.factorType === 'email';

/** Lists what a state can show: a choice of factors, the factor to prove, the kinds to enroll, or one to activate. */
export type ShownFactors =
  | { readonly kind: 'choice'; readonly factors: readonly OfferedFactor[] }
  | { readonly kind: 'challenge'; readonly factor: OfferedFactor }
  | { readonly kind: 'enrollment'; readonly kinds: readonly FactorKind[] }
  /** `secret` is the shared secret of one-time codes, which only the browser sees that enrolls the factor. */
  | { readonly kind: 'activation'; readonly factor: Factor; readonly secret: Buffer };

interface Held {
  readonly status: AuthnState;
  readonly details: FactorDetails;
}

/** Returns the factors that the user may choose: their own ones, or else their mailbox if it leads to an enrollment. */
export function offeredFactors({ details }: Pick<Held, 'details'>, held: readonly Factor[]): readonly OfferedFactor[] {
  const own = factorsForSignIn(held);
  const mailbox = details.mailbox ?? null;
  if (own.length > 0 || mailbox === null) return own;
  return [{ id: mailbox.factorId, factorType: 'email', provider: 'OWN' }];
}

/**
 * Reads what the state of a sign-in shows of second factors. Returns null if the state has none, and undefined if the
 * factor of the state is gone, so that the sign-in cannot go on.
 */
export async function readShownFactors(
  { masterKey }: Pick<FactorPorts, 'masterKey'>,
  db: Db,
  { orgId }: Context,
  user: UserRow,
  { details, status }: Held,
): Promise<ShownFactors | null | undefined> {
  if (!status.startsWith('MFA_')) return null;
  if (status === 'MFA_ENROLL') return { kind: 'enrollment', kinds: KINDS_TO_ENROLL };
  const held = await readFactors(db, orgId, user.id);
  if (status === 'MFA_ENROLL_ACTIVATE') {
    const pending = held.find(({ id, status: of }) => id === details.factorId && of === 'PENDING_ACTIVATION');
    if (pending === undefined) return undefined;
    return { kind: 'activation', factor: pending, secret: openSecret(masterKey, orgId, pending) };
  }
  const factors = offeredFactors({ details }, held);
  if (status === 'MFA_REQUIRED') return factors.length === 0 ? undefined : { kind: 'choice', factors };
  const factor = factors.find(({ id }) => id === details.factorId);
  return factor === undefined ? undefined : { kind: 'challenge', factor };
}
