import { parseExpression } from '../../expression/index.ts';
import { storedText } from '../../kernel/stored.ts';
import { type Members, readChoice, refused } from '../../kernel/words/members.ts';
import { DIRECTIONS, type MappedProperties, PUSH_STATUSES } from './default-properties.ts';
import { MAXIMUM_NAMED } from './read-update.ts';

/**
 * Validates an imported row of a mapping. Attributes that its expressions name come with the same file, and are checked
 * when they are used. 400 E0000001.
 */
export function checkStoredMapping(row: Members): void {
  readChoice('direction', row['direction'], DIRECTIONS, null);
  const properties = Object.entries((row['properties'] ?? {}) as MappedProperties);
  if (properties.length > MAXIMUM_NAMED) throw refused('properties', `at most ${MAXIMUM_NAMED} may be named.`);
  for (const [name, property] of properties) {
    const place = `properties.${name.slice(0, 100)}`;
    readChoice(`${place}.pushStatus`, property.pushStatus, PUSH_STATUSES, null);
    const parsed = parseExpression(storedText({ ...property }, 'expression'));
    if (!parsed.ok) throw refused(`${place}.expression`, `${parsed.fault.message} at position ${parsed.fault.at}.`);
  }
}
