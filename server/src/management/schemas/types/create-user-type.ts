import type { Context } from '../../../kernel/context.ts';
import { limitReached } from '../../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { createOnce } from '../../resource/index.ts';
import type { CreateUserTypeInput } from '../contract.ts';
import { findUserType, insertUserType, lockUserTypes, MAXIMUM_USER_TYPES, type UserType } from '../store.ts';
import { userTypeChange } from '../wire.ts';
import { readDescription, readDisplayName, readTypeName } from './type-rules.ts';

type Named = Pick<UserType, 'name' | 'displayName' | 'description' | 'isDefault'>;

function newUserType(context: Context, named: Named): UserType {
  const suffix = orgSuffixOf(context.orgId);
  const now = wholeSecond(context.now);
  return {
    ...named,
    id: newId('userType', suffix),
    schemaId: newId('schema', suffix),
    overrides: {},
    custom: [],
    leaving: [],
    revision: 1,
    createdAt: now,
    createdBy: context.actor.id,
    lastUpdatedAt: now,
    lastUpdatedBy: context.actor.id,
  };
}

export async function createDefaultUserType(tx: Tx, context: Context): Promise<void> {
  const description = 'The profile of users, with default permissions';
  const type = newUserType(context, { name: 'user', displayName: 'User', description, isDefault: true });
  await insertUserType(tx, context.orgId, type);
}

/** Adds a user type, once per `Idempotency-Key`. */
export async function createUserType(work: Work, context: Context, input: CreateUserTypeInput): Promise<UserType> {
  const type = newUserType(context, {
    name: readTypeName(input.name),
    displayName: readDisplayName(input.displayName),
    description: readDescription(input.description),
    isDefault: false,
  });
  return work(context, (tx, record) =>
    createOnce(tx, context, type.id, findUserType, async () => {
      const types = await lockUserTypes(tx, context.orgId);
      if (types.length >= MAXIMUM_USER_TYPES) {
        throw limitReached('name', MAXIMUM_USER_TYPES, 'user types');
      }
      await insertUserType(tx, context.orgId, type);
      record({ eventType: 'directory.non_default_user_profile.create', target: [userTypeChange([null, type])] });
      return type;
    }),
  );
}
