// `npx tsx tools/apache-openidc.ts [--built]` protects a page with Debian's Apache and libapache2-mod-auth-openidc, and
// signs in to see the page. Missing packages are installed (as root, on Debian). The exit code is 1 if a check fails.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { TestClient, TestResponse } from '../server/test/support/client.ts';
import { openWebWalk, type WebPage } from '../server/test/support/web-walk.ts';
import { FROM_BUILD, FROM_SOURCES, freePorts } from './crash/service-process.ts';
import { installPackages } from './debian-packages.ts';
import { openSharedInstallation } from './nodes/installation.ts';

const { values } = parseArgs({ options: { built: { type: 'boolean', default: false } } });
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const MODULES = '/usr/lib/apache2/modules';
const PACKAGES = {
  '/usr/sbin/apache2': 'apache2',
  [`${MODULES}/mod_auth_openidc.so`]: 'libapache2-mod-auth-openidc',
};
const PASSWORD = 'Guarded-Page-1';
const SECRET_PAGE = 'only for those who signed in';
const PATIENCE_MILLISECONDS = 10_000;

async function good(answer: Promise<TestResponse>): Promise<TestResponse['body']> {
  const { body, status, text } = await answer;
  if (status >= 300) throw new Error(`${status}: ${text}`);
  return body;
}

interface Protection {
  readonly directory: string;
  readonly port: number;
  readonly issuer: string;
  readonly caFile: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const configurationOf = ({ caFile, clientId, clientSecret, directory, issuer, port }: Protection): string => `
ServerRoot ${directory}
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${directory}/httpd.pid
ErrorLog ${directory}/error.log
DocumentRoot ${directory}/pages
User www-data
Group www-data
LoadModule mpm_event_module ${MODULES}/mod_mpm_event.so
LoadModule authn_core_module ${MODULES}/mod_authn_core.so
LoadModule authz_core_module ${MODULES}/mod_authz_core.so
LoadModule authz_user_module ${MODULES}/mod_authz_user.so
LoadModule dir_module ${MODULES}/mod_dir.so
LoadModule mime_module ${MODULES}/mod_mime.so
LoadModule headers_module ${MODULES}/mod_headers.so
LoadModule auth_openidc_module ${MODULES}/mod_auth_openidc.so
TypesConfig /etc/mime.types
OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
OIDCCABundlePath ${caFile}
OIDCClientID ${clientId}
OIDCClientSecret ${clientSecret}
OIDCRedirectURI http://localhost:${port}/protected/callback
OIDCCryptoPassphrase ${clientSecret}
OIDCScope "openid profile email"
OIDCPKCEMethod S256
OIDCRemoteUserClaim email
OIDCCookieSameSite On
<Location /protected/>
  AuthType openid-connect
  Require valid-user
  Header set X-Signed-In "expr=%{REMOTE_USER}"
</Location>
`;

async function startApache(protection: Protection): Promise<() => Promise<void>> {
  const { directory, port } = protection;
  await mkdir(join(directory, 'pages/protected'), { recursive: true });
  await writeFile(join(directory, 'pages/protected/index.html'), SECRET_PAGE);
  await writeFile(join(directory, 'httpd.conf'), configurationOf(protection));
  const apache = spawn('/usr/sbin/apache2', ['-d', directory, '-f', join(directory, 'httpd.conf'), '-DFOREGROUND'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const deadline = Date.now() + PATIENCE_MILLISECONDS;
  for (;;) {
    const isUp = await fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' }).then(
      () => true,
      () => false,
    );
    if (isUp) break;
    if (apache.exitCode !== null || Date.now() > deadline) throw new Error('Apache did not start');
    await delay(50);
  }
  return async () => {
    apache.kill();
    if (apache.exitCode === null) await once(apache, 'exit');
  };
}

async function newApp(admin: TestClient, port: number): Promise<TestResponse['body']> {
  const app = await good(
    admin.post('/api/v1/apps', {
      body: {
        name: 'oidc_client',
        label: 'Apache',
        signOnMode: 'OPENID_CONNECT',
        credentials: { oauthClient: { token_endpoint_auth_method: 'client_secret_basic', pkce_required: true } },
        settings: {
          oauthClient: {
            application_type: 'web',
            grant_types: ['authorization_code'],
            response_types: ['code'],
            redirect_uris: [`http://localhost:${port}/protected/callback`],
          },
        },
      },
    }),
  );
  const profile = { login: 'guest@r.co', email: 'guest@r.co', firstName: 'Guest', lastName: 'Of Apache' };
  const credentials = { password: { value: PASSWORD } };
  const user = await good(admin.post('/api/v1/users?activate=true', { body: { profile, credentials } }));
  await good(admin.post(`/api/v1/apps/${app.id}/users`, { body: { id: user.id } }));
  return app;
}

function check(what: string, holds: boolean, { html, status, url }: WebPage): void {
  print(`${holds ? 'ok  ' : 'FAIL'} ${what} (${status} ${url.pathname})`);
  if (holds) return;
  print(html.slice(0, 2_000));
  process.exitCode = 1;
}

installPackages(PACKAGES);
const installation = await openSharedInstallation();
const directory = await mkdtemp(join(tmpdir(), 'gatehouse-apache-'));
await chmod(directory, 0o755);
const [port = 0] = await freePorts(1);
const node = await installation.node('one', values.built ? FROM_BUILD : FROM_SOURCES);
let stopApache = (): Promise<void> => Promise.resolve();
try {
  await node.service.start();
  const admin = await installation.client(node.port);
  const { caFile } = await installation.bootstrap();
  const ca = await readFile(caFile, 'utf8');
  const readableCa = join(directory, 'ca.pem');
  await writeFile(readableCa, ca);
  const app = await newApp(admin, port);
  const issuer = `https://localhost:${node.port}`;
  const { client_id: clientId, client_secret: clientSecret } = app.credentials.oauthClient;
  stopApache = await startApache({ directory, port, issuer, caFile: readableCa, clientId, clientSecret });
  const walk = openWebWalk({ ca });
  const signIn = await walk.go(`http://localhost:${port}/protected/`);
  const isAsked = signIn.url.origin === issuer && signIn.status === 200;
  check('a stranger is sent to sign in', isAsked, signIn);
  if (!isAsked) throw new Error(await readFile(join(directory, 'error.log'), 'utf8'));
  const asked = await walk.submit(signIn, { username: 'guest@r.co' });
  const shown = await walk.submit(asked, { username: 'guest@r.co', password: PASSWORD });
  check('who signed in sees the page', shown.html.includes(SECRET_PAGE), shown);
  check('Apache knows who it is', shown.headers['x-signed-in'] === 'guest@r.co', shown);
  const again = await walk.go(`http://localhost:${port}/protected/`);
  check('and is not asked again', again.html.includes(SECRET_PAGE), again);
  await walk.close();
  admin.close();
} finally {
  await stopApache();
  await node.service.end('SIGTERM');
  await installation.close();
  await rm(directory, { recursive: true, force: true });
}
