import { useQuery } from "@tanstack/react-query";
import { Check } from "lucide-react";
import type { CreditPack } from "../../../../client/index.ts";
import { formatNumber } from "../../../lib/format.ts";
import { formatMoney } from "../../../lib/money.ts";
import { formatDays } from "../../../lib/packs.ts";
import { billingProfile } from "../../queries/billing-profile.ts";
import { useSession } from "../../queries/session.tsx";
import { usePlans } from "../subscriptions/plans.ts";

type Shown = Pick<CreditPack, "label" | "price" | "grant" | "isPublic">;

/** A credit pack as customers see it in the portal. What is not typed yet, or is no number, is an ellipsis. */
export function PackView({ bucket, pack: { label, price, grant, isPublic } }: { bucket: string; pack: Shown }) {
  const tax = useTaxNote();
  const plans = usePlans(bucket).data ?? [];
  const meter = grant.meter && plans.map(({ meters }) => meters[grant.meter!]?.label).find(Boolean);
  const credit =
    grant.currency === undefined
      ? `${isNumber(grant.amount) ? formatNumber(Number(grant.amount)) : "…"} ${meter || grant.meter || "units"}`
      : money(grant.amount, grant.currency);
  const days = grant.expiresInDays;
  return (
    <section className="card plan-view" aria-label="What customers see">
      <p className="small muted">
        {isPublic ? "What customers see in the portal" : "Hidden in the portal: you sell it with the API or the CLI"}
      </p>
      <p className="plan-name">{label || "Unnamed"}</p>
      <p className="plan-price number">
        {money(price.amount, price.currency)} <span className="muted small">{tax}</span>
      </p>
      <ul className="stack stack-tight">
        <li className="row">
          <Check size={16} aria-hidden />
          <span className="number">{credit}</span>
        </li>
        <li className="row">
          <Check size={16} aria-hidden />
          <span>
            {days === undefined
              ? "Does not expire"
              : `Expires ${days > 0 ? formatDays(days) : "… days"} after the payment`}
          </span>
        </li>
      </ul>
    </section>
  );
}

const isNumber = (amount: string | number) => String(amount).trim() !== "" && !Number.isNaN(Number(amount));

const money = (amount: string | number, currency: string) =>
  isNumber(amount) ? formatMoney(String(amount), currency) : `… ${currency}`;

/** Nothing without taxes, or for a role that cannot read the profile. */
function useTaxNote(): string {
  const { api } = useSession();
  const profile = useQuery(billingProfile(api));
  const { taxRates = [], taxBehavior } = profile.data ?? {};
  if (taxRates.length === 0) return "";
  return taxBehavior === "inclusive" ? "incl. tax" : "plus tax";
}
