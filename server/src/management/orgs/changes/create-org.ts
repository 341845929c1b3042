import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { FIRST_REVISION } from '../../../kernel/version.ts';
import { ID_PREFIXES, type OrgId, randomAlphanumeric, toOrgId } from '../../../kernel/words/ids.ts';
import type { Namespace } from '../../../kernel/words/namespace.ts';
import { systemContext, type Work } from '../../../system-log/index.ts';
import { readSubdomain } from '../addresses/addresses.ts';
import { becomeDefaultOrg } from '../cross-org-store.ts';
import { changeGeneral } from '../rules.ts';
import { insertOrg, type Org } from '../store.ts';
import { orgChange } from '../wire.ts';

export interface CreateOrgInput {
  readonly subdomain: string;
  readonly companyName: string;
}

/**
 * The first org of an installation becomes the default org. Reactions to the recorded event create the org's other
 * objects.
 */
export async function createOrg(
  ports: { readonly work: Work; readonly namespace: Namespace },
  now: Date,
  input: CreateOrgInput,
): Promise<{ readonly orgId: OrgId }> {
  const subdomain = readSubdomain(input.subdomain);
  const general = changeGeneral({ companyName: '', profile: {} }, { companyName: input.companyName }, 'replace');
  const orgId = toOrgId(`${ID_PREFIXES.org}${randomAlphanumeric(17)}`);
  const createdAt = wholeSecond(now);
  const org: Org = {
    ...general,
    id: orgId,
    subdomain,
    status: 'ACTIVE',
    settings: {},
    createdAt,
    lastUpdatedAt: createdAt,
    revision: FIRST_REVISION,
  };
  const context = systemContext({ orgId, namespace: ports.namespace, name: 'orgs', now });
  await ports.work(context, async (tx, record) => {
    await insertOrg(tx, org);
    await becomeDefaultOrg(tx, orgId);
    record({ eventType: 'system.org.lifecycle.create', target: [orgChange([null, org])] });
  });
  return { orgId };
}
