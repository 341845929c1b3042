import { OAuthError } from '../../kernel/errors/oauth-errors.ts';
import { type Answer, type AnyRoute, type HandlerInput, ok, route } from '../../platform/http/index.ts';
import { requirePresentedServer } from '../access-tokens/index.ts';
import { type CredentialRefusal, credentialRefusal } from '../client-authentication/authenticate-client.ts';
import type { ServerConfiguration, ServerConfigurations } from '../custom-servers/index.ts';
import { AuthorizationServerIdParams } from '../keys/contract.ts';
import { UserInfoForm, UserInfoSchema } from './contract.ts';
import { readUserInfo, type UserInfoPorts } from './read-userinfo.ts';

export interface UserInfoRoutesPorts extends UserInfoPorts {
  readonly servers: Pick<ServerConfigurations, 'find'>;
  /** Counts the requests that `readUserInfo` refuses. */
  readonly refused: (refusal: CredentialRefusal) => void;
}

const common = {
  access: 'public',
  scopes: [],
  response: { status: 200, schema: UserInfoSchema },
  errors: [],
  errorShape: 'oauth',
  bucket: 'oauth',
  readOnly: true,
  cors: true,
} as const;

const posting = { ...common, method: 'POST', bodyType: 'form', body: UserInfoForm, bodyOptional: true } as const;

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;

type Input = Pick<HandlerInput<unknown, unknown, unknown>, 'context' | 'headers' | 'rawQuery'>;

async function answer(
  ports: UserInfoRoutesPorts,
  { context, headers, rawQuery }: Input,
  method: 'GET' | 'POST',
  server: ServerConfiguration | null,
  form: Readonly<Record<string, string | undefined>> = {},
): Promise<Answer> {
  const { authorization, dpop } = headers;
  const request = { authorization: single(authorization), dpopProof: single(dpop), form, rawQuery, method, server };
  try {
    return ok(await readUserInfo(ports, context, request), { 'cache-control': 'no-store' });
  } catch (error) {
    if (error instanceof OAuthError) ports.refused(credentialRefusal(context));
    throw error;
  }
}

const find = async ({ servers }: UserInfoRoutesPorts, { context }: Input, id: string): Promise<ServerConfiguration> =>
  requirePresentedServer(await servers.find(context.orgId, id));

export const userInfoRoutes = (ports: UserInfoRoutesPorts): AnyRoute[] => [
  route({
    ...common,
    operationId: 'userinfo',
    method: 'GET',
    url: '/oauth2/v1/userinfo',
    summary: 'Retrieve the claims about a user',
    tag: 'OrgAS',
    handler: (input) => answer(ports, input, 'GET', null),
  }),
  route({
    ...posting,
    operationId: 'userinfoPost',
    url: '/oauth2/v1/userinfo',
    summary: 'Retrieve the claims about a user (POST)',
    tag: 'OrgAS',
    handler: (input) => answer(ports, input, 'POST', null, input.body),
  }),
  route({
    ...common,
    operationId: 'userinfoCustomAS',
    method: 'GET',
    url: '/oauth2/:authorizationServerId/v1/userinfo',
    summary: 'Retrieve the claims about a user from a custom authorization server',
    tag: 'CustomAS',
    params: AuthorizationServerIdParams,
    handler: async (input) => answer(ports, input, 'GET', await find(ports, input, input.params.authorizationServerId)),
  }),
  route({
    ...posting,
    operationId: 'userinfoCustomASPost',
    url: '/oauth2/:authorizationServerId/v1/userinfo',
    summary: 'Retrieve the claims about a user from a custom authorization server (POST)',
    tag: 'CustomAS',
    params: AuthorizationServerIdParams,
    handler: async (input) =>
      answer(ports, input, 'POST', await find(ports, input, input.params.authorizationServerId), input.body),
  }),
];
