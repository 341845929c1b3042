import { invalid } from '../../kernel/errors/errors.ts';
import { storedText } from '../../kernel/stored.ts';
import type { Members } from '../../kernel/words/members.ts';
import { textKey } from '../../search/index.ts';

export function checkStoredGroup(row: Members): void {
  const name = storedText(row, 'name');
  const profile = row['profile'] as Members;
  if (profile['name'] !== name) throw invalid('profile.name', 'must be the name of the group.');
  if (storedText(row, 'name_key') !== textKey(name)) throw invalid('name_key', 'must be that of the name.');
}
