import type { Context } from '../../../kernel/context.ts';
import { apiError, invalidObject, notFound } from '../../../kernel/errors/errors.ts';
import { limitReached } from '../../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { lockApp } from '../changes/lock-app.ts';
import { getApp } from '../lists/get-app.ts';
import { kindOfApp } from '../modes/kind-rules.ts';
import type { AppPorts, AppRoutesPorts } from '../route-ports.ts';
import type { App } from '../store.ts';
import { appTarget } from '../target.ts';
import {
  MAXIMUM_SIGNING_KEYS,
  makeSigningKey,
  openSigningKey,
  type SigningKey,
  sealSigningKey,
  signingKeyChange,
} from './signing-key.ts';
import { findSigningKey, findSigningKeys, insertSigningKey } from './signing-key-store.ts';

const YEARS = { minimum: 2, maximum: 10 };

export function readYears(text: string | undefined): number {
  if (text === undefined) throw apiError('E0000028');
  if (!/^-?\d{1,9}$/.test(text)) {
    throw apiError('E0000037', { detail: `'validityYears': cannot convert '${text.slice(0, 100)}' to integer` });
  }
  const years = Number(text);
  if (years >= YEARS.minimum && years <= YEARS.maximum) return years;
  throw invalidObject('generateKey', [
    `Validity years out of range. It should be ${YEARS.minimum} - ${YEARS.maximum} years.`,
  ]);
}

/** Returns the app's keys if there is room for another. */
export async function assertRoom(tx: Tx, { orgId }: Context, app: App, field: string): Promise<readonly SigningKey[]> {
  const keys = await findSigningKeys(tx, orgId, app.id);
  if (keys.length < MAXIMUM_SIGNING_KEYS) return keys;
  throw limitReached(field, MAXIMUM_SIGNING_KEYS, 'signing keys', 'An app');
}

/** The key signs nothing until the app selects it. */
export async function generateSigningKey(
  { db, makeKeyPair, masterKey, work }: Pick<AppRoutesPorts, 'db' | 'makeKeyPair' | 'masterKey' | 'work'>,
  context: Context,
  grant: Grant,
  appId: AppId,
  validityYears: string | undefined,
): Promise<SigningKey> {
  // The app is checked first, because making a key is slow.
  await getApp(db, context, grant, appId);
  const years = readYears(validityYears);
  const key = await makeSigningKey({ makeKeyPair, masterKey }, context, appId, years);
  return work(context, async (tx, record) => {
    const app = await lockApp(tx, context, appId, grant);
    await assertRoom(tx, context, app, 'generateKey');
    await insertSigningKey(tx, context.orgId, appId, key);
    record({ eventType: 'app.keys.generate', target: [appTarget(app), signingKeyChange([null, key])] });
    return key;
  });
}

/** Locks the two apps of a copy in the order of their ids, so that copies in opposite directions do not deadlock. */
async function lockBoth(tx: Tx, context: Context, grant: Grant, ids: readonly [string, string]): Promise<[App, App]> {
  const locked = new Map<string, App>();
  for (const id of [...new Set(ids)].toSorted()) locked.set(id, await lockApp(tx, context, id, grant));
  const [source, target] = ids.map((id) => locked.get(id));
  if (source === undefined || target === undefined) throw new Error('an app that was locked is not there');
  return [source, target];
}

/** Builds the error for copying a key that the source app lacks. */
async function refusalOfClone(orgKeys: AppPorts['orgKeys'], tx: Tx, context: Context, source: App, kid: string) {
  const isShown = !kindOfApp(source).signs && (await orgKeys.published(tx, context)).some((key) => key.kid === kid);
  return isShown
    ? invalidObject('cloneKey', ['The signing key of the org cannot be copied to an app.'])
    : notFound(kid, 'JsonWebKey');
}

/** The org's key cannot be copied, because the copy could sign tokens. */
export function cloneSigningKey(
  { masterKey, orgKeys, work }: Pick<AppPorts, 'masterKey' | 'orgKeys' | 'work'>,
  context: Context,
  grant: Grant,
  appId: AppId,
  kid: string,
  targetId: string | undefined,
): Promise<SigningKey> {
  const { orgId } = context;
  return work(context, async (tx, record) => {
    const [source, target] = await lockBoth(tx, context, grant, [appId, targetId ?? appId]);
    if (targetId === undefined) throw apiError('E0000028');
    const found = await findSigningKey(tx, orgId, source.id, kid);
    if (found === undefined) throw await refusalOfClone(orgKeys, tx, context, source, kid);
    const keys = await assertRoom(tx, context, target, 'cloneKey');
    if (keys.some((key) => key.kid === kid)) {
      throw invalidObject('cloneKey', ['Key already exists in the list of key credentials for the target app.']);
    }
    const now = wholeSecond(context.now);
    const privateKey = openSigningKey(masterKey, orgId, source.id, found);
    const sealedKey = sealSigningKey(masterKey, orgId, target.id, kid, privateKey);
    const key = { ...found, sealedKey, createdAt: now, lastUpdatedAt: now };
    await insertSigningKey(tx, orgId, target.id, key);
    record({
      eventType: 'app.keys.clone',
      target: [appTarget(source), appTarget(target), signingKeyChange([null, key])],
    });
    return key;
  });
}
