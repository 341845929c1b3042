import type { Context } from '../../kernel/context.ts';
import { assertReadsAsStored, storedText } from '../../kernel/stored.ts';
import type { AttributeCondition } from '../../kernel/words/held-role.ts';
import type { Members } from '../../kernel/words/members.ts';
import type { PermissionInput } from './contract.ts';
import { readDescription, readLabel } from './name-rules.ts';
import {
  readConditions,
  readPermissionName,
  wireConditions,
  wirePermissionName,
} from './permissions/permission-names.ts';

// These functions validate imported rows against the rules of the API.

export function checkStoredLabel(row: Members): void {
  const label = storedText(row, 'label');
  readLabel(label, label);
  readDescription(storedText(row, 'description'));
}

export function checkStoredPermission(row: Members, { namespace }: Context): void {
  const name = readPermissionName(wirePermissionName(storedText(row, 'permission'), namespace), namespace);
  const stored = (row['conditions'] ?? null) as AttributeCondition | null;
  const wire = wireConditions(stored, namespace) as PermissionInput['conditions'];
  assertReadsAsStored('conditions', stored, readConditions(wire, name, namespace));
}
