import { newCustomization, templatesOf } from '../support/email-templates.ts';
import type { Use } from './asking.ts';

/** The org's brand, and what its mails say. */
export async function useBrandRoutes({ ask, org }: Use): Promise<void> {
  const templates = await templatesOf(org);
  await ask('GET', '/api/v1/brands');
  await ask('GET', templates.replace('/templates/email', ''));
  await ask('GET', templates);
  const template = `${templates}/UserActivation`;
  await ask('GET', template);
  await ask('GET', `${template}/default-content?language=de`);
  await ask('GET', `${template}/default-content/preview`);
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
