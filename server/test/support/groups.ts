import type { TestResponse } from './client.ts';
import type { TestOrg } from './service.ts';

export const GROUPS = '/api/v1/groups';
export const groupPath = (id: string): string => `${GROUPS}/${id}`;
export const memberPath = (groupId: string, userId: string): string => `${groupPath(groupId)}/users/${userId}`;

let count = 0;
export const newGroupName = (): string => {
  count += 1;
  return `Group ${String(count).padStart(4, '0')}`;
};

export async function createGroup(
  org: TestOrg,
  profile: Readonly<Record<string, unknown>> = {},
): Promise<TestResponse['body']> {
  const response = await org.seeds.post(GROUPS, { body: { profile: { name: newGroupName(), ...profile } } });
  if (response.status !== 200) throw new Error(`the group was not created: ${response.text}`);
  return response.body;
}

export async function everyoneOf(org: TestOrg): Promise<TestResponse['body']> {
  const { body } = await org.admin.get(`${GROUPS}?filter=${encodeURIComponent('type eq "BUILT_IN"')}`);
  if (body.length !== 1) throw new Error('the org has no group of everyone, or several');
  return body[0];
}

export async function addMember(org: TestOrg, groupId: string, userId: string): Promise<void> {
  const { status, text } = await org.seeds.put(memberPath(groupId, userId));
  if (status !== 204) throw new Error(`the user was not added: ${text}`);
}

export const idsOf = (rows: readonly TestResponse['body'][]): string[] => rows.map(({ id }) => id as string);
