import { parseExpression } from '../../expression/index.ts';
import { invalid } from '../../kernel/errors/errors.ts';
import { tooMany } from '../../kernel/errors/field-errors.ts';
import { storedText } from '../../kernel/stored.ts';
import { type Members, readChoice } from '../../kernel/words/members.ts';
import { DIRECTIONS, type MappedProperties, PUSH_STATUSES } from './default-properties.ts';
import { MAXIMUM_NAMED } from './read-update.ts';

/** Attributes are not checked, because the same file may define them. */
export function checkStoredMapping(row: Members): void {
  readChoice('direction', row['direction'], DIRECTIONS, null);
  const properties = Object.entries((row['properties'] ?? {}) as MappedProperties);
  if (properties.length > MAXIMUM_NAMED) throw tooMany('properties', MAXIMUM_NAMED);
  for (const [name, property] of properties) {
    const place = `properties.${name.slice(0, 100)}`;
    readChoice(`${place}.pushStatus`, property.pushStatus, PUSH_STATUSES, null);
    const parsed = parseExpression(storedText({ ...property }, 'expression'));
    if (!parsed.ok) throw invalid(`${place}.expression`, `${parsed.fault.message} at position ${parsed.fault.at}.`);
  }
}
