import { defineConfig } from 'vitest/config';

/** HTTP specs share one PostgreSQL and two cores: more workers only make each other slow. */
const againstTheServer = {
  globalSetup: ['server/test/support/global-setup.ts'],
  pool: 'forks' as const,
  testTimeout: 30_000,
  hookTimeout: 120_000,
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['server/src/**/*.test.ts', 'tools/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'http',
          include: ['server/test/**/*.test.ts'],
          exclude: ['server/test/contract/**', 'server/test/browser/**'],
          ...againstTheServer,
        },
      },
      { test: { name: 'contract', include: ['server/test/contract/**/*.test.ts'], ...againstTheServer } },
      { test: { name: 'browser', include: ['server/test/browser/**/*.test.ts'], ...againstTheServer } },
    ],
  },
});
