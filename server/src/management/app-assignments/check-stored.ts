import { assertReadsAsStored, storedText } from '../../kernel/stored.ts';
import { isAbsent, type Members } from '../../kernel/words/members.ts';
import { readPriority } from './groups/priority-rules.ts';
import { readUserName } from './names/user-name-rules.ts';

// Imported rows are validated as if their API representation were put back. Attributes follow the schema in the same
// file, and may be older than a limit of it. 400 E0000001.

export function checkStoredAppUser(row: Members): void {
  if (isAbsent(row['user_name'])) return;
  assertReadsAsStored('user_name', row['user_name'], readUserName(storedText(row, 'user_name')));
}

export function checkStoredAppGroup({ priority }: Members): void {
  readPriority(priority);
}
