import type { Customer } from "../../../client/index.ts";

export const behaviors = {
  succeeds: "payments succeed",
  fails: "payments fail",
  "needs-action": "needs a second step",
};

type Method = NonNullable<Customer["paymentMethod"]>;

export function PaymentMethod({ method }: { method: Customer["paymentMethod"] }) {
  if (!method) return <span className="muted">No payment method</span>;
  const expires = method.type === "stripe" && method.expires?.split("-").reverse().join("/");
  return (
    <span>
      {labelOfMethod(method)}
      {expires && `, expires ${expires}`}
    </span>
  );
}

export function labelOfMethod(method: Method): string {
  if (method.type === "sandbox") return `Sandbox: ${behaviors[method.behavior]}`;
  return `Stripe: ${[method.brand ?? method.kind, method.last4].filter(Boolean).join(" ending in ")}`;
}
