import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMailAddress } from './address.ts';
import { renderMail } from './templates.ts';

const facts = {
  displayName: 'Ada Lovelace',
  orgName: 'Acme',
  url: 'https://acme.localhost:8443/welcome/abc?x=1&y=2',
  validMinutes: 24 * 60,
};

describe('renderMail', () => {
  test('says who, where and until when, and carries the link in both bodies', () => {
    const mail = renderMail('activation', facts);
    expect(mail.subject).toBe('Activate your account at Acme');
    expect(mail.text).toContain('Hello Ada Lovelace,');
    expect(mail.text).toContain(facts.url);
    expect(mail.text).toContain('expires in 24 hours');
    expect(mail.html).toContain('href="https://acme.localhost:8443/welcome/abc?x=1&amp;y=2"');
  });

  test.each([
    ['de_DE', 'Aktivieren Sie Ihr Konto bei Acme', 'Guten Tag Ada Lovelace,', '24 Stunden', 'de'],
    ['fr', 'Activez votre compte chez Acme', 'Bonjour Ada Lovelace,', '24 heures', 'fr'],
    ['ja_JP', 'Acme のアカウントを有効にしてください', 'Ada Lovelace さん、こんにちは。', '24 時間', 'ja'],
    ['tlh', 'Activate your account at Acme', 'Hello Ada Lovelace,', '24 hours', 'en'],
  ])('speaks the language of %s', (locale, subject, greeting, validity, language) => {
    const mail = renderMail('activation', { ...facts, locale });
    expect(mail.subject).toBe(subject);
    expect(mail.text).toContain(greeting);
    expect(mail.text).toContain(validity);
    expect(mail.html).toContain(`<html lang="${language}">`);
  });

  test('has the look of the org where there is one: a logo that is told by its name, a button', () => {
    const look = { logo: 'https://acme.localhost:8443/fs/bco/7/0af', colour: '#ffcc00', text: '#000000' };
    const { html, text } = renderMail('activation', { ...facts, orgName: 'A "mark" & more', look });
    expect(html).toContain('<img src="https://acme.localhost:8443/fs/bco/7/0af" alt="A &quot;mark&quot; &amp; more"');
    expect(html).toContain('background:#ffcc00;color:#000000">');
    expect(text).toBe(renderMail('activation', { ...facts, orgName: 'A "mark" & more' }).text);
    expect(renderMail('activation', { ...facts, look: { ...look, logo: null } }).html).not.toContain('<img');
    expect(renderMail('activation', { ...facts, look: null }).html).not.toMatch(/<img|background/);
  });

  test('escapes what people wrote', () => {
    const { html } = renderMail('passwordReset', { ...facts, displayName: '<img src=x onerror=alert(1)>"&' });
    expect(html).not.toContain('<img');
    expect(html).toContain('&lt;img');
  });

  test.each(['http://evil.example', 'www.evil.example', 'go to evil.com/x now'])('leaves out the name %s', (name) => {
    const mail = renderMail('activation', { ...facts, displayName: name });
    expect(mail.text).toContain('Hello,');
    expect(mail.html).not.toContain('evil');
  });

  test('never lets a name or an org break a line of the header', () => {
    const hostile = fc.string({ unit: fc.constantFrom('\r', '\n', '\0', ':', 'B', 'c', ' ', '\u2028', '<') });
    fc.assert(
      fc.property(hostile, hostile, (displayName, orgName) => {
        const { subject, text } = renderMail('activation', { ...facts, displayName, orgName });
        expect(subject).not.toMatch(/\p{C}|\u2028/u);
        expect(text.split('\n')).toHaveLength(10);
      }),
    );
  });
});

describe('isMailAddress', () => {
  test.each(['ada@example.com', "o'brien+tag@sub.example.co", 'jörg@exämple.de', 'admin@acme.localhost'])(
    'takes %s',
    (address) => expect(isMailAddress(address)).toBe(true),
  );

  test.each([
    'a@b.c\r\nBcc: victim@example.com',
    'a@b.c\nX: y',
    'a@b.c, d@e.f',
    'Ada <a@b.c>',
    '"a b"@c.d',
    'a@b@c',
    'a@',
    '@b',
    '',
    'a\u0000@b.c',
    'a\u202e@b.c',
    `${'a'.repeat(250)}@b.cd`,
  ])('refuses %j', (address) => expect(isMailAddress(address)).toBe(false));
});
