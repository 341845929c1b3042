import type { Context } from '../../../kernel/context.ts';
import { notValid } from '../../../kernel/errors/field-errors.ts';
import {
  type Factor,
  factorNotFound,
  factorsForSignIn,
  KINDS_TO_ENROLL,
  newFactor,
  readFactors,
  readKind,
  storeEnrollment,
} from '../../../management/factors/index.ts';
import type { AuthnPorts } from '../ports.ts';
import type { SignedIn, UnderWay } from '../transactions/authn-answer.ts';
import {
  actingAs,
  endTransaction,
  invalidToken,
  lockAdmitted,
  moveTransaction,
  type Opened,
  openTransaction,
} from '../transactions/transactions.ts';
import { showMoved } from './show-moved.ts';
import { signInWithFactor } from './verify-factor.ts';

/** Only a first factor is enrolled in a sign-in: whoever has one must prove it. */
const mayEnroll = ({ transaction }: Opened, held: readonly Factor[]): boolean =>
  transaction.details.mayEnroll === true && factorsForSignIn(held).length === 0;

export interface EnrollmentAtSignIn {
  readonly stateToken: string;
  readonly factorType: string;
  readonly provider: string;
}

/** Enrolls the first factor of a user who signs in. It is pending until its device has sent a right code. */
export async function enrollFactorAtSignIn(
  ports: AuthnPorts,
  given: Context,
  { stateToken, ...named }: EnrollmentAtSignIn,
): Promise<UnderWay> {
  const opened = await openTransaction(ports, given, stateToken, 'enroll');
  const context = actingAs(given, opened.user);
  const kind = readKind(context, named);
  if (!KINDS_TO_ENROLL.some((one) => one === kind)) throw notValid('factorType');
  const { factor } = newFactor(ports.masterKey, context, opened.user.id, kind, null);
  const shown = await ports.users.work(context, async (tx, record) => {
    const locked = await lockAdmitted(tx, record, context, opened, 'enroll');
    if (locked === null) return null;
    if (!mayEnroll(locked, await readFactors(tx, context.orgId, locked.user.id))) {
      await endTransaction(tx, context, locked);
      return null;
    }
    await storeEnrollment(ports, tx, record, context, locked.user, factor);
    const transaction = await moveTransaction(tx, context, locked, 'MFA_ENROLL_ACTIVATE', { factorId: factor.id });
    return showMoved(ports, tx, context, { ...locked, transaction }, stateToken);
  });
  if (shown === null) throw invalidToken();
  return shown;
}

/** Activates the factor with the first code of its device, and signs the user in. */
export async function activateFactorAtSignIn(
  ports: AuthnPorts,
  given: Context,
  { factorId, passCode, stateToken }: { readonly stateToken: string; factorId: string; passCode: string },
): Promise<SignedIn> {
  const opened = await openTransaction(ports, given, stateToken, 'activate');
  const context = actingAs(given, opened.user);
  const held = await readFactors(ports.users.db, context.orgId, opened.user.id);
  const factor = held.find(({ id }) => id === factorId && id === opened.transaction.details.factorId);
  if (factor === undefined) throw factorNotFound(factorId);
  return signInWithFactor(ports, context, opened, {
    step: 'activate',
    factor,
    proof: { passCode },
    mayTake: mayEnroll,
  });
}
