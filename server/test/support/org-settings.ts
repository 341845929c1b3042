import type { Context } from '../../src/kernel/context.ts';
import { addDomain, addTrustedProxy, changeOrgSettings } from '../../src/management/orgs/index.ts';
import { systemContext } from '../../src/system-log/index.ts';
import type { TestOrg, TestService } from './service.ts';

export const operatorContext = ({ application, clock }: TestService, org: TestOrg): Context =>
  systemContext({ orgId: org.id, namespace: application.namespace, name: 'test', now: clock.now() });

/** Trusts a proxy, as `gatehouse org proxy add` does. The change applies at once. */
export async function trustProxy(service: TestService, org: TestOrg, cidr: string): Promise<void> {
  await addTrustedProxy(service.application, operatorContext(service, org), cidr);
  service.application.orgDirectory.drop(org.id);
}

/** Adds a domain, as `gatehouse org domain add` does. Advances the clock, so that the change applies at once. */
export async function giveDomain(service: TestService, org: TestOrg, domain: string): Promise<void> {
  await addDomain(service.application, operatorContext(service, org), domain, 'localhost');
  service.clock.advance(1_000);
}

export async function changeSettings(
  service: TestService,
  org: TestOrg,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  await changeOrgSettings(service.application, operatorContext(service, org), changes);
  service.application.orgDirectory.drop(org.id);
}
