import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { changeThemeProperty, deleteThemeImage, uploadThemeImage } from '../../src/management/brands/index.ts';
import { mailTo, newUser } from '../support/authn.ts';
import { pngOf } from '../support/images.ts';
import { operatorContext } from '../support/org-settings.ts';
import { openPageClient, signInByPages } from '../support/page-client.ts';
import { startTestService, type TestOrg } from '../support/service.ts';
import { giveImage, setTheme, themeOf } from '../support/themes.ts';
import { useService } from '../support/use-service.ts';

/** This file tests where a theme is shown: on pages, in emails, and by other processes (ADR 0045). */
const { service } = useService({ isShared: false });

const LOGO = pngOf({ width: 300, height: 50 }, [200, 30, 30]);
const ICON = pngOf({ width: 32, height: 32 });
const pageOf = async (of: TestOrg, path = '/signin'): Promise<string> => (await openPageClient(of).get(path)).text;
const BROWSER = { accept: 'text/html', 'sec-fetch-mode': 'navigate' };
const refusalOf = async (of: TestOrg): Promise<string> =>
  (await of.anonymous.get('/nothing', { headers: BROWSER })).text;

async function decorated(more: Readonly<Record<string, unknown>> = {}) {
  const own = await service.newOrg();
  const logo = await giveImage(own, 'logo', LOGO);
  const favicon = await giveImage(own, 'favicon', ICON);
  const background = await giveImage(own, 'background-image', pngOf({ width: 64, height: 64 }, [30, 90, 200]));
  await setTheme(own, more);
  return { own, logo, favicon, background };
}

