import { pino } from 'pino';
import { systemClock } from '../kernel/clock.ts';
import { DEFAULT_NAMESPACE_WORD, namespaceOf } from '../kernel/words/namespace.ts';
import { masterKeyOf } from '../platform/crypto/index.ts';
import type { AnyRoute } from '../platform/http/index.ts';
import { createApplication } from './application.ts';

/**
 * Every route declaration, without a service behind it: for OpenAPI, docs and the permission snapshot. Composing
 * connects to nothing, so the settings need not lead anywhere.
 */
export const allRoutes: readonly AnyRoute[] = createApplication({
  connection: { host: '/nowhere' },
  databasePoolSize: 1,
  clock: systemClock,
  namespace: namespaceOf(DEFAULT_NAMESPACE_WORD),
  masterKey: masterKeyOf(Buffer.alloc(32)),
  log: pino({ level: 'silent' }),
  publicPort: 443,
  baseDomain: 'localhost',
  isAtLocalhost: true,
  tlsProxies: [],
  outboundNetworks: [],
  rateLimitPerMinute: null,
  addressLimitPerMinute: 1,
  hostLimitPerMinute: 1,
  passwordHashWorkers: 1,
  logBacklogBounds: { events: 200_000, seconds: 60 },
  logQueryTimeoutMilliseconds: 30_000,
  logFilesMegabytes: 0,
  aws: null,
  dataDirectory: '/nowhere',
  smtpUrl: null,
  mailFrom: 'gatehouse@localhost',
  showsMails: false,
  entityTagsEmittedSince: {},
}).routes;
