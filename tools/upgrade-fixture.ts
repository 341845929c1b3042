// `npx tsx tools/upgrade-fixture.ts <version>` builds and runs a release from releases.json, fills its installation
// with data, and writes the data to server/test/upgrades/.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { readReleases } from '../server/test/support/releases.ts';
import type { FilledInstallation } from '../server/test/support/upgraded-installation.ts';
import { openSharedInstallation } from './nodes/installation.ts';
import { buildOlderVersion } from './nodes/older-version.ts';
import { dumpTables } from './upgrade/dump-tables.ts';
import { fillInstallation } from './upgrade/fill-installation.ts';

const BEST_COMPRESSION = 9;
const [version] = process.argv.slice(2);
const release = readReleases().find((candidate) => candidate.version === version);
if (release === undefined) {
  process.stderr.write('upgrade-fixture: name a version that is in releases.json\n');
  process.exit(2);
}
const built = await buildOlderVersion(release.commit);
const installation = await openSharedInstallation();
const node = await installation.node('older', built.launch);
try {
  await node.service.start();
  const client = await installation.client(node.port);
  const facts = await fillInstallation({ client, port: node.port, service: node.service, pool: installation.pool });
  client.close();
  await node.service.end('SIGTERM');
  const { apiToken } = await installation.bootstrap();
  const filled: FilledInstallation = {
    version: release.version,
    schema: release.schema,
    madeAt: new Date().toISOString(),
    masterKey: installation.masterKey,
    publicPort: node.port,
    apiToken,
    facts,
    ...(await dumpTables(installation.pool)),
  };
  const path = fileURLToPath(new URL(`../server/test/upgrades/${release.version}.json.gz`, import.meta.url));
  await writeFile(path, gzipSync(JSON.stringify(filled), { level: BEST_COMPRESSION }));
  process.stdout.write(`${path}: ${filled.tables.length} tables\n`);
} finally {
  await node.service.end('SIGTERM');
  await installation.close();
  await built.remove();
}
