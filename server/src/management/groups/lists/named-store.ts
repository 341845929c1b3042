import type { OrgId } from '../../../kernel/words/ids.ts';
import { type Db, run } from '../../../platform/postgres/index.ts';
import { textKey } from '../../../search/index.ts';

/** Finds groups by name, ignoring case. Names of groups of apps are not unique, so these are left out. */
export async function findGroupIdsByName(
  db: Db,
  orgId: OrgId,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const text = `select g.name_key as "nameKey", g.id from groups g
    where g.org_id = $1 and g.name_key = any($2::text[]) and g.type <> 'APP_GROUP'`;
  const rows = await run<{ nameKey: string; id: string }>(db, text, [orgId, names.map(textKey)]);
  const byKey = new Map(rows.map(({ id, nameKey }) => [nameKey, id]));
  return new Map(
    names.flatMap((name): [string, string][] => {
      const id = byKey.get(textKey(name));
      return id === undefined ? [] : [[name, id]];
    }),
  );
}
