import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Application, createApplication } from '../../app/application.ts';
import type { OtherWorkers } from '../../app/background/other-workers.ts';
import { firstOrgOf } from '../../installation/first-org.ts';
import { firstOrgUrl, firstStart, firstStartText } from '../../installation/first-start.ts';
import { openMasterKey } from '../../installation/installation.ts';
import { systemClock } from '../../kernel/clock.ts';
import { namespaceOf } from '../../kernel/words/namespace.ts';
import { createGeography } from '../../platform/geography/index.ts';
import type { Metrics } from '../../platform/operations/index.ts';
import type { ConnectionSettings } from '../../platform/postgres/index.ts';
import { type Config, showsMails } from '../../settings/config.ts';
import { mailsPageUrl } from '../../sign-in/index.ts';
import { applicationOptions } from '../application-options.ts';
import { mostClients, openFilesLimit } from '../open-files.ts';
import type { Undo } from '../stopping.ts';
import { keepRenewed, openCaFile, openCertificates } from './certificates.ts';

export interface ServingOptions {
  readonly config: Config;
  readonly connection: ConnectionSettings;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly undo: Undo;
  /** Whether this process makes the first org of the installation, if there is none yet. */
  readonly makesFirstOrg: boolean;
  readonly otherWorkers?: OtherWorkers;
  readonly ticketKeys?: string;
}

const GRACE_MILLISECONDS = 10_000;

async function openPort(options: ServingOptions, application: Application): Promise<void> {
  const { config, log, ticketKeys, undo } = options;
  const shared = ticketKeys === undefined ? {} : { ticketKeys: Buffer.from(ticketKeys, 'base64') };
  const isServed = async (host: string) => (await application.orgDirectory.resolve(host)) !== null;
  const certificates = await openCertificates(config, systemClock, isServed);
  const port = await application.listen({
    host: config.host,
    port: config.port,
    tls: { ...certificates.tls, ...shared },
    maximumConnections: mostClients(openFilesLimit(), config.databasePoolSize),
  });
  const endRenewal = keepRenewed(certificates, (tls) => port.renew({ ...tls, ...shared }), log);
  undo.push(async () => {
    endRenewal();
    if (config.drainSeconds > 0) {
      port.drain();
      await delay(config.drainSeconds * 1_000);
    }
    await port.close(GRACE_MILLISECONDS);
  });
}

/** Returns the text to print once the service answers requests. */
async function makeFirstOrg({ config, connection }: ServingOptions, application: Application): Promise<string> {
  const baseUrl = firstOrgUrl(config);
  const bootstrap = await firstStart({
    connection,
    db: application.db,
    firstOrg: firstOrgOf(application, namespaceOf(config.namespace), baseUrl),
    dataDirectory: config.dataDirectory,
    baseUrl,
    caFile: await openCaFile(config, systemClock),
    namespace: config.namespace,
    mailsUrl: showsMails(config) ? mailsPageUrl(baseUrl, await openMasterKey(config)) : null,
  });
  return bootstrap === null ? `Gatehouse is ready: ${baseUrl}\n` : firstStartText(bootstrap);
}

/** Returns the text to print, which is empty unless `makesFirstOrg` is set. */
export async function startServing(options: ServingOptions): Promise<string> {
  const { undo, ...given } = options;
  const geography = createGeography(options.config);
  const { otherWorkers } = options;
  const application = createApplication({
    ...(await applicationOptions({ ...given, geography })),
    ...(otherWorkers === undefined ? {} : { otherWorkers }),
  });
  undo.push(() => application.stop());
  application.start();
  const greeting = options.makesFirstOrg ? await makeFirstOrg(options, application) : '';
  await openPort(options, application);
  return greeting;
}
