import { compileExpression, evaluateExpression, type Program } from '../../../expression/index.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { defaultProperties, type MappedProperties, mappingSymbols } from '../../profile-mappings/index.ts';
import {
  type AppFacts,
  hasType,
  type ProfileAttribute,
  type ProfileSchema,
  readUserSchemas,
} from '../../schemas/index.ts';
import { findAppMappings } from './mapping-store.ts';
import type { AppProfile } from './profile-rules.ts';

export interface MappedUser {
  readonly typeId: string;
  readonly profile: Readonly<Record<string, unknown>>;
}

export type Mapper = (user: MappedUser) => AppProfile;

type Compiled = readonly (readonly [name: string, attribute: ProfileAttribute, program: Program])[];

const NOTHING: AppProfile = {};

/** Drops mappings that no longer compile or whose target is no longer in the app's schema. */
function compiled(properties: MappedProperties, source: ProfileSchema, target: ProfileSchema): Compiled {
  const symbols = mappingSymbols(source, 'TO_APP_USER');
  return Object.entries(properties).flatMap(([name, { expression }]) => {
    const attribute = target.get(name);
    const result = compileExpression(expression, symbols);
    return attribute !== undefined && result.ok ? [[name, attribute, result.program] as const] : [];
  });
}

function mapped(properties: Compiled, profile: MappedUser['profile'], now: Date): AppProfile {
  const facts = { variables: { source: profile, user: profile }, now };
  return Object.fromEntries(
    properties.map(([name, attribute, program]) => {
      const evaluated = evaluateExpression(program, facts);
      const value = 'value' in evaluated ? evaluated.value : null;
      return [name, hasType(value, attribute.type) ? value : null];
    }),
  );
}

export async function readMapper(
  db: Db,
  orgId: OrgId,
  { id, kind }: Pick<AppFacts, 'id' | 'kind'>,
  target: ProfileSchema,
  now: Date,
): Promise<Mapper> {
  const standard = defaultProperties(kind, 'TO_APP_USER');
  const mappings = await findAppMappings(db, orgId, id);
  const propertiesByType = new Map(mappings.map(({ properties, userTypeId }) => [userTypeId, properties ?? standard]));
  const isEmpty = [...propertiesByType.values(), standard].every((all) => Object.keys(all).length === 0);
  if (isEmpty) return () => NOTHING;
  const sources = new Map((await readUserSchemas(db, orgId)).map(({ schema, typeId }) => [typeId, schema]));
  const programs = new Map<string, Compiled>();
  return ({ profile, typeId }) => {
    const source = sources.get(typeId);
    if (source === undefined) return NOTHING;
    const known = programs.get(typeId) ?? compiled(propertiesByType.get(typeId) ?? standard, source, target);
    programs.set(typeId, known);
    return mapped(known, profile, now);
  };
}
