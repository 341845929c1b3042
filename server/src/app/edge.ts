import { decide, lacksScope } from '../access/index.ts';
import { userIdOf } from '../kernel/context.ts';
import {
  type Authenticated,
  type Credential,
  compileCidrs,
  createEntityTags,
  createHostLimit,
  createPrefixLimiter,
  type openPublicPort,
} from '../platform/http/index.ts';
import { plainProblemPage } from '../platform/pages/index.ts';
import { cidrText } from '../settings/config.ts';
import type { ApplicationOptions } from './infrastructure.ts';
import type { Services } from './services.ts';

/** The maximum number of requests per minute from one address prefix to one org. Each process counts by itself. */
const ADDRESS_LIMIT_PER_MINUTE = 60_000;

/** The maximum number of look-ups of unknown hosts per minute for one address prefix. Each process counts by itself. */
const HOST_LIMIT_PER_MINUTE = 600;

const isApiToken = ({ authorization }: Credential): boolean => /^ssws/i.test(authorization);

const subjectOf = ({ principal, roles, scopes }: Authenticated) => ({ userId: userIdOf(principal), roles, scopes });

export function edgePortsOf(options: ApplicationOptions, services: Services): Parameters<typeof openPublicPort>[0] {
  const { clock, config, log, metrics } = options;
  const { apiTokens, backpressure, brandOf, cursors, orgDirectory, edgeEvents, limiter, oauth, sessions, zones } =
    services;
  return {
    clock,
    namespace: services.namespace,
    log,
    cursors,
    tags: createEntityTags(options.entityTagsEmittedSince, clock.now()),
    limiter,
    hostLimit: createHostLimit({ clock, limit: options.hostLimitPerMinute ?? HOST_LIMIT_PER_MINUTE }),
    addressLimiter: createPrefixLimiter({ clock }),
    addressLimitPerMinute: options.addressLimitPerMinute ?? ADDRESS_LIMIT_PER_MINUTE,
    defaultLimitPerMinute: config.rateLimitPerMinute,
    publicPort: services.publicPort.value,
    baseDomain: config.baseDomain,
    tlsProxies: compileCidrs(config.trustedProxies.map(cidrText)),
    resolveOrg: (hostname, isKept) => (isKept ? orgDirectory.resolveKept(hostname) : orgDirectory.resolve(hostname)),
    authenticate: ({ orgId }, credential, now) =>
      isApiToken(credential)
        ? apiTokens.authenticate(orgId, credential, now)
        : oauth.authenticate(orgId, credential, now),
    authenticateSession: ({ orgId }, sessionId, now) => sessions.authenticate(orgId, sessionId, now),
    zonesAt: (orgId, address, isKept) => (isKept ? zones.locateKept(orgId, address) : zones.locate(orgId, address)),
    decide: (authenticated, { permission, scopes }) => decide(subjectOf(authenticated), permission, scopes),
    lacksScope: (authenticated, { scopes }) => lacksScope(subjectOf(authenticated), scopes),
    refused: edgeEvents.refused,
    errorPage: async ({ orgId, ...refusal }) => {
      // The page is sent without the org's brand if the brand cannot be read.
      const brand = orgId === null ? null : await brandOf(orgId).catch(() => null);
      return plainProblemPage({ ...refusal, brand });
    },
    backpressure: backpressure.level,
    ...(metrics === undefined ? {} : { answered: metrics.requestAnswered }),
  };
}
