import type { TestResponse } from './client.ts';
import { good } from './custom-servers.ts';
import type { TestOrg } from './service.ts';

export const newCustomization = (more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  language: 'en',
  subject: 'A word from ${org.name}',
  body: '<p>Dear ${user.profile.firstName},</p><p><a href="${activationLink}">Begin here</a></p>',
  ...more,
});

export async function templatesOf(org: TestOrg): Promise<string> {
  const [brand]: { id: string }[] = await good(org.admin.get('/api/v1/brands'));
  return `/api/v1/brands/${brand?.id}/templates/email`;
}

export const customize = async (
  org: TestOrg,
  template: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<TestResponse['body']> =>
  good(org.admin.post(`${await templatesOf(org)}/${template}/customizations`, { body: newCustomization(more) }));
