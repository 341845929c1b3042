import type { Context } from '../../kernel/context.ts';
import { wireDate } from '../../kernel/texts/dates.ts';
import type { Version } from '../../kernel/version.ts';
import { changeTarget, type Target, toldDocument } from '../../system-log/index.ts';
import { PROFILE_FIELDS } from './rules.ts';
import type { Org } from './store.ts';

/** Returns an org as `/api/v1/org` shows it. An org never expires. */
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

/**
 * Returns the metadata that clients read first (contract section 21). `v1` means that this service does not have the
 * newer kind of identity engine.
 */
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

/** Builds an event target for an org, with its change details. */
export const orgChange = changeTarget(orgTarget, ({ companyName, profile, settings, subdomain }) => ({
  subdomain,
  companyName,
  ...profile,
  settings: toldDocument(settings),
}));
