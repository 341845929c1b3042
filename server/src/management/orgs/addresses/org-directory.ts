import type { Clock } from '../../../kernel/clock.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { type OrgId, toOrgId } from '../../../kernel/words/ids.ts';
import { compileCidrs, type EdgeOrg } from '../../../platform/http/index.ts';
import { createAuthorisationCache, createKeptCopies, type Db } from '../../../platform/postgres/index.ts';
import { type EdgeOrgRow, findEdgeOrg, findEdgeOrgByHost, type ProxyAddress } from '../cross-org-store.ts';
import { lookupOfHost } from './addresses.ts';
import { type OrgSettings, readOrgSettings } from './settings.ts';

/** Facts about orgs that every request needs, at most a second old. */
export interface OrgDirectory {
  /** Finds the org of a host name (lower case, no port); null when there is none. */
  resolve(hostname: string): Promise<EdgeOrg | null>;
  /** Like `resolve`, but up to ten minutes old while the database is unreachable, for public documents. */
  resolveKept(hostname: string): Promise<EdgeOrg | null>;
  settingsOf(orgId: OrgId): Promise<OrgSettings>;
  /** Display name of the company. */
  nameOf(orgId: OrgId): Promise<string>;
  subdomainOf(orgId: OrgId): Promise<string>;
  canonicalHostOf(orgId: OrgId): Promise<string>;
  /** Whether loopback belongs to the org, now or in older releases. */
  isDefault(orgId: OrgId): Promise<boolean>;
  /** Drops an org from the cache; call this after a change of it has committed. */
  drop(orgId: OrgId): void;
  refreshKept(): Promise<void>;
}

interface LoadedOrg {
  readonly edge: EdgeOrg;
  readonly settings: OrgSettings;
  readonly companyName: string;
  readonly isDefault: boolean;
  /** Approximate size in memory. */
  readonly bytes: number;
}

/** Compiles addresses of zones to a test; text that is not an address never matches. */
export type CompileProxies = (addresses: readonly ProxyAddress[]) => (address: string) => boolean;

/** Merges the proxies that the operator named with those of the org's zones. */
function proxiesOf({ trustedProxies, zoneProxies }: EdgeOrgRow, compile: CompileProxies): EdgeOrg['trustedProxies'] {
  const named = compileCidrs(trustedProxies);
  const isOfZone = compile(zoneProxies);
  return { matches: (address) => named.matches(address) || isOfZone(address) };
}

/** Facts that all orgs of the installation share. */
interface Installation {
  readonly baseDomain: string;
  /** Whether `localhost` belongs to the default org, as the first start announced. */
  readonly isAtLocalhost: boolean;
  readonly compileProxies: CompileProxies;
}

/** The permanent address of an org; the default org's is the one that the first start printed. */
const canonicalHost = ({ isDefault, subdomain }: EdgeOrgRow, { baseDomain, isAtLocalhost }: Installation): string =>
  isDefault && isAtLocalhost ? 'localhost' : `${subdomain}.${baseDomain}`;

function loadedOrg(row: EdgeOrgRow | null, installation: Installation): LoadedOrg | null {
  if (row === null) return null;
  const settings = readOrgSettings(row.settings);
  const edge: EdgeOrg = {
    orgId: toOrgId(row.id),
    subdomain: row.subdomain,
    canonicalHost: canonicalHost(row, installation),
    trustedProxies: proxiesOf(row, installation.compileProxies),
    corsOrigins: new Set(row.corsOrigins),
    rateLimits: settings.rateLimits,
    perTokenPercent: settings.perTokenPercent,
    eventNames: settings.eventNames,
  };
  const bytes = JSON.stringify(row).length;
  return { edge, settings, companyName: row.companyName, isDefault: row.isDefault, bytes };
}

/** Looks up orgs for the edge; it never loads all of them, and caches unknown host names too. */
export function createOrgDirectory(options: Installation & { readonly db: Db; readonly clock: Clock }): OrgDirectory {
  const { baseDomain, clock, db } = options;
  const cache = createAuthorisationCache<LoadedOrg | null>({
    clock,
    orgOf: (org) => org?.edge.orgId ?? null,
    load: async ({ kind, id }) => {
      if (kind === 'org') return loadedOrg(await findEdgeOrg(db, id), options);
      const lookup = lookupOfHost(id, baseDomain);
      return lookup === null ? null : loadedOrg(await findEdgeOrgByHost(db, lookup), options);
    },
  });
  const ofHost = (hostname: string) => ({ orgId: null, kind: 'host', id: hostname });
  const kept = createKeptCopies<LoadedOrg>({
    clock,
    load: (key) => cache.get(key),
    orgOf: ({ edge }) => edge.orgId,
    bytesOf: ({ bytes }) => bytes,
  });
  const byId = async (orgId: OrgId): Promise<LoadedOrg> => {
    const org = await cache.get({ orgId, kind: 'org', id: orgId });
    if (org === null) throw notFound(orgId, 'Organization');
    return org;
  };
  return {
    resolve: async (hostname) => (await cache.get(ofHost(hostname)))?.edge ?? null,
    resolveKept: async (hostname) => (await kept.read(ofHost(hostname)))?.edge ?? null,
    settingsOf: async (orgId) => (await byId(orgId)).settings,
    subdomainOf: async (orgId) => (await byId(orgId)).edge.subdomain,
    isDefault: async (orgId) => (await byId(orgId)).isDefault,
    canonicalHostOf: async (orgId) => (await byId(orgId)).edge.canonicalHost,
    nameOf: async (orgId) => (await byId(orgId)).companyName,
    drop: (orgId) => {
      cache.drop(orgId);
      kept.drop(orgId);
    },
    refreshKept: () => kept.refresh(),
  };
}
