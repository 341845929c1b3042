import { newCustomization, templatesOf } from '../support/email-templates.ts';
import { multipart, PNG } from '../support/multipart.ts';
import { newTheme, themeOf } from '../support/themes.ts';
import type { Use } from './asking.ts';

async function useThemes({ ask, org }: Use): Promise<void> {
  const theme = await themeOf(org);
  await ask('GET', theme.slice(0, theme.lastIndexOf('/')));
  await ask('GET', theme);
  await ask('PUT', theme, newTheme());
  const images = ['logo', 'favicon', 'background-image'];
  for (const image of images) await ask('POST', `${theme}/${image}`, undefined, multipart('file', PNG));
  const { logo } = await ask('GET', theme);
  await ask('GET', new URL(logo).pathname);
  for (const image of images) await ask('DELETE', `${theme}/${image}`);
}

export async function useBrandRoutes(use: Use): Promise<void> {
  const { ask, org } = use;
  await useThemes(use);
  const templates = await templatesOf(org);
  await ask('GET', '/api/v1/brands');
  await ask('GET', templates.replace('/templates/email', ''));
  await ask('GET', templates);
  const template = `${templates}/UserActivation`;
  await ask('GET', template);
  await ask('GET', `${template}/default-content?language=de`);
  await ask('GET', `${template}/default-content/preview`);
  await ask('GET', `${template}/settings`);
  await ask('PUT', `${template}/settings`, { recipients: 'ADMINS_ONLY' });
  await ask('PUT', `${template}/settings`, { recipients: 'ALL_USERS' });
  await ask('POST', `${template}/test`);
  const list = `${template}/customizations`;
  await ask('POST', list, newCustomization());
  const path = `${list}/${(await ask('POST', list, newCustomization({ language: 'de' }))).id}`;
  await ask('GET', list);
  await ask('GET', path);
  await ask('GET', `${path}/preview`);
  await ask('PUT', path, newCustomization({ language: 'fr' }));
  await ask('DELETE', path);
  await ask('DELETE', list);
}
