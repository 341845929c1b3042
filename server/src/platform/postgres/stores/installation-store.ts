import type { Db } from '../connections/database.ts';
import { prepared } from '../connections/statements.ts';

export async function findInstallationFact(db: Db, name: string): Promise<string | null> {
  const text = 'select value from installation where name = $1';
  const [row] = await prepared<{ value: string }>(db, 'installation_find', text, [name]);
  return row?.value ?? null;
}

/** Stores a fact unless it exists, and returns the stored value. */
export async function noteInstallationFact(db: Db, name: string, value: string): Promise<string> {
  const text = 'insert into installation (name, value) values ($1, $2) on conflict (name) do nothing';
  await prepared(db, 'installation_note', text, [name, value]);
  return (await findInstallationFact(db, name)) ?? value;
}
