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
import type { ApplicationOptions } from './infrastructure.ts';
import type { Services } from './services.ts';

const isApiToken = ({ authorization }: Credential): boolean => /^ssws/i.test(authorization);

const subjectOf = ({ principal, roles, scopes }: Authenticated) => ({ userId: userIdOf(principal), roles, scopes });

/** What the edge asks of the areas (design section 4). */
export function edgePortsOf(options: ApplicationOptions, services: Services): Parameters<typeof openPublicPort>[0] {
  const { clock, namespace, log, metrics } = options;
  const { apiTokens, backpressure, brandOf, cursors, edgeOrgs, edgeEvents, limiter, oauth, sessions, zones } = services;
  return {
    clock,
    namespace,
    log,
    cursors,
    tags: createEntityTags(options.entityTagsEmittedSince, clock.now()),
    limiter,
    hostLimit: createHostLimit({ clock, limit: options.hostLimitPerMinute }),
    addressLimiter: createPrefixLimiter({ clock }),
    addressLimitPerMinute: options.addressLimitPerMinute,
    defaultLimitPerMinute: options.rateLimitPerMinute,
    publicPort: options.publicPort,
    baseDomain: options.baseDomain,
    tlsProxies: compileCidrs(options.tlsProxies),
    resolveOrg: (hostname, isKept) => (isKept ? edgeOrgs.resolveKept(hostname) : edgeOrgs.resolve(hostname)),
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
      // It may be listeners because nothing can be read.
      const brand = orgId === null ? null : await brandOf(orgId).catch(() => null);
      return plainProblemPage({ ...refusal, brand });
    },
    backpressure: backpressure.level,
    ...(metrics === undefined ? {} : { answered: metrics.requestAnswered }),
  };
}
