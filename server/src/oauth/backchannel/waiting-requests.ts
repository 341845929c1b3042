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
  accountPage,
  notice,
  type OwnVisit,
  openOwnVisit,
  ownPurpose,
  type PageRequest,
  refuseForeignForm,
  tokenField,
} from '../../sign-in/index.ts';
import {
  beginPolledQuestion,
  isFor,
  isWaiting,
  overPage,
  type PolledQuestionPorts,
} from '../polled-questions/index.ts';
import { findPolledRequest, findWaitingFor, type PolledRequest } from '../polled-requests/index.ts';
import { MAXIMUM_WAITING } from './start-backchannel.ts';

const PATH = ACCOUNT_PAGES.requests;

interface Waiting {
  readonly polled: PolledRequest;
  readonly client: AuthorizingClient;
}

/** Finds the requests that can still be answered. The request of an app that has ended since cannot. */
async function findWaiting({ db }: PolledQuestionPorts, { visit, visitor }: OwnVisit): Promise<Waiting[]> {
  const { now, orgId } = visit.context;
  const requests = await findWaitingFor(db, orgId, visitor.user.id, now, MAXIMUM_WAITING.ofUser);
  const ids = [...new Set(requests.map(({ clientId }) => clientId))];
  const found = await Promise.all(ids.map((id) => findAuthorizingClient(db, orgId, id)));
  const clients = new Map(found.flatMap((client) => (client?.status === 'ACTIVE' ? [[client.clientId, client]] : [])));
  return requests.flatMap((polled) => {
    const client = clients.get(polled.clientId);
    return client === undefined || polled.issuedAt <= client.validAfter ? [] : [{ polled, client }];
  });
}

function row(ports: PolledQuestionPorts, { visit, visitor }: OwnVisit, waiting: Waiting, logo: string): Markup {
  const { t } = visit.view;
  const { label } = waiting.client;
  const { bindingMessage, expiresAt, hash } = waiting.polled;
  const message = bindingMessage === null ? null : markup`<p>${bindingMessage}</p>`;
  return markup`<li><img src="${logo}" alt=""><div><strong>${label}</strong>${message}
<p>${t('account.requests.until', { when: expiresAt })}</p></div>
<form method="post" action="${PATH}">${tokenField(ports, visit, ownPurpose('requests', visitor))}
<button class="small" type="submit" name="waiting" value="${hash.toString('base64url')}"
 aria-label="${t('account.requests.lookNamed', { app: label })}">${t('account.requests.look')}</button></form></li>`;
}

/** `GET /account/requests`: what apps ask the user for, and what has just become of one. */
export async function showRequests(
  ports: PolledQuestionPorts,
  request: PageRequest,
  done: 'allowed' | 'denied' | undefined,
): Promise<Answer> {
  const own = await openOwnVisit(ports, request, 'requests');
  if ('status' in own) return own;
  const { baseUrl, orgId } = own.visit.context;
  const { t } = own.visit.view;
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
  /** The id of the chosen request. */
  readonly waiting?: string;
}

/** `POST /account/requests`: begins to ask for one of them, in this browser. */
export async function lookAtRequest(
  ports: PolledQuestionPorts,
  request: PageRequest,
  { formToken, waiting = '' }: RequestsForm,
): Promise<Answer> {
  const own = await openOwnVisit(ports, request, 'requests');
  if ('status' in own) return own;
  const { visit, visitor } = own;
  const purpose = ownPurpose('requests', visitor);
  const foreign = refuseForeignForm(ports, visit, { purpose, token: formToken, again: PATH });
  if (foreign !== null) return foreign;
  const { now, orgId } = visit.context;
  const polled = await findPolledRequest(ports.db, orgId, Buffer.from(waiting, 'base64url'));
  const isOwn = polled?.kind === 'BACKCHANNEL' && isFor(polled, visitor.user.id) && isWaiting(polled, now);
  const address = isOwn ? await beginPolledQuestion(ports.work, visit, polled) : null;
  return address === null ? overPage(visit.view, 'BACKCHANNEL') : seeOther(address, visit.view.cookies);
}
