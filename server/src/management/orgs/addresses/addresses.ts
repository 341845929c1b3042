import { isIP } from 'node:net';
import { invalid } from '../../../kernel/errors/errors.ts';
import type { Problem } from '../../../kernel/errors/problems.ts';
import { isLoopbackName } from '../../../platform/http/index.ts';

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Subdomains that people would not expect to belong to an org. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'admin administrator api app apps assets auth autoconfig autodiscover cdn console dashboard dev dns docs ftp ' +
    'help host id idp imap internal localhost login logout mail metrics mx ns ns1 ns2 oauth oauth2 ' +
    'ops pop postmaster proxy ' +
    'root saml scim security signin smtp sso static status support system test webmail wpad www'
  ).split(' '),
);

export function readSubdomain(text: string): string {
  const refuse = (cause: Problem) => invalid('subdomain', cause);
  if (!LABEL.test(text)) {
    throw refuse('must be 1 to 63 lower-case letters, digits and hyphens, without a hyphen at either end.');
  }
  if (text.endsWith('-admin')) {
    throw refuse('must not end with -admin, which clients take for the address of an administration page.');
  }
  if (text.startsWith('xn--')) throw refuse('must not be punycode (xn--).');
  if (RESERVED.has(text)) throw refuse(`must not be ${text}, which is reserved.`);
  return text;
}

const isWithin = (hostname: string, domain: string): boolean => hostname === domain || hostname.endsWith(`.${domain}`);

export function readCustomDomain(text: string, baseDomain: string): string {
  const refuse = (cause: Problem) => invalid('domain', cause);
  const domain = text.toLowerCase();
  const labels = domain.split('.');
  const isName = domain.length <= 253 && labels.length > 1 && labels.every((label) => LABEL.test(label));
  // Many resolvers read a name whose last label is a number as an IP address.
  if (!isName || isIP(domain) !== 0 || /^\d+$/.test(labels.at(-1) ?? '')) {
    throw refuse('must be a domain name of at least two labels, without port or final dot.');
  }
  if (isWithin(domain, baseDomain)) throw refuse(`must not be below ${baseDomain}, where orgs have their subdomains.`);
  if (isWithin(domain, 'localhost')) throw refuse('must not be localhost, which is always the local machine.');
  return domain;
}

export type HostLookup =
  | { readonly by: 'subdomain'; readonly name: string }
  | { readonly by: 'domain'; readonly name: string }
  | { readonly by: 'default' };

/**
 * Decides how to find the org of a host name. Returns null if no org can have this name. `hostname` is in lower case,
 * without port and brackets. Loopback names mean the default org if the base domain is `localhost`, because many
 * resolvers do not know `*.localhost`.
 */
export function lookupOfHost(hostname: string, baseDomain: string): HostLookup | null {
  if (isLoopbackName(hostname)) return baseDomain === 'localhost' ? { by: 'default' } : null;
  if (isIP(hostname) !== 0) return null;
  if (!isWithin(hostname, baseDomain)) return hostname.includes('.') ? { by: 'domain', name: hostname } : null;
  const name = hostname.slice(0, -baseDomain.length - 1);
  return LABEL.test(name) && !name.endsWith('-admin') ? { by: 'subdomain', name } : null;
}
