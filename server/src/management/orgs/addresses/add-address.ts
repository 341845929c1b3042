import type { Context } from '../../../kernel/context.ts';
import { invalid, notFound } from '../../../kernel/errors/errors.ts';
import { compileCidrs } from '../../../platform/http/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { findOrgForUpdate, insertDomain, insertTrustedProxy } from '../store.ts';
import { orgTarget } from '../wire.ts';
import { readCustomDomain } from './addresses.ts';

export async function addDomain(
  ports: { readonly work: Work },
  context: Context,
  text: string,
  baseDomain: string,
): Promise<void> {
  const domain = readCustomDomain(text, baseDomain);
  return ports.work(context, async (tx, record) => {
    const org = await findOrgForUpdate(tx, context.orgId);
    if (org === undefined) throw notFound(context.orgId, 'Organization');
    await insertDomain(tx, context.orgId, domain, context.now);
    record({
      eventType: 'system.org.domain.add',
      target: [{ ...orgTarget(org), changeDetails: { from: {}, to: { domain } } }],
      debugData: { domain },
    });
  });
}

export function readCidr(text: string): string {
  const cidr = text.trim();
  try {
    compileCidrs([cidr]);
  } catch {
    throw invalid('cidr', 'must be an IP address or a CIDR range such as 10.0.0.0/8.');
  }
  return cidr;
}

/** Makes the org trust `X-Forwarded-For` from a range of addresses. */
export async function addTrustedProxy(ports: { readonly work: Work }, context: Context, text: string): Promise<void> {
  const cidr = readCidr(text);
  return ports.work(context, async (tx, record) => {
    const org = await findOrgForUpdate(tx, context.orgId);
    if (org === undefined) throw notFound(context.orgId, 'Organization');
    await insertTrustedProxy(tx, context.orgId, cidr, context.now);
    record({
      eventType: 'system.org.trusted_proxy.add',
      target: [{ ...orgTarget(org), changeDetails: { from: {}, to: { trustedProxy: cidr } } }],
      debugData: { cidr },
    });
  });
}
