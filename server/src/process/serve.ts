import { createServer } from 'node:net';
import type { Metrics } from '../platform/operations/index.ts';
import { type Config, formerNamesInUse, formerNameText } from '../settings/config.ts';
import type { OpenDatabase } from './database/database.ts';
import { EXIT } from './exit-codes.ts';
import { createLog } from './log.ts';
import type { Running, Service } from './opening.ts';
import { aboutSetting } from './operator-errors.ts';
import { endOnFaults, stopAll, stopSignal, type Undo } from './stopping.ts';
import { endWithSupervisor, reportReady } from './supervision/supervised.ts';
import { createWorkers } from './supervision/workers.ts';
import { letYoungGenerationGrow } from './young-generation.ts';

/** Throws if one of the ports can't be opened. */
async function checkPorts({ host, managementHost, managementPort, port }: Config): Promise<void> {
  for (const { setting, ...wanted } of [
    { setting: 'GATEHOUSE_PORT', host, port },
    { setting: 'GATEHOUSE_MANAGEMENT_PORT', host: managementHost, port: managementPort },
  ]) {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => reject(aboutSetting(error, setting)));
      server.listen({ ...wanted, exclusive: true }, resolve);
    });
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Returns a promise that rejects as `work` does, and never resolves. Its rejection never counts as unhandled. */
function failureOf(work: Promise<unknown>): Promise<never> {
  const failed = new Promise<never>((_, reject) => void work.catch(reject));
  failed.catch(() => undefined);
  return failed;
}

/** Makes this process itself answer requests. The application is imported here, because a primary does not need it. */
function inThisProcess(running: Running): Service {
  const loading = Promise.all([import('./serving/start-serving.ts'), import('../platform/operations/index.ts')]);
  let metrics: Metrics | null = null;
  let isListening = false;
  return {
    checks: { listener: async () => (isListening ? null : 'is not listening') },
    metrics: async () => (await metrics?.registry.metrics()) ?? '',
    failed: failureOf(loading),
    start: async ({ connection }) => {
      const [{ startServing }, { createMetrics }] = await loading;
      metrics = createMetrics();
      const greeting = await startServing({ ...running, connection, metrics, makesFirstOrg: true });
      isListening = true;
      return greeting;
    },
  };
}

/** Makes workers answer the requests. The first worker is forked at once. */
function inWorkers({ config, log, undo }: Running): Service {
  const workers = createWorkers(config, log);
  undo.push(() => workers.stop());
  const failed = failureOf(workers.prepare());
  return {
    checks: { workers: async () => (workers.listening() > 0 ? null : 'none listens') },
    metrics: () => workers.metrics(),
    failed,
    start: ({ connection, sizes }) => workers.start({ connection, sizes }),
  };
}

/** Closes an embedded database, even if it is still being opened, because it must not outlive this process. */
async function closeOpened({ databaseUrl }: Config, opening: Promise<OpenDatabase>): Promise<void> {
  if (databaseUrl !== null) return;
  // If the database could not be opened, `serve` rejects with the reason.
  const database = await opening.catch(() => null);
  await database?.close();
}

/** Runs the service until SIGTERM or SIGINT, and resolves when all parts have stopped cleanly. */
export async function serve(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  endOnFaults(log);
  for (const renamed of formerNamesInUse()) log.warn(formerNameText(renamed));
  const stopped = stopSignal(log);
  endWithSupervisor(() => {
    log.error('the supervisor of this process has ended, so this process ends too');
    process.exit(EXIT.failure);
  });
  const undo: Undo = [];
  const running: Running = { config, log, undo };
  let lose: (error: Error) => void = () => undefined;
  const lost = new Promise<never>((_, reject) => {
    lose = reject;
  });
  // The code below handles the rejection of `lost`. Without this line, a rejection before that code runs would count as
  // unhandled and end the process.
  lost.catch(() => undefined);
  let close: () => Promise<void> = async () => undefined;
  undo.push(() => close());
  try {
    await checkPorts(config);
    const service = config.workers === 1 ? inThisProcess(running) : inWorkers(running);
    // This import comes after the fork of the first worker, so that a primary and the worker load their modules in
    // parallel.
    const { begin, open } = await import('./opening.ts');
    const opening = open(running, (error) => lose(error));
    close = () => closeOpened(config, opening);
    // If the application cannot be loaded, a migration of the database would be in vain.
    const database = await Promise.race([opening, service.failed]);
    const begun = await Promise.race([begin(running, database, service), stopped, lost, service.failed]);
    if (begun !== undefined) {
      letYoungGenerationGrow();
      process.stdout.write(begun.greeting);
      reportReady();
      await Promise.race([stopped, lost]).finally(() => begun.management.drain());
    }
  } catch (error) {
    await stopAll({ undo, log });
    throw error;
  }
  if (!(await stopAll({ undo, log }))) throw new Error('Gatehouse was not stopped cleanly.');
}
