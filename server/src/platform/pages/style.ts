/**
 * Colours must keep a contrast of 4.5:1 for text and 3:1 for borders of fields. Themes may replace the brand colours.
 */
export const STYLE = `
:root { color-scheme: light dark; --text: #1c2430; --muted: #55606f; --line: #d9dee5; --edge: #78848f;
  --back: #f3f5f8; --card: #fff; --soft: #eef1f5; --good: #14663a; --good-back: #e8f5ec; --bad: #9c1c1c;
  --bad-back: #fdeeee; --link: #1a50b5; --shadow: 0 1px 2px rgb(16 24 40 / 6%), 0 8px 28px rgb(16 24 40 / 8%);
  --brand: #1a50b5; --on-brand: #fff; --shade: rgb(0 0 0 / 10%); }
@media (prefers-color-scheme: dark) { :root { --text: #e7ebf0; --muted: #a5b0be; --line: #313a46; --edge: #7e8a99;
  --back: #11151b; --card: #1a2029; --soft: #232b36; --good: #6ad79a; --good-back: #14291d; --bad: #ff9a9a;
  --bad-back: #331819; --link: #93bbff; --shadow: 0 0 0 1px #28303b; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column; background: var(--back);
  color: var(--text); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.3; font-weight: 650; overflow-wrap: anywhere; }
h2 { margin: 0 0 .75rem; font-size: 1.0625rem; line-height: 1.4; }
p { margin: 0; overflow-wrap: anywhere; }
a { color: var(--link); text-underline-offset: .18em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: .25rem; }
.skip { position: absolute; left: -100vw; top: 0; padding: .75rem 1rem; background: var(--card); z-index: 1; }
.skip:focus { left: 0; }
.card { width: 100%; max-width: 26rem; margin: auto; padding: 2.5rem 1.25rem; }
.card > section { background: var(--card); border-radius: 1rem; box-shadow: var(--shadow); padding: 2rem; display: grid;
  gap: 1.25rem; }
.brand { display: flex; align-items: center; gap: .75rem; font-weight: 600; overflow-wrap: anywhere; min-width: 0; }
.brand img { max-height: 2.5rem; max-width: 10rem; }
.mark { flex: none; width: 2rem; height: 2rem; border-radius: .5rem; background: var(--brand); color: var(--on-brand);
  display: grid; place-items: center; font-weight: 700; }
.card > .brand { justify-content: center; margin-bottom: 1.5rem; }
.lead { color: var(--muted); }
form { display: grid; gap: 1.125rem; }
.field { display: grid; gap: .375rem; }
label { font-weight: 550; }
input, select { width: 100%; min-height: 2.875rem; padding: .5rem .75rem; font: inherit; color: inherit;
  background: var(--card); border: 1px solid var(--edge); border-radius: .5rem; }
input[aria-invalid="true"], select[aria-invalid="true"] { border-color: var(--bad); }
input[type="checkbox"] { width: 1.5rem; min-height: 1.5rem; margin: 0; accent-color: var(--link); }
input:focus-visible, select:focus-visible { outline-offset: 0; border-color: var(--link); border-radius: .5rem; }
button, .button { display: inline-flex; align-items: center; justify-content: center; min-height: 2.875rem;
  padding: .5rem 1.25rem; font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer;
  color: var(--on-brand); background: var(--brand); border: 1px solid transparent; border-radius: .5rem; }
button:hover, .button:hover { box-shadow: inset 0 0 0 99rem var(--shade); }
button.quiet:hover, .button.quiet:hover { box-shadow: inset 0 0 0 99rem rgb(0 0 0 / 10%); }
button:focus-visible, .button:focus-visible { border-radius: .5rem; }
button.quiet, .button.quiet { color: var(--text); background: transparent; border-color: var(--edge); }
button.small { min-height: 2.25rem; padding: .25rem .875rem; font-size: .9375rem; }
button.link { justify-self: start; min-height: 2rem; padding: .25rem 0; color: var(--link); background: none; border: 0;
  font-weight: 400;
  text-decoration: underline; text-underline-offset: .18em; }
button.link:hover { box-shadow: none; }
.hint { color: var(--muted); font-size: .9375rem; }
.hint.bad { color: var(--bad); }
.field + .hint { margin-top: -.75rem; }
.notice { padding: .75rem 1rem; border-radius: .5rem; border-left: .25rem solid currentcolor; }
.notice.bad { color: var(--bad); background: var(--bad-back); }
.notice.good { color: var(--good); background: var(--good-back); }
.links { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
.links a { display: inline-block; padding: .25rem 0; }
.who { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .25rem 1rem;
  padding: .625rem .875rem; background: var(--soft); border-radius: .5rem; }
.who span { min-width: 0; overflow-wrap: anywhere; }
.who a { padding: .25rem 0; }
.rules { margin: 0; padding: 0; list-style: none; font-size: .9375rem; color: var(--muted); }
.rules li { padding-left: 1.25rem; position: relative; }
.rules li::before { content: "\\2022"; position: absolute; left: .25rem; }
.rules .unmet { color: var(--bad); }
.rules .unmet::before { content: "\\2715"; left: 0; }
.wide > header { background: var(--card); border-bottom: 1px solid var(--line); }
.wide > header > div, .wide > nav > ul, .wide > main, .wide > footer > div { width: 100%; max-width: 60rem;
  margin-inline: auto; padding-inline: 1.25rem; }
.wide > header > div { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between;
  gap: .5rem 1rem; padding-block: .875rem; }
.wide > header form { display: flex; }
.wide > nav { background: var(--card); border-bottom: 1px solid var(--line); }
.wide > nav > ul { list-style: none; margin-block: 0; display: flex; flex-wrap: wrap; gap: 0 1.5rem; }
.wide > nav a { display: block; padding: .75rem 0 .625rem; color: var(--muted); text-decoration: none;
  border-bottom: .1875rem solid transparent; }
.wide > nav a:hover { color: var(--text); }
.wide > nav a[aria-current] { color: var(--text); border-color: var(--link); font-weight: 600; }
.wide > main { padding-block: 2rem 3rem; display: grid; gap: 1.25rem; flex: 1; align-content: start; }
.panel { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem 1.5rem; }
.panel.narrow { max-width: 30rem; }
dl { display: grid; grid-template-columns: minmax(7rem, auto) 1fr; gap: .5rem 1.25rem; margin: 0; }
dt { color: var(--muted); }
dd { margin: 0; overflow-wrap: anywhere; }
ul.plain { margin: 0; padding-left: 1.1rem; }
ul.plain li { padding-block: .125rem; }
ul.apps { list-style: none; margin: 0; padding: 0; display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fill, minmax(min(9.5rem, 100%), 1fr)); }
ul.apps a { height: 100%; display: grid; justify-items: center; align-content: start; gap: .75rem;
  padding: 1.25rem .75rem; color: inherit; text-decoration: none; text-align: center; background: var(--card);
  border: 1px solid var(--line); border-radius: .75rem; }
ul.apps a:hover { border-color: var(--edge); box-shadow: var(--shadow); }
ul.apps img { width: 3.5rem; height: 3.5rem; object-fit: contain; border-radius: .5rem; }
ul.apps span { overflow-wrap: anywhere; min-width: 0; max-width: 100%; }
ul.rows { list-style: none; margin: 0; padding: 0; }
ul.rows > li { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 1rem;
  padding: .875rem 0; border-top: 1px solid var(--line); }
ul.rows > li:first-child { border-top: 0; padding-top: 0; }
ul.rows > li:last-child { padding-bottom: 0; }
ul.rows div { min-width: 0; overflow-wrap: anywhere; }
ul.rows p { color: var(--muted); font-size: .9375rem; }
ul.rows.logos > li > img { width: 2.5rem; height: 2.5rem; object-fit: contain; border-radius: .5rem; }
ul.rows.logos > li > div { flex: 1 1 12rem; }
img.key { display: block; max-width: 100%; height: auto; image-rendering: pixelated; border-radius: .5rem; }
.app img { display: block; width: 4rem; height: 4rem; object-fit: contain; border-radius: .75rem; }
ul.scopes { list-style: none; margin: 0; padding: 0; border-bottom: 1px solid var(--line); }
ul.scopes li { padding: .75rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
ul.scopes label { display: grid; grid-template-columns: auto 1fr; gap: .75rem; font-weight: inherit; }
ul.scopes p, ul.scopes em { color: var(--muted); font-size: .9375rem; font-style: normal; font-weight: 400; }
ul.scopes .about { padding-left: 2.25rem; }
.answers { display: flex; flex-wrap: wrap; gap: .75rem; }
.answers button { flex: 1 1 8rem; padding-inline: .75rem; }
/* Movement must end within five seconds (WCAG 2.2, 2.2.2). */
.loading { height: .25rem; border-radius: 1rem; background: var(--soft); overflow: hidden; }
.loading::before { content: ""; display: block; width: 40%; height: 100%; background: var(--link); }
code { overflow-wrap: anywhere; }
pre { margin: .5rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .875rem; }
summary { padding: .25rem 0; color: var(--link); cursor: pointer; }
.badge { display: inline-block; padding: .125rem .625rem; border-radius: 1rem; background: var(--good-back);
  color: var(--good); font-size: .875rem; font-weight: 600; }
.good { color: var(--good); } .bad { color: var(--bad); }
footer { padding-block: 1rem 1.5rem; color: var(--muted); font-size: .875rem; }
footer > div { display: flex; flex-wrap: wrap; justify-content: center; gap: .25rem 2rem; padding-inline: 1.25rem; }
.wide > footer > div { justify-content: space-between; align-items: center; }
footer p { padding: .25rem 0; }
footer ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; justify-content: center;
  gap: 0 1rem; }
footer a, footer span { display: inline-block; padding: .25rem 0; color: inherit; }
footer span { color: var(--text); font-weight: 600; }
@media (max-width: 30rem) { .card { padding: 1.5rem .75rem; } .card > section { padding: 1.5rem 1.25rem; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .625rem; } }
@media (forced-colors: active) { button, .button, .panel, .card > section { border: 1px solid; } }
@keyframes pass { from { margin-left: -40%; } to { margin-left: 100%; } }
@media (prefers-reduced-motion: no-preference) { .loading::before { animation: pass 1.2s ease-in-out 4; }
  button, a { transition: box-shadow .12s, border-color .12s; } }
`;
