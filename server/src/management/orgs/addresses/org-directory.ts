import type { Clock } from '../../../kernel/clock.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { type OrgId, toOrgId } from '../../../kernel/words/ids.ts';
import { compileCidrs, type EdgeOrg } from '../../../platform/http/index.ts';
import { createAuthorisationCache, createKeptCopies, type Db } from '../../../platform/postgres/index.ts';
import { type EdgeOrgRow, findEdgeOrg, findEdgeOrgByHost, type ProxyAddress } from '../cross-org-store.ts';
import { lookupOfHost } from './addresses.ts';
import { type OrgSettings, readOrgSettings } from './settings.ts';

/** A cache of facts about orgs. */
export interface OrgDirectory {
  /** Returns null if no active org has this host name, which must be in lower case and without a port. */
  resolve(hostname: string): EdgeOrg | null | Promise<EdgeOrg | null>;
  /** Does the same as `resolve`, but may return older facts while the database is down. */
  resolveKept(hostname: string): EdgeOrg | null | Promise<EdgeOrg | null>;
  settingsOf(orgId: OrgId): Promise<OrgSettings>;
  nameOf(orgId: OrgId): Promise<string>;
  subdomainOf(orgId: OrgId): Promise<string>;
  canonicalHostOf(orgId: OrgId): Promise<string>;
  /** Callers accept loopback names in issuers only for the default org, whose older tokens contain them. */
  isDefault(orgId: OrgId): Promise<boolean>;
  /** Call this after a change to the org has been committed. */
  drop(orgId: OrgId): void;
  refreshKept(): Promise<void>;
}

interface LoadedOrg {
  readonly edge: EdgeOrg;
  readonly settings: OrgSettings;
  readonly companyName: string;
  readonly isDefault: boolean;
  /** The approximate size in memory. */
  readonly bytes: number;
}

/** The returned function returns false for a string that is not an address. */
export type CompileProxies = (addresses: readonly ProxyAddress[]) => (address: string) => boolean;

function proxiesOf({ trustedProxies, zoneProxies }: EdgeOrgRow, compile: CompileProxies): EdgeOrg['trustedProxies'] {
  const named = compileCidrs(trustedProxies);
  const isOfZone = compile(zoneProxies);
  return { matches: (address) => named.matches(address) || isOfZone(address) };
}

interface Installation {
  readonly baseDomain: string;
  /** Whether the operator's settings make `localhost` the address of the default org. */
  readonly isAtLocalhost: boolean;
  readonly compileProxies: CompileProxies;
}

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

type Loaded = LoadedOrg | null;

const edgeOf = (org: Loaded | Promise<Loaded>): EdgeOrg | null | Promise<EdgeOrg | null> =>
  org instanceof Promise ? org.then((loaded) => loaded?.edge ?? null) : (org?.edge ?? null);

/** Caches unknown host names too. */
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
    resolve: (hostname) => edgeOf(cache.get(ofHost(hostname))),
    resolveKept: (hostname) => edgeOf(kept.read(ofHost(hostname))),
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
