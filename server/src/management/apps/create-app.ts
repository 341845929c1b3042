import type { Context } from '../../kernel/context.ts';
import { wholeSecond } from '../../kernel/dates.ts';
import { apiError } from '../../kernel/errors.ts';
import { newId, orgSuffixOf } from '../../kernel/ids.ts';
import type { MasterKey } from '../../platform/crypto/index.ts';
import { claimIdempotency, type Tx } from '../../platform/postgres/index.ts';
import type { Work } from '../../system-log/index.ts';
import { appChange } from './change-details.ts';
import type { AppInput } from './contract.ts';
import { assertClientId, assertName, readDocument, readLabel, takesSecret } from './document-rules.ts';
import { readKeys, readSecret } from './given-credentials.ts';
import { findInlineKeys, replaceInlineKeys } from './jwk-store.ts';
import { makeClientSecret } from './secret-make.ts';
import { type App, findApp, insertApp } from './store.ts';
import type { AppWithKeys } from './wire.ts';

export interface AppsPorts {
  readonly work: Work;
  readonly masterKey: MasterKey;
}

function draft(context: Context, input: AppInput, activate: boolean): App {
  const now = wholeSecond(context.now);
  assertName(input.name);
  assertClientId(input, null);
  const document = readDocument(input, context.namespace);
  return {
    id: newId('app', orgSuffixOf(context.orgId)),
    label: readLabel(input.label),
    status: activate ? 'ACTIVE' : 'INACTIVE',
    signOnMode: input.signOnMode,
    applicationType: document.settings.oauthClient.application_type,
    document,
    createdAt: now,
    lastUpdatedAt: now,
  };
}

/** What the first request with this key made, without the secret: that was shown once. */
async function earlierApp(tx: Tx, context: Context, id: string): Promise<AppWithKeys> {
  const [app, keys] = await Promise.all([findApp(tx, context.orgId, id), findInlineKeys(tx, context.orgId, id)]);
  if (app === undefined) throw apiError('E0000195', { reason: 'what this key created is gone' });
  return { app, keys };
}

/**
 * Makes an app, and the secret of a client that proves itself by one: it is in the result, and nowhere again. 400
 * E0000001 naming the field. A repeated `Idempotency-Key` returns what the first request made.
 */
export async function createApp(
  { work, masterKey }: AppsPorts,
  context: Context,
  input: AppInput,
  options: { readonly activate: boolean },
): Promise<AppWithKeys> {
  const app = draft(context, input, options.activate);
  const { orgId } = context;
  const given = readKeys(input) ?? [];
  const secret = readSecret(input, app.document) ?? undefined;
  return work(context, async (tx, record) => {
    const earlier = await claimIdempotency(tx, context, app.id);
    if (earlier !== null) return earlierApp(tx, context, earlier);
    await insertApp(tx, orgId, app);
    if (given.length > 0) await replaceInlineKeys(tx, orgId, app.id, given, orgSuffixOf(orgId), context.now);
    const made = takesSecret(app.document) ? await makeClientSecret(tx, masterKey, context, app.id, secret) : null;
    const keys = given.length > 0 ? await findInlineKeys(tx, orgId, app.id) : [];
    record({ eventType: 'application.lifecycle.create', target: [appChange([null, { app, keys }])] });
    if (options.activate) {
      const target = [appChange([{ app: { ...app, status: 'INACTIVE' } }, { app }])];
      record({ eventType: 'application.lifecycle.activate', target });
    }
    return { app, keys, clientSecret: made?.secret ?? null };
  });
}
