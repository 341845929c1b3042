import type { Context } from '../../kernel/context.ts';
import type { Answer, Grant } from '../../platform/http/index.ts';
import type { Pages, View } from '../../platform/pages/index.ts';
import type { AuthnPorts } from '../authn/ports.ts';
import type { DiscoveryPorts } from '../discovery/discover-provider.ts';
import type { Sessions } from '../sessions/sessions.ts';

export interface AccountPorts extends Pick<AuthnPorts, 'users'> {
  readonly sessions: Sessions;
  readonly pages: Pages;
  /** All processes have the same key, so each accepts the form tokens of the others. */
  readonly formKey: Buffer;
}

export interface PagesPorts extends AccountPorts, Omit<AuthnPorts, 'policies'> {
  readonly policies: AuthnPorts['policies'] & DiscoveryPorts['policies'];
  readonly routed: DiscoveryPorts['routed'];
  readonly startPage: (view: View) => Answer;
}

export interface OwnCaller {
  readonly context: Context;
  readonly grant: Grant;
}
