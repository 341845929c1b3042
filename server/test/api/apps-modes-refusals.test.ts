import { describe, expect, test } from 'vitest';
import { sampleOf } from '../../src/management/apps/modes/field-rules.ts';
import { nameOfKind } from '../../src/management/apps/modes/kind-rules.ts';
import { fieldsOf, kindNamed, newAppOf, OTHER_KINDS } from '../support/app-kinds.ts';
import { APPS, invalidField } from '../support/apps.ts';
import { useService } from '../support/use-service.ts';

const { org } = useService();

describe('create refuses', () => {
  const bookmark = kindNamed('BOOKMARK bookmark');

  test.each(
    OTHER_KINDS.flatMap(([title, kind]) =>
      (['app', 'signOn'] as const).flatMap((member) =>
        Object.entries(kind[member] ?? {}).map(([name, rule]) => [title, `settings.${member}.${name}`, rule] as const),
      ),
    ),
  )('%s: what %s is not', async (title, place, rule) => {
    const kind = kindNamed(title);
    const [, member = '', name = ''] = place.split('.');
    const [bad] = rule.samples.bad;
    const table = member === 'app' ? kind.app : kind.signOn;
    const settings = { [member]: { ...sampleOf(table ?? {}, 'required'), [name]: bad } };
    const refused = await org.admin.post(APPS, { body: newAppOf(kind, {}, settings) });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(fieldsOf(refused).every((field) => field.startsWith(place))).toBe(true);
  });

  test.each(OTHER_KINDS.filter(([, kind]) => kind.naming.from !== 'catalog'))('%s by another name', async (_, kind) => {
    const name = nameOfKind(kind) === 'bookmark' ? 'template_swa' : 'bookmark';
    expect(await org.admin.post(APPS, { body: newAppOf(kind, { name }) })).toMatchObject(invalidField('name'));
  });

  test('faults of every part at once', async () => {
    const accessibility = { errorRedirectUrl: 'javascript:x' };
    const given = { label: ' ', accessibility, credentials: { scheme: 'MINE', password: 'clear' } };
    const kind = kindNamed('BASIC_AUTH template_basic_auth');
    const refused = await org.admin.post(APPS, { body: newAppOf(kind, given, { app: { url: 'nowhere' } }) });
    expect(fieldsOf(refused)).toEqual([
      'label',
      'accessibility.errorRedirectUrl',
      'settings.app.authURL',
      'settings.app.url',
      'credentials.scheme',
      'credentials.password',
    ]);
  });

  test.each([
    ['signOnMode', { label: 'A' }],
    ['signOnMode', { label: 'A', signOnMode: 'PIGEON' }],
    ['signOnMode', { label: 'A', signOnMode: null }],
    ['signOnMode', { label: 'A', signOnMode: 'constructor' }],
    ['signOnMode', { label: 'A', name: 'sharepoint_onpremise' }],
    ['signOnMode', { label: 'A', name: 'constructor', signOnMode: null }],
    ['signOnMode', { label: 'A', name: 'bookmark', signOnMode: 'PIGEON' }],
    ['settings.app.url', { label: 'A', name: 'bookmark' }],
    ['label', { name: 'bookmark' }],
    ['label', { signOnMode: 'BOOKMARK' }],
    ['settings.app.url', { label: 'A', signOnMode: 'BOOKMARK' }],
    ['settings', { label: 'A', signOnMode: 'BOOKMARK', settings: 5 }],
    ['settings.app', { label: 'A', signOnMode: 'BOOKMARK', settings: { app: 'x' } }],
    ['settings.notes.admin', newAppOf(bookmark, {}, { notes: { admin: 5 } })],
    ['visibility.hide.web', newAppOf(bookmark, { visibility: { hide: { web: 'no' } } })],
    ['credentials.userNameTemplate.type', newAppOf(bookmark, { credentials: { userNameTemplate: { type: 'X' } } })],
  ])('%s: %j', async (field, body) => {
    const before = (await org.systemLog('eventType sw "application"')).length;
    expect(await org.admin.post(APPS, { body })).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001', errorSummary: expect.stringMatching(`: ${field}`) },
    });
    expect(await org.systemLog('eventType sw "application"')).toHaveLength(before);
  });
});
