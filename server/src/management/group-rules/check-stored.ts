import { parseExpression } from '../../expression/index.ts';
import { invalid } from '../../kernel/errors/errors.ts';
import { assertReadsAsStored, storedText } from '../../kernel/stored.ts';
import type { Members } from '../../kernel/words/members.ts';
import { MAXIMUM_TARGET_GROUPS, readIds, readName } from './rules.ts';

/** The attributes in the expression are not checked, because the same file may define them. */
export function checkStoredGroupRule(row: Members): void {
  const name = storedText(row, 'name');
  readName(name, name);
  const parsed = parseExpression(storedText(row, 'expression'));
  if (!parsed.ok) throw invalid('expression', `${parsed.fault.message} at position ${parsed.fault.at}.`);
  for (const column of ['target_group_ids', 'excluded_group_ids']) {
    const ids = row[column] as readonly string[];
    assertReadsAsStored(column, ids, readIds(ids, column, MAXIMUM_TARGET_GROUPS));
  }
}
