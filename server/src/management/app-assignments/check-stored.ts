import { assertReadsAsStored, storedText } from '../../kernel/stored.ts';
import { isAbsent, type Members } from '../../kernel/words/members.ts';
import { readPriority } from './groups/priority-rules.ts';
import { readUserName } from './names/user-name-rules.ts';

// Validates an imported row as if the app's user were replaced by their own API representation. Attributes are not
// checked here: their schema is in the same file and may have stricter limits than the row. 400 E0000001.

export function checkStoredAppUser(row: Members): void {
  if (isAbsent(row['user_name'])) return;
  assertReadsAsStored('user_name', row['user_name'], readUserName(storedText(row, 'user_name')));
}

export function checkStoredAppGroup({ priority }: Members): void {
  readPriority(priority);
}
