import { assertReadsAsStored, storedText } from '../../kernel/stored.ts';
import { isAbsent, type Members } from '../../kernel/words/members.ts';
import { readPriority } from './groups/priority-rules.ts';
import { readUserName } from './names/user-name-rules.ts';

// These functions check members of imported rows against the rules of the API.

export function checkStoredAppUser(row: Members): void {
  if (isAbsent(row['user_name'])) return;
  assertReadsAsStored('user_name', row['user_name'], readUserName(storedText(row, 'user_name')));
}

export function checkStoredAppGroup({ priority }: Members): void {
  readPriority(priority);
}
