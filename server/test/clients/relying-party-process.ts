import type { AddressInfo } from 'node:net';
import OktaJwtVerifier from '@okta/jwt-verifier';
import middleware from '@okta/oidc-middleware';
import { OktaAuth, type OktaAuthOptions } from '@okta/okta-auth-js';
import express from 'express';
import session from 'express-session';
import passport from 'passport';
import { type Profile, Strategy, type VerifyCallback } from 'passport-openidconnect';
import type { Command, RelyingPartySettings, Report } from './relying-party-protocol.ts';

// This program runs published clients in a separate process, because NODE_EXTRA_CA_CERTS is read only at the start of
// a process.

const callbackOf = ({ port }: RelyingPartySettings): string => `http://localhost:${port}/authorization-code/callback`;

function appOf(): express.Express {
  const app = express();
  app.use(session({ secret: 'only of this test', resave: false, saveUninitialized: false }));
  return app;
}

async function withMiddleware(settings: RelyingPartySettings): Promise<express.Express> {
  const { clientId, clientSecret, issuer, port, scope } = settings;
  const app = appOf();
  const oidc = new middleware.ExpressOIDC({
    issuer,
    client_id: clientId,
    client_secret: clientSecret,
    appBaseUrl: `http://localhost:${port}`,
    scope,
  });
  await new Promise<void>((resolve, reject) => {
    oidc.on('ready', () => resolve());
    oidc.on('error', reject);
  });
  app.use(oidc.router);
  app.get('/protected', oidc.ensureAuthenticated(), (request, response) => {
    response.json(Reflect.get(request, 'userContext'));
  });
  app.get('/', (_request, response) => void response.send('signed out'));
  return app;
}

function withPassport(settings: RelyingPartySettings): express.Express {
  const { clientId, clientSecret, issuer, scope } = settings;
  const app = appOf();
  const base = new URL(issuer).pathname === '/' ? `${issuer}/oauth2` : issuer;
  const strategy = new Strategy(
    {
      issuer,
      authorizationURL: `${base}/v1/authorize`,
      tokenURL: `${base}/v1/token`,
      userInfoURL: `${base}/v1/userinfo`,
      clientID: clientId,
      clientSecret,
      callbackURL: callbackOf(settings),
      scope: scope.split(' ').filter((word) => word !== 'openid'),
    },
    (_issuer: string, profile: Profile, done: VerifyCallback) => done(null, profile),
  );
  passport.use(strategy);
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user: Express.User, done) => done(null, user));
  app.use(passport.session());
  app.get('/protected', (request, response) => {
    if (request.user === undefined) response.redirect('/login');
    else response.json(request.user);
  });
  app.get('/login', passport.authenticate('openidconnect'));
  app.get(
    '/authorization-code/callback',
    passport.authenticate('openidconnect', { failureRedirect: '/failed', failureMessage: true }),
    (_request, response) => response.redirect('/protected'),
  );
  app.get('/failed', (request, response) => void response.status(403).json(Reflect.get(request.session, 'messages')));
  return app;
}

async function serve(settings: RelyingPartySettings): Promise<number> {
  const app = settings.kind === 'oidc-middleware' ? await withMiddleware(settings) : withPassport(settings);
  const listening = await new Promise<ReturnType<express.Express['listen']>>((resolve) => {
    const opened = app.listen(settings.port, '127.0.0.1', () => resolve(opened));
  });
  return (listening.address() as AddressInfo).port;
}

async function invoke(target: unknown, path: string, given: readonly unknown[]): Promise<unknown> {
  let holder: unknown = null;
  let found = target;
  for (const name of path.split('.')) {
    if ((typeof found !== 'object' && typeof found !== 'function') || found === null) throw new Error(`no ${path}`);
    [holder, found] = [found, Reflect.get(found, name)];
  }
  if (typeof found !== 'function') throw new Error(`no ${path}`);
  return (await Reflect.apply(found, holder, given)) as unknown;
}

/** There is one client for each set of options, because a client remembers what it has received. */
const authClients = new Map<string, OktaAuth>();

function authClientOf(options: object): OktaAuth {
  const key = JSON.stringify(options);
  const client = authClients.get(key) ?? new OktaAuth(options as OktaAuthOptions);
  authClients.set(key, client);
  return client;
}

function run(command: Command): Promise<unknown> {
  if (command.kind === 'serve') return serve(command.settings);
  if (command.kind === 'authJs') return invoke(authClientOf(command.options), command.path, command.given);
  return invoke(new OktaJwtVerifier(command.options as OktaJwtVerifier.VerifierOptions), command.path, command.given);
}

const send = (report: Report): void => void process.send?.(report);

process.on('message', ({ command, id }: { command: Command; id: number }) => {
  run(command).then(
    // JSON drops functions and turns class instances into plain objects, and `null` stands for no result.
    (result) => send({ id, result: JSON.parse(JSON.stringify(result ?? null)) as unknown }),
    (error: unknown) => send({ id, error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) }),
  );
});
process.send?.({ id: 0, result: 'ready' });
