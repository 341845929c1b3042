import { createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { type Command, Option } from 'commander';
import type { AppId } from '../../kernel/words/ids.ts';
import { addClientKey } from '../../management/apps/index.ts';
import { thumbprintOf } from '../../oauth/index.ts';
import { print } from '../output/output.ts';
import { commandContext, findOrg } from '../running/find-org.ts';
import { withApplication } from '../running/session.ts';

type Algorithm = 'RS256' | 'ES256';

interface KeygenOptions {
  readonly org?: string;
  readonly alg: Algorithm;
  readonly kid?: string;
  readonly jwk?: boolean;
}

const generate = promisify(generateKeyPair);

/** NIST SP 800-57 requires RSA keys of at least this size after 2030. */
const RSA_MODULUS_BITS = 3_072;

async function newPrivateKey(algorithm: Algorithm): Promise<KeyObject> {
  const { privateKey } =
    algorithm === 'ES256'
      ? await generate('ec', { namedCurve: 'P-256' })
      : await generate('rsa', { modulusLength: RSA_MODULUS_BITS });
  return privateKey;
}

/** Registers a new public key and prints the private key, which the service does not store. */
async function keygen(appId: AppId, options: KeygenOptions): Promise<void> {
  const privateKey = await newPrivateKey(options.alg);
  const publicJwk = createPublicKey(privateKey).export({ format: 'jwk' });
  // The default id is the key's thumbprint (RFC 7638).
  const kid = options.kid ?? thumbprintOf({ ...publicJwk });
  if (kid === null) throw new Error('a key pair without a public half');
  const named = { kid, use: 'sig', alg: options.alg };
  await withApplication(async ({ db, work }, config) => {
    const context = commandContext(config, await findOrg(db, options.org));
    await addClientKey(work, context, { kind: 'all' }, appId, { ...publicJwk, ...named });
  });
  const text =
    options.jwk === true
      ? JSON.stringify({ ...privateKey.export({ format: 'jwk' }), ...named }, null, 2)
      : String(privateKey.export({ format: 'pem', type: 'pkcs8' })).trimEnd();
  print(text);
  process.stderr.write(`Registered as key ${kid} of ${appId}. The private key is shown only once.\n`);
}

export function addAppCommands(program: Command): void {
  program
    .command('app')
    .description('manage the keys of apps')
    .command('keygen <app>')
    .description('create a key pair for an app: register the public key and print the private key once')
    .option('--org <subdomain>', 'the org; needed when there is more than one')
    .addOption(
      new Option('--alg <algorithm>', 'signature algorithm of the key').choices(['RS256', 'ES256']).default('RS256'),
    )
    .option('--kid <id>', 'id of the key (default: its thumbprint)')
    .option('--jwk', 'print a JWK instead of PKCS #8 PEM')
    .action(keygen);
}
