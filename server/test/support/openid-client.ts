import { SERVERS } from './custom-servers.ts';
import type { TestOrg, TestService } from './service.ts';

export type ServerKind = 'org' | 'default';

export const issuerAt = (service: TestService, kind: ServerKind): string =>
  `https://localhost:${service.port}${kind === 'org' ? '' : '/oauth2/default'}`;

/** Allows a grant type at the default custom server, by adding it to the first rule of its first policy. */
export async function letDefaultServerHave(org: TestOrg, grantType: string): Promise<void> {
  const policies = `${SERVERS}/default/policies`;
  const [policy] = (await org.admin.get(policies)).body;
  const [rule] = (await org.admin.get(`${policies}/${policy.id}/rules`)).body;
  const { grantTypes } = rule.conditions;
  const conditions = { ...rule.conditions, grantTypes: { include: [...grantTypes.include, grantType] } };
  await org.admin.put(`${policies}/${policy.id}/rules/${rule.id}`, { body: { ...rule, conditions } });
}
