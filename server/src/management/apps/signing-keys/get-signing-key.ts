import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { getApp } from '../lists/get-app.ts';
import { kindOfApp } from '../modes/kind-rules.ts';
import type { AppRoutesPorts, OrgKey } from '../route-ports.ts';
import type { SigningKey } from './signing-key.ts';
import { findSigningKeys } from './signing-key-store.ts';

type Ports = Pick<AppRoutesPorts, 'db' | 'orgKeys'>;

/** A key of the app, or the org's key, which has no certificate. */
export type ShownKey = SigningKey | OrgKey;

/** For an app that signs nothing itself, the org's current key comes first. */
export async function listSigningKeys(
  { db, orgKeys }: Ports,
  context: Context,
  grant: Grant,
  appId: AppId,
): Promise<ShownKey[]> {
  const app = await getApp(db, context, grant, appId);
  const [orgKey] = kindOfApp(app).signs ? [] : await orgKeys.published(db, context);
  return [...(orgKey === undefined ? [] : [orgKey]), ...(await findSigningKeys(db, context.orgId, appId))];
}

export async function getSigningKey(
  ports: Ports,
  context: Context,
  grant: Grant,
  appId: AppId,
  kid: string,
): Promise<ShownKey> {
  const key = (await listSigningKeys(ports, context, grant, appId)).find((one) => one.kid === kid);
  if (key === undefined) throw notFound(kid, 'JsonWebKey');
  return key;
}
