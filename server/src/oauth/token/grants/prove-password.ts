import type { Context } from '../../../kernel/context.ts';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { hashSecret } from '../../../platform/crypto/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { type AuthnPorts, signInWithPassword, takeSessionToken } from '../../../sign-in/index.ts';
import type { ProvedPassword } from './user-grant.ts';

/**
 * Verifies a user's password as the sign-in does. A sign-in that needs a further step, such as a new password, counts
 * as refused. The session token of the sign-in is not returned; `use` consumes it.
 */
export async function provePassword(
  authn: AuthnPorts,
  context: Context,
  given: { readonly username: string; readonly password: string },
): Promise<ProvedPassword | 'refused' | 'limited'> {
  try {
    const answer = await signInWithPassword(authn, context, {
      ...given,
      warnBeforePasswordExpired: false,
      relayState: null,
    });
    if (answer.status !== 'SUCCESS') return 'refused';
    const tokenHash = hashSecret(answer.sessionToken);
    const use = async (tx: Tx) => (await takeSessionToken(tx, context.orgId, tokenHash))?.isCurrent === true;
    return { userId: answer.user.id, use };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'E0000047') return 'limited';
    if (error.code === 'E0000004') return 'refused';
    throw error;
  }
}
