import { describe, expect, test } from 'vitest';
import { assign, assignTo, bookmarkApp, newApp, newGroup, passwordApp } from '../support/app-assignments.ts';
import { newAppOf, OTHER_KINDS } from '../support/app-kinds.ts';
import { APPS, webApp } from '../support/apps.ts';
import { newUser } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { everyoneOf } from '../support/groups.ts';
import { openPageClient, type PageClient, signInByPages } from '../support/page-client.ts';
import { createPolicy, createRule, POLICIES } from '../support/policies.ts';
import { useService } from '../support/use-service.ts';
import { PASSWORD, userPath } from '../support/users.ts';

type Body = TestResponse['body'];

const { service, org } = useService({ isShared: false });

const links = (user: Body): Promise<TestResponse> => org.admin.get(`${userPath(user.id)}/appLinks`);
const appsIn = ({ body }: TestResponse): string[] => body.map((link: Body) => link.appInstanceId);

describe('GET /api/v1/users/{id}/appLinks', () => {
  test('links to what the user has, by himself and by groups', async () => {
    const user = await org.createUser();
    const [own, given, others] = [
      await newApp(org, bookmarkApp({ label: 'A' })),
      await newApp(org, bookmarkApp({ label: 'B' })),
      await newApp(org, bookmarkApp({ label: 'C' })),
    ];
    await assign(org, own, user);
    await assign(org, given, user);
    await assignTo(org, given, await newGroup(org, user));
    await assign(org, others, await org.createUser());
    const response = await links(user);
    expect(response.status).toBe(200);
    expect(appsIn(response)).toEqual([own.id, given.id]);
    expect(response.body[0]).toEqual({
      id: user.id,
      label: own.label,
      linkUrl: expect.stringMatching(new RegExp(`^${org.baseUrl}/home/bookmark/${own.id}/\\w+$`)),
      logoUrl: expect.stringMatching(/^https:/),
      appName: 'bookmark',
      appInstanceId: own.id,
      appAssignmentId: expect.stringMatching(/^0ua[0-9A-Za-z]{17}$/),
      credentialsSetup: false,
      hidden: false,
      sortOrder: 0,
    });
    expect(response.body[1].sortOrder).toBe(1);
  });

  test('what everyone has, all have; an inactive app has no links', async () => {
    const app = await newApp(org, bookmarkApp());
    await assignTo(org, app, await everyoneOf(org));
    const user = await org.createUser();
    expect(appsIn(await links(user))).toContain(app.id);
    await org.admin.post(`${APPS}/${app.id}/lifecycle/deactivate`);
    expect(appsIn(await links(user))).not.toContain(app.id);
    await org.admin.post(`${APPS}/${app.id}/lifecycle/activate`);
    expect(appsIn(await links(user))).toContain(app.id);
    await org.admin.del(`${APPS}/${app.id}/groups/${(await everyoneOf(org)).id}`);
  });

  test('marks what hides itself, and where a password is kept', async () => {
    const user = await org.createUser();
    const hidden = await newApp(org, bookmarkApp({ visibility: { hide: { web: true, iOS: false } } }));
    const secret = await newApp(org, passwordApp());
    await assign(org, hidden, user);
    await assign(org, secret, user, { credentials: { password: { value: 'kept' } } });
    const { body } = await links(user);
    expect(body.find((link: Body) => link.appInstanceId === hidden.id)).toMatchObject({ hidden: true });
    expect(body.find((link: Body) => link.appInstanceId === secret.id)).toMatchObject({
      hidden: false,
      credentialsSetup: true,
    });
  });

  test('has a link for each that its visibility shows, and its own where it shows none', async () => {
    const user = await org.createUser();
    const namesFor = async (appLinks: object) => {
      const app = await newApp(org, bookmarkApp({ visibility: { appLinks } }));
      await assign(org, app, user);
      const names: string[] = app._links.appLinks.map(({ name }: Body) => name);
      expect(appsIn(await links(user)).filter((id) => id === app.id)).toHaveLength(names.length);
      return names.toSorted();
    };
    expect(await namesFor({ login: false, start: true, more: true, less: false })).toEqual(['more', 'start']);
    expect(await namesFor({ login: false })).toEqual(['login']);
  });

  test('an app that all have without an assignment is not among them', async () => {
    const app = await newApp(org, bookmarkApp({ settings: { ...bookmarkApp().settings, implicitAssignment: true } }));
    expect(appsIn(await links(await org.createUser()))).not.toContain(app.id);
  });

  test('a deactivated user has none', async () => {
    const user = await org.createUser();
    await assign(org, await newApp(org, bookmarkApp()), user);
    await org.admin.post(`${userPath(user.id)}/lifecycle/deactivate`);
    expect(await links(user)).toMatchObject({ status: 200, body: [] });
  });

  test('everybody may ask for the own ones, and for nobody else', async () => {
    const someone = await org.withRoles();
    const app = await newApp(org, bookmarkApp());
    await assign(org, app, { id: someone.userId });
    expect(appsIn(await someone.get('/api/v1/users/me/appLinks'))).toEqual([app.id]);
    expect(await someone.get(`/api/v1/users/${org.adminUserId}/appLinks`)).toMatchObject({ status: 403 });
  });

  test('by login too; 404 for nobody', async () => {
    const user = await org.createUser();
    expect(await org.admin.get(`${userPath(user.profile.login)}/appLinks`)).toMatchObject({ status: 200, body: [] });
    expect(await links({ id: '00u00000000000000000' })).toMatchObject({ status: 404 });
  });
});

