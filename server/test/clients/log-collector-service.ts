import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gatehouse, newPlace, type Place, type Program, runServer } from '../support/server-process.ts';
import { CollectorHttp, type OrgAddress } from './log-collector-http.ts';

export interface CollectedOrg {
  readonly address: OrgAddress;
  readonly newHttp: () => CollectorHttp;
}

export interface CollectedService {
  readonly place: Place;
  readonly orgs: readonly CollectedOrg[];
  readonly caFile: string;
  readonly crash: () => Promise<void>;
  /** Verifies the hash chain of each org and returns the number of events in each. */
  readonly verified: () => Promise<number[]>;
  readonly close: () => Promise<void>;
}

async function newOrg(place: Place, subdomain: string): Promise<{ hostname: string; token: string }> {
  const made = await gatehouse(place, 'org', 'create', subdomain);
  if (made.code !== 0) throw new Error(made.stderr);
  const administrator = `admin@${subdomain}.example.com`;
  const { code, stdout, stderr } = await gatehouse(
    place,
    'token',
    'create',
    '--org',
    subdomain,
    '--administrator',
    administrator,
    '--json',
  );
  if (code !== 0) throw new Error(stderr);
  const { token } = JSON.parse(stdout) as { token: string };
  return { hostname: `${subdomain}.localhost`, token };
}

export async function startCollectedService(subdomains: readonly string[]): Promise<CollectedService> {
  const place = await newPlace({
    GATEHOUSE_NAMESPACE: 'okta',
    GATEHOUSE_RATE_LIMIT_PER_MINUTE: '100000000',
    GATEHOUSE_LOG_LEVEL: 'error',
    GATEHOUSE_DATABASE_POOL_SIZE: '16',
  });
  let server: Program = await runServer(place);
  const bootstrap = JSON.parse(await readFile(join(place.dataDirectory, 'bootstrap.json'), 'utf8')) as {
    apiToken: string;
    caFile: string;
  };
  const ca = await readFile(bootstrap.caFile, 'utf8');
  const known = [{ hostname: 'localhost', token: bootstrap.apiToken }];
  for (const subdomain of subdomains) known.push(await newOrg(place, subdomain));
  const https: CollectorHttp[] = [];
  const orgs = known.map(({ hostname, token }): CollectedOrg => {
    const address = { hostname, token, port: place.port, ca };
    const newHttp = () => {
      const http = new CollectorHttp(address);
      https.push(http);
      return http;
    };
    return { address, newHttp };
  });
  return {
    place,
    orgs,
    caFile: bootstrap.caFile,
    crash: async () => {
      server.process.kill('SIGKILL');
      await server.ended;
      server = await runServer(place);
    },
    verified: async () => {
      const { code, stdout, stderr } = await gatehouse(place, 'log', 'verify', '--json');
      if (code !== 0) throw new Error(`log verify: ${stdout}${stderr}`);
      return (JSON.parse(stdout) as { verified: number }[]).map((row) => row.verified);
    },
    close: async () => {
      for (const http of https) http.close();
      server.process.kill('SIGTERM');
      await server.ended;
      await place.remove();
    },
  };
}
