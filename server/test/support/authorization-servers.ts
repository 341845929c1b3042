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

/** Bodies of valid creations, with the changes in `given`. */
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

/** Builds conditions of a rule that admit everyone and any scope. */
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

/** Each returns the wire form of the created object. */
export const createServer = (org: TestOrg, given: Given = {}): Promise<Body> => create(org, SERVERS, newServer(given));
export const createScope = (org: TestOrg, server: string, given: Given = {}): Promise<Body> =>
  create(org, `${server}/scopes`, newScope(given));
export const createClaim = (org: TestOrg, server: string, given: Given = {}): Promise<Body> =>
  create(org, `${server}/claims`, newClaim(given));
export const createServerPolicy = (org: TestOrg, server: string, given: Given = {}): Promise<Body> =>
  create(org, `${server}/policies`, newServerPolicy(given));
export const createServerRule = (org: TestOrg, policy: string, given: Given = {}): Promise<Body> =>
  create(org, `${policy}/rules`, newServerRule(given));

/** The address of a new server. */
export const createServerPath = async (org: TestOrg, given: Given = {}): Promise<string> =>
  `${SERVERS}/${(await createServer(org, given)).id}`;

/** The address of a new policy of the server at this address. */
export const createServerPolicyPath = async (org: TestOrg, server: string, given: Given = {}): Promise<string> =>
  `${server}/policies/${(await createServerPolicy(org, server, given)).id}`;

/** A 400 with this as its only cause. */
export const refusedWith = (text: string) => ({
  status: 400,
  body: { errorCode: 'E0000001', errorCauses: [{ errorSummary: expect.stringContaining(text) }] },
});

/** A 404 for this id of this kind. */
export const missing = (id: string, type: string) => ({
  status: 404,
  body: { errorCode: 'E0000007', errorSummary: `Not found: Resource not found: ${id} (${type})` },
});

/** Names of the listed items, in order. */
export async function namesAt(org: TestOrg, path: string): Promise<string[]> {
  const { body, status } = await org.admin.get(path);
  expect(status).toBe(200);
  return (body as { readonly name: string }[]).map(({ name }) => name);
}
