import cluster from 'node:cluster';
import { exitCodeOf, operatorMessage } from './process/operator-errors.ts';
import { serve, serveAsWorker } from './process/serve.ts';
import { loadConfig } from './settings/config.ts';

// This process is a server or one of its workers. Its exit codes are 0 for stopped, 1 for failed and 2 for unusable
// settings.
try {
  const config = loadConfig();
  await (cluster.isWorker ? serveAsWorker(config) : serve(config));
  process.exit(0);
} catch (error) {
  const stack = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`Gatehouse: ${operatorMessage(error) ?? stack}\n`);
  process.exit(exitCodeOf(error));
}
