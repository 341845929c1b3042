import cluster from 'node:cluster';
import { loadConfig } from './config.ts';
import { exitCodeOf, operatorMessage } from './operator-errors.ts';
import { serve, serveAsWorker } from './serve.ts';

// The process: a server, or one of its workers. Exit codes: 0 stopped, 1 failed, 2 the settings can't be used.
try {
  const config = loadConfig();
  await (cluster.isWorker ? serveAsWorker(config) : serve(config));
  process.exit(0);
} catch (error) {
  const stack = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`Gatehouse: ${operatorMessage(error) ?? stack}\n`);
  process.exit(exitCodeOf(error));
}
