import { nameKey } from '../../kernel/texts/text.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { columns, type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import { resourceStore } from '../resource/index.ts';

export interface ResourceSet {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  /** Changes to the set's resources raise the revision too. */
  readonly revision: number;
}

const COLUMNS = columns<ResourceSet>('resource_sets', {
  id: 'key',
  label: 'changes',
  description: 'changes',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});

export const RESOURCE_SETS = resourceStore('resource_set', COLUMNS);

const BY_ID_OR_LABEL = `select ${COLUMNS.select()} from resource_sets
  where org_id = $1 and (id = $2 or normalize(label, nfc) = $3)`;

/** Composed and decomposed spellings of a label are equal. */
export async function findResourceSet(db: Db, orgId: OrgId, idOrLabel: string): Promise<ResourceSet | undefined> {
  const values = [orgId, idOrLabel, nameKey(idOrLabel)];
  const [row] = await prepared<ResourceSet>(db, 'resource_set', BY_ID_OR_LABEL, values);
  return row;
}

export async function findResourceSetForUpdate(
  tx: Tx,
  orgId: OrgId,
  idOrLabel: string,
): Promise<ResourceSet | undefined> {
  const values = [orgId, idOrLabel, nameKey(idOrLabel)];
  const [row] = await prepared<ResourceSet>(tx, 'resource_set_for_update', `${BY_ID_OR_LABEL} for update`, values);
  return row;
}

/** The names of the permissions lack the namespace word. */
export async function findBoundPermissions(tx: Tx, orgId: OrgId, setId: string): Promise<readonly string[]> {
  const text = `select distinct p.permission from role_bindings b
    join custom_role_permissions p on p.org_id = b.org_id and p.role_id = b.role_id
    where b.org_id = $1 and b.resource_set_id = $2`;
  const rows = await prepared<{ permission: string }>(tx, 'resource_set_permissions', text, [orgId, setId]);
  return rows.map(({ permission }) => permission);
}
