import { assertReadsAsStored, storedText } from '../../kernel/stored.ts';
import type { Members } from '../../kernel/words/members.ts';
import { readName, readSettings, readType } from './rules.ts';

export function checkStoredBehavior(row: Members): void {
  const name = storedText(row, 'name');
  readName(name, name);
  const settings = row['settings'] as Members;
  assertReadsAsStored('settings', settings, readSettings(readType(storedText(row, 'type')), settings));
}
