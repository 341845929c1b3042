import type { Context } from '../../src/kernel/context.ts';
import { addDomain, addTrustedProxy, changeOrgSettings } from '../../src/management/orgs/index.ts';
import { systemContext } from '../../src/system-log/index.ts';
import type { TestOrg, TestService } from './service.ts';

/** The context of an operator's change of an org from the command line. */
export const operatorContext = ({ application, clock }: TestService, org: TestOrg): Context =>
  systemContext({ orgId: org.id, namespace: application.namespace, name: 'test', now: clock.now() });

/** Like `gatehouse org proxy add`; it applies at once. */
export async function trustProxy(service: TestService, org: TestOrg, cidr: string): Promise<void> {
  await addTrustedProxy(service.application, operatorContext(service, org), cidr);
  service.application.orgDirectory.drop(org.id);
}

/** Like `gatehouse org domain add`; it applies at once. */
export async function giveDomain(service: TestService, org: TestOrg, domain: string): Promise<void> {
  await addDomain(service.application, operatorContext(service, org), domain, 'localhost');
  service.clock.advance(1_000);
}

/** Changes settings of the org; they apply at once. */
export async function changeSettings(
  service: TestService,
  org: TestOrg,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  await changeOrgSettings(service.application, operatorContext(service, org), changes);
  service.application.orgDirectory.drop(org.id);
}
