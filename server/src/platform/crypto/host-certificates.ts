import { createSecureContext, type SecureContext, type TlsOptions } from 'node:tls';
import type { Clock } from '../../kernel/clock.ts';
import { boundedCache } from '../caches/index.ts';
import type { CertificateAuthority } from './certificate-authority.ts';
import { TLS_RULES } from './tls-rules.ts';

const DEFAULT_HOSTS = ['localhost', '127.0.0.1', '::1'] as const;
const MOST_CACHED_HOSTS = 5000;
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?)*$/;

export interface HostCertificatesOptions {
  readonly authority: CertificateAuthority;
  readonly clock: Clock;
  /** By default, every host is served. */
  readonly isServed?: (host: string) => boolean | Promise<boolean>;
}

interface Entry {
  readonly context: SecureContext;
  readonly renewAfter: Date;
}

/**
 * Makes the options of a TLS server with one certificate per host name, because clients refuse a wildcard
 * `*.localhost`. A client that names no host, or a host that is not served, gets the certificate of `localhost`.
 */
export function hostCertificates({ authority, clock, isServed = () => true }: HostCertificatesOptions) {
  const entries = boundedCache<string, Entry>(MOST_CACHED_HOSTS);

  function contextOf(host: string, hosts: readonly string[]): SecureContext {
    const known = entries.get(host);
    if (known !== undefined && clock.now() < known.renewAfter) return known.context;
    const { certificate, privateKey, renewAfter } = authority.issue(hosts);
    const context = createSecureContext({ cert: certificate, key: privateKey, ...TLS_RULES });
    entries.set(host, { context, renewAfter });
    return context;
  }

  async function choose(serverName: string): Promise<SecureContext> {
    const host = serverName.toLowerCase();
    const isNamed = host !== 'localhost' && HOST_NAME.test(host) && (await isServed(host));
    return isNamed ? contextOf(host, [host]) : contextOf('localhost', DEFAULT_HOSTS);
  }

  const SNICallback: NonNullable<TlsOptions['SNICallback']> = (serverName, callback) => {
    choose(serverName).then(
      (context) => callback(null, context),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error))),
    );
  };
  const byDefault = authority.issue(DEFAULT_HOSTS);
  return {
    options: { cert: byDefault.certificate, key: byDefault.privateKey, ...TLS_RULES, SNICallback },
    /**
     * The time after which the caller must set new options (`server.setSecureContext`) to renew the default
     * certificate.
     */
    renewAfter: byDefault.renewAfter,
  } as const;
}
