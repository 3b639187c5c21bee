import { Check } from "lucide-react";
import { useState } from "react";
import { formatFee, formatMoney, formatNumber, formatRate, formatRollover, plural } from "../../../lib/format.ts";
import { exampleCost, type MeterForm, type PriceForm, pricedOf, ratesOf, rolloverOf } from "./price-form.ts";

interface Props {
  label: string;
  meters: MeterForm[];
  price: PriceForm;
  trialDays: string;
  trialEndStatus: string;
}

const ends: Record<string, string> = { paused: "it pauses", canceled: "it ends" };

/** The plan as its subscribers see it. */
export function SubscriberView({ label, meters, price, trialDays, trialEndStatus }: Props) {
  const days = Number(trialDays);
  const { price: fee, features = {} } = pricedOf(price);
  const rates = ratesOf(meters) ?? {};
  const rollover = rolloverOf(meters) ?? {};
  return (
    <section className="card plan-view" aria-label="What subscribers see">
      <p className="small muted">What subscribers see</p>
      <p className="figure-label">Plan</p>
      <p className="plan-name">{label || "Unnamed"}</p>
      {fee && <p className="plan-price number">{formatFee(fee)}</p>}
      {price.description && <p className="muted">{price.description}</p>}
      <ul className="stack stack-tight">
        {meters
          .filter(({ name }) => name !== "")
          .map(({ name, label: text, max }) => (
            <li className="row" key={name}>
              <Check size={16} aria-hidden />
              <span>
                <span className="strong number">{amountOf(max)}</span> {text || name} in each period
                {Object.hasOwn(rates, name) && `, ${formatRate(rates[name]!, price.currency)}`}
                {Object.hasOwn(rollover, name) && `; ${formatRollover(rollover[name])}`}
              </span>
            </li>
          ))}
        {Object.entries(features).map(([name, value]) => (
          <li className="row" key={`feature ${name}`}>
            <Check size={16} aria-hidden />
            <span>{value === true ? name : `${name}: ${value}`}</span>
          </li>
        ))}
        {days > 0 && (
          <li className="row">
            <Check size={16} aria-hidden />
            <span>
              {plural(days, "day")} of trial{ends[trialEndStatus] ? `, after which ${ends[trialEndStatus]}` : ""}
            </span>
          </li>
        )}
      </ul>
      {fee && <Calculator meters={meters.filter(({ name }) => name !== "")} fee={fee} />}
    </section>
  );
}

interface CalculatorProps {
  meters: Props["meters"];
  fee: NonNullable<ReturnType<typeof pricedOf>["price"]>;
}

/** What a period with some usage costs. */
function Calculator({ meters, fee }: CalculatorProps) {
  const [typed, setTyped] = useState<Record<string, string>>({});
  const rows = meters.map(({ name, label, max, rate }) => {
    const usage = typed[name] ?? String(5 * (Number(max) || 0));
    return { name, label: label || name, usage, cost: exampleCost(Number(usage), Number(max), rate) };
  });
  const total = rows.reduce((sum, { cost = 0 }) => sum + cost, Number(fee.amount));
  const rejected = rows.filter(({ cost }) => cost === undefined).map(({ label }) => label);
  return (
    <div className="calculator" data-transient>
      {rows.map(({ name, label, usage }) => (
        <label key={name}>
          <input
            className="input number"
            inputMode="decimal"
            value={usage}
            onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
          />{" "}
          {label}
        </label>
      ))}
      <output>
        →{" "}
        <strong className="number">{Number.isFinite(total) ? formatMoney(total.toFixed(2), fee.currency) : "…"}</strong>
        <span className="muted">
          {" "}
          per {fee.interval}, without tax
          {rejected.length > 0 &&
            `; ${new Intl.ListFormat("en").format(rejected)} beyond what is included would be rejected`}
        </span>
      </output>
    </div>
  );
}

const amountOf = (max: string): string => {
  const amount = max.trim() === "" ? Number.NaN : Number(max);
  return Number.isNaN(amount) ? "…" : formatNumber(amount);
};
