import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import { chmod, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { createOnce, hasCode, readIfPresent } from './key-files.ts';
import { makeCertificate } from './x509-certificate.ts';

const DAY_MILLISECONDS = 86_400_000;
const AUTHORITY_DAYS = 3650;
const SERVER_CERTIFICATE_DAYS = 90;
const RENEWED_BEFORE_END_DAYS = 30;
/** The clocks of clients may be behind ours. */
const BACKDATED_DAYS = 1;

export interface ServerCertificate {
  /** The certificate in PEM, followed by the authority's certificate. */
  readonly certificate: string;
  /** The private key in PEM. */
  readonly privateKey: string;
  readonly notAfter: Date;
  readonly renewAfter: Date;
}

export interface CertificateAuthority {
  /** The path of the file with the authority's certificate, which clients must trust. */
  readonly certificateFile: string;
  /** The authority's certificate in PEM. */
  readonly certificate: string;
  /** Makes a certificate for these hosts, which are names or IP addresses. */
  issue(hosts: readonly string[]): ServerCertificate;
}

const daysAfter = (date: Date, days: number): Date => new Date(date.getTime() + days * DAY_MILLISECONDS);

const newKeyPair = (): { publicKey: KeyObject; privateKey: KeyObject } =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' });

const exportPrivate = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Makes the content of an authority's file: the private key and the certificate, both in PEM. */
function newAuthority(now: Date): string {
  const { publicKey, privateKey } = newKeyPair();
  // The name is unique, so that clients do not mistake this authority for an earlier one that they trust.
  const name = `Gatehouse local CA ${randomBytes(4).toString('hex')}`;
  const certificate = makeCertificate({
    subjectName: name,
    issuerName: name,
    subjectPublicKey: publicKey,
    issuerPublicKey: publicKey,
    issuerPrivateKey: privateKey,
    notBefore: daysAfter(now, -BACKDATED_DAYS),
    notAfter: daysAfter(now, AUTHORITY_DAYS),
    use: { kind: 'authority' },
  });
  return exportPrivate(privateKey) + certificate;
}

interface Authority {
  readonly certificate: string;
  readonly parsed: X509Certificate;
  readonly privateKey: KeyObject;
}

function parseAuthority(text: string, file: string): Authority {
  try {
    const certificate = text.slice(text.indexOf('-----BEGIN CERTIFICATE-----'));
    const parsed = new X509Certificate(certificate);
    const privateKey = createPrivateKey(text);
    if (parsed.checkPrivateKey(privateKey)) return { certificate, parsed, privateKey };
  } catch {
    // A file that cannot be parsed is refused like one whose key and certificate do not match.
  }
  throw new Error(`${file} does not hold the local CA's key and certificate. Restore it, or remove it for a new CA.`);
}

const endsSoon = ({ parsed }: Authority, now: Date): boolean =>
  daysAfter(now, SERVER_CERTIFICATE_DAYS) > new Date(parsed.validTo);

async function openAuthority(directory: string, now: Date): Promise<Authority> {
  const file = join(directory, 'ca-key.pem');
  const text = (await readIfPresent(file)) ?? (await createOnce(file, newAuthority(now)));
  const authority = parseAuthority(text, file);
  if (!endsSoon(authority, now)) return authority;
  await rename(file, `${file}.expired`).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  return parseAuthority(await createOnce(file, newAuthority(now)), file);
}

/** Writes the certificate, without the key, to `ca.pem`. */
async function publish(directory: string, certificate: string): Promise<string> {
  const file = join(directory, 'ca.pem');
  if ((await readIfPresent(file)) === certificate) return file;
  const fresh = join(directory, `ca-${randomBytes(6).toString('hex')}.pem`);
  await createOnce(fresh, certificate, 0o644);
  await chmod(fresh, 0o644);
  await rename(fresh, file);
  return file;
}

/**
 * Opens the local certificate authority in a folder. The first call creates the authority. `ca.pem` is for clients, and
 * `ca-key.pem` has mode 0600. An authority that expires within the lifetime of a server certificate is replaced.
 */
export async function openCertificateAuthority(directory: string, clock: Clock): Promise<CertificateAuthority> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { certificate, parsed, privateKey } = await openAuthority(directory, clock.now());
  const issuerName = /^CN=(.*)$/m.exec(parsed.subject)?.[1] ?? '';
  const issuerPublicKey = createPublicKey(privateKey);
  // All server certificates made here share one key, so that each new certificate takes only a signature.
  const server = newKeyPair();
  const serverKey = exportPrivate(server.privateKey);
  return {
    certificateFile: await publish(directory, certificate),
    certificate,
    issue(hosts) {
      const now = clock.now();
      const end = Math.min(daysAfter(now, SERVER_CERTIFICATE_DAYS).getTime(), new Date(parsed.validTo).getTime());
      const notAfter = new Date(end);
      const leaf = makeCertificate({
        subjectName: hosts[0] ?? '',
        issuerName,
        subjectPublicKey: server.publicKey,
        issuerPublicKey,
        issuerPrivateKey: privateKey,
        notBefore: daysAfter(now, -BACKDATED_DAYS),
        notAfter,
        use: { kind: 'server', hosts },
      });
      const renewAfter = daysAfter(notAfter, -RENEWED_BEFORE_END_DAYS);
      return { certificate: leaf + certificate, privateKey: serverKey, notAfter, renewAfter };
    },
  };
}
