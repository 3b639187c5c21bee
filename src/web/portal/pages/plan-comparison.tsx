import { amountText } from "../../../client/amount-text.ts";
import type { PortalPlanPreview } from "../../../client/transport/portal-schema.gen.ts";
import { Badge } from "../../components/badge.tsx";
import { Notice } from "../../components/notice.tsx";
import { formatNumber, formatUtcDay } from "../../lib/format.ts";
import { formatRate, formatUnitPrice } from "../../lib/money.ts";
import type { Offer } from "./plan-card.tsx";
import { type TaxBehavior, TaxNote } from "./price.tsx";

type Limit = PortalPlanPreview["limits"][number];

/** The price and limits of a plan beside the current ones, with the usage of the period. */
export function PlanComparison({
  plan,
  current,
  preview,
  tax,
}: {
  plan: Offer;
  current: Offer | undefined;
  preview: PortalPlanPreview;
  tax: TaxBehavior | undefined;
}) {
  const { limits } = preview;
  const hasBefore = limits.some(({ before }) => before !== undefined);
  const over = limits.filter((limit) => isLower(limit) && limit.used > (limit.after ?? 0));
  return (
    <>
      <table className="table" aria-label="Comparison">
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">What</span>
            </th>
            {hasBefore && <th scope="col">Now</th>}
            <th scope="col">{plan.label}</th>
            {hasBefore && <th scope="col">Used</th>}
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">Price</th>
            {hasBefore && <td className="two-rows">{current ? <Price price={current.price} tax={tax} /> : "—"}</td>}
            <td className="two-rows">
              <Price price={plan.price} tax={tax} />
            </td>
            {hasBefore && <td />}
          </tr>
          {limits.map((limit) => (
            <tr key={limit.meter}>
              <th scope="row">{limit.label ?? limit.meter}</th>
              {hasBefore && <td className="number">{formatLimit(limit.before)}</td>}
              <td className="number">
                {formatLimit(limit.after)} {isLower(limit) && <Badge tone="amber">Lower</Badge>}
              </td>
              {hasBefore && <td className="number">{formatNumber(limit.used)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {over.length > 0 && (
        <Notice kind="warning">
          {over.map((limit) => (
            <p key={limit.meter}>{consequence(limit, plan, preview)}</p>
          ))}
        </Notice>
      )}
    </>
  );
}

function Price({ price, tax }: { price: Offer["price"]; tax: TaxBehavior | undefined }) {
  if (!price || Number(price.amount) === 0) return "Free";
  return (
    <>
      {formatUnitPrice(price.amount, price.currency)} per {price.interval}
      <TaxNote tax={tax} />
    </>
  );
}

const formatLimit = (max: number | undefined): string => (max === undefined ? "Not included" : formatNumber(max));

const isLower = ({ before, after = 0 }: Limit): boolean => before !== undefined && after < before;

/** What it means that more was used than the new plan allows. */
function consequence(limit: Limit, { label, rates = {}, price }: Offer, { timing, on }: PortalPlanPreview): string {
  const name = limit.label ?? limit.meter;
  const rate = rates[limit.meter];
  const used = `You have used ${amountText(limit.used, name)} in this period. ${label} ${
    limit.after === undefined ? "does not include them" : `allows ${formatNumber(limit.after)}`
  }`;
  if (rate && rate.overage !== "block" && price) return `${used}, ${formatRate(rate, price.currency)}.`;
  return timing === "now"
    ? `${used}: further ones are rejected until the period ends.`
    : `${used}: from ${formatUtcDay(on)} on, as many would be rejected.`;
}
