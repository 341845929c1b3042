import { type AttributeSight, WHOLE_SIGHT } from '../../access/index.ts';
import {
  compileExpression,
  faultCauses,
  type Member,
  objectOf,
  type Symbols,
  symbolsOf,
} from '../../expression/index.ts';
import { invalidObject } from '../../kernel/errors/errors.ts';
import { tooMany } from '../../kernel/errors/field-errors.ts';
import { mustBeOneOf } from '../../kernel/errors/problems.ts';
import { expressionTypeOf, type ProfileSchema } from '../schemas/index.ts';
import type { MappingUpdate } from './contract.ts';
import { type Direction, type MappedProperties, type MappedProperty, PUSH_STATUSES } from './default-properties.ts';

/**
 * Tells whether the author of an expression may use an attribute of the source. An app's attributes may be derived from
 * any attribute of the user, so only authors who see all attributes of users may use them.
 */
const isSeen = ({ reach, shows }: AttributeSight, direction: Direction, name: string): boolean =>
  direction === 'TO_USER' ? reach === 'whole' : shows(name);

export function mappingSymbols(
  source: ProfileSchema,
  direction: Direction,
  sight: AttributeSight = WHOLE_SIGHT,
): Symbols {
  const seen = [...source].filter(([attribute]) => isSeen(sight, direction, attribute));
  const attributes = new Map(
    seen.map(([name, attribute]): [string, Member] => [name, { type: expressionTypeOf(attribute) }]),
  );
  const profile: Member = { type: objectOf(attributes) };
  const name = direction === 'TO_USER' ? 'appuser' : 'user';
  return symbolsOf(
    new Map([
      ['source', profile],
      [name, profile],
    ]),
    ['time'],
  );
}

export interface MappingSchemas {
  readonly source: ProfileSchema;
  readonly target: ProfileSchema;
}

type GivenProperty = NonNullable<MappingUpdate['properties'][string]>;

function readProperty(
  name: string,
  given: GivenProperty,
  current: MappedProperty | undefined,
  symbols: Symbols,
): { readonly property: MappedProperty; readonly causes: readonly string[] } {
  const { expression = current?.expression ?? '', pushStatus } = given;
  const known = PUSH_STATUSES.find((status) => status === pushStatus);
  const property: MappedProperty = {
    expression: expression ?? '',
    pushStatus: known ?? current?.pushStatus ?? 'DONT_PUSH',
  };
  const isUnknown = known === undefined && pushStatus !== undefined && pushStatus !== null;
  const compiled = compileExpression(property.expression, symbols);
  return {
    property,
    causes: [
      ...(isUnknown ? [`${name}.pushStatus: ${mustBeOneOf(PUSH_STATUSES)}`] : []),
      ...(compiled.ok ? [] : faultCauses(`${name}.expression`, compiled.faults)),
    ],
  };
}

/** The maximum number of properties in one update, or in one imported mapping. */
export const MAXIMUM_NAMED = 1_000;

/**
 * A property is removed if it or its expression is null. Source attributes that the author may not see are treated as
 * unknown.
 */
export function readMappingUpdate(
  { properties }: MappingUpdate,
  current: MappedProperties,
  schemas: MappingSchemas,
  { direction, sight }: { readonly direction: Direction; readonly sight: AttributeSight },
): MappedProperties {
  const count = Object.keys(properties).length;
  if (count > MAXIMUM_NAMED) throw tooMany('properties', MAXIMUM_NAMED);
  const symbols = mappingSymbols(schemas.source, direction, sight);
  const after = new Map(Object.entries(current));
  const causes: string[] = [];
  for (const [name, given] of Object.entries(properties)) {
    if (given === null || given.expression === null) after.delete(name);
    else if (!schemas.target.has(name)) causes.push(`${name}: The target has no attribute of this name.`);
    else {
      const read = readProperty(name, given, after.get(name), symbols);
      after.set(name, read.property);
      causes.push(...read.causes);
    }
  }
  if (causes.length > 0) throw invalidObject('properties', causes);
  return Object.fromEntries(after);
}
