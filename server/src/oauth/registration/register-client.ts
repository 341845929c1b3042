import type { Context } from '../../kernel/context.ts';
import type { ClientId } from '../../kernel/words/ids.ts';
import {
  type AppPorts,
  appIdOfClient,
  type ClientApp,
  type ClientInput,
  createApp,
  renewSecret,
  replaceClient,
  type ShownApp,
  wireLoginMode,
} from '../../management/apps/index.ts';
import type { Grant } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { ClientMetadata } from './contract.ts';
import { asRegistrationError, assertReplacement, newClientInput, replacedInput } from './metadata.ts';

type ClientPorts = AppPorts & { readonly db: Db };

async function inItsWords<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    throw asRegistrationError(error);
  }
}

/** Registers a client (RFC 7591) as an active app. */
export const registerClient = (
  ports: AppPorts,
  context: Context,
  grant: Grant,
  metadata: ClientMetadata,
): Promise<ShownApp> => inItsWords(createApp(ports, context, grant, newClientInput(metadata), { activate: true }));

/** Replaces the client's metadata (RFC 7592 2.2). */
export const replaceRegistered = async (
  ports: ClientPorts,
  context: Context,
  grant: Grant,
  clientId: ClientId,
  metadata: ClientMetadata,
): Promise<ShownApp> => {
  const inputOf = ({ document }: ClientApp): ClientInput => {
    // This check follows the look-up of the app. The errors for an unknown client and for an app outside the caller's
    // grant take precedence over faults in the metadata.
    assertReplacement(metadata, clientId);
    const { oauthClient } = document.settings;
    return replacedInput(metadata, oauthClient, wireLoginMode(oauthClient.idp_initiated_login.mode, context.namespace));
  };
  const appId = await appIdOfClient(ports.db, context, clientId);
  return inItsWords(replaceClient(ports, context, grant, appId, inputOf));
};

/** Replaces all secrets of the client with a new one. */
export const renewRegisteredSecret = async (
  ports: ClientPorts,
  context: Context,
  grant: Grant,
  clientId: ClientId,
): Promise<ShownApp> =>
  inItsWords(renewSecret(ports, context, grant, await appIdOfClient(ports.db, context, clientId)));
