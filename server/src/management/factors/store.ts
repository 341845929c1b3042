import type { OrgId } from '../../kernel/words/ids.ts';
import type { StoredPassword } from '../../platform/crypto/passwords/index.ts';
import { columns, type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import { type FactorProvider, type FactorStatus, type FactorType, MAXIMUM_FACTORS } from './kinds/factor-kinds.ts';
import type { QuestionKey } from './kinds/question-rules.ts';

export interface Factor {
  readonly userId: string;
  readonly id: string;
  readonly factorType: FactorType;
  readonly provider: FactorProvider;
  readonly status: FactorStatus;
  readonly question: QuestionKey | null;
  readonly sealedSecret: Buffer | null;
  readonly answer: StoredPassword | null;
  readonly lastStep: number | null;
  readonly driftSteps: number;
  readonly wrongCodes: number;
  readonly waitsUntil: Date | null;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
}

const FACTORS = columns<Factor>('user_factors', {
  userId: 'key',
  id: 'key',
  factorType: 'fixed',
  provider: 'fixed',
  status: 'changes',
  question: 'fixed',
  sealedSecret: 'fixed',
  answer: 'fixed json',
  lastStep: 'changes',
  driftSteps: 'changes',
  wrongCodes: 'changes',
  waitsUntil: 'changes',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
});
const SELECT = `select ${FACTORS.select()} from user_factors`;
const INSERT = FACTORS.insert();
const UPDATE = FACTORS.update();

export const readFactors = (db: Db, orgId: OrgId, userId: string): Promise<Factor[]> =>
  prepared<Factor>(
    db,
    'factors_of_user',
    `${SELECT} where org_id = $1 and user_id = $2 order by id limit ${MAXIMUM_FACTORS}`,
    [orgId, userId],
  );

export async function findFactor(db: Db, orgId: OrgId, userId: string, id: string): Promise<Factor | undefined> {
  const [row] = await prepared<Factor>(db, 'factor_by_id', `${SELECT} where ${FACTORS.isKey}`, [orgId, userId, id]);
  return row;
}

export async function findFactorForUpdate(
  tx: Tx,
  orgId: OrgId,
  userId: string,
  id: string,
): Promise<Factor | undefined> {
  const text = `${SELECT} where ${FACTORS.isKey} for update`;
  const [row] = await prepared<Factor>(tx, 'factor_for_update', text, [orgId, userId, id]);
  return row;
}

export async function insertFactor(tx: Tx, orgId: OrgId, factor: Factor): Promise<void> {
  await prepared(tx, 'factor_insert', INSERT.text, INSERT.values(orgId, factor));
}

export async function updateFactor(tx: Tx, orgId: OrgId, factor: Factor): Promise<void> {
  await prepared(tx, 'factor_update', UPDATE.text, UPDATE.values(orgId, factor));
}

export async function deleteFactor(tx: Tx, orgId: OrgId, { id, userId }: Factor): Promise<void> {
  await prepared(tx, 'factor_delete', `delete from user_factors where ${FACTORS.isKey}`, [orgId, userId, id]);
}

/** Deletes all factors of a user and returns them. */
export const deleteFactors = (tx: Tx, orgId: OrgId, userId: string): Promise<Factor[]> =>
  prepared<Factor>(
    tx,
    'factors_delete',
    `delete from user_factors where org_id = $1 and user_id = $2 returning ${FACTORS.select()}`,
    [orgId, userId],
  );
