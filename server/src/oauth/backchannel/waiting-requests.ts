import {
  type AuthorizingClient,
  findAuthorizingClient,
  findLogosOfClients,
  logoAddress,
} from '../../management/apps/index.ts';
import type { Answer } from '../../platform/http/index.ts';
import { type Markup, markup, seeOther } from '../../platform/pages/index.ts';
import {
  ACCOUNT_PAGES,
  type AccountSession,
  accountPage,
  formPurpose,
  notice,
  openAccountSession,
  type PageRequest,
  refuseForeignForm,
  tokenField,
} from '../../sign-in/index.ts';
import {
  findPendingAuthorization,
  findWaitingFor,
  type PendingAuthorization,
} from '../pending-authorizations/index.ts';
import {
  beginUserInteraction,
  isFor,
  isWaiting,
  overPage,
  type UserInteractionPorts,
} from '../user-interaction/index.ts';
import { MAXIMUM_WAITING } from './start-backchannel.ts';

const PATH = ACCOUNT_PAGES.requests;

interface Waiting {
  readonly pending: PendingAuthorization;
  readonly client: AuthorizingClient;
}

/**
 * Finds the user's waiting requests. Leaves out requests of inactive apps, and requests that a change to their app has
 * voided.
 */
async function findWaiting(
  { db }: UserInteractionPorts,
  { pageSession, signedIn }: AccountSession,
): Promise<Waiting[]> {
  const { now, orgId } = pageSession.context;
  const requests = await findWaitingFor(db, orgId, signedIn.user.id, now, MAXIMUM_WAITING.ofUser);
  const ids = [...new Set(requests.map(({ clientId }) => clientId))];
  const found = await Promise.all(ids.map((id) => findAuthorizingClient(db, orgId, id)));
  const clients = new Map(found.flatMap((client) => (client?.status === 'ACTIVE' ? [[client.clientId, client]] : [])));
  return requests.flatMap((pending) => {
    const client = clients.get(pending.clientId);
    return client === undefined || pending.issuedAt <= client.validAfter ? [] : [{ pending, client }];
  });
}

function row(
  ports: UserInteractionPorts,
  { pageSession, signedIn }: AccountSession,
  waiting: Waiting,
  logo: string,
): Markup {
  const { t } = pageSession.view;
  const { label } = waiting.client;
  const { bindingMessage, expiresAt, hash } = waiting.pending;
  const message = bindingMessage === null ? null : markup`<p>${bindingMessage}</p>`;
  return markup`<li><img src="${logo}" alt=""><div><strong>${label}</strong>${message}
<p>${t('account.requests.until', { when: expiresAt })}</p></div>
<form method="post" action="${PATH}">${tokenField(ports, pageSession, formPurpose('requests', signedIn))}
<button class="small" type="submit" name="waiting" value="${hash.toString('base64url')}"
 aria-label="${t('account.requests.lookNamed', { app: label })}">${t('account.requests.look')}</button></form></li>`;
}

/** `GET /account/requests` shows the waiting requests of apps, and the result of the last answer. */
export async function showRequests(
  ports: UserInteractionPorts,
  request: PageRequest,
  done: 'allowed' | 'denied' | undefined,
): Promise<Answer> {
  const own = await openAccountSession(ports, request, 'requests');
  if ('status' in own) return own;
  const { baseUrl, orgId } = own.pageSession.context;
  const { t } = own.pageSession.view;
  const waiting = await findWaiting(ports, own);
  const logos = await findLogosOfClients(
    ports.db,
    orgId,
    waiting.map(({ client }) => client.clientId),
  );
  const logoOf = (id: string) => new URL(logoAddress(logos.get(id) ?? null, baseUrl).href).pathname;
  const rows = waiting.map((one) => row(ports, own, one, logoOf(one.client.clientId)));
  const list =
    rows.length === 0
      ? markup`<p class="panel">${t('account.requests.none')}</p>`
      : markup`<section class="panel"><ul class="rows logos">${rows}</ul></section>`;
  const told = done === undefined ? null : notice('good', t(`backchannel.${done}`));
  const body = markup`${told}<p class="lead">${t('account.requests.explained')}</p>${list}`;
  return accountPage(ports, own, 'requests', { body });
}

export interface RequestsForm {
  readonly formToken?: string;
  /** The hash of the `auth_req_id` of the chosen request, in base64url. */
  readonly waiting?: string;
}

/** `POST /account/requests` starts the interaction for the chosen request in this browser. */
export async function lookAtRequest(
  ports: UserInteractionPorts,
  request: PageRequest,
  { formToken, waiting = '' }: RequestsForm,
): Promise<Answer> {
  const own = await openAccountSession(ports, request, 'requests');
  if ('status' in own) return own;
  const { pageSession, signedIn } = own;
  const purpose = formPurpose('requests', signedIn);
  const foreign = refuseForeignForm(ports, pageSession, { purpose, token: formToken, again: PATH });
  if (foreign !== null) return foreign;
  const { now, orgId } = pageSession.context;
  const pending = await findPendingAuthorization(ports.db, orgId, Buffer.from(waiting, 'base64url'));
  const isOwn = pending?.kind === 'BACKCHANNEL' && isFor(pending, signedIn.user.id) && isWaiting(pending, now);
  const address = isOwn ? await beginUserInteraction(ports.work, pageSession, pending) : null;
  return address === null ? overPage(pageSession.view, 'BACKCHANNEL') : seeOther(address, pageSession.view.cookies);
}
