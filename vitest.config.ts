import { defineConfig } from 'vitest/config';
import { serverModules } from './tools/gate/modules.ts';

const againstTheServer = {
  globalSetup: ['server/test/support/global-setup.ts'],
  setupFiles: ['server/test/support/cpu-seconds.ts'],
  pool: 'forks' as const,
  // The files of a worker share its modules, because loading them again for each file is slow. Each file must restore
  // the functions that it spies on.
  isolate: false,
  // Tests make many short-lived objects. A larger young generation is collected less often.
  execArgv: ['--max-semi-space-size=64'],
  // These timeouts are long, because a test that is merely slow on a busy machine must not fail.
  testTimeout: 120_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 30_000, interval: 20 } },
};

/** Vitest measures the coverage only of sources that it translates itself, so the plugin is then left out. */
const plugins = process.argv.some((argument) => argument.startsWith('--coverage')) ? [] : [serverModules];

export default defineConfig({
  test: {
    // The tests share a PostgreSQL and a few cores, so more workers would slow each other down.
    maxWorkers: 2,
    // Transformed files are kept under node_modules, so that later runs start faster.
    experimental: { fsModuleCache: true },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['server/src/**/*.test.ts', 'tools/**/*.test.ts'],
          isolate: false,
          testTimeout: 30_000,
          hookTimeout: 120_000,
        },
      },
      { plugins, test: { name: 'http', include: ['server/test/{api,sweeps}/**/*.test.ts'], ...againstTheServer } },
      {
        plugins,
        test: {
          name: 'full',
          include: ['server/test/{clients,conformance,faults,matrices,packed,scale}/**/*.test.ts'],
          ...againstTheServer,
        },
      },
      { plugins, test: { name: 'contract', include: ['server/test/contract/**/*.test.ts'], ...againstTheServer } },
      { plugins, test: { name: 'smoke', include: ['server/test/browser/smoke/**/*.test.ts'], ...againstTheServer } },
      { plugins, test: { name: 'browser', include: ['server/test/browser/*.test.ts'], ...againstTheServer } },
    ],
  },
});
