import { mkdirSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';

/** Chromium asks the network for many things at its start that no test wants; as root it needs no-sandbox. */
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

/** What a browser complains of, and what it asks for, while it looks at pages. */
export interface Watched {
  readonly page: Page;
  readonly problems: string[];
  readonly requests: string[];
}

/** A browser of its own: nothing of another one's cookies. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-US', ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    // A page that is a refusal has the status of one, of which the console tells.
    if (message.type() === 'error' && !/Failed to load resource: .* status of 4\d\d/.test(message.text())) {
      problems.push(message.text());
    }
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  return { page, problems, requests };
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe finds wrong with the page as it is shown now: each rule with the elements. */
export async function axeFindings(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
  return violations.map(({ help, id, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Whether anything has to be scrolled sideways. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** For people to look at, where a folder is named for them; otherwise nothing. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['GATEHOUSE_SHOTS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

/** Ways in which people look at pages. */
export const LOOKS = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  narrow: { viewport: { width: 320, height: 640 } },
  /** 200 % zoom of a window of 1280 pixels: half as many of its own to lay out in. */
  zoomed: { viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 },
} as const;
export const LOOK_NAMES = Object.keys(LOOKS) as (keyof typeof LOOKS)[];

/** Presses Tab until an element has the focus, which a person must be able to see. */
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
      // WCAG 2.2, 2.5.8.
      expect(Math.min(focused.width, focused.height)).toBeGreaterThanOrEqual(24);
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`the keyboard does not reach ${name}`);
}
