import { ApiError } from '../../../kernel/errors/errors.ts';
import type { ClientId } from '../../../kernel/words/ids.ts';
import { findLogosOfClients, logoAddress } from '../../../management/apps/index.ts';
import type { Answer } from '../../../platform/http/index.ts';
import { type Markup, markup, seeOther } from '../../../platform/pages/index.ts';
import {
  ACCOUNT_PAGES,
  type AccountPorts,
  type AccountSession,
  accountPage,
  formPurpose,
  notice,
  openAccountSession,
  type PageRequest,
  refuseForeignForm,
  tokenField,
} from '../../../sign-in/index.ts';
import { readGrants, type UserGrant } from '../grants/grant-store.ts';
import { revokeUserGrants } from '../grants/user-grants.ts';
import type { ConsentsPorts } from '../ports.ts';
import { findHoldingClients, type HoldingClient } from '../refresh-tokens/refresh-token-store.ts';
import { revokeTokens } from '../refresh-tokens/refresh-tokens.ts';
import { TOKENS_OF_USER } from '../refresh-tokens/token-families.ts';

export interface AccountConsentsPorts extends ConsentsPorts, AccountPorts {}

const PATH = ACCOUNT_PAGES.consents;
const MAXIMUM_GRANTS = 1_000;

interface AppGrants {
  readonly clientId: ClientId;
  readonly label: string;
  /** The time of the earliest grant or, for an app without grants, of the earliest refresh token. */
  readonly since: Date;
  readonly scopes: readonly string[];
}

/** Includes apps that have only a refresh token. */
function byApp(grants: readonly UserGrant[], holding: readonly HoldingClient[]): AppGrants[] {
  const apps = new Map<string, AppGrants>();
  for (const { clientId, clientLabel: label, createdAt, scopeDisplayName, scopeName } of grants) {
    const known = apps.get(clientId) ?? { clientId, label, since: createdAt, scopes: [] };
    const scope = scopeDisplayName ?? scopeName;
    apps.set(clientId, {
      ...known,
      since: createdAt < known.since ? createdAt : known.since,
      scopes: known.scopes.includes(scope) ? known.scopes : [...known.scopes, scope],
    });
  }
  for (const { clientId, clientLabel: label, createdAt: since, scopes } of holding) {
    if (!apps.has(clientId)) apps.set(clientId, { clientId, label, since, scopes });
  }
  return [...apps.values()].toSorted((one, other) => one.label.localeCompare(other.label));
}

function appRow(ports: AccountPorts, { pageSession, signedIn }: AccountSession, app: AppGrants, logo: string): Markup {
  const { t } = pageSession.view;
  const scopes = app.scopes.map((scope) => markup`<li>${scope}</li>`);
  return markup`<li><img src="${logo}" alt=""><div><strong>${app.label}</strong>
<ul class="plain">${scopes}</ul><p>${t('account.consents.since', { when: app.since })}</p></div>
<form method="post" action="${PATH}">${tokenField(ports, pageSession, formPurpose('consents', signedIn))}
<button class="quiet small" type="submit" name="app" value="${app.clientId}"
 aria-label="${t('account.consents.takeBackNamed', { app: app.label })}">${t('account.consents.takeBack')}</button>
</form></li>`;
}

export async function showConsents(
  ports: AccountConsentsPorts,
  request: PageRequest,
  done: 'takenBack' | undefined,
): Promise<Answer> {
  const own = await openAccountSession(ports, request, 'consents');
  if ('status' in own) return own;
  const { baseUrl, orgId } = request.context;
  const of = { userId: own.signedIn.user.id, clientId: null, scopeId: null };
  const [grants, holding] = await Promise.all([
    readGrants(ports.db, orgId, of, { key: null, backwards: false, rows: MAXIMUM_GRANTS }),
    findHoldingClients(ports.db, orgId, of.userId, request.context.now, MAXIMUM_GRANTS),
  ]);
  const apps = byApp(grants, holding);
  const logos = await findLogosOfClients(
    ports.db,
    orgId,
    apps.map(({ clientId }) => clientId),
  );
  const logoOf = (clientId: ClientId) => new URL(logoAddress(logos.get(clientId) ?? null, baseUrl).href).pathname;
  const { t } = own.pageSession.view;
  const rows = apps.map((app) => appRow(ports, own, app, logoOf(app.clientId)));
  const list =
    rows.length === 0
      ? markup`<p class="panel">${t('account.consents.none')}</p>`
      : markup`<section class="panel"><ul class="rows logos">${rows}</ul></section>`;
  const body = markup`${done === undefined ? null : notice('good', t('account.consents.takenBack'))}
<p class="lead">${t('account.consents.explained')}</p>${list}`;
  return accountPage(ports, own, 'consents', { body });
}

export interface ConsentsForm {
  readonly formToken?: string;
  readonly app?: string;
}

export async function submitConsents(
  ports: AccountConsentsPorts,
  request: PageRequest,
  { app, formToken }: ConsentsForm,
): Promise<Answer> {
  const own = await openAccountSession(ports, request, 'consents');
  if ('status' in own) return own;
  const { pageSession, signedIn } = own;
  const purpose = formPurpose('consents', signedIn);
  const foreign = refuseForeignForm(ports, pageSession, { purpose, token: formToken, again: PATH });
  if (foreign !== null) return foreign;
  if (app === undefined || app === '') return seeOther(PATH);
  try {
    const address = { userId: signedIn.user.id, clientId: app };
    await revokeUserGrants(ports, signedIn.context, signedIn.grant, address);
    await revokeTokens(ports, TOKENS_OF_USER, signedIn.context, signedIn.grant, address);
  } catch (error) {
    // A deleted app no longer has access.
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  }
  return seeOther(`${PATH}?done=takenBack`);
}
