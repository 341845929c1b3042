import { beforeAll, describe, expect, test } from 'vitest';
import { appUser, appUsers, assign } from '../support/app-assignments.ts';
import { newSamlApp } from '../support/app-kinds.ts';
import { APPS, createApp, webApp } from '../support/apps.ts';
import { createServerPath, newClaim } from '../support/authorization-servers.ts';
import type { TestClient, TestResponse } from '../support/client.ts';
import { closedTo } from '../support/closed-attributes.ts';
import { newRule, RULES } from '../support/group-rules.ts';
import { addMember, createGroup, groupPath } from '../support/groups.ts';
import { newHook } from '../support/hook-receiver.ts';
import { newOidcProvider } from '../support/identity-providers.ts';
import { newHttpsStream } from '../support/log-streams.ts';
import { createPolicyPath } from '../support/policies.ts';
import { assign as assignRole, type Holder } from '../support/roles.ts';
import { defineAttributes } from '../support/schemas.ts';
import { useService } from '../support/use-service.ts';
import { filterPath, searchPath, userPath } from '../support/users.ts';

/**
 * No response may show or depend on a value that a role hides. A new way to read values needs a row in `READING` or
 * `WRITING`.
 */

const { service, org } = useService({ isShared: false });
let caller: Holder;
let user: TestResponse['body'];
let app: TestResponse['body'];
let group: TestResponse['body'];
let [claims, policy, routing] = ['', '', ''];

const VALUES = ['078-05-1120', '219-09-9999'] as const;
const [ASKED] = VALUES;

beforeAll(async () => {
  await defineAttributes(org, { ssn: { title: 'SSN', type: 'string' } });
  user = await org.createUser();
  app = await createApp(org, webApp({}, {}, { credentials: { userNameTemplate: { template: '${source.ssn}' } } }));
  group = await createGroup(org);
  await addMember(org, group.id, user.id);
  await assign(org, app, user);
  claims = `${await createServerPath(org)}/claims`;
  policy = `${await createPolicyPath(org, { type: 'ACCESS_POLICY' })}/rules`;
  const [{ id }] = (await org.admin.get('/api/v1/policies?type=IDP_DISCOVERY')).body;
  routing = `/api/v1/policies/${id}/rules`;
  // The permission `users.manage` is missing, because it shows whole profiles.
  const permissions = ['groups.manage', 'apps.manage', 'authzServers.manage', 'policies.manage'];
  const paths = ['groups', 'apps', 'authorizationServers', 'policies', 'idps'].map((name) => `/api/v1/${name}`);
  caller = await closedTo(org, ['ssn'], [...permissions, 'identityProviders.manage', 'iam.read'], paths);
  await assignRole(org, userPath(caller.userId), 'REPORT_ADMIN');
  service.clock.advance(1_100);
});

type Ask = (client: TestClient) => Promise<TestResponse>;
const get =
  (path: () => string): Ask =>
  (client) =>
    client.get(path());
const post =
  (path: () => string, body: () => object): Ask =>
  (client) =>
    client.post(path(), { body: body() });
const q = encodeURIComponent;
const log = (parameters: string): string => `/api/v1/logs?limit=1000&${parameters}`;
const CHANGES = `filter=${q('eventType eq "user.account.update_profile"')}`;

/** Requests that read. `isWay` means that the response depends on the value if the caller sees everything. */
// biome-ignore format: the columns are the documentation
const READING: readonly (readonly [way: string, ask: Ask, isWay: boolean])[] = [
  ['a user',                          get(() => userPath(user.id)),                                        true],
  ['the list of users',               get(() => '/api/v1/users?limit=200'),                                true],
  ['users by filter',                 get(() => filterPath(`id eq "${user.id}"`)),                         true],
  ['users by search for something',   get(() => searchPath(`id eq "${user.id}"`)),                         true],
  ['search for the value',            get(() => searchPath(`profile.ssn eq "${ASKED}"`)),                  true],
  ['search for its beginning',        get(() => searchPath('profile.ssn sw "078"')),                       true],
  ['search by comparison',            get(() => searchPath('profile.ssn lt "1"')),                         true],
  ['search that excludes it',         get(() => searchPath(`not (profile.ssn eq "${ASKED}")`)),            true],
  ['the order of a search',           get(() => searchPath(`id eq "${user.id}"`, '&sortBy=profile.ssn')),  true],
  ['users by q',                      get(() => `/api/v1/users?q=${ASKED}`),                               false],
  ['members of a group',              get(() => `${groupPath(group.id)}/users`),                           true],
  ['a user of an app',                get(() => appUser(app, user)),                                       true],
  ['users of an app',                 get(() => `${appUsers(app)}?expand=user`),                           true],
  ['users of an app by q',            get(() => `${appUsers(app)}?q=${ASKED}`),                            false],
  ['apps of a user',                  get(() => `${APPS}?filter=${q(`user.id eq "${user.id}"`)}&expand=user/${user.id}`), true],
  ['groups of a user',                get(() => `${userPath(user.id)}/groups`),                            false],
  ['links of a user',                 get(() => `${userPath(user.id)}/appLinks`),                          false],
  ['the log',                         get(() => log(CHANGES)),                                             true],
  ['keywords of the log',             get(() => log(`q=${ASKED}&${CHANGES}`)),                             false],
  ['parts of keywords of the log',    get(() => log(`q=05&${CHANGES}`)),                                   false],
  ['filters of the log',              get(() => log(`filter=${q(`target.changeDetails.to.ssn eq "${ASKED}"`)}`)), false],
];

