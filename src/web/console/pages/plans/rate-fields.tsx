import { Plus, X } from "lucide-react";
import { Button } from "../../../components/button.tsx";
import { FieldError, Labelled } from "../../../components/field.tsx";
import { emptyTier, type RateForm, type TierForm } from "./price-form.ts";

interface Props {
  /** The meter, as the labels of the fields name it. */
  meter: string;
  rate: RateForm;
  errors: Record<string, string>;
  onChange: (rate: RateForm) => void;
}

/** What usage beyond the limit of a meter costs. */
export function RateFields({ meter, rate, errors, onChange }: Props) {
  const change = (id: number, part: Partial<TierForm>) =>
    onChange({ ...rate, tiers: rate.tiers.map((tier) => (tier.id === id ? { ...tier, ...part } : tier)) });
  const at = (pointer: string) =>
    Object.entries(errors).find(([key]) => key === pointer || key.startsWith(`${pointer}/`))?.[1];
  const isPriced = rate.overage !== "block";
  const unit = rate.tierMode === "package" ? "Price of a package" : "Price of a unit";
  return (
    <div className="stack stack-tight rate">
      <div className="row row-wrap">
        <Labelled label="Beyond the limit">
          <select
            className="input"
            aria-label={`Beyond the limit of ${meter}`}
            value={rate.overage}
            onChange={(event) => onChange({ ...rate, overage: event.target.value as RateForm["overage"] })}
          >
            <option value="block">Requests are rejected</option>
            <option value="bill">Usage is billed</option>
            <option value="prepaid">Usage is paid from credit</option>
          </select>
        </Labelled>
        {isPriced && (
          <Labelled label="Sold in">
            <select
              className="input"
              aria-label={`Sold in, for ${meter}`}
              value={rate.tierMode}
              onChange={(event) => onChange({ ...rate, tierMode: event.target.value as RateForm["tierMode"] })}
            >
              <option value="graduated">Units, each at the price of its tier</option>
              <option value="volume">Units, all at the price of the last tier reached</option>
              <option value="package">Packages of several units</option>
            </select>
          </Labelled>
        )}
        {isPriced && rate.tierMode === "package" && (
          <Labelled label="Package size">
            <input
              className="input number"
              aria-label={`Package size of ${meter}`}
              placeholder="1000"
              inputMode="decimal"
              value={rate.packageSize}
              onChange={(event) => onChange({ ...rate, packageSize: event.target.value })}
            />
          </Labelled>
        )}
      </div>
      {isPriced && (
        <>
          {rate.tiers.map((tier, index) => (
            <div key={tier.id} className="pair pair-3">
              <Labelled label="Units up to">
                <input
                  className="input number"
                  aria-label={`Tier ${index + 1} of ${meter}: up to`}
                  placeholder="Unlimited"
                  inputMode="decimal"
                  value={tier.upTo}
                  onChange={(event) => change(tier.id, { upTo: event.target.value })}
                />
              </Labelled>
              <Labelled label={unit}>
                <input
                  className="input number"
                  aria-label={`Tier ${index + 1} of ${meter}: ${unit.toLowerCase()}`}
                  placeholder="0.01"
                  inputMode="decimal"
                  value={tier.unitAmount}
                  onChange={(event) => change(tier.id, { unitAmount: event.target.value })}
                />
              </Labelled>
              <Labelled label="Fee of the tier">
                <input
                  className="input number"
                  aria-label={`Tier ${index + 1} of ${meter}: fee`}
                  placeholder="0"
                  inputMode="decimal"
                  value={tier.flatAmount}
                  onChange={(event) => change(tier.id, { flatAmount: event.target.value })}
                />
              </Labelled>
              <Button
                icon={X}
                kind="quiet"
                isIcon
                disabled={rate.tiers.length === 1}
                aria-label={`Remove tier ${index + 1} of ${meter}`}
                onClick={() => onChange({ ...rate, tiers: rate.tiers.filter(({ id }) => id !== tier.id) })}
              />
            </div>
          ))}
          <FieldError error={at(`/rates/${meter}`)} />
          <div className="row row-wrap">
            <Button isSmall onClick={() => onChange({ ...rate, tiers: [...rate.tiers, emptyTier()] })}>
              <Plus size={14} aria-hidden />
              Add tier
            </Button>
            <span className="field-hint">
              Units beyond what is included. The last tier has no end; a fee is charged once, when its tier is reached.
            </span>
          </div>
        </>
      )}
    </div>
  );
}
