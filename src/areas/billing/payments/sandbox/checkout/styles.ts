/** In the colours of the portal. Nothing is loaded from elsewhere. */
export const checkoutStyles = `
:root { color-scheme: light dark; --page: #f6f8f9; --panel: #fff; --text: #17212b; --muted: #52606d; --line: #d5dbe1;
  --accent: #0b6b68; --on-accent: #fff; --failure: #b3261e; --test: #8a4b00; }
@media (prefers-color-scheme: dark) {
  :root { --page: #10161b; --panel: #182027; --text: #e6ebef; --muted: #a3b0bb; --line: #33404b;
    --accent: #5cc5bf; --on-accent: #07211f; --failure: #ff9a92; --test: #f0b35c; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 16px; background: var(--page); color: var(--text); font: 14px/1.5 system-ui, sans-serif; }
main { max-width: 440px; margin: 24px auto; padding: 24px; border: 1px solid var(--line); border-radius: 10px; background: var(--panel); }
main, li { overflow-wrap: anywhere; }
h1 { margin: 0 0 8px; font-size: 20px; line-height: 1.3; }
ul { margin: 0 0 16px; padding: 0; list-style: none; }
li { display: flex; justify-content: space-between; gap: 16px; padding: 8px 0; border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums; }
.test { margin: 0 0 16px; color: var(--test); font-weight: 600; }
.failure { color: var(--failure); font-weight: 600; }
fieldset { margin: 0 0 16px; padding: 0; border: 0; }
legend { margin-bottom: 8px; padding: 0; font-weight: 600; }
label { display: flex; gap: 8px; padding: 8px; border: 1px solid var(--line); border-radius: 6px; margin-bottom: 8px; }
label span { color: var(--muted); }
label strong { color: var(--text); }
input { margin: 4px 0 0; accent-color: var(--accent); }
button { display: block; width: 100%; min-height: 40px; margin-bottom: 8px; border: 1px solid var(--accent); border-radius: 6px;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; }
.secondary { background: none; color: var(--accent); }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;
