import type { OrgId } from '../kernel/words/ids.ts';
import { type ApiTokens, createApiTokens } from '../management/api-tokens/index.ts';
import { createThemes, type Themes } from '../management/brands/index.ts';
import { createOrgDirectory, type OrgDirectory } from '../management/orgs/index.ts';
import { createPolicyEngine, type PolicyEngine } from '../management/policies/index.ts';
import type { UsersPorts } from '../management/users/index.ts';
import { compileProxies, createZones, type Zones } from '../management/zones/index.ts';
import { createOAuth, notifyClientsOfLogout, type OAuth, signStatement } from '../oauth/index.ts';
import { makeKeyPair, subkeysOf } from '../platform/crypto/index.ts';
import { createPasswordHasher, type PasswordHasher } from '../platform/crypto/passwords/index.ts';
import { createCursorCodec, createRateLimiter, isLoopbackName, type RateLimiter } from '../platform/http/index.ts';
import type { JobRunner } from '../platform/jobs/index.ts';
import { createMailJobs, type MailJobs, type MailOutbox } from '../platform/mail/index.ts';
import { createOutbound, type Outbound } from '../platform/outbound/index.ts';
import { type Brand, createPages, type Pages } from '../platform/pages/index.ts';
import { cidrText, isAtLocalhost } from '../settings/config.ts';
import { createRoutingEvents, createSessions, type RoutingEvents, type Sessions } from '../sign-in/index.ts';
import {
  type CacheName,
  createEdgeEvents,
  createLogSigner,
  createLogTrace,
  type EdgeEvents,
  eventDefinition,
  type Foundation,
  type LogSigner,
  type LogTrace,
} from '../system-log/index.ts';
import { createLogSinks } from './background/log-sinks.ts';
import { dropEverywhere, type OtherWorkers } from './background/other-workers.ts';
import { addressOf } from './background/sink-providers.ts';
import {
  type ApplicationOptions,
  createInfrastructure,
  type Infrastructure,
  type ProcessEvents,
} from './infrastructure.ts';
import { usersPortsOf } from './ports/users.ts';

export interface Services extends Infrastructure, Foundation {
  readonly passwords: PasswordHasher;
  readonly orgDirectory: OrgDirectory;
  readonly apiTokens: ApiTokens;
  readonly users: UsersPorts;
  readonly edgeEvents: EdgeEvents;
  readonly pages: Pages;
  readonly routingEvents: RoutingEvents;
  readonly limiter: RateLimiter;
  readonly mailJobs: MailJobs;
  readonly mailOutbox: MailOutbox;
  readonly brandOf: (orgId: OrgId) => Promise<Brand>;
  readonly zones: Zones;
  readonly policies: PolicyEngine;
  readonly sessions: Sessions;
  readonly oauth: OAuth;
  readonly canonicalUrlOf: (orgId: OrgId) => Promise<string>;
  readonly outbound: Outbound;
  readonly logSigner: LogSigner;
  readonly logTrace: LogTrace;
  readonly sinks: JobRunner;
  /** The number of the public port; null until it is known. */
  readonly publicPort: PublicPortNumber;
}

interface PublicPortNumber {
  value: number | null;
}

