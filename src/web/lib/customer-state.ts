import { now } from "./clock.ts";
import { formatUtcDay, plural } from "./format.ts";

/** What the console or the portal knows of a customer. What it does not know, or may not read, is missing. */
export interface CustomerFacts {
  suspension?: { reason: string | undefined } | undefined;
  keys?: { isEnabled: boolean; expiresOn: string | null }[] | undefined;
  subscriptions?: SubscriptionFacts[] | undefined;
  /** Meters of which nothing is left, and more of which is rejected. */
  usedUp?: { label: string; until: string }[] | undefined;
  /** Invoices that were not paid in time, with the amount as it is shown. */
  unpaid?: { number?: string | undefined; due: string }[] | undefined;
}

interface SubscriptionFacts {
  status: string;
  payment?: { state: string; blocksOn?: string } | undefined;
  cancelsOn?: string | undefined;
}

export interface CustomerState {
  kind: "error" | "warning" | "info" | "success";
  cause?: "suspended" | "keys" | "invoice" | "subscription" | "paused" | "used-up" | undefined;
  text: string;
}

const isActive = ({ status }: SubscriptionFacts) => status === "active" || status === "trialing";

/** Whether a customer's requests pass, and if they do not, why: the first cause that has to be removed. */
export function customerState({ suspension, keys, subscriptions, usedUp, unpaid }: CustomerFacts): CustomerState {
  if (suspension) {
    const reason = suspension.reason ? `: ${suspension.reason}` : "";
    return { kind: "error", cause: "suspended", text: `All requests are rejected: the consumer is suspended${reason}` };
  }
  const dead = keys && describeDeadKeys(keys);
  if (dead) return { kind: "error", cause: "keys", text: `All requests are rejected: ${dead}.` };
  const last = subscriptions?.at(-1);
  if (last && !subscriptions?.some(isActive)) return ended(last, unpaid);
  if (usedUp && usedUp.length > 0) {
    const meters = usedUp.map(({ label }) => label).join(", ");
    const until = formatUtcDay(usedUp[0]!.until);
    return { kind: "error", cause: "used-up", text: `The plan is used up until ${until}: no ${meters} left.` };
  }
  const late = subscriptions?.find((each) => isActive(each) && each.payment?.state === "failed");
  if (late?.payment?.blocksOn)
    return {
      kind: "warning",
      cause: "invoice",
      text: `Requests pass until ${formatUtcDay(late.payment.blocksOn)}: ${nameInvoices(unpaid)}.`,
    };
  if (keys?.length === 0) return { kind: "info", cause: "keys", text: "There is no key yet, so no request can pass." };
  if (subscriptions?.length === 0)
    return { kind: "info", text: "There is no plan: routes with a quota reject requests." };
  const ending = subscriptions?.findLast((each) => isActive(each) && each.cancelsOn !== undefined);
  if (ending) return { kind: "info", text: `Requests pass. The plan ends on ${formatUtcDay(ending.cancelsOn!)}.` };
  return { kind: "success", text: "Requests pass." };
}

function describeDeadKeys(keys: NonNullable<CustomerFacts["keys"]>): string | undefined {
  const isExpired = (expiresOn: string | null) => expiresOn !== null && Date.parse(expiresOn) <= now();
  const disabled = keys.filter(({ isEnabled }) => !isEnabled).length;
  const expired = keys.filter(({ isEnabled, expiresOn }) => isEnabled && isExpired(expiresOn)).length;
  if (keys.length === 0 || disabled + expired < keys.length) return undefined;
  if (expired === 0) return keys.length === 1 ? "the only key is disabled" : `all ${disabled} keys are disabled`;
  if (disabled === 0) return keys.length === 1 ? "the only key has expired" : `all ${expired} keys have expired`;
  return `${plural(disabled, "key")} disabled, ${expired} expired`;
}

const causes: Record<string, string> = {
  "past-due": "the subscription is past due",
  inactive: "the subscription is paused",
  incomplete: "the first payment is missing",
  "incomplete-expired": "the first payment was not made in time",
  canceled: "the subscription was canceled",
};

/** Nothing that counts against a plan passes without an active subscription. */
function ended({ status, payment }: SubscriptionFacts, unpaid: CustomerFacts["unpaid"]): CustomerState {
  const isUnpaid = status === "unpaid" || (status === "past-due" && unpaid !== undefined && unpaid.length > 0);
  const since = status === "unpaid" && payment?.blocksOn ? ` since ${formatUtcDay(payment.blocksOn)}` : "";
  return {
    kind: status === "canceled" ? "warning" : "error",
    cause: isUnpaid ? "invoice" : status === "inactive" ? "paused" : "subscription",
    text: `Requests that a plan limits are rejected${since}: ${isUnpaid ? nameInvoices(unpaid) : causes[status]}.`,
  };
}

function nameInvoices(unpaid: CustomerFacts["unpaid"] = []): string {
  const [first, ...more] = unpaid;
  if (!first) return "an invoice is not paid";
  const named = `${first.number ?? "the invoice"} (${first.due})`;
  return more.length === 0
    ? `${named} is not paid`
    : `${named} and ${plural(more.length, "more invoice")} are not paid`;
}
