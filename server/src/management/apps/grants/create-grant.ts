import { lacksScope } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { type AppId, newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { lockClient } from '../changes/lock-app.ts';
import type { App } from '../store.ts';
import { appTarget } from '../target.ts';
import { assertIssuer, readScope } from './grant-rules.ts';
import { findGrants, insertGrant, type ScopeGrant } from './grant-store.ts';
import { scopeChange } from './grant-target.ts';

export function grantScope(
  work: Work,
  context: Context,
  within: Grant,
  appId: AppId,
  input: { readonly issuer: string; readonly scopeId: string },
): Promise<{ readonly app: App; readonly grant: ScopeGrant }> {
  const { orgId } = context;
  assertIssuer(input.issuer, context.baseUrl);
  const scope = readScope(input.scopeId, context.namespace);
  const now = wholeSecond(context.now);
  const grant: ScopeGrant = {
    id: newId('grant', orgSuffixOf(orgId)),
    scope,
    createdAt: now,
    createdBy: context.actor.id,
    createdByType: context.actor.type,
    lastUpdatedAt: now,
  };
  return work(context, async (tx, record) => {
    const app = await lockClient(tx, context, appId, within);
    if (lacksScope(context, [scope])) throw apiError('E0000006');
    const earlier = (await findGrants(tx, orgId, appId)).find((one) => one.scope === scope);
    if (earlier !== undefined) return { app, grant: earlier };
    await insertGrant(tx, orgId, appId, grant);
    record({
      eventType: 'app.oauth2.admin.consent.grant',
      target: [appTarget(app), scopeChange([null, grant], context)],
    });
    return { app, grant };
  });
}
