import cluster from 'node:cluster';
import { exitCodeOf, operatorMessage } from './process/operator-errors.ts';
import { serve, serveAsWorker } from './process/serve.ts';
import { loadConfig } from './settings/config.ts';

// Runs a server or one of its workers. The exit codes of failures are in process/exit-codes.ts.
try {
  const config = loadConfig();
  await (cluster.isWorker ? serveAsWorker(config) : serve(config));
  process.exit(0);
} catch (error) {
  const stack = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`Gatehouse: ${operatorMessage(error) ?? stack}\n`);
  process.exit(exitCodeOf(error));
}
