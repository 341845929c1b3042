import { expect } from 'vitest';
import type { TestResponse } from './client.ts';
import type { TestOrg } from './service.ts';

type Given = Readonly<Record<string, unknown>>;
type Body = TestResponse['body'];

export const POLICIES = '/api/v1/policies';
export const SIGN_ON_TYPE = 'SVC_SIGN_ON';

let count = 0;
const next = (word: string): string => {
  count += 1;
  return `${word} ${count}`;
};

/** The functions named `new...` build valid bodies. Members of `given` are added to the body or replace those in it. */
export const newPolicy = (given: Given = {}): Given => ({ type: SIGN_ON_TYPE, name: next('Policy'), ...given });

export const newSignOnRule = (given: Given = {}): Given => ({
  type: 'SIGN_ON',
  name: next('Rule'),
  actions: { signon: { access: 'ALLOW' } },
  ...given,
});

export const newRoutingRule = (given: Given = {}): Given => ({
  type: 'IDP_DISCOVERY',
  name: next('Rule'),
  actions: { idp: { providers: [{ type: 'SVC' }], idpSelectionType: 'SPECIFIC' } },
  ...given,
});

async function create(org: TestOrg, url: string, body: Given): Promise<Body> {
  const response = await org.admin.post(url, { body });
  if (response.status !== 200) throw new Error(`nothing was created at ${url}: ${response.text}`);
  return response.body;
}

export const createPolicy = (org: TestOrg, given: Given = {}): Promise<Body> => create(org, POLICIES, newPolicy(given));

export const createPolicyPath = async (org: TestOrg, given: Given = {}): Promise<string> =>
  `${POLICIES}/${(await createPolicy(org, given)).id}`;

export const createRule = (org: TestOrg, policy: string, body: Given = newSignOnRule()): Promise<Body> =>
  create(org, `${policy}/rules`, body);

export interface ListedPolicy {
  readonly id: string;
  readonly name: string;
  readonly priority: number;
  readonly system: boolean;
}

export async function listPolicies(org: TestOrg, query = `type=${SIGN_ON_TYPE}`): Promise<ListedPolicy[]> {
  const { body, status } = await org.admin.get(`${POLICIES}?${query}`);
  expect(status).toBe(200);
  return body as ListedPolicy[];
}

export const listRules = async (org: TestOrg, policy: string): Promise<ListedPolicy[]> =>
  (await org.admin.get(`${policy}/rules`)).body as ListedPolicy[];

export async function defaultPolicy(org: TestOrg, type = SIGN_ON_TYPE): Promise<ListedPolicy> {
  const found = (await listPolicies(org, `type=${type}`)).find(({ system }) => system);
  if (found === undefined) throw new Error(`the org has no default policy of the type ${type}`);
  return found;
}

export const defaultPolicyPath = async (org: TestOrg, type = SIGN_ON_TYPE): Promise<string> =>
  `${POLICIES}/${(await defaultPolicy(org, type)).id}`;

export const invalidWith = (text: string) => ({
  status: 400,
  body: { errorCode: 'E0000001', errorCauses: [{ errorSummary: expect.stringContaining(text) }] },
});

/** Returns the path and query of the next page of a list, or null on the last page. */
export function nextPage({ headers }: TestResponse): string | null {
  const lines = [headers['link'] ?? []].flat().flatMap((text) => text.split(/,\s*(?=<)/));
  const line = lines.find((text) => text.includes('rel="next"'));
  return /^<https:\/\/[^/]+([^>]+)>/.exec(line ?? '')?.[1] ?? null;
}

/** This rule refuses access, because it has conditions that are stored but not evaluated yet (ADR 0053). */
export const CLOSED_RULE = {
  conditions: {
    network: { connection: 'ANYWHERE' },
    platform: { include: [{ type: 'MOBILE', os: { type: 'IOS' } }] },
    riskScore: { level: 'LOW' },
    elCondition: { condition: "user.profile.department == 'Engineering'" },
    device: { managed: true, registered: true },
  },
  actions: {
    appSignOn: {
      access: 'ALLOW',
      verificationMethod: {
        type: 'ASSURANCE',
        factorMode: '2FA',
        reauthenticateIn: 'PT2H',
        constraints: [
          { knowledge: { types: ['PASSWORD'], reauthenticateIn: 'PT2H' }, possession: { deviceBound: 'REQUIRED' } },
        ],
      },
      keepMeSignedIn: { postAuth: 'ALLOWED', postAuthPromptFrequency: 'P30D' },
    },
  },
};
