import { isRoleType, ROLES, type RoleType } from '../../access/index.ts';
import { invalid } from '../../kernel/errors/errors.ts';
import { storedText } from '../../kernel/stored.ts';
import type { Members } from '../../kernel/words/members.ts';

function readRoleType(row: Members): RoleType {
  const type = storedText(row, 'role_type');
  if (!isRoleType(type)) throw invalid('role_type', 'There is no such role.');
  return type;
}

export function checkStoredAssignment(row: Members): void {
  const { targets } = ROLES[readRoleType(row)];
  if (row['is_targeted'] === true && targets === null) throw invalid('is_targeted', 'This role has no targets.');
}

export function checkStoredTarget(row: Members): void {
  const { targets } = ROLES[readRoleType(row)];
  const kind = row['target_type'] === 'GROUP' ? 'groups' : 'apps';
  if (targets !== kind) throw invalid('target_type', 'This role has no such targets.');
}
