import type { Context } from '../../kernel/context.ts';
import { wireDate } from '../../kernel/texts/dates.ts';
import type { Version } from '../../kernel/version.ts';
import { changeTarget, type Target, toldDocument } from '../../system-log/index.ts';
import { PROFILE_FIELDS } from './rules.ts';
import type { Org } from './store.ts';

export const wireOrg = (org: Org): Record<string, unknown> => ({
  id: org.id,
  subdomain: org.subdomain,
  status: org.status,
  companyName: org.companyName,
  ...Object.fromEntries(PROFILE_FIELDS.map((name) => [name, org.profile[name] ?? null])),
  created: wireDate(org.createdAt),
  lastUpdated: wireDate(org.lastUpdatedAt),
  expiresAt: null,
  _links: {},
});

/** `v1` means that the newer identity engine is absent (contract section 21). */
export const wireOrgMetadata = (context: Context): Record<string, unknown> => ({
  id: context.orgId,
  _links: { organization: { href: context.baseUrl } },
  pipeline: 'v1',
  settings: {
    analyticsCollectionEnabled: false,
    bugReportingEnabled: false,
    omEnabled: false,
    pssoEnabled: false,
    desktopMFAEnabled: false,
    itpEnabled: false,
  },
});

export const orgVersion = ({ id, revision }: Org): Version => ({ kind: 'org', id, revision });

export const orgTarget = (org: Org): Target => ({
  id: org.id,
  type: 'Org',
  alternateId: org.subdomain,
  displayName: org.companyName,
});

export const orgChange = changeTarget(orgTarget, ({ companyName, profile, settings, subdomain }) => ({
  subdomain,
  companyName,
  ...profile,
  settings: toldDocument(settings),
}));
