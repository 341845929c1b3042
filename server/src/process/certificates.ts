import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { TlsOptions } from 'node:tls';
import type { Logger } from 'pino';
import { InstallationError } from '../installation/installation.ts';
import type { Clock } from '../kernel/clock.ts';
import { hostCertificates, openCertificateAuthority, TLS_RULES } from '../platform/crypto/index.ts';
import { compileCidrs, createHostLimit } from '../platform/http/index.ts';
import type { Config } from '../settings/config.ts';

export interface Certificates {
  readonly tls: TlsOptions;
  /** Returns new options when the earlier ones are out of date, otherwise null. */
  readonly renewed: () => Promise<TlsOptions | null>;
}

const RENEWAL_CHECK_MILLISECONDS = 3_600_000;

/** The path is absolute, because the printed command is pasted into shells in other folders. */
const tlsDirectory = (config: Config): string => resolve(config.dataDirectory, 'tls');

/** Returns the file of the CA certificate that clients must trust; null if the operator provides the certificates. */
export async function openCaFile(config: Config, clock: Clock): Promise<string | null> {
  if (config.tlsCertificateFile !== null) return null;
  return (await openCertificateAuthority(tlsDirectory(config), clock)).certificateFile;
}

function readPem(setting: string, path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : 'no such file';
    throw new InstallationError(`${setting}: ${path} can't be read: ${reason}`, { cause });
  });
}

/**
 * Reads the operator's certificate files. They are read again from time to time, because nothing notifies us of a
 * renewal.
 */
async function ownCertificates(certificateFile: string, keyFile: string): Promise<Certificates> {
  const read = async () => ({
    cert: await readPem('GATEHOUSE_TLS_CERT', certificateFile),
    key: await readPem('GATEHOUSE_TLS_KEY', keyFile),
    ...TLS_RULES,
  });
  let current = await read();
  return {
    tls: current,
    renewed: async () => {
      const next = await read();
      if (next.cert === current.cert && next.key === current.key) return null;
      current = next;
      return next;
    },
  };
}

/** The client's address is not known during a handshake, so all clients share one limit for made-up host names. */
const HANDSHAKE_HOSTS_PER_MINUTE = 600;
const ANYBODY = { peer: '', forwardedFor: undefined, proxies: compileCidrs([]) };

/** Looks hosts up only while few look-ups have failed. Beyond the limit, a host counts as not served. */
export function withinHandshakeLimit(
  clock: Clock,
  isServed: (host: string) => Promise<boolean>,
): (host: string) => Promise<boolean> {
  const hosts = createHostLimit({ clock, limit: HANDSHAKE_HOSTS_PER_MINUTE });
  return async (host) => {
    if (hosts.take(host, ANYBODY)?.allowed === false) return false;
    const isOurs = await isServed(host);
    if (isOurs) hosts.found(host);
    return isOurs;
  };
}

/** Certificates of the local CA. Each host name that is served gets one when a client first asks for it. */
async function localCertificates(config: Config, clock: Clock, isKnown: (host: string) => Promise<boolean>) {
  const isServed = withinHandshakeLimit(clock, isKnown);
  const authority = await openCertificateAuthority(tlsDirectory(config), clock);
  let current = hostCertificates({ authority, clock, isServed });
  return {
    tls: current.options,
    renewed: async () => {
      if (clock.now() < current.renewAfter) return null;
      current = hostCertificates({ authority, clock, isServed });
      return current.options;
    },
  };
}

/** The certificates of the public port: the operator's files, or the local CA's. */
export function openCertificates(
  config: Config,
  clock: Clock,
  isServed: (host: string) => Promise<boolean>,
): Promise<Certificates> {
  const { tlsCertificateFile, tlsKeyFile } = config;
  return tlsCertificateFile === null || tlsKeyFile === null
    ? localCertificates(config, clock, isServed)
    : ownCertificates(tlsCertificateFile, tlsKeyFile);
}

/** Looks every hour for newer certificates and passes them to the open port. Returns a function that ends this. */
export function keepRenewed(certificates: Certificates, renew: (tls: TlsOptions) => void, log: Logger): () => void {
  const timer = setInterval(() => {
    certificates
      .renewed()
      .then((tls) => (tls === null ? undefined : renew(tls)))
      .catch((error: unknown) => log.error({ err: error }, 'the certificates could not be renewed'));
  }, RENEWAL_CHECK_MILLISECONDS);
  timer.unref();
  return () => clearInterval(timer);
}
