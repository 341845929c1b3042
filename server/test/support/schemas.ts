import type { TestResponse } from './client.ts';
import type { TestOrg } from './service.ts';

export const USER_SCHEMA = '/api/v1/meta/schemas/user/default';
export const GROUP_SCHEMA = '/api/v1/meta/schemas/group/default';
export const USER_TYPES = '/api/v1/meta/types/user';

type Definition = Readonly<Record<string, unknown>> | null;
type Definitions = Readonly<Record<string, Definition>>;

export const customBody = (properties: Definitions): { body: object } => ({
  body: { definitions: { custom: { properties } } },
});

export const changeAttributes = (org: TestOrg, properties: Definitions, url = USER_SCHEMA): Promise<TestResponse> =>
  org.admin.post(url, customBody(properties));

export async function defineAttributes(org: TestOrg, properties: Definitions, url = USER_SCHEMA): Promise<void> {
  const { status, text } = await changeAttributes(org, properties, url);
  if (status !== 200) throw new Error(`the schema was not changed: ${text}`);
}

export const causesIn = (response: TestResponse): string[] =>
  (response.body.errorCauses as { errorSummary: string }[]).map(({ errorSummary }) => errorSummary);

export async function newUserType(org: TestOrg, name: string): Promise<{ id: string; schemaUrl: string }> {
  const { body, status, text } = await org.admin.post(USER_TYPES, { body: { name, displayName: name } });
  if (status !== 200) throw new Error(`the user type was not made: ${text}`);
  const { href } = body._links.schema;
  return { id: body.id, schemaUrl: String(href).slice(org.baseUrl.length) };
}
