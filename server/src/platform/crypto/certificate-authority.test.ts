import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Clock } from '../../kernel/clock.ts';
import { type CertificateAuthority, openCertificateAuthority } from './certificate-authority.ts';
import { hostCertificates } from './host-certificates.ts';

const DAY = 86_400_000;
let offset = 0;
const clock: Clock = { now: () => new Date(Date.now() + offset) };
let root = '';
let authority: CertificateAuthority;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gh-ca-'));
  authority = await openCertificateAuthority(join(root, 'tls'), clock);
});
afterAll(() => rm(root, { recursive: true }));

describe('the authority', () => {
  test('is a CA that signed itself and may sign end certificates only', () => {
    const certificate = new X509Certificate(authority.certificate);
    expect(certificate.ca).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkIssued(certificate)).toBe(true);
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
  });

  test('keeps its key in a file of mode 0600, away from the certificate', async () => {
    expect((await stat(join(root, 'tls', 'ca-key.pem'))).mode & 0o777).toBe(0o600);
    expect((await stat(authority.certificateFile)).mode & 0o777).toBe(0o644);
    expect(await readFile(authority.certificateFile, 'utf8')).toBe(authority.certificate);
    expect(authority.certificate).not.toContain('PRIVATE');
  });

  test('is the same at the next start, and for many processes that start at once', async () => {
    expect((await openCertificateAuthority(join(root, 'tls'), clock)).certificate).toBe(authority.certificate);
    const opened = await Promise.all(
      Array.from({ length: 6 }, () => openCertificateAuthority(join(root, 'racing'), clock)),
    );
    expect(new Set(opened.map(({ certificate }) => certificate)).size).toBe(1);
    expect((await readdir(join(root, 'racing'))).sort()).toEqual(['ca-key.pem', 'ca.pem']);
  });

  test('is replaced before it ends', async () => {
    const first = await openCertificateAuthority(join(root, 'old'), clock);
    const later: Clock = { now: () => new Date(Date.now() + 3600 * DAY) };
    const second = await openCertificateAuthority(join(root, 'old'), later);
    expect(second.certificate).not.toBe(first.certificate);
    expect(await readFile(second.certificateFile, 'utf8')).toBe(second.certificate);
  });

  test('with a damaged key is refused, not replaced', async () => {
    await openCertificateAuthority(join(root, 'damaged'), clock);
    await writeFile(join(root, 'damaged', 'ca-key.pem'), 'x');
    await expect(openCertificateAuthority(join(root, 'damaged'), clock)).rejects.toThrow('Restore it, or remove it');
  });
});

describe('a server certificate', () => {
  test('is for its hosts, names and addresses, and chains to the authority', () => {
    const leaf = new X509Certificate(authority.issue(['localhost', '127.0.0.1', '::1', '2001:db8::7:1']).certificate);
    expect(leaf.subjectAltName).toBe(
      'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:2001:DB8:0:0:0:0:7:1',
    );
    expect(leaf.ca).toBe(false);
    expect(leaf.checkIssued(new X509Certificate(authority.certificate))).toBe(true);
    expect(leaf.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(leaf.checkHost('acme.localhost')).toBeUndefined();
  });

  test('lasts less than 397 days, is good since yesterday, and ends after its renewal', () => {
    const issued = authority.issue(['a.localhost']);
    const leaf = new X509Certificate(issued.certificate);
    const days = (new Date(leaf.validTo).getTime() - new Date(leaf.validFrom).getTime()) / DAY;
    expect(days).toBeLessThan(397);
    expect(new Date(leaf.validFrom).getTime()).toBeLessThan(Date.now() - DAY / 2);
    expect(issued.renewAfter.getTime()).toBeLessThan(issued.notAfter.getTime());
  });

  test('has a serial number of its own', () => {
    const serial = (): string => new X509Certificate(authority.issue(['a.localhost']).certificate).serialNumber;
    expect(new Set(Array.from({ length: 20 }, serial)).size).toBe(20);
  });

  test('of a name longer than a common name may be still verifies', () => {
    const host = `${'a'.repeat(60)}.${'b'.repeat(60)}.localhost`;
    expect(new X509Certificate(authority.issue([host]).certificate).checkHost(host)).toBe(host);
  });
});

describe('a TLS server with a certificate for each host', () => {
  let server: Server;
  let port = 0;
  beforeAll(async () => {
    const { options } = hostCertificates({ authority, clock, isServed: (host) => !host.startsWith('foreign') });
    server = createServer(options, (socket) => socket.end()).on('tlsClientError', () => undefined);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => server.close());

  async function serialFor(servername: string | undefined, expectedHost = servername ?? '127.0.0.1'): Promise<string> {
    const target = { host: '127.0.0.1', port, ca: authority.certificate };
    const socket = connect({ ...target, servername: servername ?? '', ...(servername ? {} : { host: expectedHost }) });
    try {
      await once(socket, 'secureConnect');
      return socket.getPeerX509Certificate()?.serialNumber ?? '';
    } finally {
      socket.destroy();
    }
  }

  test.each(['localhost', 'acme.localhost', 'ACME-2.localhost', 'id.example.com'])('%s is verified', async (host) => {
    expect(await serialFor(host)).not.toBe('');
  });

  test('an address without a name is verified', async () => {
    expect(await serialFor(undefined)).not.toBe('');
  });

  test('a certificate is made once, and anew before it ends', async () => {
    const { SNICallback } = hostCertificates({ authority, clock }).options;
    const contextFor = (host: string): Promise<unknown> =>
      new Promise((resolve, reject) => {
        SNICallback(host, (error, context) => (error === null ? resolve(context) : reject(error)));
      });
    const first = await contextFor('again.localhost');
    expect(await contextFor('AGAIN.localhost')).toBe(first);
    expect(await contextFor('other.localhost')).not.toBe(first);
    offset = 61 * DAY;
    expect(await contextFor('again.localhost')).not.toBe(first);
    offset = 0;
  });

  test.each(['foreign.localhost', '*.localhost', 'a..b'])('no certificate is made for %s', async (host) => {
    await expect(serialFor(host)).rejects.toThrow(/Hostname\/IP does not match/);
  });
});
