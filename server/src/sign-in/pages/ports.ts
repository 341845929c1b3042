import type { Context } from '../../kernel/context.ts';
import type { Answer, Grant } from '../../platform/http/index.ts';
import type { Pages, View } from '../../platform/pages/index.ts';
import type { AuthnPorts } from '../authn/ports.ts';
import type { DiscoveryPorts } from '../discovery/discover-provider.ts';
import type { Sessions } from '../sessions/sessions.ts';

/** Dependencies of the pages for signed-in users, including those that `oauth` serves. */
export interface AccountPorts extends Pick<AuthnPorts, 'users'> {
  readonly sessions: Sessions;
  readonly pages: Pages;
  /** The subkey of the master key for form tokens. Every process accepts the tokens of the others. */
  readonly formKey: Buffer;
}

export interface PagesPorts extends AccountPorts, Omit<AuthnPorts, 'policies'> {
  readonly policies: AuthnPorts['policies'] & DiscoveryPorts['policies'];
  readonly routed: DiscoveryPorts['routed'];
  /** Renders the page at the org's address for visitors who are not signed in. */
  readonly startPage: (view: View) => Answer;
}

/** The caller of a use case that users run on their own account. */
export interface OwnCaller {
  readonly context: Context;
  readonly grant: Grant;
}
