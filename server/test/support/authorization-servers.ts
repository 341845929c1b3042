import { expect } from 'vitest';
import type { TestResponse } from './client.ts';
import type { TestOrg } from './service.ts';

type Given = Readonly<Record<string, unknown>>;
type Body = TestResponse['body'];

export const SERVERS = '/api/v1/authorizationServers';
export const DEFAULT_SERVER = `${SERVERS}/default`;

let count = 0;
const next = (word: string): string => {
  count += 1;
  return `${word}${count}`;
};

/** The functions named `new...` build valid bodies. `given` contains changes. */
export const newServer = (given: Given = {}): Given => ({ name: next('server'), audiences: ['api://shop'], ...given });

export const newScope = (given: Given = {}): Given => ({ name: next('car:drive'), ...given });

export const newClaim = (given: Given = {}): Given => ({
  name: next('claim'),
  claimType: 'RESOURCE',
  valueType: 'EXPRESSION',
  value: 'user.department',
  ...given,
});

export const newServerPolicy = (given: Given = {}): Given => ({
  type: 'OAUTH_AUTHORIZATION_POLICY',
  name: next('policy'),
  conditions: { clients: { include: ['ALL_CLIENTS'] } },
  ...given,
});

/** Builds conditions of a rule that match every user and scope, with the authorization code grant. */
export const ruleConditions = (given: Given = {}): Given => ({
  people: { groups: { include: ['EVERYONE'] } },
  grantTypes: { include: ['authorization_code'] },
  scopes: { include: ['*'] },
  ...given,
});

export const newServerRule = (given: Given = {}): Given => ({
  type: 'RESOURCE_ACCESS',
  name: next('rule'),
  conditions: ruleConditions(),
  ...given,
});

async function create(org: TestOrg, url: string, body: Given): Promise<Body> {
  const response = await org.admin.post(url, { body });
  if (response.status !== 201) throw new Error(`nothing was created at ${url}: ${response.text}`);
  return response.body;
}

export const createServer = (org: TestOrg, given: Given = {}): Promise<Body> => create(org, SERVERS, newServer(given));
export const createScope = (org: TestOrg, server: string, given: Given = {}): Promise<Body> =>
  create(org, `${server}/scopes`, newScope(given));
export const createClaim = (org: TestOrg, server: string, given: Given = {}): Promise<Body> =>
  create(org, `${server}/claims`, newClaim(given));
export const createServerPolicy = (org: TestOrg, server: string, given: Given = {}): Promise<Body> =>
  create(org, `${server}/policies`, newServerPolicy(given));
export const createServerRule = (org: TestOrg, policy: string, given: Given = {}): Promise<Body> =>
  create(org, `${policy}/rules`, newServerRule(given));

export const createServerPath = async (org: TestOrg, given: Given = {}): Promise<string> =>
  `${SERVERS}/${(await createServer(org, given)).id}`;

export const createServerPolicyPath = async (org: TestOrg, server: string, given: Given = {}): Promise<string> =>
  `${server}/policies/${(await createServerPolicy(org, server, given)).id}`;

export const refusedWith = (text: string) => ({
  status: 400,
  body: { errorCode: 'E0000001', errorCauses: [{ errorSummary: expect.stringContaining(text) }] },
});

export const missing = (id: string, type: string) => ({
  status: 404,
  body: { errorCode: 'E0000007', errorSummary: `Not found: Resource not found: ${id} (${type})` },
});

export async function namesAt(org: TestOrg, path: string): Promise<string[]> {
  const { body, status } = await org.admin.get(path);
  expect(status).toBe(200);
  return (body as { readonly name: string }[]).map(({ name }) => name);
}