describe('other lists', () => {
  test('apps of a group, and apps by user or group', async () => {
    const user = await org.createUser();
    const group = await newGroup(org, user);
    const [own, given] = [await newApp(org, bookmarkApp()), await newApp(org, bookmarkApp())];
    await assign(org, own, user);
    await assignTo(org, given, group);
    const ids = async (path: string) => (await org.admin.get(path)).body.map(({ id }: Body) => id);
    const filtered = (filter: string) => ids(`${APPS}?filter=${encodeURIComponent(filter)}`);
    expect(await ids(`/api/v1/groups/${group.id}/apps`)).toEqual([given.id]);
    expect((await filtered(`user.id eq "${user.id}"`)).toSorted()).toEqual([own.id, given.id].toSorted());
    expect(await filtered(`group.id eq "${group.id}"`)).toEqual([given.id]);
    expect(await filtered('user.id eq "00u00000000000000000"')).toEqual([]);
  });
});

/** `give` assigns an app to the user and returns the path of its launch link. */
async function signedIn(): Promise<{ user: Body; browser: PageClient; give: (app: Body) => Promise<string> }> {
  const user = await newUser(org);
  const browser = openPageClient(org);
  await signInByPages(browser, user.profile.login);
  const give = async (app: Body): Promise<string> => {
    await assign(org, app, user);
    return new URL(app._links.appLinks[0].href).pathname;
  };
  return { user, browser, give };
}

const locationOf = ({ headers, status, text }: TestResponse): string => {
  expect(status, text).toBe(303);
  return String(headers['location']);
};

const NOT_HELD = 'This app is not assigned to you, or it is inactive.';

async function toldOf(app: Body): Promise<string[]> {
  await service.drained();
  const filter = encodeURIComponent(`target.id eq "${app.id}"`);
  const { body } = await org.admin.get(`/api/v1/logs?filter=${filter}`);
  return body.map(({ eventType, outcome }: Body) => `${eventType} ${outcome.result}`);
}

