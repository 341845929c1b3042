import cluster from 'node:cluster';
import { exitCodeOf, isReported, operatorMessage } from './process/operator-errors.ts';
import { keepYoungGenerationSmall } from './process/young-generation.ts';
import { loadConfig } from './settings/config.ts';

keepYoungGenerationSmall();

/** Runs a server or one of its workers. Each loads only the modules that it needs. */
async function run(): Promise<void> {
  const config = loadConfig();
  if (cluster.isWorker) await (await import('./process/serving/serve-worker.ts')).serveAsWorker(config);
  else await (await import('./process/serve.ts')).serve(config);
}

// The exit codes of failures are in process/exit-codes.ts.
try {
  await run();
  process.exit(0);
} catch (error) {
  const stack = error instanceof Error ? error.stack : String(error);
  if (!isReported(error)) process.stderr.write(`Gatehouse: ${operatorMessage(error) ?? stack}\n`);
  process.exit(exitCodeOf(error));
}
