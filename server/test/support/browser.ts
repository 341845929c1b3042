import { mkdirSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';

/** Chromium needs `--no-sandbox` when it runs as root. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium', args: ARGUMENTS });

export interface Watched {
  readonly page: Page;
  readonly problems: string[];
  readonly requests: string[];
}

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-US', ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    // Chromium also logs an error for each response with a 4xx status, which is how our pages refuse requests.
    if (message.type() === 'error' && !/Failed to load resource: .* status of 4\d\d/.test(message.text())) {
      problems.push(message.text());
    }
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  return { page, problems, requests };
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Runs axe without support for frames, because our pages have none. */
export async function axeFindings(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).withTags(RULES).analyze();
  return violations.map(({ help, id, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`);
}

export const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['GATEHOUSE_SHOTS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

/** Window sizes in CSS pixels. At 200 % zoom, a window 1,280 pixels wide has 640 CSS pixels. */
const WINDOWS = {
  wide: { width: 1_280, height: 720 },
  zoomed: { width: 640, height: 360 },
  narrow: { width: 320, height: 640 },
};

/** Checks how an opened page looks. All checks share the page, because opening one is slow. */
export async function lookAt(page: Page, name: string): Promise<void> {
  for (const [colorScheme, size] of [
    ['light', 'wide'],
    ['dark', 'narrow'],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(WINDOWS[size]);
    await shoot(page, `${name}-${colorScheme}`);
    expect.soft(await axeFindings(page), `${name} in ${colorScheme}`).toEqual([]);
    expect.soft(await overflow(page), `${name} on a ${size} window`).toBe(0);
  }
  await page.setViewportSize(WINDOWS.zoomed);
  expect.soft(await overflow(page), `${name} zoomed`).toBe(0);
  await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
  expect.soft(await overflow(page), `${name} with large text`).toBe(0);
  await page.evaluate(`document.documentElement.style.fontSize = ''`);
  expect.soft(await page.locator('h1').count(), `${name} has one heading`).toBe(1);
  await page.setViewportSize(WINDOWS.wide);
}

/** Presses Tab until the element with this name has focus, and expects the focus to be visible. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 25; presses += 1) {
    const focused = await page.evaluate<{ name: string; outline: string; width: number; height: number }>(`(() => {
      const e = document.activeElement;
      const s = getComputedStyle(e);
      const r = e.getBoundingClientRect();
      const label = e.labels?.[0]?.innerText ?? e.getAttribute('aria-label') ?? e.innerText ?? '';
      return { name: label.trim(), outline: s.outlineStyle + ' ' + s.outlineWidth, width: r.width, height: r.height };
    })()`);
    if (focused.name === name) {
      expect(focused.outline).toBe('solid 3px');
      // Success criterion 2.5.8 of WCAG 2.2 requires targets of at least 24 by 24 pixels.
      expect(Math.min(focused.width, focused.height)).toBeGreaterThanOrEqual(24);
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`the keyboard does not reach ${name}`);
}
