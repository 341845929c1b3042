import { pino } from 'pino';
import { systemClock } from '../kernel/clock.ts';
import { masterKeyOf } from '../platform/crypto/index.ts';
import type { AnyRoute } from '../platform/http/index.ts';
import { loadConfig } from '../settings/config.ts';
import { createApplication } from './application.ts';
import { poolSizesAround } from './pool-sizes.ts';

/** Every route declaration. Creating the application opens no connection, so the connection settings need not work. */
export const allRoutes: readonly AnyRoute[] = createApplication({
  config: loadConfig({}),
  connection: { host: '/nowhere' },
  poolSizes: poolSizesAround(1),
  clock: systemClock,
  masterKey: masterKeyOf(Buffer.alloc(32)),
  log: pino({ level: 'silent' }),
  entityTagsEmittedSince: {},
}).routes;
