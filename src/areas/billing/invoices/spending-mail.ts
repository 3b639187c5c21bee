import { formatDateTime } from "../../../lib/time/time.ts";
import type { MailMessage } from "../../mail/message.ts";

/** What a mail about spending says. Everything is part of its subject in the queue, so that it is sent once for each. */
export interface ReachedSpending {
  subscriptionId: string;
  periodEnd: number;
  /** A percentage of the cap. */
  threshold: number;
  cap: { amount: string; action: "block" | "notify" };
  currency: string;
}

export function spendingSubject({ subscriptionId, periodEnd, threshold, cap, currency }: ReachedSpending): string {
  return [subscriptionId, periodEnd, threshold, cap.amount, currency, cap.action].join(" ");
}

export function spendingMessage(subject: string): MailMessage {
  const [, periodEnd, threshold, amount, currency, action] = subject.split(" ");
  const cap = `${amount} ${currency}`;
  const end = formatDateTime(Number(periodEnd)).slice(0, 10);
  const isReached = threshold === "100";
  const share = isReached ? "" : `${threshold} % of `;
  const rejected = isReached
    ? `Requests that would cost more are rejected until the next period begins on ${end}, or the limit is raised.`
    : "When all of it is spent, requests that would cost more are rejected.";
  return {
    subject: `Usage beyond your plan has cost ${share}your limit of ${cap}`,
    lines: [
      `Usage beyond your plan has cost ${share}your limit of ${cap} in the period until ${end}.`,
      action === "block" ? rejected : "Nothing is rejected, and usage beyond your plan is still billed.",
    ],
    notes: ["The price of the plan itself does not count towards the limit."],
  };
}
