import type { OrgId } from '../../../kernel/words/ids.ts';
import { type Db, run } from '../../../platform/postgres/index.ts';
import { textKey } from '../../../search/index.ts';

/** Finds groups by name, ignoring case. Groups of apps are left out, because their names are not unique. */
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
