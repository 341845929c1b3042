import { InstallationError } from '../../installation/installation.ts';
import { commandLine } from '../../kernel/command-line.ts';
import type { Context } from '../../kernel/context.ts';
import { namespaceOf } from '../../kernel/words/namespace.ts';
import { findOrgIdBySubdomain, listOrgs, type OrgSummary } from '../../management/orgs/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { Config } from '../../settings/config.ts';
import { systemContext } from '../../system-log/index.ts';

export type NamedOrg = Pick<OrgSummary, 'id' | 'subdomain'>;

const PAGE = 500;

export async function findOrgs(db: Db): Promise<OrgSummary[]> {
  const orgs: OrgSummary[] = [];
  for (;;) {
    const page = await listOrgs(db, orgs.at(-1)?.subdomain ?? '', PAGE);
    orgs.push(...page);
    if (page.length < PAGE) return orgs;
  }
}

/** Finds the org with the given subdomain or, without one, the only org. */
export async function findOrg(db: Db, subdomain: string | undefined): Promise<NamedOrg> {
  if (subdomain !== undefined) {
    const name = subdomain.toLowerCase();
    const id = await findOrgIdBySubdomain(db, name);
    if (id === null)
      throw new InstallationError(`There is no org "${subdomain}". To list all orgs, run: ${commandLine('org list')}`);
    return { id, subdomain: name };
  }
  const [first, second] = await listOrgs(db, '', 2);
  if (first === undefined)
    throw new InstallationError(`There is no org yet. To create one, run: ${commandLine('org create acme')}`);
  if (second !== undefined)
    throw new InstallationError('There is more than one org. Choose one with --org <subdomain>.');
  return first;
}

/** Builds a context whose actor is the service, with the id `gatehouse-cli`. */
export function commandContext(config: Config, org: NamedOrg): Context {
  const namespace = namespaceOf(config.namespace);
  const url = orgUrl(config, org.subdomain);
  const context = systemContext({ orgId: org.id, namespace, name: 'gatehouse-cli', now: new Date() });
  return { ...context, baseUrl: url, canonicalUrl: url };
}

/** Returns the org's URL under the base domain, even if the org has custom domains. */
function orgUrl(config: Config, subdomain: string): string {
  const port = config.publicPort === 443 ? '' : `:${config.publicPort}`;
  return `https://${subdomain}.${config.baseDomain}${port}`;
}
