import type { Context } from '../../../kernel/context.ts';
import { invalidObject } from '../../../kernel/errors/errors.ts';
import { BLANK } from '../../../kernel/errors/problems.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import {
  type AppFacts,
  checkProfile,
  lockAppUserSchemaForWrite,
  type ProfileSchema,
  readAppUserSchema,
  sizeProblems,
} from '../../schemas/index.ts';
import type { AssignableApp } from '../links/app-store.ts';
import { type Mapper, readMapper } from './mapper.ts';
import type { AppProfile } from './profile-rules.ts';

export interface AppUserSchema {
  /** The standard attributes of the app's kind, which are shown as null when they have no value. */
  readonly names: readonly string[];
  /** The attributes whose values are collected from all groups that give a user the app. */
  readonly unions: ReadonlySet<string>;
  readonly mapped: Mapper;
}

/** The schema contains this attribute, but it is a credential of the app's user and not a member of the profile. */
const USER_NAME = 'userName';

const factsOf = ({ id, signOnMode }: AssignableApp): Pick<AppFacts, 'id' | 'kind'> => ({
  id,
  kind: signOnMode === 'OPENID_CONNECT' ? 'OIDC' : 'PLAIN',
});

const attributesOf = (schema: ProfileSchema): ProfileSchema =>
  new Map([...schema].filter(([name]) => name !== USER_NAME));

function schemaOf(schema: ProfileSchema, mapped: Mapper): AppUserSchema {
  const attributes = [...schema];
  return {
    names: attributes.filter(([, { attributeId }]) => attributeId === undefined).map(([name]) => name),
    unions: new Set(attributes.filter(([, { union }]) => union === true).map(([name]) => name)),
    mapped,
  };
}

export async function readSchema(db: Db, { now, orgId }: Context, app: AssignableApp): Promise<AppUserSchema> {
  const facts = factsOf(app);
  const schema = attributesOf(await readAppUserSchema(db, orgId, facts));
  return schemaOf(schema, await readMapper(db, orgId, facts, schema, now));
}

export interface LockedAppUserSchema extends AppUserSchema {
  /** Throws unless `given` conforms to the schema and `whole` is small enough. Required attributes may be missing. */
  readonly assertGiven: (given: AppProfile, stored: AppProfile, whole?: AppProfile) => void;
  /** Throws unless each required attribute has a value. */
  readonly assertWhole: (profile: AppProfile) => void;
}

export async function lockSchema(tx: Tx, { now, orgId }: Context, app: AssignableApp): Promise<LockedAppUserSchema> {
  const facts = factsOf(app);
  const schema = attributesOf(await lockAppUserSchemaForWrite(tx, orgId, facts));
  const optional = new Map([...schema].map(([name, attribute]) => [name, { ...attribute, required: false }]));
  const required = [...schema].filter(([, attribute]) => attribute.required).map(([name]) => name);
  return {
    ...schemaOf(schema, await readMapper(tx, orgId, facts, schema, now)),
    assertGiven: (given, stored, whole = given) => {
      const faults = checkProfile(optional, given, stored);
      const causes = faults.length > 0 ? faults : sizeProblems(whole, stored);
      if (causes.length > 0) throw invalidObject('profile', causes);
    },
    assertWhole: (profile) => {
      const missing = required.filter((name) => !Object.hasOwn(profile, name) || (profile[name] ?? null) === null);
      if (missing.length > 0) {
        throw invalidObject(
          'profile',
          missing.map((name) => `${name}: ${BLANK}`),
        );
      }
    },
  };
}
