import { Plus, X } from "lucide-react";
import { useId } from "react";
import { Button } from "../../../components/button.tsx";
import { bindForm, FieldError, Labelled, RowInput, Select } from "../../../components/field.tsx";
import { errorAt } from "../../../lib/errors.ts";
import { LackingMeters, useMetersInUse } from "./plan-meters.tsx";
import {
  emptyMeter,
  emptyTier,
  type MeterForm,
  type RateForm,
  type RolloverForm,
  type TermsForm,
} from "./price-form.ts";

interface MeterFieldsProps<Form> {
  bucket: string | undefined;
  form: Form;
  errors: Record<string, string>;
  onChange: (form: Form) => void;
}

/** The meters of a plan, with their limits and what usage beyond them costs. */
export function MeterFields<Form extends TermsForm>({ bucket, form, errors, onChange }: MeterFieldsProps<Form>) {
  const { meters } = form;
  const list = useId();
  const inUse = useMetersInUse(bucket);
  const setAll = (changed: MeterForm[]) => onChange({ ...form, meters: changed });
  // Usage can be billed only by a plan with a price, which may be 0.
  const isPriced = form.price.amount !== "";
  return (
    <div className="field">
      <span className="field-label">Meters</span>
      <div className="pairs">
        {meters.map((meter, index) => {
          const set = (changed: MeterForm) => setAll(meters.with(index, changed));
          const { field } = bindForm(meter, set, {});
          const row = `Meter ${index + 1}`;
          const name = meter.name || row.toLowerCase();
          const error = meter.name ? errorAt(errors, `/meters/${name}`) : undefined;
          const shared = { meter: name, errors };
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity, and are controlled.
            <div key={index} className="stack stack-tight">
              <div className="pair pair-3">
                <RowInput
                  label="Meter"
                  aria-label={`${row} name`}
                  isMono
                  placeholder="requests"
                  list={list}
                  {...field("name")}
                  error={error}
                />
                <RowInput label="Label" aria-label={`${row} label`} placeholder="Requests" {...field("label")} />
                <RowInput
                  label="Included"
                  aria-label={`${row} limit`}
                  placeholder="1000"
                  inputMode="decimal"
                  {...field("max")}
                />
                <Button
                  icon={X}
                  kind="quiet"
                  isIcon
                  aria-label={`Remove ${row.toLowerCase()}`}
                  onClick={() => setAll(meters.toSpliced(index, 1))}
                />
              </div>
              <FieldError error={error} />
              {(isPriced || meter.rate.overage !== "block") && (
                <RateFields {...shared} form={meter.rate} onChange={(rate) => set({ ...meter, rate })} />
              )}
              {(isPriced || meter.rollover.maximum !== "") && (
                <RolloverFields
                  {...shared}
                  form={meter.rollover}
                  onChange={(rollover) => set({ ...meter, rollover })}
                />
              )}
            </div>
          );
        })}
        <datalist id={list}>
          {[...inUse].map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </datalist>
        <FieldError error={errors["/meters"]} />
        <LackingMeters
          inUse={inUse}
          names={meters.map(({ name }) => name)}
          onAdd={(name, label) => setAll([...meters, { ...emptyMeter, name, label }])}
        />
        <div>
          <Button icon={Plus} isSmall onClick={() => setAll([...meters, emptyMeter])}>
            Add meter
          </Button>
        </div>
      </div>
      <p className="field-hint">
        What is counted, its display name, and how much is included in each period. Changes apply to all subscribers
        immediately.
      </p>
    </div>
  );
}

interface PartProps<Form> {
  /** As the labels of the fields name it. */
  meter: string;
  form: Form;
  errors: Record<string, string>;
  onChange: (form: Form) => void;
}

const overages = [
  { value: "block", label: "Requests are rejected" },
  { value: "bill", label: "Usage is billed" },
  { value: "prepaid", label: "Usage is paid from credit" },
];

const tierModes = [
  { value: "graduated", label: "Units, each at the price of its tier" },
  { value: "volume", label: "Units, all at the price of the last tier reached" },
  { value: "package", label: "Packages of several units" },
];

/** What usage beyond the limit of a meter costs. */
function RateFields({ meter, form: rate, errors, onChange }: PartProps<RateForm>) {
  const { field } = bindForm(rate, onChange, {});
  const setTiers = (tiers: RateForm["tiers"]) => onChange({ ...rate, tiers });
  const isPackage = rate.tierMode === "package";
  const unit = isPackage ? "Price of a package" : "Price of a unit";
  return (
    <div className="stack stack-tight rate">
      <div className="row row-wrap">
        <Labelled label="Beyond the limit">
          <Select aria-label={`Beyond the limit of ${meter}`} options={overages} {...field("overage")} />
        </Labelled>
        {rate.overage !== "block" && (
          <Labelled label="Sold in">
            <Select aria-label={`Sold in, for ${meter}`} options={tierModes} {...field("tierMode")} />
          </Labelled>
        )}
        {rate.overage !== "block" && isPackage && (
          <RowInput
            label="Package size"
            aria-label={`Package size of ${meter}`}
            placeholder="1000"
            inputMode="decimal"
            {...field("packageSize")}
          />
        )}
      </div>
      {rate.overage !== "block" && (
        <>
          {rate.tiers.map((tier, index) => {
            const { field: cell } = bindForm(tier, (changed) => setTiers(rate.tiers.with(index, changed)), {});
            const row = `${index + 1} of ${meter}`;
            const input = (name: keyof typeof tier, label: string, called: string, placeholder: string) => (
              <RowInput
                label={label}
                aria-label={`Tier ${row}: ${called}`}
                placeholder={placeholder}
                inputMode="decimal"
                {...cell(name)}
              />
            );
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity, and are controlled.
              <div key={index} className="pair pair-3">
                {input("upTo", "Units up to", "up to", "Unlimited")}
                {input("unitAmount", unit, unit.toLowerCase(), "0.01")}
                {input("flatAmount", "Fee of the tier", "fee", "0")}
                <Button
                  icon={X}
                  kind="quiet"
                  isIcon
                  disabled={rate.tiers.length === 1}
                  aria-label={`Remove tier ${row}`}
                  onClick={() => setTiers(rate.tiers.toSpliced(index, 1))}
                />
              </div>
            );
          })}
          <FieldError error={errorAt(errors, `/rates/${meter}`)} />
          <div className="row row-wrap">
            <Button icon={Plus} isSmall onClick={() => setTiers([...rate.tiers, emptyTier])}>
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

/** How many unused units of a meter the next periods have in addition. */
function RolloverFields({ meter, form, errors, onChange }: PartProps<RolloverForm>) {
  const at = `/rollover/${meter}`;
  const { field } = bindForm(form, onChange, errors, { at });
  const input = (name: keyof RolloverForm, label: string, placeholder: string) => {
    const { error, ...control } = field(name);
    return (
      <input
        className="input number"
        aria-label={label}
        aria-invalid={error !== undefined}
        placeholder={placeholder}
        inputMode="decimal"
        {...control}
      />
    );
  };
  return (
    <div className="stack stack-tight rate">
      <div className="row row-wrap rollover">
        <span>Carry over up to</span>
        {input("maximum", `Carried over of ${meter}`, "none")}
        <span>unused units, for</span>
        {input("periods", `Periods until carried over ${meter} expire`, "1")}
        <span>periods</span>
      </div>
      <FieldError error={errorAt(errors, at)} />
    </div>
  );
}
