import type { Context } from '../../kernel/context.ts';
import { wholeSecond } from '../../kernel/dates.ts';
import { orgSuffixOf } from '../../kernel/ids.ts';
import { hashSecret, type MasterKey } from '../../platform/crypto/index.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import { appChange } from './change-details.ts';
import { assertMayProveClient } from './client-guard.ts';
import type { AppInput } from './contract.ts';
import type { AppsPorts } from './create-app.ts';
import { assertClientId, readDocument, readLabel, takesSecret } from './document-rules.ts';
import { readKeys, readSecret } from './given-credentials.ts';
import { findInlineKeys, replaceInlineKeys } from './jwk-store.ts';
import { lockApp } from './lock-app.ts';
import { makeClientSecret } from './secret-make.ts';
import { findSecrets, removeSecret } from './secret-store.ts';
import { type StoredSecret, secretChange } from './secret-stored.ts';
import { type App, updateApp } from './store.ts';
import { appTarget } from './target.ts';
import type { AppWithKeys } from './wire.ts';

interface SettledSecret {
  /** What the answer shows. */
  readonly shown: string | null;
  readonly made: StoredSecret | null;
}

/**
 * A secret that the body sets anew takes the place of all others; one that the client has already is shown back, as the
 * client knows it; a client that now needs one and has none gets one.
 */
async function settleSecret(
  tx: Tx,
  masterKey: MasterKey,
  context: Context,
  app: App,
  given: string | null,
): Promise<SettledSecret> {
  const secrets = await findSecrets(tx, context.orgId, app.id);
  if (given === null && secrets.length > 0) return { shown: null, made: null };
  if (given !== null) {
    const hash = hashSecret(given);
    const isKnown = secrets.some(({ secretHash, status }) => status === 'ACTIVE' && secretHash.equals(hash));
    if (isKnown) return { shown: given, made: null };
    for (const { id } of secrets) await removeSecret(tx, context.orgId, app.id, id);
  }
  const { secret, stored } = await makeClientSecret(tx, masterKey, context, app.id, given ?? undefined);
  return { shown: secret, made: stored };
}

/**
 * The app is what the body says; what it leaves out gets its default, but for the two `oauthClient` objects, the keys
 * and the secrets, which stay. Name, status and dates in the body are ignored. 400 E0000001 naming the field, also for
 * another application_type; 404 E0000007; 403 E0000006 for the app of a greater administrator.
 */
export function replaceApp(
  { work, masterKey }: AppsPorts,
  context: Context,
  id: string,
  input: AppInput,
): Promise<AppWithKeys> {
  const label = readLabel(input.label);
  const wantedKeys = readKeys(input);
  assertClientId(input, id);
  const { orgId } = context;
  return work(context, async (tx, record) => {
    const app = await lockApp(tx, context, id);
    await assertMayProveClient(tx, context, id);
    const before = { app, keys: await findInlineKeys(tx, orgId, id) };
    const document = readDocument(input, context.namespace, app.document);
    const after = { ...app, label, document, lastUpdatedAt: wholeSecond(context.now) };
    await updateApp(tx, orgId, after);
    if (wantedKeys !== null) await replaceInlineKeys(tx, orgId, id, wantedKeys, orgSuffixOf(orgId), context.now);
    const given = readSecret(input, document);
    const { shown, made } = takesSecret(document)
      ? await settleSecret(tx, masterKey, context, after, given)
      : { shown: null, made: null };
    const keys = wantedKeys === null ? before.keys : await findInlineKeys(tx, orgId, id);
    const target = appChange([before, { app: after, keys }]);
    record({ eventType: 'application.lifecycle.update', target: [target] });
    if (made !== null) {
      const eventType = 'app.oauth2.credentials.lifecycle.create';
      record({ eventType, target: [appTarget(after), secretChange([null, made])] });
    }
    return { app: after, keys, clientSecret: shown };
  });
}
