import type { Endpoint } from "../../api/endpoint.ts";

/** Words that people use for what names, texts and paths of operations call otherwise. */
const synonyms: [part: RegExp, words: string[]][] = [
  [/consumer/i, ["customer", "client", "company", "user", "tenant"]],
  [/customer/i, ["consumer", "client", "company"]],
  [/key/i, ["credential", "secret"]],
  [/roll/i, ["rotate", "renew", "replace", "revoke", "leaked"]],
  [/^(listConsumers|search)$/m, ["find", "look", "lookup", "email", "customer"]],
  [
    /\}\/requests/,
    [
      "log",
      "rejected",
      "denied",
      "blocked",
      "failed",
      "error",
      "explain",
      "why",
      "401",
      "402",
      "403",
      "404",
      "429",
      "500",
    ],
  ],
  [/usage/i, ["consumption", "quota", "limit", "allowance", "used", "remaining", "meter", "plan", "compare"]],
  [/subscription/i, ["plan", "contract", "tier"]],
  [/plan/i, ["price", "tier", "limit", "quota"]],
  [/grant/i, ["credit", "balance", "prepaid"]],
  [/invoice/i, ["bill", "receipt", "payment"]],
  [/revenue/i, ["sales", "income", "turnover", "mrr"]],
  [/analytics/i, ["statistics", "traffic", "latency", "errors", "metrics"]],
  [/AuditLog/, ["history", "change", "changed", "changes", "who", "when"]],
  [/deployment/i, ["gateway", "api", "release"]],
  [/member/i, ["person", "people", "team", "colleague"]],
  [/manager/i, ["person", "contact", "email"]],
  [/portal/i, ["self-service", "sign-up"]],
  [/webhook/i, ["notification", "event", "callback"]],
  [/variable/i, ["environment", "setting", "configuration"]],
  [/domain/i, ["host", "certificate", "dns"]],
  [/token/i, ["access", "credential"]],
  [/delete|remove/i, ["end", "drop"]],
];

/** Returns words that should find an operation although it has others. */
export function synonymsOf({
  operationId,
  path,
  summary,
}: Pick<Endpoint, "operationId" | "path" | "summary">): string[] {
  const text = [operationId, path, summary].join("\n");
  return [...new Set(synonyms.flatMap(([part, words]) => (part.test(text) ? words : [])))];
}
