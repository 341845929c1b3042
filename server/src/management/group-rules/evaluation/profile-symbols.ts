import type { AttributeSight } from '../../../access/index.ts';
import {
  type Member,
  type ObjectType,
  objectOf,
  STRING,
  type Symbols,
  symbolsOf,
  unified,
  type ValueType,
} from '../../../expression/index.ts';
import { expressionTypeOf, type ProfileSchema } from '../../schemas/index.ts';

function attributesOf(
  schemas: readonly ProfileSchema[],
  { shows }: Pick<AttributeSight, 'shows'>,
): ReadonlyMap<string, Member> {
  const attributes = new Map<string, { type: ValueType }>();
  for (const [name, attribute] of schemas.flatMap((schema) => [...schema])) {
    if (!shows(name)) continue;
    const known = attributes.get(name);
    const type = expressionTypeOf(attribute);
    attributes.set(name, { type: known === undefined ? type : unified(known.type, type) });
  }
  return attributes;
}

function userOf(schemas: readonly ProfileSchema[], sight: AttributeSight): ObjectType {
  const attributes = attributesOf(schemas, sight);
  if (sight.reach === 'nothing') return objectOf(new Map());
  const id: Member = { type: STRING };
  return {
    kind: 'object',
    internal: new Map([['id', id]]),
    member: (name) => {
      if (name === 'id') return id;
      if (name === 'profile') return { type: objectOf(attributes) };
      const attribute = attributes.get(name);
      return attribute === undefined ? undefined : { ...attribute, at: ['profile', name] };
    },
  };
}

/**
 * Makes the symbols for the expression of a group rule. Time functions are left out, because nothing would evaluate a
 * rule again as time passes. Authors may use only attributes that they may see.
 */
export const groupRuleSymbols = (schemas: readonly ProfileSchema[], sight: AttributeSight): Symbols =>
  symbolsOf(new Map([['user', { type: userOf(schemas, sight) }]]), ['membership']);