describe('pages', () => {
  test('show nothing of a theme whose touch points are the default, at once after they were changed', async () => {
    const variants = ['signInPage', 'endUserDashboard', 'errorPage'].map((name) => `${name}TouchPointVariant`);
    const plain = Object.fromEntries(variants.map((name) => [name, 'SVC_DEFAULT']));
    const { own, logo, favicon } = await decorated(plain);
    for (const text of [await pageOf(own), await pageOf(own, '/'), await refusalOf(own)]) {
      expect(text).not.toContain('/fs/');
      expect(text).not.toContain('#ffcc00');
      expect(text).toContain('class="mark"');
    }
    await setTheme(own);
    for (const text of [await pageOf(own), await pageOf(own, '/'), await refusalOf(own)]) {
      expect(text).toContain(`<img src="${logo}" alt="">`);
      expect(text).toContain(`<link rel="icon" href="${favicon}">`);
      expect(text).toContain('--brand: #ffcc00; --on-brand: #000000;');
    }
  });

  test('of each kind show what their own touch point says', async () => {
    const { own, background } = await decorated({
      signInPageTouchPointVariant: 'BACKGROUND_IMAGE',
      errorPageTouchPointVariant: 'BACKGROUND_SECONDARY_COLOR',
      endUserDashboardTouchPointVariant: 'WHITE_LOGO_BACKGROUND',
    });
    expect(await pageOf(own)).toContain(`url("${background}")`);
    const refusal = await refusalOf(own);
    expect(refusal).toContain('body { background: #b5321a; }');
    expect(refusal).not.toContain('url(');
    const browser = openPageClient(own);
    await signInByPages(browser, (await newUser(own)).profile.login);
    const { text } = await browser.get('/account/password');
    expect(text).toContain('.wide > nav { background: var(--brand);');
    expect(text).not.toContain('#b5321a');
  });

  test('load nothing from elsewhere, whatever the theme', async () => {
    const { own } = await decorated({ signInPageTouchPointVariant: 'BACKGROUND_IMAGE' });
    const { headers, text } = await openPageClient(own).get('/signin');
    expect(String(headers['content-security-policy'])).toContain("img-src 'self' data:");
    expect(text).not.toMatch(/(?:src|href|url)[=(]["']?(?:https?:)?\/\//);
    expect(text).not.toMatch(/\sstyle=/);
  });

  test('a page that leads on by itself moves only where the theme says so', async () => {
    const { own } = await decorated();
    // A form on an app's page sends this request without the session cookie, so our page submits the form again.
    const resent = async () =>
      (await openPageClient(own).post('/oauth2/v1/logout', { state: 'x' }, { origin: 'https://app.example' })).text;
    const still = await resent();
    expect(still).toContain('document.forms[0].submit()');
    expect(still).not.toContain('<div class="loading"');
    await setTheme(own, { loadingPageTouchPointVariant: 'SVC_DEFAULT' });
    expect(await resent()).toContain('<div class="loading" aria-hidden="true"></div>');
  });
});

describe('mails', () => {
  const lockoutHtml = async (own: TestOrg): Promise<string> => {
    const brand = (await themeOf(own)).split('/themes')[0];
    return (await own.admin.get(`${brand}/templates/email/UserActivation/default-content/preview`)).body.body;
  };

  test('have the logo and a button in the colour of the theme, where it says so', async () => {
    const { own, logo } = await decorated();
    const html = await lockoutHtml(own);
    expect(html).toContain(`<img src="${own.baseUrl}${logo}" alt="Test"`);
    expect(html).toContain('background:#ffcc00;color:#000000');
    await setTheme(own, { emailTemplateTouchPointVariant: 'SVC_DEFAULT' });
    expect(await lockoutHtml(own)).not.toMatch(/<img|background:/);
  });

  test('lead where they led before', async () => {
    const { own } = await decorated();
    const user = await own.createUser({ query: '?activate=false' });
    await own.admin.post(`/api/v1/users/${user.id}/lifecycle/activate?sendEmail=true`);
    const { url } = await mailTo(service, own, user);
    expect(url).toMatch(new RegExp(`^${own.baseUrl}/welcome/`));
  });
});

describe('an operator', () => {
  test('sets what the API sets, by the same use case', async () => {
    const own = await service.newOrg();
    const set = (name: string, value: string | null) =>
      changeThemeProperty(service.application, operatorContext(service, own), name, value);
    const read = async () => (await own.admin.get(await themeOf(own))).body;
    await set('primaryColorHex', '#B5321A');
    await set('signInPageTouchPointVariant', 'BACKGROUND_SECONDARY_COLOR');
    expect(await read()).toMatchObject({ primaryColorHex: '#B5321A', primaryColorContrastHex: '#ffffff' });
    await uploadThemeImage(service.application, operatorContext(service, own), 'logo', LOGO);
    expect(await pageOf(own)).toContain('--brand: #B5321A; --on-brand: #ffffff;');
    expect(await pageOf(own)).toContain(`<img src="${new URL((await read()).logo).pathname}" alt="">`);
    await set('primaryColorHex', null);
    await deleteThemeImage(service.application, operatorContext(service, own), 'logo');
    expect(await read()).toMatchObject({ primaryColorHex: '#1a50b5', logo: null });
    for (const [name, value] of [
      ['primaryColorHex', 'red;}*{}'],
      ['logo', '#ffffff'],
      ['constructor', 'x'],
      ['errorPageTouchPointVariant', 'FULL_THEME'],
    ] as const) {
      await expect(set(name, value)).rejects.toMatchObject({ code: 'E0000001' });
    }
    const events = await own.systemLog('eventType eq "system.theme.update"');
    expect(events).toHaveLength(5);
    expect(events[0]).toMatchObject({ actor: { type: 'SystemPrincipal' } });
  });
});

test('another process follows within a second', async () => {
  const second = await startTestService({ database: service.database });
  try {
    const own = await service.newOrg();
    second.clock.advance(service.clock.now().getTime() - second.clock.now().getTime());
    const there = second.org.client({ accept: 'text/html' }, own.hostname);
    expect((await there.get('/signin')).text).not.toContain('#ffcc00');
    await setTheme(own);
    const logo = await giveImage(own, 'logo', LOGO);
    second.clock.advance(1_000);
    const { text } = await there.get('/signin');
    expect(text).toContain('--brand: #ffcc00');
    expect(text).toContain(`<img src="${logo}"`);
    expect((await there.get(logo, { headers: { accept: 'image/*' } })).status).toBe(200);
  } finally {
    await second.close();
  }
});

test('colour and logo that were settings of an org are its theme after the upgrade', async () => {
  const upgraded = await startTestService();
  const own = upgraded.org;
  const { pool } = upgraded.database;
  const logo = `data:image/png;base64,${LOGO.toString('base64')}`;
  const settings = JSON.stringify({ brandColour: '#B5321A', brandLogo: logo });
  await pool.query('update orgs set settings = $2 where id = $1', [own.id, settings]);
  const svg = await upgraded.newOrg();
  const left = JSON.stringify({ brandLogo: 'data:image/svg+xml;base64,PHN2Zy8+' });
  await pool.query('update orgs set settings = $2 where id = $1', [svg.id, left]);
  const odd = await upgraded.newOrg();
  await pool.query('update orgs set settings = $2 where id = $1', [
    odd.id,
    JSON.stringify({ brandColour: 7, brandLogo: 'data:image/png;base64,AAAAA=' }),
  ]);
  const file = readFileSync(new URL('../../migrations/0033_themes.sql', import.meta.url), 'utf8');
  const moves = file.split(/\n(?=create|insert|--)/).filter((statement) => statement.startsWith('insert into theme'));
  expect(moves).toHaveLength(2);
  for (const statement of moves) await pool.query(statement);
  upgraded.clock.advance(1_000);
  const path = await themeOf(own);
  const { body } = await own.admin.get(path);
  expect(body).toMatchObject({
    primaryColorHex: '#B5321A',
    logo: expect.stringMatching(/\/fs\/bco\/7\/[0-9a-f]{64}$/),
    signInPageTouchPointVariant: 'BACKGROUND_SECONDARY_COLOR',
    endUserDashboardTouchPointVariant: 'LOGO_ON_FULL_WHITE_BACKGROUND',
  });
  expect(await pageOf(own)).toContain('--brand: #B5321A; --on-brand: #ffffff;');
  expect((await svg.admin.get(await themeOf(svg))).body.logo).toBeNull();
  expect((await odd.admin.get(await themeOf(odd))).body).toMatchObject({ logo: null, primaryColorHex: '#1a50b5' });
  await upgraded.close();
});
