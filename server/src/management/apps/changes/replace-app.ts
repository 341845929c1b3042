import type { Context } from '../../../kernel/context.ts';
import { invalid, notFound } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import { type AppId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import { hashSecret, type MasterKey } from '../../../platform/crypto/index.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record as RecordEvent } from '../../../system-log/index.ts';
import { assertHasScopesOf, assertMayReplaceClient } from '../clients/client-guard.ts';
import { assertSameClientId } from '../clients/client-id-rules.ts';
import type { AppInput, ClientInput } from '../contract.ts';
import { readKeys, readSecret } from '../credentials/given-credentials.ts';
import { sealSharedPassword } from '../credentials/shared-password.ts';
import { assertExpressionsSeen } from '../documents/assert-expressions-seen.ts';
import { readLabel } from '../documents/common-rules.ts';
import { type AppDocument, type ClientDocument, isClientDocument } from '../documents/document-contract.ts';
import {
  assertSameMode,
  givenPassword,
  readDocument,
  sharesPassword,
  takesSecret,
} from '../documents/document-rules.ts';
import { collectFaults } from '../documents/fault-rules.ts';
import type { HttpRedirectUris } from '../documents/uri-rules.ts';
import { findInlineKeys, replaceInlineKeys } from '../keys/jwk-store.ts';
import { type ShownApp, showApp } from '../lists/show-apps.ts';
import { kindOfApp } from '../modes/kind-rules.ts';
import type { AppPorts } from '../route-ports.ts';
import { makeClientSecret } from '../secrets/make-secret.ts';
import { findSecrets, removeSecret } from '../secrets/secret-store.ts';
import { type StoredSecret, secretChange } from '../secrets/secret-stored.ts';
import { assertCertificates } from '../signing-keys/assert-certificates.ts';
import { signingKeyChange } from '../signing-keys/signing-key.ts';
import { findSigningKeys } from '../signing-keys/signing-key-store.ts';
import { type App, type ClientApp, isClientApp, setSharedPassword, updateApp } from '../store.ts';
import { appTarget } from '../target.ts';
import { appVersion } from '../wire.ts';
import { appChange } from './change-details.ts';
import { lockApp } from './lock-app.ts';

async function hasSecret(tx: Tx, { orgId }: Context, appId: AppId, secret: string): Promise<boolean> {
  const hash = hashSecret(secret);
  const secrets = await findSecrets(tx, orgId, appId);
  return secrets.some(({ secretHash, status }) => status === 'ACTIVE' && secretHash.equals(hash));
}

interface SettledSecret {
  readonly shown: string | null;
  readonly made: StoredSecret | null;
  readonly removed: readonly StoredSecret[];
}

const NO_SECRET: SettledSecret = { shown: null, made: null, removed: [] };

/**
 * A secret in the body replaces all others, unless it is already an active secret of the client. If the body contains
 * no secret and the client has none, this function generates one.
 */
async function settleSecret(
  tx: Tx,
  masterKey: MasterKey,
  context: Context,
  app: App,
  given: string | null,
): Promise<SettledSecret> {
  const secrets = await findSecrets(tx, context.orgId, app.id);
  if (given === null && secrets.length > 0) return NO_SECRET;
  if (given !== null) {
    const hash = hashSecret(given);
    const isKnown = secrets.some(({ secretHash, status }) => status === 'ACTIVE' && secretHash.equals(hash));
    if (isKnown) return { ...NO_SECRET, shown: given };
    for (const { id } of secrets) await removeSecret(tx, context.orgId, app.id, id);
  }
  const { secret, stored } = await makeClientSecret(tx, masterKey, context, app.id, given ?? undefined);
  return { shown: secret, made: stored, removed: secrets };
}

interface Replacement {
  readonly input: AppInput;
  readonly after: App;
  readonly wantedKeys: ReturnType<typeof readKeys>;
}

function replaced(context: Context, app: App, input: AppInput, httpRedirectUris: HttpRedirectUris): Replacement {
  const lastUpdatedAt = wholeSecond(context.now);
  const { baseUrl, namespace } = context;
  const setting = { namespace, baseUrl, now: lastUpdatedAt.toISOString(), httpRedirectUris };
  assertSameMode(input, app.signOnMode);
  const { document, label, wantedKeys } = collectFaults({
    clientId: () => assertSameClientId(input, app),
    label: () => readLabel(input.label, app.label),
    document: () => readDocument(kindOfApp(app), input, setting, app.document),
    wantedKeys: () => readKeys(input),
  });
  assertCertificates(document);
  assertExpressionsSeen(context, document, app.document);
  return { input, after: { ...app, label, document, lastUpdatedAt }, wantedKeys };
}

const kidOf = (document: AppDocument): string | null =>
  isClientDocument(document) ? null : (document.credentials.signing?.kid ?? null);

/** Makes the app sign with the key that the body names. */
async function settleSigning(
  { orgKeys }: Pick<AppPorts, 'orgKeys'>,
  tx: Tx,
  context: Context,
  app: App,
  input: AppInput,
  record: RecordEvent,
): Promise<App> {
  const { orgId } = context;
  const field = 'credentials.signing.kid';
  const kid = input.credentials?.signing?.kid ?? null;
  const { document } = app;
  if (kid === null || kid === kidOf(document)) return app;
  if (isClientDocument(document)) {
    // The body may repeat the id of an org key that was read earlier, even if the org's key was rotated since.
    if ((await orgKeys.published(tx, context)).some((key) => key.kid === kid)) return app;
    throw invalid(field, 'does not apply, because keys of the org sign the tokens of clients.');
  }
  if (!kindOfApp(app).signs) throw invalid(field, 'does not apply, because apps of this kind have no signing key.');
  const keys = await findSigningKeys(tx, orgId, app.id);
  const [before, after] = [kidOf(document), kid].map((one) => keys.find((key) => key.kid === one) ?? null);
  if (after === undefined || after === null) throw invalid(field, 'The app has no such key.');
  const target = [appTarget(app), signingKeyChange([before ?? null, after])];
  record({ eventType: 'app.keys.rotate', target });
  return { ...app, document: { ...document, credentials: { ...document.credentials, signing: { kid } } } };
}

/** Stores the shared password that the body sets. Removes the stored one if the app no longer shares a password. */
async function settlePassword(tx: Tx, ports: AppPorts, { orgId }: Context, before: App, after: App, input: AppInput) {
  const password = givenPassword(kindOfApp(before), input, before.document);
  if (password !== null) {
    await setSharedPassword(tx, orgId, after.id, sealSharedPassword(ports.masterKey, orgId, after.id, password));
  } else if (sharesPassword(before.document) && !sharesPassword(after.document)) {
    await setSharedPassword(tx, orgId, after.id, null);
  }
}

/**
 * Builds a client with the label, credentials and OAuth settings of the body. The rest of its document stays as it was.
 */
function replacedClient(
  context: Context,
  app: ClientApp,
  input: ClientInput,
  httpRedirectUris: HttpRedirectUris,
): Replacement {
  const read = replaced(context, app, input, httpRedirectUris);
  if (!isClientDocument(read.after.document)) throw new Error('a client became an app of another kind');
  const { credentials, settings } = read.after.document;
  const document: ClientDocument = {
    ...app.document,
    credentials,
    settings: { ...app.document.settings, oauthClient: settings.oauthClient },
  };
  return { ...read, after: { ...read.after, document } };
}

type Replace = (app: App, tx: Tx, httpRedirectUris: HttpRedirectUris) => Replacement | Promise<Replacement>;

async function replaceWith(
  ports: AppPorts,
  context: Context,
  grant: Grant,
  id: AppId,
  replace: Replace,
): Promise<ShownApp> {
  const { masterKey, work } = ports;
  const { orgId } = context;
  // This setting is read before the transaction, because reading it may query the database on another connection.
  const httpRedirectUris = await ports.httpRedirectUrisOf(orgId);
  return work(context, async (tx, record) => {
    const app = await lockApp(tx, context, id, grant);
    assertVersion(context, appVersion(app));
    await assertHasScopesOf(tx, context, id);
    const before = { app, keys: await findInlineKeys(tx, orgId, id) };
    const { after: wanted, input, wantedKeys } = await replace(app, tx, httpRedirectUris);
    const after = await updateApp(tx, orgId, await settleSigning(ports, tx, context, wanted, input, record));
    const { document } = after;
    await settlePassword(tx, ports, context, app, after, input);
    if (wantedKeys !== null) await replaceInlineKeys(tx, orgId, id, wantedKeys, orgSuffixOf(orgId), context.now);
    const given = readSecret(input, document);
    const { made, removed, shown } = takesSecret(document)
      ? await settleSecret(tx, masterKey, context, after, given)
      : NO_SECRET;
    const keys = wantedKeys === null ? before.keys : await findInlineKeys(tx, orgId, id);
    const states = [before, { app: after, keys }] as const;
    // The required rights depend on the changed members, so this check comes last.
    await assertMayReplaceClient(tx, context, states, made !== null);
    const target = appChange(states);
    record({ eventType: 'application.lifecycle.update', target: [target] });
    for (const secret of removed) {
      const eventType = 'app.oauth2.credentials.lifecycle.delete';
      record({ eventType, target: [appTarget(after), secretChange([secret, null])] });
    }
    if (made !== null) {
      const eventType = 'app.oauth2.credentials.lifecycle.create';
      record({ eventType, target: [appTarget(after), secretChange([null, made])] });
    }
    return { ...(await showApp(ports, tx, context, after)), clientSecret: shown };
  });
}

/** The app keeps its name, status and creation date. */
export const replaceApp = (
  ports: AppPorts,
  context: Context,
  grant: Grant,
  id: AppId,
  input: AppInput,
): Promise<ShownApp> =>
  replaceWith(ports, context, grant, id, (app, _, httpRedirectUris) => replaced(context, app, input, httpRedirectUris));

export type ClientReplacement = (app: ClientApp) => ClientInput;

/**
 * Replaces a client's label, credentials and OAuth settings. The body may repeat an active secret, but not contain a
 * new one.
 */
export const replaceClient = (
  ports: AppPorts,
  context: Context,
  grant: Grant,
  id: AppId,
  inputOf: ClientReplacement,
): Promise<ShownApp> =>
  replaceWith(ports, context, grant, id, async (app, tx, httpRedirectUris) => {
    if (!isClientApp(app)) throw notFound(id, 'OAuth2AppInstance');
    const input = inputOf(app);
    const secret = input.credentials?.oauthClient?.client_secret ?? null;
    if (secret !== null && !(await hasSecret(tx, context, id, secret))) {
      throw invalid(
        'credentials.oauthClient.client_secret',
        "is not the client's secret, and a new one cannot be chosen here.",
      );
    }
    return replacedClient(context, app, input, httpRedirectUris);
  });
