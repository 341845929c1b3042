import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { TlsOptions } from 'node:tls';
import type { Logger } from 'pino';
import { InstallationError } from '../../installation/installation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { hostCertificates, openCertificateAuthority, TLS_RULES } from '../../platform/crypto/index.ts';
import { compileCidrs, createHostLimit } from '../../platform/http/index.ts';
import type { Config } from '../../settings/config.ts';

export interface Certificates {
  readonly tls: TlsOptions;
  /** Returns new options if the certificates have changed or must be renewed, otherwise null. */
  readonly renewed: () => Promise<TlsOptions | null>;
}

const RENEWAL_CHECK_MILLISECONDS = 3_600_000;

/**
 * Returns the path of the TLS folder. It is absolute, because the first start prints it in a `curl` command, which may
 * be pasted in another folder.
 */
const tlsDirectory = (config: Config): string => resolve(config.dataDirectory, 'tls');

/** Returns the path of the CA certificate that clients must trust, or null if the operator provides certificates. */
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

/** Node's `SNICallback` gets no client address, so all clients share one limit for made-up host names. */
const HANDSHAKE_HOSTS_PER_MINUTE = 600;
const ANYBODY = { peer: '', forwardedFor: undefined, proxies: compileCidrs([]) };

/** Above the limit, an unknown host counts as not served. */
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

/** Each host name that is served gets a certificate when a client first asks for that name. */
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

/** Starts hourly checks. Returns a function that ends them. */
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