const named = (template: string) => webApp({}, {}, { credentials: { userNameTemplate: { template } } });
const stating = () => newSamlApp({ attributeStatements: [{ name: 'a', values: ['user.ssn'] }] });
const matching = () => {
  const subject = {
    userNameTemplate: { template: 'idpuser.email' },
    matchType: 'CUSTOM_ATTRIBUTE',
    matchAttribute: 'ssn',
  };
  return { ...newOidcProvider(), policy: { ...(newOidcProvider()['policy'] as object), subject } };
};
const accessRule = () => ({
  type: 'ACCESS_POLICY',
  name: 'a rule of the sweep',
  conditions: { elCondition: { condition: `user.profile.ssn == "${ASKED}"` } },
  actions: { appSignOn: { access: 'DENY', verificationMethod: { type: 'ASSURANCE', factorMode: '1FA' } } },
});
const routingRule = () => ({
  type: 'IDP_DISCOVERY',
  name: 'a rule of the sweep',
  conditions: {
    userIdentifier: { type: 'ATTRIBUTE', attribute: 'ssn', patterns: [{ matchType: 'EQUALS', value: 'x' }] },
  },
  actions: { idp: { providers: [{ type: 'SVC' }], idpSelectionType: 'SPECIFIC' } },
});

/** Requests that must be refused, because they could reveal or change the attribute. */
// biome-ignore format: the columns are the documentation
const WRITING: readonly (readonly [way: string, ask: Ask])[] = [
  ['claims',                      post(() => claims, () => newClaim({ value: 'user.ssn' }))],
  ['claims of what apps know',    post(() => claims, () => newClaim({ value: 'appuser.userName' }))],
  ['group rules',                 post(() => RULES, () => newRule([group.id], `user.ssn == "${ASKED}"`))],
  ['names in apps',               post(() => APPS, () => named('${source.ssn}'))],
  ['statements of apps',          post(() => APPS, stating)],
  ['access policies',             post(() => policy, accessRule)],
  ['routing',                     post(() => routing, routingRule)],
  ['identity providers',          post(() => '/api/v1/idps', matching)],
  ['event hooks',                 post(() => '/api/v1/eventHooks', () => newHook('https://hooks.example/in'))],
  ['log streams',                 post(() => '/api/v1/logStreams', () => newHttpsStream())],
  ['mappings',                    (client) => client.get('/api/v1/mappings')],
  ['his own change of it',        post(() => userPath(user.id), () => ({ profile: { ssn: ASKED } }))],
];

const said = ({ status, text }: TestResponse): string =>
  `${status} ${text}`
    .replaceAll(/"(?:lastUpdated|errorId)":"[^"]*"/g, '')
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, '');

async function answersWith(value: string, client: TestClient): Promise<readonly TestResponse[]> {
  const { status, text } = await org.admin.post(userPath(user.id), { body: { profile: { ssn: value } } });
  expect(status, text).toBe(200);
  const answers: TestResponse[] = [];
  for (const [, ask] of READING) answers.push(await ask(client));
  return answers;
}

describe('an attribute that a role closes', () => {
  test('is shown by no way, and is no other answer where it is another value', async () => {
    // Each change of the value adds an event to the log, so the caller's two responses to a log query are not compared.
    const own = [await answersWith(VALUES[0], caller), await answersWith(VALUES[1], caller)] as const;
    const whole = [await answersWith(VALUES[0], org.admin), await answersWith(VALUES[1], org.admin)] as const;
    for (const [index, [way, , isWay]] of READING.entries()) {
      const [one, other] = own.map((answers) => answers[index]);
      const [seen, changed] = whole.map((answers) => answers[index]);
      if (one === undefined || other === undefined || seen === undefined || changed === undefined) throw new Error(way);
      for (const answer of [one, other]) {
        const isRepeated = answer.status === 400;
        if (!isRepeated) for (const value of VALUES) expect([way, answer.text.includes(value)]).toEqual([way, false]);
      }
      if (!way.includes('log')) expect([way, said(other)]).toEqual([way, said(one)]);
      expect([way, said(seen) !== said(changed)]).toEqual([way, isWay]);
    }
  });

  test.each(WRITING)('is read for him by no %s', async (_, ask) => {
    expect([400, 403]).toContain((await ask(caller)).status);
  });
});
