import { isDeepStrictEqual } from 'node:util';
import type { Static } from '@sinclair/typebox';
import type { Context } from '../../../kernel/context.ts';
import { invalid, invalidObject, notFound } from '../../../kernel/errors/errors.ts';
import { required } from '../../../kernel/errors/field-errors.ts';
import { assertVersion, type Version } from '../../../kernel/version.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import { isSameOrigin } from '../../../kernel/words/origin.ts';
import { type MasterKey, seal } from '../../../platform/crypto/index.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import { changeTarget, type Json, type Record as RecordEvent } from '../../../system-log/index.ts';
import { lockApp } from '../changes/lock-app.ts';
import { readSecureUri } from '../documents/web-uri-rules.ts';
import { getApp } from '../lists/get-app.ts';
import type { StoredMembers } from '../modes/field-rules.ts';
import { kindOfApp } from '../modes/kind-rules.ts';
import type { AppPorts } from '../route-ports.ts';
import type { App } from '../store.ts';
import { appTarget } from '../target.ts';
import { defaultCapabilities, type FeatureName, isFeatureName, readCapabilities } from './feature-rules.ts';
import type { ConnectionBody } from './provisioning-contract.ts';
import {
  findProvisioning,
  type Provisioning,
  saveProvisioning,
  type WantedProvisioning,
} from './provisioning-store.ts';

interface RecordedState {
  readonly app: App;
  readonly provisioning: Provisioning | null;
  readonly tokenSet: boolean;
}

const connectionChange = changeTarget(
  ({ app }: RecordedState) => appTarget(app),
  ({ provisioning, tokenSet }) => ({
    'provisioning.status': provisioning?.status ?? null,
    'provisioning.baseUrl': provisioning?.baseUrl ?? null,
    'provisioning.features': (provisioning?.features ?? {}) as Json,
    'provisioning.tokenSet': tokenSet,
  }),
);

function recordChange(record: RecordEvent, before: RecordedState, after: RecordedState): void {
  record({ eventType: 'application.lifecycle.update', target: [connectionChange([before, after])] });
}

/** A missing connection has revision 0, so that If-Match can also protect the first update. */
export const connectionVersion = (appId: AppId, provisioning: Provisioning | null): Version => ({
  kind: 'appConnection',
  id: appId,
  revision: provisioning?.revision ?? 0,
});

function assertProvisions(app: App): void {
  if (!kindOfApp(app).provisions) {
    throw invalidObject('connection', ['Apps of this kind do not support provisioning.']);
  }
}

function sealToken(masterKey: MasterKey, { orgId }: Context, appId: AppId, token: string): Buffer {
  return seal(masterKey, { orgId, table: 'app_provisioning', column: 'sealed_token', row: appId }, token);
}

/** Refuses an address with a new origin, whose owner would otherwise receive the stored token. */
function refuseTokenElsewhere(before: string | null, after: string | null): void {
  if (after === null || (before !== null && isSameOrigin(before, after))) return;
  throw invalid('profile.token', 'must be given again, because a stored token is never sent to another origin.');
}

/** Returns null when no connection was ever set. */
export async function getConnection(
  db: Db,
  context: Context,
  grant: Grant,
  appId: AppId,
): Promise<Provisioning | null> {
  await getApp(db, context, grant, appId);
  return findProvisioning(db, context.orgId, appId);
}

/** Without a token in the body, the stored token stays. */
export function updateConnection(
  { masterKey, work }: Pick<AppPorts, 'masterKey' | 'work'>,
  context: Context,
  grant: Grant,
  appId: AppId,
  input: Static<typeof ConnectionBody>,
  activate: boolean,
): Promise<Provisioning> {
  const baseUrl = input.baseUrl ? readSecureUri('baseUrl', input.baseUrl) : null;
  const token = input.profile.token ?? null;
  const sealedToken = token === null ? null : sealToken(masterKey, context, appId, token);
  return work(context, async (tx, record) => {
    const app = await lockApp(tx, context, appId, grant);
    assertProvisions(app);
    const before = await findProvisioning(tx, context.orgId, appId);
    assertVersion(context, connectionVersion(appId, before));
    if (before === null && sealedToken === null) throw required('profile.token');
    if (before !== null && sealedToken === null) refuseTokenElsewhere(before.baseUrl, baseUrl);
    const wanted: WantedProvisioning = {
      status: activate ? 'ENABLED' : (before?.status ?? 'DISABLED'),
      baseUrl,
      features: before?.features ?? {},
    };
    const after = await saveProvisioning(tx, context.orgId, appId, wanted, sealedToken);
    const tokenSet = sealedToken !== null;
    recordChange(record, { app, provisioning: before, tokenSet: false }, { app, provisioning: after, tokenSet });
    return after;
  });
}

