import { newCustomServer } from '../support/custom-servers.ts';
import { aboutSession, browserOf, idTokenOf, LOGOUT, logoutPath } from '../support/logout.ts';
import { newListener, noteClient } from '../support/logout-receiver.ts';
import { openSession } from '../support/session-tokens.ts';
import type { Use } from './asking.ts';

const HEADERS = { 'content-type': 'application/x-www-form-urlencoded' };

export async function useLogoutRoutes({ ask, org, service }: Use): Promise<void> {
  const app = await newListener(org);
  const server = await newCustomServer(org);
  const places = [
    { path: LOGOUT, serverId: '', issuer: org.baseUrl },
    { path: `${server.oauth}/v1/logout`, serverId: server.id, issuer: server.issuer },
  ];
  for (const { issuer, path, serverId } of places) {
    const session = await openSession(service, org);
    await noteClient(service, org, session, app.id, serverId);
    const claims = { ...aboutSession(session, app.id), iss: issuer };
    const hint = await idTokenOf(service, org, claims, { serverId });
    const client = browserOf(org, session);
    const raw = new URLSearchParams({ client_id: app.id }).toString();
    await ask('POST', path, undefined, { client, raw, headers: { ...HEADERS, origin: org.baseUrl } });
    await ask('GET', logoutPath({ id_token_hint: hint }, path), undefined, { client });
  }
  const session = await openSession(service, org);
  await noteClient(service, org, session, app.id);
  await ask('POST', `/api/v1/users/${session.userId}/lifecycle/suspend`);
}
