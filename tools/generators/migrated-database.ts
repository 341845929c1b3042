import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../server/src/platform/postgres/embedded/index.ts';
import { createPool, migrate } from '../../server/src/platform/postgres/index.ts';
import type { Query } from './schema.ts';

export async function withMigratedDatabase<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-generate-'));
  // If this process runs as root, PostgreSQL runs as another user, which must be able to enter the folder.
  await chmod(folder, 0o711);
  const messages: string[] = [];
  try {
    const server = await startEmbeddedPostgres({
      dataDirectory: join(folder, 'data'),
      outsideDirectory: join(folder, 'outside'),
      durability: 'off',
      log: (_level, message) => messages.push(message),
    });
    try {
      await migrate(server.connection);
      const pool = createPool({
        connection: server.connection,
        maximumConnections: 1,
        applicationName: 'gatehouse-generate',
        statementTimeoutMilliseconds: 60_000,
      });
      try {
        return await work(async (text) => (await pool.query<Record<string, unknown>>(text)).rows);
      } finally {
        await pool.end();
      }
    } finally {
      await server.stop();
    }
  } catch (error) {
    for (const message of messages) console.error(message);
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