describe('GET /home/{app}/{instance}/{link}', () => {
  test('leads a client to where its sign-in begins, else to its own page, else nothing leads there', async () => {
    const { browser, give, user } = await signedIn();
    const own = { initiate_login_uri: 'https://app.example/begin?tenant=a%20b', client_uri: 'https://app.example/' };
    // OAuth clients are hidden by default.
    const visible = { visibility: { hide: { iOS: false, web: false } } };
    const begun = await newApp(org, webApp(own, {}, visible));
    const issuer = encodeURIComponent(org.baseUrl);
    expect(locationOf(await browser.get(await give(begun)))).toBe(
      `https://app.example/begin?tenant=a%20b&iss=${issuer}`,
    );
    const shown = await newApp(org, webApp({ client_uri: 'https://app.example/start' }, {}, visible));
    const hidden = await newApp(org, webApp({ client_uri: 'https://app.example/hidden' }));
    expect(locationOf(await browser.get(await give(shown)))).toBe('https://app.example/start');
    const silent = await newApp(org, webApp());
    await assign(org, silent, user);
    expect(silent._links.appLinks).toEqual([]);
    const handed = (await links(user)).body.map(({ linkUrl }: Body) => new URL(linkUrl).pathname);
    const given = [await give(begun), await give(shown)];
    expect(handed.toSorted()).toEqual(given.toSorted());
    await give(hidden);
    const tiles = [...(await browser.get('/')).text.matchAll(/<li><a href="([^"]+\/home\/[^"]+)"/g)];
    expect(tiles.map(([, href = '']) => new URL(href).pathname).toSorted()).toEqual(handed.toSorted());
  });

  test('leads to a bookmark, and tells it', async () => {
    const { browser, give } = await signedIn();
    const app = await newApp(org);
    expect(locationOf(await browser.get(await give(app)))).toBe('https://example.com/start');
    expect(await toldOf(app)).toContain('user.authentication.sso SUCCESS');
  });

  test.each(OTHER_KINDS)('a link of %s leads somewhere, or to what is missing', async (_, kind) => {
    const { browser, give } = await signedIn();
    const app = await newApp(org, newAppOf(kind));
    const answer = await browser.get(await give(app));
    if (kind.mode === 'BOOKMARK') return expect(answer.status).toBe(303);
    expect(answer.status).toBe(501);
    expect(answer.headers['content-type']).toMatch(/^text\/html/);
    expect(answer.text).toMatch(kind.hasScheme ? /sign in there/ : /uses a sign-on method/);
    expect(/class="button" href="https:\/\/app.example.com\/in"/.test(answer.text)).toBe(kind.hasScheme);
    const german = await browser.get(`${await give(app)}?ui_locales=de`);
    expect(german.text).toContain('Diese App kann nicht geöffnet werden');
  });

  test('who is not signed in does that first, and is led on', async () => {
    const { give, user } = await signedIn();
    const path = await give(await newApp(org));
    const stranger = openPageClient(org);
    const asked = new URL(locationOf(await stranger.get(path)), org.baseUrl);
    expect([asked.pathname, asked.searchParams.get('fromURI')]).toEqual(['/signin', path]);
    expect(locationOf(await signInByPages(stranger, user.profile.login, { fromUri: path }))).toBe(path);
    expect(locationOf(await stranger.get(path))).toBe('https://example.com/start');
  });

  test('what one does not have looks like what there is not', async () => {
    const { browser, give, user } = await signedIn();
    const app = await newApp(org);
    const path = await give(app);
    const others = new URL((await newApp(org))._links.appLinks[0].href).pathname;
    await org.admin.post(`${APPS}/${app.id}/lifecycle/deactivate`);
    const elsewhere = await service.newOrg();
    const foreign = new URL((await newApp(elsewhere))._links.appLinks[0].href).pathname;
    const paths = [path, others, foreign, path.replace('bookmark', 'oidc_client'), `${path}x`];
    for (const one of paths) {
      const { status, text } = await browser.get(one);
      expect([one, status, text.includes(NOT_HELD)]).toEqual([one, 403, true]);
    }
    await org.admin.post(`${APPS}/${app.id}/lifecycle/activate`);
    expect((await browser.get(path)).status).toBe(303);
    await org.admin.del(`${APPS}/${app.id}/users/${user.id}`);
    expect((await browser.get(path)).text).toContain(NOT_HELD);
    const everyones = await newApp(
      org,
      bookmarkApp({ settings: { ...bookmarkApp().settings, implicitAssignment: true } }),
    );
    expect((await browser.get(new URL(everyones._links.appLinks[0].href).pathname)).status).toBe(303);
  });

  test('asks the sign-on policy of the app: who may, and how old the sign-in may be', async () => {
    const { browser, give, user } = await signedIn();
    const app = await newApp(org);
    const path = await give(app);
    const policy = await createPolicy(org, { type: 'ACCESS_POLICY', name: 'Launch' });
    const verificationMethod = { type: 'ASSURANCE', factorMode: '1FA', reauthenticateIn: 'PT0S' };
    const actions = { appSignOn: { access: 'ALLOW', verificationMethod } };
    const rule = { type: 'ACCESS_POLICY', priority: 0 };
    await createRule(org, `${POLICIES}/${policy.id}`, { ...rule, name: 'Fresh', actions });
    await org.admin.put(`${APPS}/${app.id}/policies/${policy.id}`);
    service.clock.advance(1_100);
    expect(locationOf(await browser.get(path))).toBe('https://example.com/start');
    service.clock.advance(61_000);
    const again = locationOf(await browser.get(path));
    expect(again).toMatch(/^\/signin\?reauthenticate=true&fromURI=%2Fhome%2F/);
    const named = await browser.submit(again, { username: user.profile.login });
    expect(locationOf(await browser.submit(locationOf(named), { password: PASSWORD }))).toBe(path);
    expect(locationOf(await browser.get(path))).toBe('https://example.com/start');
    const denied = { ...rule, name: 'Nobody', actions: { appSignOn: { access: 'DENY' } } };
    await createRule(org, `${POLICIES}/${policy.id}`, denied);
    service.clock.advance(1_100);
    expect(await browser.get(path)).toMatchObject({
      status: 403,
      text: expect.stringContaining('The sign-on policy of this app denies you access.'),
    });
    expect(await toldOf(app)).toContain('policy.evaluate_sign_on DENY');
  });
});
