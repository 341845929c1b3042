import type { Clock } from '../../../kernel/clock.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { type OrgId, toOrgId } from '../../../kernel/words/ids.ts';
import { compileCidrs, type EdgeOrg } from '../../../platform/http/index.ts';
import { createAuthorisationCache, createKeptCopies, type Db } from '../../../platform/postgres/index.ts';
import { type EdgeOrgRow, findEdgeOrg, findEdgeOrgByHost, type ProxyAddress } from '../cross-org-store.ts';
import { lookupOfHost } from './addresses.ts';
import { type OrgSettings, readOrgSettings } from './settings.ts';

/** What every request needs to know of its org, at most a second old. */
export interface EdgeOrgs {
  /** The org of a host name (lower case, no port), or null. */
  resolve(hostname: string): Promise<EdgeOrg | null>;
  /** Public documents are told as they were within the last ten minutes while the database is away. */
  resolveKept(hostname: string): Promise<EdgeOrg | null>;
  settingsOf(orgId: OrgId): Promise<OrgSettings>;
  /** The company's name, for people. */
  nameOf(orgId: OrgId): Promise<string>;
  subdomainOf(orgId: OrgId): Promise<string>;
  canonicalHostOf(orgId: OrgId): Promise<string>;
  /** Loopback belongs to it, or did so in older versions. */
  isDefault(orgId: OrgId): Promise<boolean>;
  /** Forgets an org: called after a change of it has committed. */
  drop(orgId: OrgId): void;
  refreshKept(): Promise<void>;
}

interface LoadedOrg {
  readonly edge: EdgeOrg;
  readonly settings: OrgSettings;
  readonly companyName: string;
  readonly isDefault: boolean;
  /** About what it takes. */
  readonly bytes: number;
}

/** Compiles addresses of zones into a question; what is no address lies in none of them. */
export type CompileProxies = (addresses: readonly ProxyAddress[]) => (address: string) => boolean;

/** Those that the operator named, and those of the org's own zones. */
function proxiesOf({ trustedProxies, zoneProxies }: EdgeOrgRow, compile: CompileProxies): EdgeOrg['trustedProxies'] {
  const named = compileCidrs(trustedProxies);
  const isOfZone = compile(zoneProxies);
  return { matches: (address) => named.matches(address) || isOfZone(address) };
}

/** What all orgs of the installation have in common. */
interface Installation {
  readonly baseDomain: string;
  /** `localhost` leads here, and the first start said so. */
  readonly isAtLocalhost: boolean;
  readonly compileProxies: CompileProxies;
}

/** Of an org's addresses the one that it always has; the default org's is the one that the first start printed. */
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

/** Looks up orgs for the edge; nothing loads all of them, and host names nobody has are remembered as such. */
export function createEdgeOrgs(options: Installation & { readonly db: Db; readonly clock: Clock }): EdgeOrgs {
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
