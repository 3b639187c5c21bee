import { createHash } from "node:crypto";
import { escapeHtml } from "../../../../../lib/text/html.ts";
import { formatMoney } from "../../../../../lib/text/prices.ts";
import type { Checkout, CheckoutLook, CheckoutStep } from "../../payments/interface.ts";
import type { SandboxBehavior } from "../../payments/provider-schema.ts";

/** Nothing is loaded from elsewhere. The portal's accent replaces the one here. */
const checkoutStyles = `
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
.seller { display: flex; align-items: center; gap: 8px; margin: 0 0 16px; font-size: 16px; font-weight: 600; }
.seller img { max-width: 160px; max-height: 32px; }
.seller:not(:has(img))::before { width: 12px; height: 12px; border-radius: 4px; background: var(--accent); content: ""; }
li strong { white-space: nowrap; }
.line { color: var(--muted); }
.total { font-size: 16px; }
.done { text-align: center; }
.done::before { display: grid; place-items: center; width: 48px; height: 48px; margin: 8px auto 16px; border-radius: 50%;
  background: var(--accent); color: var(--on-accent); font-size: 24px; content: "✓" / ""; }
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

/** The page has no script, and its form leads to this server or, from there, back to the business. */
function policyOf(returnUrl: string, styles: string): string {
  const { origin } = new URL(returnUrl);
  const hash = createHash("sha256").update(styles).digest("base64");
  return `default-src 'none'; img-src data:; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'self' ${origin}; frame-ancestors 'none'`;
}

const methods: Record<SandboxBehavior, { label: string; note: string }> = {
  succeeds: { label: "Card that succeeds", note: "Every payment is made at once." },
  fails: { label: "Card that is declined", note: "Every payment fails." },
  "needs-action": { label: "Card that needs a second step", note: "The bank asks you to confirm each payment." },
};

const failures = {
  declined: "The card was declined. Choose another payment method.",
  "not-confirmed": "The payment was not confirmed. Try again, or choose another payment method.",
};

/** How long people see that a payment was made. */
const doneSeconds = 2;

/** The payment page of the sandbox. Without a step, everything is paid. */
export function checkoutPage({ cancelUrl, returnUrl }: Checkout, shown?: CheckoutStep, look?: CheckoutLook) {
  const styles = checkoutStyles + (look?.style ?? "");
  const title = !shown ? "Done" : shown.due.length > 0 ? "Pay" : "Payment method";
  const seller = look?.title ?? shown?.due[0]?.seller;
  const back = escapeHtml(returnUrl);
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    shown ? "" : `<meta http-equiv="refresh" content="${doneSeconds};url=${back}">`,
    `<title>${title}</title><style>${styles}</style></head><body><main>`,
    seller ? `<p class="seller">${look?.logo ? `<img src="${look.logo}" alt="">` : ""}${escapeHtml(seller)}</p>` : "",
    '<p class="test">Test mode: no money moves.</p>',
    ...(shown
      ? [
          `<h1>${title}</h1>`,
          duePart(shown.due),
          shown.failure === undefined ? "" : `<p class="failure" role="alert">${failures[shown.failure]}</p>`,
          shown.step === "method" ? methodForm(shown.due) : confirmationForm(),
          `<p><a href="${escapeHtml(cancelUrl)}">Back without paying</a></p>`,
        ]
      : [
          `<div class="done"><h1>Done</h1><p role="status">Everything is paid.</p><p><a href="${back}">Continue</a></p></div>`,
        ]),
    "</main></body></html>",
  ].join("\n");
  return { html, policy: policyOf(returnUrl, styles) };
}

function duePart(due: CheckoutStep["due"]): string {
  if (due.length === 0) return "<p>Nothing is due now. The payment method pays the next invoices.</p>";
  const rows = due.flatMap(({ number, currency, amountDue, seller, lines }) => {
    const row = (kind: string, text: string, amount: string) =>
      `<li class="${kind}"><span>${escapeHtml(text)}</span> <strong>${escapeHtml(formatMoney(amount, currency))}</strong></li>`;
    const name = [seller, number && `invoice ${number}`].filter(Boolean).join(", ");
    return [...lines.map(({ text, amount }) => row("line", text, amount)), row("total", name || "Total", amountDue)];
  });
  return `<ul>${rows.join("")}</ul>`;
}

/** "Pay €30.00", if all is of one currency. */
function actionOf(due: CheckoutStep["due"]): string {
  const [first, ...others] = due;
  if (!first) return "Save payment method";
  return others.length === 0 ? `Pay ${escapeHtml(formatMoney(first.amountDue, first.currency))}` : "Pay";
}

function methodForm(due: CheckoutStep["due"]): string {
  const choices = Object.entries(methods).map(
    ([behavior, { label, note }], index) =>
      `<label><input type="radio" name="method" value="${behavior}"${index === 0 ? " checked" : ""}> <span><strong>${label}</strong><br>${note}</span></label>`,
  );
  return [
    '<form method="post"><fieldset><legend>Payment method</legend>',
    ...choices,
    `</fieldset><button>${actionOf(due)}</button></form>`,
  ].join("\n");
}

function confirmationForm(): string {
  return [
    '<form method="post"><p>Your bank asks you to confirm this payment.</p>',
    '<button name="confirm" value="yes">Confirm the payment</button>',
    '<button name="confirm" value="no" class="secondary">Do not confirm</button></form>',
  ].join("\n");
}