async function lockProvisioning(
  tx: Tx,
  context: Context,
  grant: Grant,
  appId: AppId,
): Promise<{ readonly app: App; readonly provisioning: Provisioning }> {
  const app = await lockApp(tx, context, appId, grant);
  const provisioning = await findProvisioning(tx, context.orgId, appId);
  if (provisioning === null) throw notFound(appId, 'ProvisioningConnection');
  assertVersion(context, connectionVersion(appId, provisioning));
  return { app, provisioning };
}

export function changeConnectionStatus(
  { work }: Pick<AppPorts, 'work'>,
  context: Context,
  grant: Grant,
  appId: AppId,
  status: Provisioning['status'],
): Promise<void> {
  return work(context, async (tx, record) => {
    const { app, provisioning } = await lockProvisioning(tx, context, grant, appId);
    if (provisioning.status === status) return;
    const after = await saveProvisioning(tx, context.orgId, appId, { ...provisioning, status }, null);
    recordChange(record, { app, provisioning, tokenSet: false }, { app, provisioning: after, tokenSet: false });
  });
}

export interface Feature {
  readonly name: FeatureName;
  readonly capabilities: StoredMembers;
  readonly revision: number;
}

export const featureVersion = (appId: AppId, { name, revision }: Feature): Version => ({
  kind: 'appFeature',
  id: `${appId}:${name}`,
  revision,
});

const featureOf = (name: FeatureName, provisioning: Provisioning): Feature => ({
  name,
  capabilities: provisioning.features[name] ?? defaultCapabilities(name),
  revision: provisioning.revision,
});

function assertEnabled(provisioning: Provisioning | null): Provisioning {
  if (provisioning?.status === 'ENABLED') return provisioning;
  throw invalidObject('feature', ['Provisioning is not enabled for the app instance.']);
}

export async function getFeatures(
  db: Db,
  context: Context,
  grant: Grant,
  appId: AppId,
  names: readonly string[],
): Promise<Feature[]> {
  const provisioning = await getConnection(db, context, grant, appId);
  const known = names.map((name) => {
    if (!isFeatureName(name)) throw notFound(name, 'ApplicationFeature');
    return name;
  });
  const enabled = assertEnabled(provisioning);
  return known.map((name) => featureOf(name, enabled));
}

export function updateFeature(
  { work }: Pick<AppPorts, 'work'>,
  context: Context,
  grant: Grant,
  appId: AppId,
  name: string,
  input: unknown,
): Promise<Feature> {
  return work(context, async (tx, record) => {
    const app = await lockApp(tx, context, appId, grant);
    if (!isFeatureName(name)) throw notFound(name, 'ApplicationFeature');
    const provisioning = assertEnabled(await findProvisioning(tx, context.orgId, appId));
    const before = featureOf(name, provisioning);
    assertVersion(context, featureVersion(appId, before));
    const capabilities = readCapabilities(name, input, before.capabilities, context.namespace);
    if (isDeepStrictEqual(capabilities, before.capabilities)) return before;
    const wanted = { ...provisioning, features: { ...provisioning.features, [name]: capabilities } };
    const after = await saveProvisioning(tx, context.orgId, appId, wanted, null);
    recordChange(record, { app, provisioning, tokenSet: false }, { app, provisioning: after, tokenSet: false });
    return { name, capabilities, revision: after.revision };
  });
}
