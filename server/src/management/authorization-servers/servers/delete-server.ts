import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Work } from '../../../system-log/index.ts';
import { lockServer } from '../guards.ts';
import { removeServer } from '../store.ts';
import { serverChange, serverVersion } from '../wire.ts';

/**
 * Deletes a server of any status with its scopes, claims, policies and rules. 404 E0000007; 400 E0000001 for the
 * default one, which clients address by a word instead of an id.
 */
export function deleteServer(work: Work, context: Context, id: string): Promise<void> {
  return work(context, async (tx, record) => {
    const server = await lockServer(tx, context, id);
    assertVersion(context, serverVersion(server));
    if (server.isDefault) throw invalid('default', 'The default authorization server cannot be deleted.');
    await removeServer(tx, context.orgId, server.id);
    record({ eventType: 'oauth2.as.deleted', target: [serverChange([server, null])] });
  });
}
