import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { assertReadsAsStored } from '../../../kernel/stored.ts';
import type { AppId, ClientId } from '../../../kernel/words/ids.ts';
import type { Members } from '../../../kernel/words/members.ts';
import { assertIsOf } from '../../../platform/http/index.ts';
import { problemOfClientId } from '../clients/client-id-rules.ts';
import { AppBody } from '../contract.ts';
import { kindOfApp } from '../modes/kind-rules.ts';
import { assertCertificates } from '../signing-keys/assert-certificates.ts';
import { wireOwn } from '../wire.ts';
import { readLabel } from './common-rules.ts';
import { type AppDocument, isClientDocument } from './document-contract.ts';
import { readDocument, withMode } from './document-rules.ts';

/** Drops undefined members, as serialization to JSON does. */
const sent = (body: object): unknown => JSON.parse(JSON.stringify(body)) as unknown;

function bodyOf({ id, label, sign_on_mode: signOnMode }: Members, document: AppDocument, context: Context): unknown {
  const app = { id: String(id) as AppId, clientId: String(id) as ClientId };
  const { accessibility, features, licensing, name, profile, visibility } = document;
  const own = wireOwn(document, { app, clientSecret: null, keys: [], orgKid: null }, context);
  return sent({ name, label, signOnMode, accessibility, visibility, features, licensing, profile, ...own });
}

/** Validates an imported app as if a request had replaced the app with the app's own representation. */
export function checkStoredApp(row: Members, context: Context): void {
  const { application_type: applicationType, chosen_client_id: chosen } = row;
  const problem = typeof chosen === 'string' ? problemOfClientId(chosen) : null;
  if (problem !== null) throw invalid('chosen_client_id', problem);
  const document = row['document'] as AppDocument;
  const body = bodyOf(row, document, context);
  assertIsOf(AppBody, body);
  const input = withMode(body);
  const ofDocument = isClientDocument(document) ? document.settings.oauthClient.application_type : null;
  if (ofDocument !== applicationType || isClientDocument(document) !== (input.signOnMode === 'OPENID_CONNECT')) {
    throw invalid('application_type', 'must be that of the document.');
  }
  readLabel(body.label, body.label);
  const { baseUrl, namespace, now } = context;
  const setting = { namespace, baseUrl, now: now.toISOString(), httpRedirectUris: 'refused' } as const;
  const kind = kindOfApp({ signOnMode: input.signOnMode, document });
  const read = readDocument(kind, input, setting, document);
  assertReadsAsStored('document', document, read);
  assertCertificates(read);
}
