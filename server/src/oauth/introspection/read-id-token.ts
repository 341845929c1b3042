import type { Context } from '../../kernel/context.ts';
import { type IdTokenPorts, verifyIdToken } from '../user-tokens/index.ts';

const TOLD = ['exp', 'iat', 'sub', 'aud', 'iss', 'jti', 'act'] as const;

/** Returns null if the token is not a valid ID token of the client. */
export async function readIdToken(
  ports: IdTokenPorts,
  context: Context,
  asked: Parameters<typeof verifyIdToken>[2],
): Promise<Record<string, unknown> | null> {
  const verified = await verifyIdToken(ports, context, asked);
  if (typeof verified === 'string') return null;
  const { claims, user } = verified;
  const told = Object.fromEntries(TOLD.flatMap((name) => (name in claims ? [[name, claims[name]]] : [])));
  return { active: true, username: user.login, ...told, token_type: 'Bearer', client_id: asked.clientId };
}
