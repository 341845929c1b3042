import { type ErrorCause, invalidObject } from '../../../kernel/errors/errors.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import { enqueue } from '../../../platform/jobs/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { CustomAttribute, LeavingAttribute, ProfileAttribute, ProfileSchema } from '../attributes/attribute.ts';
import { problemsOfValue } from '../profiles/check-profile.ts';
import {
  claimUniqueValues,
  dropUniqueValues,
  existsLacking,
  existsValue,
  type Followers,
  followersOf,
  purgeIndex,
  purgeValues,
  readValues,
  type SchemaOwner,
} from './followers-store.ts';
import { isSame } from './read-base-update.ts';

export const PURGE_ATTRIBUTE = 'purgeAttribute';

/** The maximum number of profiles that one statement changes. */
const BATCH = 1_000;
/** The maximum number of profiles that one statement reads. */
const READ_BATCH = 5_000;
/**
 * One transaction removes an attribute from at most this many profiles in each table. A job removes it from the other
 * profiles.
 */
export const PURGED_AT_ONCE = 10 * BATCH;

const CONSTRAINTS = ['minLength', 'maxLength', 'minimum', 'maximum', 'pattern', 'format', 'enum', 'items'] as const;

function mayBreak(name: string, before: ProfileAttribute, after: ProfileAttribute): boolean {
  return CONSTRAINTS.some((member) => {
    if (isSame(before[member], after[member])) return false;
    return after[member] !== undefined || (member === 'pattern' && name === 'login');
  });
}

async function firstProblem(
  tx: Tx,
  orgId: OrgId,
  followers: Followers,
  name: string,
  definition: ProfileAttribute,
): Promise<boolean> {
  for (let after = ''; ; ) {
    const rows = await readValues(tx, orgId, followers, name, { after, limit: READ_BATCH });
    const isBroken = rows.some(
      ({ value }) => value !== null && problemsOfValue(name, value, definition, true).length > 0,
    );
    if (isBroken) return true;
    const last = rows.at(-1);
    if (last === undefined || rows.length < READ_BATCH) return false;
    after = last.id;
  }
}

async function problemWithStored(
  tx: Tx,
  orgId: OrgId,
  followers: readonly Followers[],
  name: string,
  [before, after]: readonly [ProfileAttribute | undefined, ProfileAttribute],
): Promise<string | null> {
  for (const one of followers) {
    // The profile of an app user contains only overriding values. Groups and mappings supply the others.
    const isWhole = one.kind === 'users' || one.kind === 'groups';
    const isNewlyRequired = after.required && before?.required !== true;
    if (isWhole && isNewlyRequired && (await existsLacking(tx, orgId, one, name))) {
      return `${name}: cannot be required, because profiles without a value exist.`;
    }
    if (before === undefined || !(mayBreak(name, before, after) || isNewlyRequired)) continue;
    const definition = isWhole ? after : { ...after, required: false };
    if (await firstProblem(tx, orgId, one, name, definition)) {
      return `${name}: cannot be changed: stored values would break the new rule.`;
    }
  }
  return null;
}

/** Throws 400 E0000001 if a change would make stored profiles invalid. */
export async function assertNothingBreaks(
  tx: Tx,
  orgId: OrgId,
  owner: SchemaOwner,
  before: ProfileSchema,
  after: ProfileSchema,
): Promise<void> {
  const causes: ErrorCause[] = [];
  for (const [name, definition] of after) {
    const problem = await problemWithStored(tx, orgId, followersOf(owner), name, [before.get(name), definition]);
    if (problem !== null) causes.push({ errorSummary: problem });
  }
  if (causes.length > 0) throw invalidObject('definitions', causes);
}

const isUnique = (schema: ProfileSchema, name: string): boolean => schema.get(name)?.unique === true;

/** Claims or releases values of attributes whose `unique` changed. */
export async function moveUniqueValues(
  tx: Tx,
  orgId: OrgId,
  typeId: string,
  before: ProfileSchema,
  after: ProfileSchema,
): Promise<void> {
  const causes: ErrorCause[] = [];
  for (const [name, { attributeId }] of new Map([...before, ...after])) {
    if (attributeId === undefined || isUnique(before, name) === isUnique(after, name)) continue;
    if (!isUnique(after, name)) await dropUniqueValues(tx, orgId, typeId, attributeId);
    else if (before.has(name) && (await claimUniqueValues(tx, orgId, typeId, attributeId)) > 0) {
      causes.push({ errorSummary: `${name}: cannot be unique, because users share values.` });
    }
  }
  if (causes.length > 0) throw invalidObject('definitions', causes);
}

/** Removes a bounded number of values of a removed attribute. Returns false if some are left. */
export async function purgeSome(
  tx: Tx,
  orgId: OrgId,
  owner: SchemaOwner,
  { attributeId, name }: LeavingAttribute,
): Promise<boolean> {
  const followers = followersOf(owner);
  for (const one of followers) {
    for (let purged = 0, after: string | null = ''; after !== null && purged < PURGED_AT_ONCE; purged += BATCH) {
      after = await purgeValues(tx, orgId, one, { name, attributeId, after, limit: BATCH });
    }
  }
  for (const one of followers) if (await existsValue(tx, orgId, one, name)) return false;
  return true;
}

/**
 * Deletes index rows of a removed attribute, so that its number can be assigned again. The caller holds the lock under
 * which numbers are assigned. No profile under the schema may have a value of the attribute, and no attribute of
 * another name may have the number. Returns false if rows may be left.
 */
export async function freeNumber(
  tx: Tx,
  orgId: OrgId,
  owner: SchemaOwner,
  { attributeId, name }: LeavingAttribute,
): Promise<boolean> {
  const limit = PURGED_AT_ONCE;
  for (const one of followersOf(owner)) {
    if ((await purgeIndex(tx, orgId, one, { name, attributeId, limit })) === limit) return false;
  }
  return true;
}

/**
 * Removes the values of removed attributes from the profiles. Returns the attributes for which a job removes the
 * remaining values. No new attribute may take the name of one of them until its job ends.
 */
export async function removeValues(
  tx: Tx,
  orgId: OrgId,
  owner: SchemaOwner,
  removed: readonly CustomAttribute[],
  now: Date,
): Promise<readonly LeavingAttribute[]> {
  const leaving: LeavingAttribute[] = [];
  for (const { attributeId, name } of removed) {
    if (await purgeSome(tx, orgId, owner, { name, attributeId })) continue;
    leaving.push({ name, attributeId });
    const payload = { kind: owner.kind, ownerId: owner.id, name, attributeId };
    await enqueue(tx, orgId, { kind: PURGE_ATTRIBUTE, payload, runAt: now, dedupeKey: `${owner.id} ${name}` });
  }
  return leaving;
}
