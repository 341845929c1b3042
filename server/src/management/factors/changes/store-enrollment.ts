import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { MasterKey } from '../../../platform/crypto/index.ts';
import type { StoredPassword } from '../../../platform/crypto/passwords/index.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import type { Change, Record } from '../../../system-log/index.ts';
import { type UserRow, userTarget } from '../../users/index.ts';
import { assertInUse } from '../guards.ts';
import type { FactorKind } from '../kinds/factor-kinds.ts';
import type { QuestionKey } from '../kinds/question-rules.ts';
import type { FactorPorts } from '../ports.ts';
import { newSharedSecret, sealSecret } from '../secrets.ts';
import { deleteFactor, type Factor, insertFactor, readFactors } from '../store.ts';
import { factorChange } from '../wire.ts';
import { tellUser } from './tell-user.ts';

/** The state of a factor of which no code or answer was tried. */
const UNTRIED = { lastStep: null, driftSteps: 0, wrongCodes: 0, waitsUntil: null } as const;

export interface QuestionAnswer {
  readonly question: QuestionKey;
  readonly answer: StoredPassword;
}

export interface NewFactor {
  readonly factor: Factor;
  /** The shared secret of one-time codes. It is null for a security question. */
  readonly secret: Buffer | null;
}

/** Makes a factor of a kind, which is not stored yet. Only a security question has an answer. */
export function newFactor(
  masterKey: MasterKey,
  { now, orgId }: Context,
  userId: string,
  { factorType, idKind, proof, provider, statusOfNew }: FactorKind,
  answered: QuestionAnswer | null,
): NewFactor {
  const secret = proof === 'passCode' ? newSharedSecret() : null;
  const [id, createdAt] = [newId(idKind, orgSuffixOf(orgId)), wholeSecond(now)];
  const factor: Factor = {
    userId,
    id,
    factorType,
    provider,
    status: statusOfNew,
    question: answered?.question ?? null,
    sealedSecret: secret === null ? null : sealSecret(masterKey, orgId, userId, id, secret),
    answer: answered?.answer ?? null,
    ...UNTRIED,
    createdAt,
    lastUpdatedAt: createdAt,
  };
  return { factor, secret };
}

/** Finds the pending factor of this kind, which a new one replaces. Throws 400 E0000001 for an active one. */
export async function findReplaced(
  db: Db,
  { orgId }: Context,
  userId: string,
  { factorType, provider }: Pick<Factor, 'factorType' | 'provider'>,
): Promise<Factor | null> {
  const held = await readFactors(db, orgId, userId);
  const same = held.find((one) => one.factorType === factorType && one.provider === provider);
  if (same?.status === 'ACTIVE') throw invalid('factorType', 'The user has this factor already.');
  return same ?? null;
}

/** Stores a new factor in place of a pending one of its kind. The caller has locked the row of its user. */
export async function storeEnrollment(
  ports: FactorPorts,
  tx: Tx,
  record: Record,
  context: Context,
  user: UserRow,
  factor: Factor,
): Promise<void> {
  assertInUse(user);
  const replaced = await findReplaced(tx, context, user.id, factor);
  if (replaced !== null) await deleteFactor(tx, context.orgId, replaced);
  await insertFactor(tx, context.orgId, factor);
  const targetOf = (...sides: Change<Factor>) => [userTarget(user), factorChange(sides)];
  if (replaced !== null) record({ eventType: 'user.mfa.factor.deactivate', target: targetOf(replaced, null) });
  const isActive = factor.status === 'ACTIVE';
  record({
    eventType: isActive ? 'user.mfa.factor.activate' : 'user.mfa.factor.update',
    target: targetOf(null, factor),
  });
  if (isActive) await tellUser(ports, tx, context, 'factorEnrolled', user);
}
