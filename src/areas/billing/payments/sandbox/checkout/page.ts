import { createHash } from "node:crypto";
import { escapeHtml } from "../../../../../lib/text/html.ts";
import type { Checkout, CheckoutStep } from "../../interface/service.ts";
import type { SandboxBehavior } from "../method-schema.ts";
import { checkoutStyles } from "./styles.ts";

const styleHash = createHash("sha256").update(checkoutStyles).digest("base64");

/** The page has no script, and its form leads to this server or, from there, back to the business. */
export function checkoutPolicy({ returnUrl }: Pick<Checkout, "returnUrl">): string {
  const { origin } = new URL(returnUrl);
  return `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'self' ${origin}; frame-ancestors 'none'`;
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

/** The payment page of the sandbox. */
export function checkoutPage({ cancelUrl }: Checkout, { step, due, failure }: CheckoutStep): string {
  const title = due.length > 0 ? "Pay" : "Payment method";
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<title>${title}</title><style>${checkoutStyles}</style></head><body><main>`,
    '<p class="test">Test mode: no money moves.</p>',
    `<h1>${title}</h1>`,
    duePart(due),
    failure === undefined ? "" : `<p class="failure" role="alert">${failures[failure]}</p>`,
    step === "method" ? methodForm(due.length > 0) : confirmationForm(),
    `<p><a href="${escapeHtml(cancelUrl)}">Back without paying</a></p>`,
    "</main></body></html>",
  ].join("\n");
}

function duePart(due: CheckoutStep["due"]): string {
  if (due.length === 0) return "<p>Nothing is due now. The payment method pays the next invoices.</p>";
  const rows = due.map(({ number, currency, amountDue, seller }) => {
    const name = [seller, number && `invoice ${number}`].filter(Boolean).join(", ");
    return `<li><span>${escapeHtml(name)}</span> <strong>${escapeHtml(amountDue)} ${escapeHtml(currency)}</strong></li>`;
  });
  return `<ul>${rows.join("")}</ul>`;
}

function methodForm(isDue: boolean): string {
  const choices = Object.entries(methods).map(
    ([behavior, { label, note }], index) =>
      `<label><input type="radio" name="method" value="${behavior}"${index === 0 ? " checked" : ""}> <span><strong>${label}</strong><br>${note}</span></label>`,
  );
  return [
    '<form method="post"><fieldset><legend>Payment method</legend>',
    ...choices,
    `</fieldset><button>${isDue ? "Pay" : "Save payment method"}</button></form>`,
  ].join("\n");
}

function confirmationForm(): string {
  return [
    '<form method="post"><p>Your bank asks you to confirm this payment.</p>',
    '<button name="confirm" value="yes">Confirm the payment</button>',
    '<button name="confirm" value="no" class="secondary">Do not confirm</button></form>',
  ].join("\n");
}
