import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { InstallationError } from '../../installation/installation.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Config } from '../../settings/config.ts';
import { createLog } from '../log.ts';
import { keepRenewed, openCaFile, openCertificates, withinHandshakeLimit } from './certificates.ts';

test('hosts that handshakes make up are looked up 600 times a minute, those that are served always', async () => {
  let now = 0;
  const asked: string[] = [];
  const isServed = withinHandshakeLimit({ now: () => new Date(now) }, async (host) => {
    asked.push(host);
    return host === 'acme.localhost';
  });
  expect(await isServed('acme.localhost')).toBe(true);
  for (let host = 0; host < 700; host += 1) expect(await isServed(`x${host}.localhost`)).toBe(false);
  expect(asked).toHaveLength(600);
  expect(await isServed('acme.localhost')).toBe(true);
  now = 60_000;
  await isServed('y.localhost');
  expect(asked.slice(-2)).toEqual(['acme.localhost', 'y.localhost']);
});

describe('certificates', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-certificates-'));
  });
  afterEach(() => {
    vi.useRealTimers();
    rmSync(folder, { recursive: true });
  });

  const nobody = async (): Promise<boolean> => false;
  const configOf = (tlsCertificateFile: string | null, tlsKeyFile: string | null) =>
    ({ dataDirectory: folder, tlsCertificateFile, tlsKeyFile }) as Config;
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  test('of the operator are read again, and renewed only if a file has changed', async () => {
    const config = configOf(write('cert.pem', 'certificate'), write('key.pem', 'key'));
    const { renewed, tls } = await openCertificates(config, systemClock, nobody);
    expect(tls).toMatchObject({ cert: 'certificate', key: 'key', minVersion: 'TLSv1.2' });
    expect(await renewed()).toBeNull();
    write('cert.pem', 'another certificate');
    expect(await renewed()).toMatchObject({ cert: 'another certificate', key: 'key' });
    expect(await renewed()).toBeNull();
    write('key.pem', 'another key');
    expect(await renewed()).toMatchObject({ cert: 'another certificate', key: 'another key' });
    expect(await openCaFile(config, systemClock)).toBeNull();
  });

  test.each([
    ['GATEHOUSE_TLS_CERT', 'missing.pem', 'key.pem'],
    ['GATEHOUSE_TLS_KEY', 'cert.pem', 'missing.pem'],
  ])('name %s if its file cannot be read', async (setting, certificate, key) => {
    write('cert.pem', 'certificate');
    write('key.pem', 'key');
    const opened = openCertificates(configOf(join(folder, certificate), join(folder, key)), systemClock, nobody);
    await expect(opened).rejects.toThrow(InstallationError);
    await expect(opened).rejects.toThrow(`${setting}: ${join(folder, 'missing.pem')} can't be read: `);
  });

  test('of the local authority are renewed when their time has come', async () => {
    let now = systemClock.now();
    const config = configOf(null, null);
    const { renewed } = await openCertificates(config, { now: () => now }, nobody);
    expect(await openCaFile(config, systemClock)).toBe(join(folder, 'tls', 'ca.pem'));
    expect(await renewed()).toBeNull();
    now = new Date(now.getTime() + 400 * 24 * 60 * 60 * 1_000);
    expect(await renewed()).not.toBeNull();
    expect(await renewed()).toBeNull();
  });

  test('are checked each hour, until the checks end, also after a failure', async () => {
    vi.useFakeTimers();
    const log = createLog('silent');
    const logged = vi.spyOn(log, 'error');
    const failure = new Error('the disk is broken');
    const results = [null, failure, { cert: 'new' }];
    const renewals: unknown[] = [];
    const renewed = async () => {
      const result = results.shift() ?? null;
      if (result instanceof Error) throw result;
      return result;
    };
    const end = keepRenewed({ tls: {}, renewed }, (tls) => renewals.push(tls), log);
    await vi.advanceTimersByTimeAsync(3 * 3_600_000);
    expect(renewals).toEqual([{ cert: 'new' }]);
    expect(logged).toHaveBeenCalledExactlyOnceWith({ err: failure }, 'the certificates could not be renewed');
    end();
    results.push({ cert: 'unseen' });
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(renewals).toHaveLength(1);
  });
});
