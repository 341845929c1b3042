import type { TestResponse } from './client.ts';
import { good } from './custom-servers.ts';
import { templatesOf } from './email-templates.ts';
import { multipart } from './multipart.ts';
import type { TestOrg } from './service.ts';

export const newTheme = (more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  primaryColorHex: '#ffcc00',
  secondaryColorHex: '#b5321a',
  signInPageTouchPointVariant: 'BACKGROUND_SECONDARY_COLOR',
  endUserDashboardTouchPointVariant: 'FULL_THEME',
  errorPageTouchPointVariant: 'BACKGROUND_SECONDARY_COLOR',
  emailTemplateTouchPointVariant: 'FULL_THEME',
  loadingPageTouchPointVariant: 'NONE',
  ...more,
});

export const themesOf = async (org: TestOrg): Promise<string> =>
  (await templatesOf(org)).replace('/templates/email', '/themes');

export async function themeOf(org: TestOrg): Promise<string> {
  const themes = await themesOf(org);
  const [theme]: { id: string }[] = await good(org.admin.get(themes));
  return `${themes}/${theme?.id}`;
}

export const setTheme = async (
  org: TestOrg,
  more: Readonly<Record<string, unknown>> = {},
): Promise<TestResponse['body']> => good(org.admin.put(await themeOf(org), { body: newTheme(more) }));

export type ImagePath = 'logo' | 'favicon' | 'background-image';

export const upload = async (org: TestOrg, image: ImagePath, content: Buffer): Promise<TestResponse> =>
  org.admin.post(`${await themeOf(org)}/${image}`, multipart('file', content, image));

export const giveImage = async (org: TestOrg, image: ImagePath, content: Buffer): Promise<string> =>
  new URL(String((await good(upload(org, image, content))).url)).pathname;
