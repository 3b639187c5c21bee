import { useQuery } from "@tanstack/react-query";
import { Check } from "lucide-react";
import { useState } from "react";
import type { CreditPack, CreditPackCreate } from "../../../../client/index.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { bindForm, Checkbox, Choices, optionsOf, SelectField, TextField } from "../../../components/field.tsx";
import { SkeletonLines } from "../../../components/notice.tsx";
import { formatDays, formatMoney, formatNumber } from "../../../lib/format.ts";
import { ExternalIdField, externalIdOf } from "../../components/external-id.tsx";
import { billingProfile } from "../../queries/billing-profile.ts";
import { useSession } from "../../queries/session.tsx";
import { CallDialog, useCall } from "../../shell/requests.tsx";
import { currencyOptions } from "../plans/currencies.ts";
import { usePlans } from "../subscriptions/plans.ts";

const currencies = currencyOptions();

const kinds = optionsOf({ units: "Units of a meter", money: "Money" });

interface Form {
  label: string;
  price: string;
  currency: string;
  kind: string;
  meter: string;
  /** The currency of the price, if it is empty. */
  creditCurrency: string;
  amount: string;
  expiresInDays: string;
  isPublic: boolean;
  position: string;
  packExternalId: string;
}

const idOf = ({ packExternalId, label }: Form) => externalIdOf(packExternalId, label, "pack");

/** Text that is not a number is sent unchanged: the server explains what is wrong with it. */
const numberOr = (text: string) =>
  (text.trim() === "" || Number.isNaN(Number(text)) ? text.trim() : Number(text)) as number;

function inputOf(form: Form): CreditPackCreate {
  const { label, price, currency, kind, meter, creditCurrency, amount, expiresInDays, isPublic, position } = form;
  return {
    packExternalId: idOf(form),
    label: label.trim(),
    price: { currency, amount: price.trim() },
    grant: {
      ...(kind === "units"
        ? { meter: meter.trim(), amount: numberOr(amount) }
        : { currency: creditCurrency || currency, amount: amount.trim() }),
      expiresInDays: expiresInDays.trim() === "" ? undefined : numberOr(expiresInDays),
    },
    isPublic,
    position: position.trim() === "" ? undefined : numberOr(position),
  };
}

interface Props {
  bucket: string;
  onClose: () => void;
}

/** Creates a credit pack. The meters and the currency of the plans are its defaults. */
export function NewPack({ bucket, onClose }: Props) {
  const plans = usePlans(bucket);
  if (plans.isPending)
    return (
      <Dialog title="Create credit pack" isWide onClose={onClose}>
        <SkeletonLines />
      </Dialog>
    );
  const meters = [...new Set((plans.data ?? []).flatMap((plan) => Object.keys(plan.meters)))];
  const currency = plans.data?.find(({ price }) => price !== undefined)?.price?.currency ?? "EUR";
  return <PackForm {...{ bucket, meters, currency, onClose }} />;
}

function PackForm({ bucket, meters, currency, onClose }: Props & { meters: string[]; currency: string }) {
  const [form, setForm] = useState<Form>({
    ...{ label: "", price: "", currency, creditCurrency: "", amount: "", expiresInDays: "" },
    ...{ kind: meters.length === 0 ? "money" : "units", meter: meters[0] ?? "" },
    ...{ isPublic: false, position: "", packExternalId: "" },
  });
  const input = inputOf(form);
  const save = useCall({
    call: (api) => api.creditPacks(bucket).create(input),
    done: ({ label }) => `Credit pack ${label} created`,
    onSuccess: onClose,
  });
  const { field, checkbox } = bindForm(form, setForm, save.errors);
  return (
    <CallDialog title="Create credit pack" isWide of={save} submit="Create credit pack" onClose={onClose}>
      <div className="form-grid">
        <TextField
          label="Label"
          isWide
          placeholder="1,000 requests"
          hint="The name of the pack, which customers and their invoices show."
          {...field("label")}
        />
        <TextField
          label="Price"
          inputMode="decimal"
          placeholder="10.00"
          hint="It cannot be changed later."
          {...field("price", "/price/amount")}
        />
        <SelectField label="Currency" options={currencies} {...field("currency", "/price/currency")} />
      </div>
      <Choices
        legend="What customers get"
        name="kind"
        options={kinds}
        value={form.kind}
        onChange={(kind) => setForm({ ...form, kind })}
      />
      <div className="form-grid">
        {form.kind === "money" ? (
          <SelectField
            label="Currency of the credit"
            options={currencies}
            {...field("creditCurrency", "/grant/currency")}
            value={form.creditCurrency || form.currency}
          />
        ) : meters.length === 0 ? (
          <TextField
            label="Meter"
            isMono
            hint="No plan of the bucket has a meter yet."
            {...field("meter", "/grant/meter")}
          />
        ) : (
          <SelectField label="Meter" options={optionsOf(meters)} {...field("meter", "/grant/meter")} />
        )}
        <TextField
          label="Amount"
          inputMode="decimal"
          placeholder={form.kind === "money" ? "12.00" : "1000"}
          hint={form.kind === "money" ? "Pays overage, then the next invoices." : "Beyond the maximum of the plan."}
          {...field("amount", "/grant/amount")}
        />
        <TextField
          label="Days until it expires"
          isOptional
          inputMode="numeric"
          placeholder="365"
          hint="After the payment. Never, if it is empty."
          {...field("expiresInDays", "/grant/expiresInDays")}
        />
        <TextField
          label="Position"
          isOptional
          inputMode="numeric"
          hint="Lower positions come first."
          {...field("position")}
        />
      </div>
      <Checkbox label="Customers can buy it in the portal" {...checkbox("isPublic")} />
      <ExternalIdField
        placeholder={idOf(form)}
        hint="Names the pack in the API and the CLI. By default it is made from the label."
        {...field("packExternalId")}
      />
      <PackView bucket={bucket} pack={{ ...input, isPublic: form.isPublic }} />
    </CallDialog>
  );
}

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
