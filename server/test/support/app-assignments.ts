import { expect } from 'vitest';
import { APPS, createApp } from './apps.ts';
import type { RequestOptions, TestResponse } from './client.ts';
import { createGroup, memberPath } from './groups.ts';
import type { TestOrg } from './service.ts';

type Body = TestResponse['body'];

export const bookmarkApp = (given: Readonly<Record<string, unknown>> = {}) => ({
  name: 'bookmark',
  label: 'Bookmark',
  signOnMode: 'BOOKMARK',
  settings: { app: { requestIntegration: false, url: 'https://example.com/start' } },
  ...given,
});

export const passwordApp = (given: Readonly<Record<string, unknown>> = {}) => ({
  name: 'template_swa',
  label: 'With a password',
  signOnMode: 'BROWSER_PLUGIN',
  settings: {
    app: { buttonField: 'btn', passwordField: 'pw', usernameField: 'user', url: 'https://example.com/login' },
  },
  ...given,
});

let apps = 0;
export function newApp(org: TestOrg, body: Readonly<Record<string, unknown>> = bookmarkApp()): Promise<Body> {
  apps += 1;
  return createApp(org, { ...body, label: `${String(body['label'])} ${apps}` });
}

export async function newGroup(org: TestOrg, ...members: readonly Body[]): Promise<Body> {
  const group = await createGroup(org);
  for (const member of members) await join(org, group, member);
  return group;
}

export async function join(org: TestOrg, group: Body, user: Body): Promise<TestResponse> {
  const response = await org.admin.put(memberPath(group.id, user.id));
  expect(response.status, response.text).toBe(204);
  return response;
}

export async function leave(org: TestOrg, group: Body, user: Body): Promise<TestResponse> {
  const response = await org.admin.del(memberPath(group.id, user.id));
  expect(response.status, response.text).toBe(204);
  return response;
}

export const appUsers = (app: Body): string => `${APPS}/${app.id}/users`;
export const appUser = (app: Body, user: Body): string => `${appUsers(app)}/${user.id}`;
export const appGroups = (app: Body): string => `${APPS}/${app.id}/groups`;
export const appGroup = (app: Body, group: Body): string => `${appGroups(app)}/${group.id}`;

export const assign = (org: TestOrg, app: Body, user: Body, given: object = {}): Promise<TestResponse> =>
  org.admin.post(appUsers(app), { body: { id: user.id, ...given } });

export const assignTo = (org: TestOrg, app: Body, group: Body, body?: object): Promise<TestResponse> => {
  const options: RequestOptions = body === undefined ? {} : { body };
  return org.admin.put(appGroup(app, group), options);
};

export const idsOf = ({ body }: TestResponse): string[] => body.map(({ id }: Body) => id);

const MEMBERSHIP = 'application.user_membership';

/** Returns the assignment events of a request, sorted. `what` is the event type without its prefix. */
export async function toldBy(
  org: TestOrg,
  response: TestResponse,
): Promise<{ what: string; app: string; user: string }[]> {
  const filter = `transaction.id eq "${String(response.headers['x-svc-request-id'])}"`;
  const events = (await org.systemLog(filter)).filter(({ eventType }) => String(eventType).startsWith(MEMBERSHIP));
  const told = events.map(({ eventType, target }) => ({
    what: String(eventType).slice(MEMBERSHIP.length + 1),
    app: target[1].id,
    user: target[2].id,
  }));
  return told.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}
