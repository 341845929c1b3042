import { coversApp } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { type ClientId, newId, type OrgId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record as RecordEvent } from '../../../system-log/index.ts';
import { createOnce } from '../../resource/index.ts';
import { readClientId } from '../clients/client-id-rules.ts';
import { claimClientId } from '../clients/client-id-store.ts';
import type { AppInput } from '../contract.ts';
import { readKeys, readSecret } from '../credentials/given-credentials.ts';
import { sealSharedPassword } from '../credentials/shared-password.ts';
import { assertExpressionsSeen } from '../documents/assert-expressions-seen.ts';
import { readLabel, withName } from '../documents/common-rules.ts';
import { isClientDocument } from '../documents/document-contract.ts';
import { givenPassword, readDocument, takesSecret } from '../documents/document-rules.ts';
import { collectFaults } from '../documents/fault-rules.ts';
import type { HttpRedirectUris } from '../documents/uri-rules.ts';
import type { PublicJwk } from '../keys/jwk-rules.ts';
import { findInlineKeys, replaceInlineKeys } from '../keys/jwk-store.ts';
import { type ShownApp, showApp } from '../lists/show-apps.ts';
import { type AppKind, kindOf } from '../modes/kind-rules.ts';
import type { AppPorts } from '../route-ports.ts';
import { makeClientSecret } from '../secrets/make-secret.ts';
import { assertCertificates } from '../signing-keys/assert-certificates.ts';
import { makeSigningKey, type SealedSigningKey, signingKeyChange } from '../signing-keys/signing-key.ts';
import { insertSigningKey } from '../signing-keys/signing-key-store.ts';
import { APPS, type App, insertApp, nextAppNumber, setSharedPassword } from '../store.ts';
import { appTarget } from '../target.ts';
import { appChange } from './change-details.ts';

export type AppsPorts = AppPorts;

/** The validity of the certificate of an app's first key, in years, as in recordings. */
const FIRST_KEY_YEARS = 10;

interface Draft {
  readonly kind: AppKind;
  readonly app: App;
  readonly chosen: ClientId | null;
  readonly keys: readonly PublicJwk[];
  readonly secret: string | undefined;
  readonly password: string | null;
}

function draft(
  context: Context,
  input: AppInput,
  { activate, httpRedirectUris }: { readonly activate: boolean; readonly httpRedirectUris: HttpRedirectUris },
): Draft {
  const now = wholeSecond(context.now);
  const { baseUrl, namespace } = context;
  const setting = { namespace, baseUrl, now: now.toISOString(), httpRedirectUris };
  const kind = kindOf(input.signOnMode, input.name);
  const read = collectFaults({
    chosen: () => readClientId(input),
    label: () => readLabel(input.label),
    document: () => readDocument(kind, input, setting),
    keys: () => readKeys(input) ?? [],
  });
  const { chosen, document, keys, label } = read;
  assertCertificates(document);
  assertExpressionsSeen(context, document, null);
  const id = newId('app', orgSuffixOf(context.orgId));
  const app: App = {
    id,
    clientId: chosen ?? id,
    label,
    status: activate ? 'ACTIVE' : 'INACTIVE',
    signOnMode: input.signOnMode,
    applicationType: isClientDocument(document) ? document.settings.oauthClient.application_type : null,
    document,
    createdAt: now,
    lastUpdatedAt: now,
    revision: 1,
  };
  return {
    kind,
    app,
    chosen,
    keys,
    secret: readSecret(input, document) ?? undefined,
    password: givenPassword(kind, input),
  };
}

/**
 * Builds the name `<subdomain>_<label>_<number>`, as in recordings, with only the first 100 ASCII letters and digits of
 * the label, in lower case.
 */
const customName = (subdomain: string, label: string, number: number): string =>
  [
    subdomain,
    label
      .toLowerCase()
      .replaceAll(/[^a-z\d]/g, '')
      .slice(0, 100),
    number,
  ].join('_');

async function complete(
  tx: Tx,
  { app, kind }: Draft,
  { orgId }: Context,
  subdomain: string,
  key: SealedSigningKey | null,
): Promise<App> {
  const isCustom = kind.naming.from === 'custom';
  const name = isCustom ? customName(subdomain, app.label, await nextAppNumber(tx, orgId)) : app.document.name;
  const document = withName(app.document, kind, name);
  if (key === null || isClientDocument(document)) return { ...app, document };
  return { ...app, document: { ...document, credentials: { ...document.credentials, signing: { kid: key.kid } } } };
}

function recordCreation(record: RecordEvent, app: App, keys: ShownApp['keys'], key: SealedSigningKey | null): void {
  record({ eventType: 'application.lifecycle.create', target: [appChange([null, { app, keys }])] });
  if (key !== null) {
    record({ eventType: 'app.keys.generate', target: [appTarget(app), signingKeyChange([null, key])] });
  }
  if (app.status !== 'ACTIVE') return;
  const target = [appChange([{ app: { ...app, status: 'INACTIVE' } }, { app }])];
  record({ eventType: 'application.lifecycle.activate', target });
}

export async function createApp(
  ports: AppPorts,
  context: Context,
  grant: Grant,
  input: AppInput,
  options: { readonly activate: boolean },
): Promise<ShownApp> {
  const { orgId } = context;
  const drafted = draft(context, input, { ...options, httpRedirectUris: await ports.httpRedirectUrisOf(orgId) });
  const { chosen, keys: given, password, secret } = drafted;
  const { id } = drafted.app;
  const [subdomain, key] = await Promise.all([
    ports.subdomainOf(orgId),
    drafted.kind.signs ? makeSigningKey(ports, context, id, FIRST_KEY_YEARS) : null,
  ]);
  // Among the apps that sign nothing, clients show the org's key, so the org must have a key.
  if (!drafted.kind.signs) await ports.orgKeys.make(orgId);
  const sealed = password === null ? null : sealSharedPassword(ports.masterKey, orgId, id, password);
  // A request repeated with the same `Idempotency-Key` makes no secret, so its response shows none.
  const findShown = async (tx: Tx, _orgId: OrgId, earlier: string): Promise<ShownApp | undefined> => {
    const app = await APPS.find(tx, orgId, earlier);
    return app === undefined ? undefined : showApp(ports, tx, context, app);
  };
  return ports.work(context, (tx, record) =>
    createOnce(tx, context, id, findShown, async () => {
      const app = await complete(tx, drafted, context, subdomain, key);
      if (!coversApp(grant, { id, name: app.document.name })) throw apiError('E0000006');
      if (chosen !== null) await claimClientId(tx, orgId, chosen, app.createdAt);
      await insertApp(tx, orgId, app, chosen);
      if (sealed !== null) await setSharedPassword(tx, orgId, id, sealed);
      if (key !== null) await insertSigningKey(tx, orgId, id, key);
      if (given.length > 0) await replaceInlineKeys(tx, orgId, id, given, orgSuffixOf(orgId), context.now);
      const made = takesSecret(app.document) ? await makeClientSecret(tx, ports.masterKey, context, id, secret) : null;
      const keys = given.length > 0 ? await findInlineKeys(tx, orgId, id) : [];
      recordCreation(record, app, keys, key);
      return { ...(await showApp(ports, tx, context, app)), clientSecret: made?.secret ?? null };
    }),
  );
}
