import { useState } from "react";
import type { GrantInput, Plan } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { bindInput, Choices, optionsOf, SelectField, TextField } from "../../../components/field.tsx";
import { errorAt } from "../../../lib/errors.ts";
import { formatMoney, fromLocalInput } from "../../../lib/format.ts";
import { CallDialog, useCall } from "../../shell/requests.tsx";
import { usePlans } from "../subscriptions/plans.ts";
import { useSubscriptionsOf } from "./queries.ts";

const kinds = optionsOf({ money: "Money", units: "Units of a meter" });

interface Form {
  kind: string;
  currency: string;
  meter: string;
  amount: string;
  funding: string;
  expiresOn: string;
  reason: string;
}

/** A number that is not valid is sent as it was typed: the server says what is wrong with it. */
function inputOf({ kind, currency, meter, amount, funding, expiresOn, reason }: Form): GrantInput {
  const number = amount.trim() === "" ? Number.NaN : Number(amount);
  return {
    ...(kind === "money"
      ? { currency: currency.trim().toUpperCase(), amount: amount.trim() }
      : { meter, amount: Number.isNaN(number) ? amount : number }),
    funding: funding === "paid" ? "paid" : "promotional",
    expiresOn: fromLocalInput(expiresOn),
    reason: reason.trim() || undefined,
  };
}

interface NewGrantProps {
  bucket: string;
  customer: string;
  onClose: () => void;
}

/** Grants credits to a customer. */
export function NewGrant({ bucket, customer, onClose }: NewGrantProps) {
  const plans = usePlans(bucket).data ?? [];
  const subscriptions = useSubscriptionsOf(bucket, customer).data?.data ?? [];
  const own = plans.filter(({ id }) => subscriptions.some(({ planIds }) => planIds.includes(id)));
  const current = subscriptions.filter(({ status }) => status !== "canceled").flatMap(({ planIds }) => planIds);
  const month = own.find(({ id, price }) => current.includes(id) && price?.interval === "month" && +price.amount > 0);
  const meters = [...new Set((own.length > 0 ? own : plans).flatMap((plan) => Object.keys(plan.meters)))];
  const [changes, setChanges] = useState<Partial<Form>>({});
  const form: Form = {
    ...{ kind: "money", currency: currencyOf(own) ?? currencyOf(plans) ?? "", meter: meters[0] ?? "", amount: "" },
    ...{ funding: "promotional", expiresOn: "", reason: "" },
    ...changes,
  };
  const input = inputOf(form);
  const save = useCall({
    call: (api) => api.grants(bucket, customer).create(input),
    done: `Credits granted to ${customer}`,
    onSuccess: onClose,
  });
  const set = (more: Partial<Form>) => setChanges({ ...changes, ...more });
  const field = (name: Exclude<keyof Form, "kind">) =>
    bindInput(form[name], (value) => set({ [name]: value }), errorAt(save.errors, `/${name}`));
  return (
    <CallDialog title={`Grant credits to ${customer}`} of={save} submit="Grant credits" onClose={onClose}>
      {month?.price && (
        <div className="row row-wrap">
          <Button isSmall onClick={() => set(freeMonth(month))}>
            A free month: {formatMoney(month.price.amount, month.price.currency)}
          </Button>
        </div>
      )}
      <Choices
        legend="What to grant"
        name="kind"
        options={kinds}
        value={form.kind}
        onChange={(kind) => set({ kind })}
      />
      <div className="form-grid">
        {form.kind === "money" ? (
          <TextField label="Currency" isMono {...field("currency")} />
        ) : (
          <SelectField label="Meter" options={optionsOf(meters)} {...field("meter")} />
        )}
        <TextField
          label="Amount"
          inputMode="decimal"
          hint={form.kind === "money" ? "Pays overage, then the next invoices." : "Beyond the maximum of the plan."}
          {...field("amount")}
        />
        <SelectField
          label="Funding"
          value={form.funding}
          hint={form.funding === "paid" ? "Pays after tax." : "Reduces invoices before tax."}
          options={optionsOf({ promotional: "Promotional: a gift", paid: "Paid by the customer" })}
          onChange={(event) => set({ funding: event.target.value })}
        />
        <TextField
          label="Expires"
          isOptional
          type="datetime-local"
          hint="Never, if it is empty."
          {...field("expiresOn")}
        />
      </div>
      <TextField label="Reason" isOptional hint="The customer reads it in the portal." {...field("reason")} />
    </CallDialog>
  );
}

const currencyOf = (plans: Plan[]): string | undefined =>
  plans.find(({ price }) => price !== undefined)?.price?.currency;

/** Money that pays the next fee. */
function freeMonth({ price }: Pick<Plan, "price">): Partial<Form> {
  const { amount = "", currency = "" } = price ?? {};
  return { kind: "money", amount, currency, funding: "promotional", reason: "A free month" };
}
