import { isIP } from 'node:net';
import { DEFAULT_NAMESPACE_WORD } from '../kernel/words/namespace.ts';
import { databaseUrlProblem } from './database-url.ts';

/** Parses the text of a setting. If it is not valid, throws a RangeError whose message completes "GATEHOUSE_X ...". */
type Read<Value> = (text: string) => Value;

export interface Setting<Value> {
  readonly name: `GATEHOUSE_${string}`;
  readonly type: string;
  /**
   * The text that applies if the variable is absent or empty. If this default is null, `otherwise` describes the
   * effect.
   */
  readonly default: string | null;
  readonly otherwise?: string;
  readonly meaning: string;
  /** With `whole`, the value is masked, unless it is a path. With `password`, the password in the URL is masked. */
  readonly secret?: 'whole' | 'password';
  readonly read: Read<Value>;
  /** The former name. Releases before `until` still accept it, with a warning. */
  readonly formerly?: { readonly name: `GATEHOUSE_${string}`; readonly until: string };
}

export interface CidrBlock {
  readonly address: string;
  readonly prefixLength: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** The key itself (base64 of 32 bytes), or the file that contains it. */
export type MasterKeySetting =
  | { readonly kind: 'key'; readonly base64: string }
  | { readonly kind: 'file'; readonly path: string };

const refuse = (expectation: string): never => {
  throw new RangeError(expectation);
};

const anyText: Read<string> = (text) => text;

function integer(least: number, greatest: number): Read<number> {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= greatest ? value : refuse(`must be a whole number from ${least} to ${greatest}`);
  };
}

function oneOf<Word extends string>(...words: readonly Word[]): Read<Word> {
  return (text) => words.find((word) => word === text) ?? refuse(`must be one of ${words.join(', ')}`);
}

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

const domain: Read<string> = (text) =>
  HOST_NAME.test(text) && isIP(text) === 0 && !/^[\d.]+$/.test(text)
    ? text
    : refuse('must be a domain name in lower case, without port or final dot');

const listenAddress: Read<string> = (text) =>
  isIP(text) !== 0 || HOST_NAME.test(text) ? text : refuse('must be an IP address or a host name');

const namespaceWord: Read<string> = (text) =>
  /^[a-z][a-z0-9]{1,15}$/.test(text) ? text : refuse('must be 2 to 16 lower-case letters and digits, a letter first');

