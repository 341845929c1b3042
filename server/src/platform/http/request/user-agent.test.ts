import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseUserAgent } from './user-agent.ts';

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('parseUserAgent', () => {
  test.each([
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:72.0) Gecko/20100101 Firefox/72.0',
      'Mac OS X',
      'FIREFOX',
      'Computer',
    ],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/120.0.0.0 Safari/537.36`,
      'Windows 10',
      'CHROME',
      'Computer',
    ],
    [`Mozilla/5.0 (X11; Linux x86_64) ${webKit} Chrome/120.0.0.0 Safari/537.36 Edg/120`, 'Linux', 'EDGE', 'Computer'],
    [
      `Mozilla/5.0 (X11; CrOS x86_64 15633.69.0) ${webKit} Chrome/119.0.0.0 Safari/537.36`,
      'Chrome OS',
      'CHROME',
      'Computer',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 16_0 like Mac OS X) AppleWebKit/605 Version/16.0 Mobile/15E148 Safari/604.1',
      'iOS',
      'MOBILE_SAFARI',
      'Mobile',
    ],
    [
      `Mozilla/5.0 (Linux; Android 13; Pixel 7) ${webKit} Chrome/120.0.0.0 Mobile Safari/537.36`,
      'Android',
      'CHROME',
      'Mobile',
    ],
    [
      `Mozilla/5.0 (Linux; Android 13; SM-X700) ${webKit} Chrome/120.0.0.0 Safari/537.36`,
      'Android',
      'CHROME',
      'Tablet',
    ],
    ['MyApp/1.0 ios iphone', 'iOS', 'Unknown', 'Mobile'],
    ['MyApp/1.0 Apple iPad safari', 'iOS', 'SAFARI', 'Tablet'],
    ['MyApp/1.0 (apple; ipod) chrome', 'iOS', 'CHROME', 'Mobile'],
    ['MyApp/2 android chrome', 'Android', 'CHROME', 'Mobile'],
    ['MyApp/2 android', 'Android', 'Unknown', 'Mobile'],
    ['@okta/okta-sdk-nodejs/8.2.0 node/20.20.2 linux/6.1.0', 'Linux', 'Unknown', 'Computer'],
    ['curl/8.1', 'Unknown', 'Unknown', 'Unknown'],
    ['iphone', 'Unknown', 'Unknown', 'Mobile'],
    ['%$&/()=', 'Unknown', 'Unknown', 'Unknown'],
  ])('reads %s', (rawUserAgent, os, browser, device) => {
    expect(parseUserAgent(rawUserAgent)).toEqual({ rawUserAgent, os, browser, device });
    expect(parseUserAgent(rawUserAgent)).toBe(parseUserAgent(rawUserAgent));
  });

  test.each([undefined, '', '  '])('reports all as Unknown when the header is %j', (raw) => {
    expect(parseUserAgent(raw)).toEqual({ rawUserAgent: null, os: 'Unknown', browser: 'Unknown', device: 'Unknown' });
  });

  test('reads no more than 512 characters', () => {
    expect(parseUserAgent(`${'x'.repeat(512)} android`)).toMatchObject({
      rawUserAgent: 'x'.repeat(512),
      os: 'Unknown',
    });
  });

  test('never throws and never leaves a field empty', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (raw) => {
        const { os, browser, device } = parseUserAgent(raw);
        expect([os, browser, device].every((field) => field !== '')).toBe(true);
      }),
    );
  });
});
