import type { Context } from '../../../kernel/context.ts';
import { invalid, invalidObject } from '../../../kernel/errors/errors.ts';
import { notOneOf } from '../../../kernel/errors/field-errors.ts';
import { assertReadsAsStored } from '../../../kernel/stored.ts';
import { type Members, readItems } from '../../../kernel/words/members.ts';
import { type CustomAttribute, SELF_ACTIONS } from '../attributes/attribute.ts';
import { type BaseOverrides, profileSchema } from '../attributes/base-profile.ts';
import { problemOfPattern } from '../attributes/patterns.ts';
import { readAttribute } from '../attributes/read-attribute.ts';
import type { SchemaKind } from '../attributes/wire-attribute.ts';
import { GROUP_OWNER } from '../profiles/profile-schema-store.ts';
import { isAttributeName, MAXIMUM_ATTRIBUTES } from './read-custom-update.ts';

function checkCustom(value: unknown, kind: SchemaKind, { namespace }: Context): void {
  const names = new Set<string>();
  for (const item of readItems('custom_attributes', value, MAXIMUM_ATTRIBUTES)) {
    const { attributeId, definition, name } = item as CustomAttribute;
    if (!isAttributeName(name)) throw invalid('custom_attributes', 'must have valid attribute names.');
    if (names.has(name.toLowerCase())) throw invalid(name, 'There is another attribute of this name.');
    names.add(name.toLowerCase());
    if (!Number.isSafeInteger(attributeId)) throw invalid(`${name}.attributeId`, 'must be a whole number.');
    const read = readAttribute({}, definition, { kind, upperWord: namespace.upper });
    if (read.problems.length > 0) {
      throw invalidObject(
        name,
        read.problems.map((problem) => `${name}: ${problem}`),
      );
    }
    assertReadsAsStored(name, definition, read.definition);
  }
}

function checkOverrides(overrides: BaseOverrides): void {
  const base = profileSchema();
  for (const [name, { pattern, permission }] of Object.entries(overrides)) {
    if (!base.has(name)) throw invalid(name, 'There is no base attribute of this name.');
    const problem = pattern === undefined ? null : problemOfPattern(pattern);
    if (problem !== null) throw invalid(`${name}.pattern`, problem);
    if (permission === undefined || SELF_ACTIONS.includes(permission)) continue;
    throw notOneOf(`${name}.permission`, SELF_ACTIONS);
  }
}

export function checkStoredUserType(row: Members, context: Context): void {
  checkOverrides(row['base_overrides'] as BaseOverrides);
  checkCustom(row['custom_attributes'], 'USER', context);
}

export function checkStoredSchema(row: Members, context: Context): void {
  checkCustom(row['custom_attributes'], row['owner_id'] === GROUP_OWNER ? 'GROUP' : 'APP_USER', context);
}