const ORIGIN = /^https:\/\/[^/?#\\@]+$/;

interface Addresses {
  readonly orgDirectory: OrgDirectory;
  readonly publicPort: PublicPortNumber;
}

/** Returns the host of an `https` origin that uses our public port, or null for anything else. */
function hostOfOrigin(publicPort: PublicPortNumber, origin: string): string | null {
  // A client supplied the origin, so it might not be a URL.
  if (!ORIGIN.test(origin) || !URL.canParse(origin)) return null;
  const { hostname, port } = new URL(origin);
  return Number(port === '' ? 443 : port) === publicPort.value ? hostname.replace(/^\[(.*)\]$/, '$1') : null;
}

async function canonicalUrlOf({ orgDirectory, publicPort }: Addresses, orgId: OrgId): Promise<string> {
  const port = publicPort.value === null || publicPort.value === 443 ? '' : `:${publicPort.value}`;
  return `https://${await orgDirectory.canonicalHostOf(orgId)}${port}`;
}

async function isOwnOrigin({ orgDirectory, publicPort }: Addresses, orgId: OrgId, origin: string): Promise<boolean> {
  const host = hostOfOrigin(publicPort, origin);
  return host !== null && (await orgDirectory.resolve(host))?.orgId === orgId;
}

/**
 * Tells whether the issuer in an org's tokens may have this origin. For the default org, any loopback name is valid,
 * even if the org now has another address.
 */
async function isIssuerOrigin(addresses: Addresses, orgId: OrgId, origin: string): Promise<boolean> {
  const host = hostOfOrigin(addresses.publicPort, origin);
  if (host !== null && isLoopbackName(host)) return addresses.orgDirectory.isDefault(orgId);
  return isOwnOrigin(addresses, orgId, origin);
}

interface OAuthParts extends Addresses {
  readonly edgeEvents: EdgeEvents;
  readonly outbound: Outbound;
  readonly policies: Pick<PolicyEngine, 'appSignOn'>;
  readonly zones: Pick<Zones, 'idsAt'>;
}

function oauthOf(options: ApplicationOptions, infrastructure: Infrastructure, services: OAuthParts): OAuth {
  const { baseDomain } = options.config;
  return createOAuth({
    ...infrastructure,
    makeKeyPair: options.makeKeyPair ?? makeKeyPair,
    isOwnOrigin: (orgId, origin) => isOwnOrigin(services, orgId, origin),
    isIssuerOrigin: (orgId, origin) => isIssuerOrigin(services, orgId, origin),
    appSignOn: (orgId) => services.policies.appSignOn(orgId),
    zonesOf: (orgId, address) => services.zones.idsAt(orgId, address),
    refused: services.edgeEvents.refused,
    outbound: services.outbound,
    addressOf: (orgId) => addressOf({ ...services, baseDomain }, orgId),
  });
}

interface OrgCache {
  readonly drop: (orgId: OrgId) => void;
}

type Cached = Pick<Services, 'apiTokens' | 'orgDirectory' | 'oauth' | 'policies' | 'sessions' | 'zones'> & {
  readonly themes: OrgCache;
};

const cachesOf = (services: Cached): Readonly<Record<CacheName, readonly OrgCache[]>> => ({
  credentials: [
    services.apiTokens,
    services.sessions,
    services.oauth.verifier,
    services.oauth.serverVerifier,
    services.oauth.authenticator,
  ],
  orgs: [services.orgDirectory],
  zones: [services.zones],
  themes: [services.themes],
  policies: [services.policies],
  servers: [services.oauth.servers],
  signingKeys: [services.oauth.signingKeys],
});

function dropVoidedBy(services: Cached, others: OtherWorkers | undefined): ProcessEvents['committed'] {
  const caches = cachesOf(services);
  const drop = dropEverywhere((orgId, names) => {
    for (const name of names) for (const cache of caches[name]) cache.drop(orgId);
  }, others);
  return (orgId, events) => drop(orgId, new Set(events.flatMap(({ eventType }) => eventDefinition(eventType).voids)));
}

async function brandOfOrg(
  { orgDirectory, themes }: { readonly orgDirectory: OrgDirectory; readonly themes: Themes },
  orgId: OrgId,
): Promise<Brand> {
  const [name, theme] = await Promise.all([orgDirectory.nameOf(orgId), themes.themeOf(orgId)]);
  return { name, theme };
}

const logTraceOver = ({ backpressure, databaseLog, work }: Infrastructure): LogTrace =>
  createLogTrace({
    work,
    isBusy: () => backpressure.level() !== 'none',
    onError: (error) => databaseLog.failed(error, 'a read of the log could not be noted'),
  });

const hasherOf = ({ argon2, config }: ApplicationOptions): PasswordHasher =>
  createPasswordHasher({ workers: config.passwordHashWorkers, ...(argon2 === undefined ? {} : { argon2 }) });

export function createServices(options: ApplicationOptions): Services {
  const listeners: ProcessEvents = { committed: () => undefined, drained: () => undefined };
  const infrastructure = createInfrastructure(options, listeners);
  const { config } = options;
  const { baseDomain, smtpUrl } = config;
  const { clock, db, geography, masterKey, namespace, newSharedWork, work } = infrastructure;
  const passwords = hasherOf(options);
  const cursors = createCursorCodec(...subkeysOf(masterKey, 'cursors'));
  const orgDirectory = createOrgDirectory({
    db,
    clock,
    baseDomain,
    isAtLocalhost: isAtLocalhost(config),
    compileProxies,
  });
  const themes = createThemes({ db, clock });
  const zones = createZones({ db, clock, countryOf: geography.countryOf });
  const zoneIdsAt: Zones['idsAt'] = (orgId, address) => zones.idsAt(orgId, address);
  const apiTokens = createApiTokens({ db, work, clock, cursors, zoneIdsAt });
  const policies = createPolicyEngine({ db, clock });
  const sessions = createSessions({
    db,
    work,
    sharedWork: newSharedWork(),
    clock,
    ending: notifyClientsOfLogout,
  });
  const zonesAt: Zones['locate'] = (orgId, address) => zones.locate(orgId, address);
  const publicPort = { value: config.publicPort === 0 ? null : config.publicPort };
  const edgeEvents = createEdgeEvents({ clock, namespace, work, zonesAt });
  const outbound = options.outbound ?? createOutbound({ networks: config.outboundNetworks.map(cidrText) });
  const oauth = oauthOf(options, infrastructure, { edgeEvents, orgDirectory, outbound, policies, publicPort, zones });
  const logSigner = createLogSigner({
    db,
    sign: (orgId, typ, claims) => signStatement(oauth.signingKeys, orgId, typ, claims),
  });
  const sinks = createLogSinks(options, infrastructure, { outbound, orgDirectory, publicPort });
  listeners.drained = () => sinks.wake();
  listeners.committed = dropVoidedBy(
    { apiTokens, orgDirectory, oauth, policies, sessions, themes, zones },
    options.otherWorkers,
  );
  const mailOutbox: MailOutbox = { masterKey, delivery: smtpUrl === null ? 'kept' : 'smtp' };
  const brandOf = (orgId: OrgId): Promise<Brand> => brandOfOrg({ orgDirectory, themes }, orgId);
  return {
    ...infrastructure,
    passwords,
    cursors,
    orgDirectory,
    apiTokens,
    zones,
    policies,
    sessions,
    oauth,
    canonicalUrlOf: (orgId) => canonicalUrlOf({ orgDirectory, publicPort }, orgId),
    outbound,
    brandOf,
    pages: createPages({ brandOf }),
    logSigner,
    logTrace: logTraceOver(infrastructure),
    sinks,
    publicPort,
    users: usersPortsOf({ ...infrastructure, passwords, cursors, orgDirectory, policies, zones, mailOutbox }),
    mailOutbox,
    edgeEvents,
    routingEvents: createRoutingEvents({ clock, namespace, work, zonesAt }),
    limiter: createRateLimiter({ clock }),
    mailJobs: createMailJobs({ db, clock, masterKey, smtpUrl, from: config.mailFrom }),
  };
}
