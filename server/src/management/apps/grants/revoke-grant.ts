import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { lockApp } from '../changes/lock-app.ts';
import { raiseValidAfter } from '../store.ts';
import { appTarget } from '../target.ts';
import { findGrants, removeGrant } from './grant-store.ts';
import { scopeChange } from './grant-target.ts';
import { grantVersion } from './grant-wire.ts';

/** Revokes the grant of a scope and voids the client's tokens. */
export function revokeGrant(work: Work, context: Context, within: Grant, appId: AppId, grantId: string): Promise<void> {
  const { orgId } = context;
  return work(context, async (tx, record) => {
    const app = await lockApp(tx, context, appId, within);
    const grant = (await findGrants(tx, orgId, appId)).find(({ id }) => id === grantId);
    if (grant === undefined) throw notFound(grantId, 'OAuth2ScopeConsentGrant');
    assertVersion(context, grantVersion(grant));
    await removeGrant(tx, orgId, appId, grantId);
    await raiseValidAfter(tx, orgId, appId);
    record({
      eventType: 'app.oauth2.admin.consent.revoke',
      target: [appTarget(app), scopeChange([grant, null], context)],
    });
  });
}
