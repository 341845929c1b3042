import { describe, expect, test } from 'vitest';
import { fillMail, variablesIn } from './custom-mail.ts';
import { plainTextOf } from './plain-text.ts';

const link = 'https://acme.localhost:8443/welcome/abc?x=1&y=2';
const fill = (body: string, name = 'Ada', subject = 'Hi') =>
  fillMail({ subject, body }, { addresses: { activationLink: link }, texts: { 'user.profile.firstName': name } });

describe('an org’s own content', () => {
  test('gets its values, and a text beside the HTML', () => {
    const { html, subject, text } = fill(
      '<p>Hello ${user.profile.firstName}.</p><p><a href="${activationLink}">Activate</a></p>',
      'Ada',
      'For ${user.profile.firstName}',
    );
    expect(subject).toBe('For Ada');
    expect(html).toContain('href="https://acme.localhost:8443/welcome/abc?x=1&amp;y=2"');
    expect(text).toBe(`Hello Ada.\n\nActivate ${link}\n`);
  });

  test.each(['<img src=x onerror=alert(1)>', '"><script>', "' onclick='x"])('escapes the name %s', (name) => {
    const { html } = fill('<p title="${user.profile.firstName}">${user.profile.firstName}</p>', name);
    expect(html.replaceAll('<p title="', '').replaceAll('</p>', '')).not.toMatch(/<|'/);
    expect(html.match(/"/g)).toHaveLength(2);
  });

  test('values are no templates, and links of people are left out', () => {
    expect(fill('${user.profile.firstName}', '${activationLink}').html).toBe('${activationLink}');
    expect(fill('[${user.profile.firstName}]', 'https://evil.example/').html).toBe('[]');
    expect(fill('x', 'a\r\nBcc: b', '${user.profile.firstName}').subject).toBe('a Bcc: b');
  });

  test('names of variables', () => {
    expect(variablesIn('${a} $b ${a} ${c.d} ${} {e} $${f}')).toEqual(['a', 'c.d', '', 'f']);
  });
});

describe('plain text', () => {
  test.each([
    ['<p>a</p><p>b</p>', 'a\n\nb\n'],
    ['a<br>b<br/>c', 'a\nb\nc\n'],
    ['<html><head><title>t</title><style>p{}</style></head><body>a</body></html>', 'a\n'],
    ['<!-- <a href="x">no</a> -->a &amp; b&nbsp;c', 'a & b c\n'],
    ['<a href="https://a.example">https://a.example</a>', 'https://a.example\n'],
    ["<a class='x' href='https://a.example'>here</a>", 'here https://a.example\n'],
    ['a\n   b\t c', 'a b c\n'],
    ['<p>a', 'a\n'],
    ['a <b', 'a\n'],
    ['<!-- a', '\n'],
    ['', '\n'],
  ])('of %j', (html, text) => expect(plainTextOf(html)).toBe(text));

  test('of what was written to take long takes no longer than other text', () => {
    for (const part of ['<!--', '<a href="', '<style>', '<', '&amp', ' \n']) {
      expect(plainTextOf(part.repeat(60_000 / part.length)).length).toBeLessThan(200_000);
    }
  });
});