function url(...schemes: readonly string[]): Read<string> {
  return (text) => {
    const isGood = URL.canParse(text) && schemes.some((scheme) => text.startsWith(`${scheme}://`));
    return isGood ? text : refuse(`must be a URL that begins with ${schemes.map((name) => `${name}://`).join(' or ')}`);
  };
}

const databaseUrl =
  (role: 'primary' | 'replica'): Read<string> =>
  (text) => {
    const problem = databaseUrlProblem(text, role);
    return problem === null ? text : refuse(problem);
  };

const mailAddress: Read<string> = (text) =>
  /^(?:[^<>\r\n"]{0,200} <[^\s<>@"]+@[^\s<>@"]+>|[^\s<>@"]+@[^\s<>@"]+)$/.test(text)
    ? text
    : refuse('must be a mail address, or a name with one: Gatehouse <no-reply@example.com>');

function cidrBlock(text: string): CidrBlock {
  const [address = '', length, ...rest] = text.split('/');
  const version = isIP(address);
  const longest = version === 4 ? 32 : 128;
  const prefixLength = length === undefined ? longest : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  if (version === 0 || rest.length > 0 || !(prefixLength <= longest)) {
    return refuse(`must be a list of addresses and CIDR blocks, separated by commas; "${text}" is none`);
  }
  return { address, prefixLength, family: version === 4 ? 'ipv4' : 'ipv6' };
}

const cidrBlocks: Read<readonly CidrBlock[]> = (text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(cidrBlock);

const masterKey: Read<MasterKeySetting> = (text) => {
  if (/^[A-Za-z0-9+/]{43}=$/.test(text)) return { kind: 'key', base64: text };
  // The text may be a mistyped key, so the error does not repeat it.
  if (!/^(?:\.{0,2}[/\\]|[A-Za-z]:[/\\])/.test(text)) {
    return refuse('must be 32 bytes in base64, or the path of a file with them (with / or ./ before it)');
  }
  return { kind: 'file', path: text };
};

const setting = <Value>(row: Setting<Value>): Setting<Value> => row;

/** All settings in the order of `gatehouse config` and docs/generated/config.md, which show this table. */
// biome-ignore format: one row a setting
export const SETTINGS = {
  dataDirectory: setting({ name: 'GATEHOUSE_DATA_DIR', type: 'path', default: './data', read: anyText,
    meaning: 'Folder of the embedded database, the keys and bootstrap.json.' }),
  host: setting({ name: 'GATEHOUSE_HOST', type: 'address', default: '127.0.0.1', read: listenAddress,
    meaning: 'Address to listen on; 0.0.0.0 or :: for all.' }),
  port: setting({ name: 'GATEHOUSE_PORT', type: 'port', default: '8443', read: integer(1, 65_535),
    meaning: 'Port to listen on.' }),
  managementHost: setting({ name: 'GATEHOUSE_MANAGEMENT_HOST', type: 'address', default: '127.0.0.1',
    read: listenAddress, meaning: 'Address of health and metrics. They require no credentials, so do not expose it.' }),
  managementPort: setting({ name: 'GATEHOUSE_MANAGEMENT_PORT', type: 'port', default: null, otherwise: 'the port + 1',
    read: integer(1, 65_535), meaning: 'Port of health and metrics.' }),
  publicPort: setting({ name: 'GATEHOUSE_PUBLIC_PORT', type: 'port', default: null,
    otherwise: '443 behind trusted proxies, else the port', read: integer(1, 65_535),
    meaning: 'The port that clients connect to; it appears in every link and issuer.' }),
  baseDomain: setting({ name: 'GATEHOUSE_BASE_DOMAIN', type: 'domain', default: 'localhost', read: domain,
    meaning: 'Domain above the orgs\' addresses: {subdomain}.{base domain}. With localhost, the first org of a server ' +
      'on loopback also has the address localhost itself.' }),
  namespace: setting({ name: 'GATEHOUSE_NAMESPACE', type: 'word', default: DEFAULT_NAMESPACE_WORD, read: namespaceWord,
    meaning: 'Word that names the service on the wire: in scopes, headers and grant types. It is fixed at the first start; a '
      + 'different one is refused later.' }),
  databaseUrl: setting({ name: 'GATEHOUSE_DATABASE_URL', type: 'URL', default: null, otherwise: 'embedded PostgreSQL',
    secret: 'password', read: databaseUrl('primary'),
    meaning: 'An existing PostgreSQL 15 or later, or a Citus coordinator. Several servers, separated by commas, are a '
      + 'primary and its standbys: the primary is found again after a failover.' }),
  databaseReplicaUrl: setting({ name: 'GATEHOUSE_DATABASE_REPLICA_URL', type: 'URL', default: null,
    otherwise: 'none', secret: 'password', read: databaseUrl('replica'),
    meaning: 'Standbys of GATEHOUSE_DATABASE_URL, separated by commas. Pages of the System Log and its exports are read '
      + 'from them when they have all that the primary has, and otherwise from the primary. Not with Citus.' }),
  databasePoolSize: setting({ name: 'GATEHOUSE_DATABASE_POOL_SIZE', type: 'number', default: null,
    otherwise: '20, divided by the workers, and at least 8', read: integer(4, 500),
    meaning: 'Maximum number of database connections per worker. Together with 10 in reserve, the connections of all '
      + 'workers must fit the database\'s max_connections.' }),
  tlsCertificateFile: setting({ name: 'GATEHOUSE_TLS_CERT', type: 'path', default: null,
    otherwise: 'certificates of the local CA', read: anyText,
    meaning: 'PEM file with the certificate and its chain. Set it together with GATEHOUSE_TLS_KEY.' }),
  tlsKeyFile: setting({ name: 'GATEHOUSE_TLS_KEY', type: 'path', default: null, otherwise: 'keys of the local CA',
    read: anyText, meaning: 'PEM file with the private key. Set it together with GATEHOUSE_TLS_CERT.' }),
  trustedProxies: setting({ name: 'GATEHOUSE_TRUSTED_PROXIES', type: 'CIDR list', default: '', otherwise: 'none',
    read: cidrBlocks, meaning: 'Proxies that terminate TLS. They may send plain HTTP with X-Forwarded-Proto. Each '
      + 'org has its own list of proxies whose X-Forwarded-For it trusts (gatehouse org proxy add).' }),
  outboundNetworks: setting({ name: 'GATEHOUSE_OUTBOUND_NETWORKS', type: 'CIDR list', default: '', otherwise: 'none',
    read: cidrBlocks, meaning: 'Private networks that hooks, log streams and key sets may connect to, on any port. All '
      + 'other targets must have a public address and use port 443.' }),
  workers: setting({ name: 'GATEHOUSE_WORKERS', type: 'number', default: null,
    otherwise: 'one per core that the process may use, at most 4, one per 200 MB of its memory limit, and as many as '
      + 'have room in the database\'s max_connections (100 if it is higher)', read: integer(1, 64),
    meaning: 'Number of processes that answer requests.' }),
  masterKey: setting({ name: 'GATEHOUSE_MASTER_KEY', type: 'base64 or path', default: null, secret: 'whole',
    otherwise: 'created in the data folder; required with an external database', read: masterKey,
    meaning: 'Key of 32 bytes that encrypts private keys and secrets in the database, or the path of its file. Keep a '
      + 'copy.' }),
  masterKeyPrevious: setting({ name: 'GATEHOUSE_MASTER_KEY_PREVIOUS', type: 'base64 or path', default: null,
    secret: 'whole', otherwise: 'only one key is in use', read: masterKey,
    meaning: 'The old key, or the path of its file, while you change to a new GATEHOUSE_MASTER_KEY. It decrypts older '
      + 'values until gatehouse keys rekey has finished.' }),
  smtpUrl: setting({ name: 'GATEHOUSE_SMTP_URL', type: 'URL', default: null, secret: 'password',
    otherwise: 'mail is not sent: read it with gatehouse mail list or at /dev/mails', read: url('smtp', 'smtps'),
    meaning: 'Mail server for outgoing mail.' }),
  mailFrom: setting({ name: 'GATEHOUSE_MAIL_FROM', type: 'mail address', default: null,
    otherwise: 'no-reply@ the base domain', read: mailAddress, meaning: 'Sender address of outgoing mail.' }),
  geographyFile: setting({ name: 'GATEHOUSE_GEOGRAPHY_FILE', type: 'path', default: null,
    otherwise: 'countries only, from the bundled data', read: anyText,
    meaning: 'Database of cities or countries (MaxMind DB format) that locates IP addresses. Each process reads it '
      + 'into memory at the start.' }),
  asnFile: setting({ name: 'GATEHOUSE_ASN_FILE', type: 'path', default: null, otherwise: 'networks are unknown',
    read: anyText,
    meaning: 'Database of autonomous systems (MaxMind DB format), which names the network of an IP address.' }),
  logFilesMegabytes: setting({ name: 'GATEHOUSE_LOG_FILES_MEGABYTES', type: 'number', default: '10000',
    read: integer(0, 100_000_000),
    meaning: 'Maximum total size of the files of one org\'s log streams; 0 disables streams to files.' }),
  awsAccessKeyId: setting({ name: 'GATEHOUSE_AWS_ACCESS_KEY_ID', type: 'text', default: null,
    otherwise: 'log streams to EventBridge fail', read: anyText,
    meaning: 'AWS access key for log streams to EventBridge. Set it together with GATEHOUSE_AWS_SECRET_ACCESS_KEY.' }),
  awsSecretAccessKey: setting({ name: 'GATEHOUSE_AWS_SECRET_ACCESS_KEY', type: 'text', default: null, secret: 'whole',
    otherwise: 'log streams to EventBridge fail', read: anyText, 
    meaning: 'Secret of the AWS access key.' }),
  awsSessionToken: setting({ name: 'GATEHOUSE_AWS_SESSION_TOKEN', type: 'text', default: null, secret: 'whole',
    otherwise: 'the access key is permanent', read: anyText, meaning: 'Session token of temporary AWS credentials.' }),
  awsEventBridgeUrl: setting({ name: 'GATEHOUSE_AWS_EVENTBRIDGE_URL', type: 'URL', default: null,
    otherwise: 'the endpoint of the bus\'s region', read: url('https'),
    meaning: 'EventBridge endpoint, such as a VPC endpoint. If it is private, GATEHOUSE_OUTBOUND_NETWORKS must allow '
      + 'it.' }),
  logLevel: setting({ name: 'GATEHOUSE_LOG_LEVEL', type: 'word', default: 'info',
    read: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    meaning: 'Lowest level written to the server\'s log: fatal, error, warn, info, debug, trace or silent.' }),
  rateLimitPerMinute: setting({ name: 'GATEHOUSE_RATE_LIMIT_PER_MINUTE', type: 'number', default: null,
    otherwise: 'the limit of each bucket: 10,000 for most of the management API, 20,000 for single users, 60,000 for '
      + 'sign-ins and tokens, 1,000 for the registration of clients',
    read: integer(1, 100_000_000),
    meaning: 'Requests per minute for each rate-limit bucket of an org without limits of its own.' }),
  passwordHashWorkers: setting({ name: 'GATEHOUSE_PASSWORD_HASH_WORKERS', type: 'number', default: null,
    otherwise: 'the cores that the process may use, divided by the workers, and at least 1', read: integer(1, 64),
    meaning: 'Number of threads per worker that hash passwords.' }),
  logQueryTimeoutSeconds: setting({ name: 'GATEHOUSE_LOG_QUERY_TIMEOUT_SECONDS', type: 'seconds', default: '30',
    read: integer(1, 600), meaning: 'Time limit of a System Log query.' }),
  logBacklogEvents: setting({ name: 'GATEHOUSE_LOG_BACKLOG_EVENTS', type: 'number', default: '200000',
    read: integer(1_000, 100_000_000),
    meaning: 'When this many events are waiting for the relay, administrative changes get 503. Sign-ins and token '
      + 'requests get 503 at five times this number.' }),
  logBacklogSeconds: setting({ name: 'GATEHOUSE_LOG_BACKLOG_SECONDS', type: 'seconds', default: '60',
    read: integer(5, 86_400), meaning: 'The same limit, as the age of the oldest waiting event.' }),
  drainSeconds: setting({ name: 'GATEHOUSE_DRAIN_SECONDS', type: 'seconds', default: '0', read: integer(0, 300),
    meaning: 'How long to keep serving after SIGTERM while reporting not-ready and closing each connection after its '
      + 'response. Set it longer than your load balancer\'s health-check interval.' }),
} as const;

export type SettingKey = keyof typeof SETTINGS;
